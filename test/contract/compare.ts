import type { KnownDifference } from "./differences.ts";
import type { Transcript } from "./transcript.ts";

export interface Difference {
  /** As in `3.body.metadata.name`: the number of the step, then the way into it. */
  readonly path: string;
  /** Method and path of the step. */
  readonly call: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export function compareTranscripts(expected: Transcript, actual: Transcript): Difference[] {
  const differences: Difference[] = [];
  const visit = (left: unknown, right: unknown, path: readonly string[]): void => {
    if (isTree(left) && isTree(right) && Array.isArray(left) === Array.isArray(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        visit(left[key], right[key], [...path, key]);
    } else if (left !== right) {
      const call = expected[Number(path[0])]?.call ?? actual[Number(path[0])]?.call ?? "";
      differences.push({ path: path.join("."), call, expected: left, actual: right });
    }
  };
  visit(expected, actual, []);
  return differences;
}

/** Differences that nobody has listed, and listed ones that are no more. */
export interface Verdict {
  readonly unexpected: readonly Difference[];
  readonly outdated: readonly KnownDifference[];
}

export function judge(differences: readonly Difference[], known: readonly KnownDifference[]): Verdict {
  return {
    unexpected: differences.filter(({ path }) => !known.some((entry) => matches(entry.path, path))),
    outdated: known.filter((entry) => !differences.some(({ path }) => matches(entry.path, path))),
  };
}

export function describeVerdict(name: string, { unexpected, outdated }: Verdict): string {
  const lines = unexpected.map(
    ({ path, call, expected, actual }) =>
      `  ${path} (${call})\n    real:     ${show(expected)}\n    embedded: ${show(actual)}`,
  );
  const stale = outdated.map(
    ({ path, reason }) => `  ${path} is listed as different ("${reason}") and is the same: take it out`,
  );
  return [`${name}:`, ...lines, ...stale].join("\n");
}

/** `*` stands for any part of a path. */
function matches(pattern: string, path: string): boolean {
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`).test(path);
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
