import type { Style } from "../style.ts";
import type { Line } from "./line.ts";
import { fit, widthOf } from "./text-width.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: "left" | "right";
  readonly paint?: (row: Row) => keyof Style | undefined;
  /** The higher, the sooner it is left out where there is no room. */
  readonly rank: number;
  readonly mostWide?: number;
}

const gap = 2;

/** A title and a line for each row, with as many columns as there is room for, in their order. */
export function drawColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Line[] {
  const sized = columns.map((column) => ({ column, size: sizeOf(column, rows) }));
  const shown = new Set<Column<Row>>();
  let used = -gap;
  for (const { column, size } of [...sized].sort((a, b) => a.column.rank - b.column.rank)) {
    if (used + gap + size > width && shown.size > 0) continue;
    shown.add(column);
    used += gap + size;
  }
  const chosen = sized.filter(({ column }) => shown.has(column));
  const pad = (text: string, i: number): string => (i === 0 ? text : " ".repeat(gap) + text);
  const title: Line = chosen.map(({ column, size }, i) => ({
    text: pad(fit(column.title, size, column.align), i),
    paint: "dim",
  }));
  return [
    title,
    ...rows.map((row) =>
      chosen.map(({ column, size }, i) => {
        const paint = column.paint?.(row);
        const text = pad(fit(column.cell(row), size, column.align), i);
        return paint === undefined ? { text } : { text, paint };
      }),
    ),
  ];
}

function sizeOf<Row>({ title, cell, mostWide = Number.POSITIVE_INFINITY }: Column<Row>, rows: readonly Row[]): number {
  return Math.min(mostWide, Math.max(widthOf(title), ...rows.map((row) => widthOf(cell(row)))));
}
