import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestReport } from "./test-reporter.ts";

/** Flags of Node that have the tests reported into a file, besides where they are reported otherwise. */
export function reportTo(file: string): string[] {
  return [`--test-reporter=${join(import.meta.dirname, "test-reporter.ts")}`, `--test-reporter-destination=${file}`];
}

/** What there is: a process that was killed may have written nothing, or half a line. */
export function readReports(file: string): TestReport[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TestReport);
}
