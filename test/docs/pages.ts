// The documents, taken apart: code blocks, headings, links.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export const root = join(import.meta.dirname, "../..");

export interface Block {
  /** As in `docs/aws.md:12`. */
  readonly where: string;
  readonly language: string;
  readonly text: string;
  /** What the HTML comment right before the block says. */
  readonly comment: string;
}

export interface Page {
  readonly path: string;
  readonly blocks: readonly Block[];
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
}

export const pages: readonly Page[] = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  ...markdownBelow("docs"),
  ...markdownBelow("charts"),
].map(readPage);

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name).replaceAll("\\", "/"))
    .sort();
}

function readPage(path: string): Page {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { readonly line: number; readonly fence: string; readonly language: string } | undefined;
  let code: string[] = [];
  for (const [index, line] of readFileSync(join(root, path), "utf8").split("\n").entries()) {
    const [, fence, language = ""] = /^\s*(`{3,})(\S*)/.exec(line) ?? [];
    if (open === undefined && fence !== undefined) open = { line: index + 1, fence, language };
    else if (open !== undefined && line.trim() === open.fence) {
      const before = prose.filter((text) => text.trim() !== "").at(-1) ?? "";
      const [, comment = ""] = /^<!-- (.*) -->$/.exec(before.trim()) ?? [];
      const where = `${path}:${open.line}`;
      blocks.push({ where, language: open.language, text: `${code.join("\n")}\n`, comment });
      code = [];
      open = undefined;
    } else if (open !== undefined) code.push(line);
    else prose.push(line);
  }
  const text = prose.join("\n");
  return {
    path,
    blocks,
    anchors: new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))),
    links: [...text.replaceAll(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link),
  };
}

/** As GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** What is wrong with a link, undefined for one that leads somewhere or outside. */
export function brokenLink(page: Page, link: string, files: { has(path: string): boolean }): string | undefined {
  if (/^(?:https?:|mailto:)/.test(link)) return undefined;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page.path : relative(root, join(root, dirname(page.path), path)).replaceAll("\\", "/");
  if (!files.has(target)) return `${page.path}: ${link} leads to no file`;
  const other = pages.find((one) => one.path === target);
  if (anchor === undefined || other === undefined || other.anchors.has(anchor)) return undefined;
  return `${page.path}: ${link} leads to no heading`;
}
