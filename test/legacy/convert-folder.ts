import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Conversion, convertManifests } from "../../src/core/api/legacy/convert-manifests.ts";

const folder = import.meta.dirname;

/** Files of manifests as articles of each year print them. */
export const manifestNames: readonly string[] = readdirSync(join(folder, "manifests"))
  .map((file) => file.replace(/\.yaml$/, ""))
  .sort();

export function readManifests(name: string): readonly unknown[] {
  return readObjects(join(folder, "manifests", `${name}.yaml`));
}

export function convertFile(name: string): Conversion {
  return convertManifests(readManifests(name), { clusterName: "demo" });
}

/** What becomes of the manifests, and what is said about it. */
export function expectedOf(name: string): { objects: readonly unknown[]; notes: readonly string[] } {
  const lines = readFileSync(join(folder, "expected", `${name}.txt`), "utf8").split("\n");
  return {
    objects: readObjects(join(folder, "expected", `${name}.yaml`)),
    notes: lines.filter((line) => line !== ""),
  };
}

function readObjects(path: string): unknown[] {
  return parseAllDocuments(readFileSync(path, "utf8"), { version: "1.1" }).map((document) =>
    "toJS" in document ? document.toJS() : undefined,
  );
}
