import stringWidth from "string-width";

/** What the text is on a terminal: one line, and nothing that could move the cursor. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "");
}

/** How many columns it takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** As much of the text as fits, with `…` where something is missing. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return "";
  if (widthOf(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const { segment } of graphemes.segment(text)) {
    const more = widthOf(segment);
    if (used + more > width - 1) break;
    kept += segment;
    used += more;
  }
  return `${kept}…`;
}

/** Exactly so wide. */
export function fit(text: string, width: number, align: "left" | "right" = "left"): string {
  const shown = truncate(text, width);
  const gap = " ".repeat(Math.max(0, width - widthOf(shown)));
  return align === "left" ? shown + gap : gap + shown;
}

/** Broken between words; what goes on in the next line stands a little to the right. */
export function wrap(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    const next = current === "" ? word : `${current} ${word}`;
    if (widthOf(next) > width && current.trim() !== "") {
      lines.push(current);
      current = `    ${word}`;
    } else current = next;
  }
  return [...lines, current];
}
