import { stripVTControlCharacters } from "node:util";

const colors: Readonly<Record<string, string>> = {
  "1": 'font-weight="bold"',
  "2": 'fill="#8b949e"',
  "31": 'fill="#ff7b72"',
  "32": 'fill="#7ee787"',
  "33": 'fill="#e3b341"',
  "36": 'fill="#56d4dd"',
};

/** What a terminal shows, with its colours, as an SVG. */
export function pictureOf(text: string, title: string): string {
  const lineHeight = 19;
  const charWidth = 8.43;
  const lines = text.split("\n").flatMap(wrap);
  const longest = Math.max(...lines.map((line) => plain(line).length));
  const width = Math.ceil(longest * charWidth + 40);
  const height = lines.length * lineHeight + 36;
  const rows = lines.map((line, index) => `<text x="20" y="${30 + index * lineHeight}">${spansOf(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${rows.join("\n")}
</g>
</svg>
`;
}

/** Long lines of words go on in the next line, indented like their start. */
function wrap(line: string): string[] {
  const most = 118;
  if (plain(line).length <= most || line.includes("\u001b")) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const wrapped: string[] = [];
  let current = "";
  for (const word of line.trim().split(" ")) {
    if (current !== "" && indent.length + current.length + 1 + word.length > most) {
      wrapped.push(indent + current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...wrapped, indent + current];
}

function plain(line: string): string {
  return stripVTControlCharacters(line);
}

function spansOf(line: string): string {
  let style: string | undefined;
  let result = "";
  // What stands between two escape characters begins with the code of its style.
  for (const [index, part] of line.split("\u001b[").entries()) {
    const [, code = "", text = ""] = index === 0 ? ["", "", part] : (/^(\d+)m(.*)$/.exec(part) ?? []);
    if (index > 0) style = colors[code];
    if (text !== "") result += style ? `<tspan ${style}>${escapeXml(text)}</tspan>` : escapeXml(text);
  }
  return result;
}

/** Renderers collapse ordinary spaces. */
function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
}
