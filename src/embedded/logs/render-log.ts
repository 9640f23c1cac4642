import type { LogOptions } from "../api/read-log-options.ts";
import type { LogLine } from "./log-buffer.ts";

/** As text, one line each, as far as the options want them. */
export function renderLines(lines: readonly LogLine[], options: LogOptions): string {
  const recent = lines.filter(({ at }) => at >= (options.since ?? 0));
  const last =
    options.tailLines === undefined ? recent : recent.slice(recent.length - Math.min(options.tailLines, recent.length));
  const text = last.map((line) => renderLine(line, options)).join("");
  return options.limitBytes === undefined ? text : Buffer.from(text).subarray(0, options.limitBytes).toString();
}

export function renderLine({ at, text }: LogLine, { hasTimestamps }: LogOptions): string {
  return hasTimestamps ? `${new Date(at).toISOString()} ${text}\n` : `${text}\n`;
}
