import type { Style } from "../style.ts";
import { oneLine, wrap } from "../terminal/text-width.ts";

/** A part of an answer: what it is about, and lines for people. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Everything one below the other; what is too long for a line goes on in the next, a little to the right. */
export function printSections(sections: readonly Section[], width: number, style: Style): string {
  const shown = sections.filter(({ lines }) => lines.length > 0);
  const texts = shown.map(({ title, lines }) => {
    const body = lines.flatMap((line) => wrap(printable(line), Math.max(20, width - 2)));
    return `${style.bold(title)}\n${body.map((line) => `  ${line}\n`).join("")}`;
  });
  return texts.join("\n");
}

/** Gaps between columns stay, and nothing moves the cursor. */
function printable(line: string): string {
  return /\p{Cc}/u.test(line) ? oneLine(line) : line;
}
