import { styleText } from "node:util";

const colours = { DEBUG: "gray", INFO: "green", ERROR: "red" } as const;
const unsaid: ReadonlySet<string> = new Set(["level", "time", "logger", "message", "commit", "controller", "stack"]);

/** A line of the log for people: `12:00:01 INFO  provisioner  created nodeclaim  NodeClaim=default-x7k2p`. */
export function prettyLine(line: string): string {
  const fields = JSON.parse(line) as Record<string, unknown>;
  const level = String(fields.level) as keyof typeof colours;
  const said = Object.entries(fields)
    .filter(([key]) => !unsaid.has(key))
    .map(([key, value]) => `${paint("dim", `${key}=`)}${describe(value)}`);
  const parts = [
    `${paint("dim", String(fields.time).slice(11, 19))} ${paint(colours[level] ?? "yellow", level.padEnd(5))}`,
    ...(typeof fields.controller === "string" ? [paint("cyan", fields.controller)] : []),
    String(fields.message),
    ...said,
  ];
  const stack = typeof fields.stack === "string" ? `${paint("dim", fields.stack)}\n` : "";
  return `${parts.join("  ")}\n${stack}`;
}

/** An object that has but a name, or a name and a namespace, is said by it. */
function describe(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  const { name, namespace, ...rest } = value as Record<string, unknown>;
  if (typeof name !== "string" || Object.keys(rest).length > 0) return JSON.stringify(value);
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}

function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}
