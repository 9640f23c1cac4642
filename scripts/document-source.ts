// What the pages of docs/reference are gathered from: the source as text, without tests and comments.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

export interface SourceFile {
  /** From src on, as in `core/model/labels.ts`. */
  readonly name: string;
  readonly text: string;
}

export function readSources(folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .sort()
      .map((name) => {
        const path = join(root, "src", folder, name);
        const text = readFileSync(path, "utf8").replace(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*)$/gm, "");
        return { name: relative(join(root, "src"), path).replaceAll("\\", "/"), text };
      }),
  );
}

/** All that a pattern's groups match, once each, in order. */
export function wordsIn(text: string, pattern: RegExp): string[] {
  const words = [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter((word) => word !== undefined));
  return [...new Set(words)].sort();
}

/** Holds a table of descriptions to what the source has; throws what is missing and what is too much. */
export function compareWithSource(what: string, described: Iterable<string>, found: Iterable<string>): void {
  const words = new Set(described);
  const inSource = new Set(found);
  const missing = [...inSource].filter((word) => !words.has(word));
  const gone = [...words].filter((word) => !inSource.has(word));
  const problems = [
    ...missing.map((word) => `${what} "${word}" is in the source, and not described`),
    ...gone.map((word) => `${what} "${word}" is described, and not in the source`),
  ];
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** A Markdown table. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
