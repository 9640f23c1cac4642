import { stripVTControlCharacters } from "node:util";

/** Lines up columns by what is seen of their cells, the numbered ones to the right. */
export function formatTable(rows: readonly (readonly string[])[], rightAligned: ReadonlySet<number>): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    });
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const gap = " ".repeat((widths[column] ?? 0) - visibleLength(cell));
        return rightAligned.has(column) ? gap + cell : cell + gap;
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function visibleLength(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
