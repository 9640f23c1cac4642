// Takes out of node_modules what only people, compilers and bundlers read: three quarters of it, most of that from the
// AWS SDK. Licences stay. Run where the image is built: `node scripts/prune-image.ts`.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** For compilers, and for bundlers: Node loads dist-cjs. */
const otherBuilds = new Set(["dist-types", "dist-es"]);
const besidesTheProgram = new Set(["docs", "test", "tests", "benchmarks", "examples", ".github"]);
const unread = /\.([cm]?ts|map|md|markdown)$/i;
const licence = /^(licen[cs]e|notice|copying|copyright)/i;

export function pruneImage(modules: string): void {
  for (const { path, isPackage } of foldersOf(modules)) {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const isUnread = entry.isDirectory()
        ? isPackage && (besidesTheProgram.has(entry.name) || isOtherBuild(path, entry.name))
        : unread.test(entry.name) && !licence.test(entry.name);
      if (isUnread) rmSync(join(path, entry.name), { recursive: true });
    }
  }
}

/** Only beside the build that Node loads; elsewhere the name may mean something else. */
function isOtherBuild(folder: string, name: string): boolean {
  return otherBuilds.has(name) && existsSync(join(folder, "dist-cjs"));
}

interface Folder {
  readonly path: string;
  readonly isPackage: boolean;
}

/** What is removed meanwhile is not gone into. */
function* foldersOf(path: string): Generator<Folder> {
  yield { path, isPackage: existsSync(join(path, "package.json")) };
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* foldersOf(join(path, entry.name));
  }
}

if (import.meta.main) pruneImage(join(dirname(import.meta.dirname), "node_modules"));
