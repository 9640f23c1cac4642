export interface Import {
  readonly line: number;
  /** Undefined for `import(expression)`. */
  readonly specifier: string | undefined;
  readonly isType: boolean;
  readonly isReference: boolean;
}

const patterns = [
  // import x from "y", import type { x } from "y", export * from "y"
  /^(?:import|export)\s+(?<type>type\s+(?!from\b))?[\w$\s{},*]*?\bfrom\s*["'](?<specifier>[^"']+)["']/gm,
  // import "y"
  /^import\s*["'](?<specifier>[^"']+)["']/gm,
  // import("y"), require("y"), and import(something)
  /(?<![\w$.*`])(?:import|require)\s*\(\s*(?:["'](?<specifier>[^"']+)["'])?/g,
  // the triple slash that brings in types
  /^(?<reference>\/\/\/)\s*<reference\s+\w+\s*=\s*["'](?<specifier>[^"']+)["']/gm,
];

/** Every import of a formatted source file, in order. It reads text, not syntax, and rather raises a false alarm. */
export function importsOf(source: string): Import[] {
  return patterns
    .flatMap((pattern) => [...source.matchAll(pattern)])
    .sort((a, b) => a.index - b.index)
    .map(({ index, groups }) => ({
      line: source.slice(0, index).split("\n").length,
      specifier: groups?.specifier,
      isType: groups?.type !== undefined,
      isReference: groups?.reference !== undefined,
    }));
}
