import type { LogFields } from "../../ports/telemetry.ts";

/** Fields as JSON can say them: maps as objects, sets as lists, errors as their message with those of their causes. */
export function plainFields(fields: LogFields, showsStacks: boolean): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    plain[key] = plainValue(value, 0);
    if (value instanceof Error && (showsStacks || isBug(value))) plain.stack = value.stack;
  }
  return plain;
}

const deepest = 6;

function plainValue(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return value;
  if (depth >= deepest) return "…";
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, inner]) => [String(key), plainValue(inner, depth + 1)]));
  }
  if (value instanceof Set || Array.isArray(value)) return [...value].map((inner) => plainValue(inner, depth + 1));
  if ("toJSON" in value && typeof value.toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(inner, depth + 1)]));
}

/** `Cannot create node "a": connect ECONNREFUSED 127.0.0.1:6443`; a cause that is already in the message is not repeated. */
function describeError(error: Error): string {
  let text = error.message === "" ? error.name : error.message;
  if (error instanceof AggregateError) text += ` (${error.errors.map(describeThrown).join("; ")})`;
  let cause = error.cause;
  for (let depth = 0; cause !== undefined && depth < deepest; depth++) {
    const said = cause instanceof Error ? cause.message : describeThrown(cause);
    if (said !== "" && !text.includes(said)) text += `: ${said}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return text;
}

function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? describeError(thrown) : String(thrown);
}

/** Without its stack nobody could find it. */
function isBug(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
