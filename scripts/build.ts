// Makes `dist` of `src`, for the npm package and the image: Node refuses to strip types below node_modules.
// Types become blanks, so every line and column stays where it is in the source, and no source maps are needed.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

/** Builds everything below a folder that is there to run, and returns how many files there are now. */
export function build(source: string, target: string): number {
  rmSync(target, { recursive: true, force: true });
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isForTests(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files) {
    const built = join(target, file.slice(source.length).replace(/\.ts$/, ".js"));
    mkdirSync(dirname(built), { recursive: true });
    if (built.endsWith(".js")) writeFileSync(built, compile(file));
    else copyFileSync(file, built);
  }
  return files.length;
}

/** Recordings are what tests compare with. */
function isForTests(name: string): boolean {
  return name.endsWith(".test.ts") || name.endsWith(".jsonl");
}

function compile(file: string): string {
  const stripped = stripTypeScriptTypes(readFileSync(file, "utf8"));
  // Imports, and the files of worker threads. Nothing else in the source looks like this.
  return stripped.replace(/"(\.{1,2}\/[^"\n]+)\.ts"/g, (_, path: string) => {
    if (existsSync(join(dirname(file), `${path}.ts`))) return `"${path}.js"`;
    throw new Error(`Cannot build ${file}: it names ${path}.ts, which is not there`);
  });
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  const count = build(join(root, "src"), join(root, "dist"));
  console.log(`Built ${count} files into dist`);
}
