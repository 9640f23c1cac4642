import type { Style } from "../style.ts";
import { oneLine, truncate, widthOf } from "./text-width.ts";

/** A piece of a line; colours are put on last, so that widths are those of the text. */
export interface Piece {
  readonly text: string;
  readonly paint?: keyof Style;
}

export type Line = readonly Piece[];

/** The line as it is written, never wider than the terminal. */
export function paintLine(line: Line, width: number, style: Style): string {
  let left = width;
  let painted = "";
  for (const { text, paint } of line) {
    if (left <= 0) break;
    const shown = truncate(oneLineOf(text), left);
    left -= widthOf(shown);
    painted += paint === undefined ? shown : style[paint](shown);
  }
  return painted;
}

/** Gaps between columns are spaces that matter. */
function oneLineOf(text: string): string {
  return /[\p{Cc}]/u.test(text) ? oneLine(text) : text;
}
