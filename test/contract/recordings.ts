// What a real kube-apiserver answered, kept in the repository, so that the comparison needs nothing but Node.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Transcript } from "./transcript.ts";

const folder = join(import.meta.dirname, "recordings");

export function readRecordings(group: string): ReadonlyMap<string, Transcript> {
  const file = join(folder, `${group}.json`);
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, Transcript>));
}

/** One step per line, so that a change reads well. */
export function writeRecordings(group: string, transcripts: ReadonlyMap<string, Transcript>): void {
  const cases = [...transcripts].map(([name, steps]) => {
    const lines = steps.map((step) => `    ${JSON.stringify(step)}`);
    return `  ${JSON.stringify(name)}: [\n${lines.join(",\n")}\n  ]`;
  });
  writeFileSync(join(folder, `${group}.json`), `{\n${cases.join(",\n")}\n}\n`);
}

/** Recordings of groups that are no more. */
export function removeOtherRecordings(groups: readonly string[]): void {
  for (const file of readdirSync(folder)) {
    if (file.endsWith(".json") && file !== "biome.json" && !groups.includes(file.slice(0, -".json".length)))
      rmSync(join(folder, file));
  }
}
