import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Problem } from "../core/api/problem.ts";
import { instanceTypesFileOf, readScenario, type Scenario } from "../core/api/read-scenario.ts";
import { CliError } from "./cli-error.ts";

export interface LoadedScenario extends Scenario {
  readonly problems: readonly Problem[];
}

/** Reads a scenario and the catalogue it names, which is looked for beside the scenario. */
export function loadScenario(file: string): LoadedScenario {
  const json = readJson(file, "scenario");
  const catalogueFile = instanceTypesFileOf(json);
  if (catalogueFile === "") {
    throw new CliError(`Cannot plan scenario "${file}": instanceTypesFile must name the catalogue of instance types.`);
  }
  const catalogue = readJson(resolve(dirname(file), catalogueFile), "instance types");
  const { scenario, problems } = readScenario(json, catalogue);
  if (scenario === undefined) {
    const [problem] = problems;
    throw new CliError(`Cannot plan scenario "${file}": ${problem?.field} ${problem?.message}.`);
  }
  return { ...scenario, problems };
}

function readJson(file: string, what: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`Cannot read the ${what} file "${file}": ${(error as Error).message}.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`Cannot read the ${what} file "${file}": it is not JSON (${(error as Error).message}).`);
  }
}
