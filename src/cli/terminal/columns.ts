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
  /** It can be cut down to this so that others find room, and gets back what they leave. */
  readonly leastWide?: number;
  /** Between it and the one before it. */
  readonly gap?: number;
}

const usualGap = 2;

/** A title and a line for each row, with as many columns as there is room for, in their order. */
export function drawColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Line[] {
  const sized = columns.map((column) => {
    const most = sizeOf(column, rows);
    const { leastWide = most, gap = usualGap } = column;
    return { column, gap, most, size: Math.min(most, leastWide) };
  });
  const shown = new Set<Column<Row>>();
  let used = -(sized[0]?.gap ?? 0);
  for (const { column, gap, size } of [...sized].sort((a, b) => a.column.rank - b.column.rank)) {
    if (used + gap + size > width && shown.size > 0) continue;
    shown.add(column);
    used += gap + size;
  }
  const chosen = sized
    .filter(({ column }) => shown.has(column))
    .map(({ column, gap, most, size }, i) => {
      const more = Math.min(most - size, Math.max(0, width - used));
      used += more;
      const before = i === 0 ? "" : " ".repeat(gap);
      return { column, draw: (text: string) => before + fit(text, size + more, column.align) };
    });
  const title: Line = chosen.map(({ column, draw }) => ({ text: draw(column.title), paint: "dim" }));
  return [
    title,
    ...rows.map((row) =>
      chosen.map(({ column, draw }) => {
        const paint = column.paint?.(row);
        const text = draw(column.cell(row));
        return paint === undefined ? { text } : { text, paint };
      }),
    ),
  ];
}

function sizeOf<Row>({ title, cell, mostWide = Number.POSITIVE_INFINITY }: Column<Row>, rows: readonly Row[]): number {
  return Math.min(mostWide, Math.max(widthOf(title), ...rows.map((row) => widthOf(cell(row)))));
}
