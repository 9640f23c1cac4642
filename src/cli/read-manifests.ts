import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { CliError } from "./cli-error.ts";

export interface Manifests {
  readonly wires: readonly unknown[];
  /** What cannot be read, one sentence each. */
  readonly problems: readonly string[];
}

/** Every document of these files; `-` is standard input. */
export function readManifests(paths: readonly string[]): Manifests {
  const wires: unknown[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const name = path === "-" ? "standard input" : path;
    const text = readText(path, name);
    for (const [index, document] of parseAllDocuments(text, { version: "1.1" }).entries()) {
      const place = `${name}, document ${index + 1}`;
      const [error] = "errors" in document ? document.errors : [];
      if (error !== undefined) problems.push(`${place} cannot be read: ${error.message.split(/:?\n/)[0]}`);
      else if ("toJS" in document) readDocument(() => document.toJS(), { wires, problems, place });
    }
  }
  if (wires.length === 0 && problems.length === 0) {
    throw new CliError(`Cannot use ${paths.join(", ")}: there is no object in it.`);
  }
  return { wires, problems };
}

interface Reading {
  readonly wires: unknown[];
  readonly problems: string[];
  readonly place: string;
}

function readDocument(read: () => unknown, { wires, problems, place }: Reading): void {
  try {
    const wire = read();
    if (wire !== null && wire !== undefined) wires.push(wire);
  } catch (error) {
    // Such as aliases that would make a giant of a small file.
    problems.push(`${place} cannot be read: ${(error as Error).message}`);
  }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new CliError(`Cannot read ${name}: ${(error as Error).message}.`);
  }
}
