import { readFileSync } from "node:fs";
import { describeProblem } from "../../core/api/problem.ts";
import { readInstanceTypes } from "../../core/api/read-instance-types.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { defaultCatalogue } from "./default-catalogue.ts";

export type BuiltInCatalogue = "generic" | "aws";

export interface InstanceTypesSource {
  /** A catalogue of one's own, in place of a built-in one. */
  readonly file?: string | undefined;
  readonly builtIn: BuiltInCatalogue;
}

/** 853 Linux instance types: real names, sizes and on-demand prices; spot prices are made up. */
export const awsCatalogueFile = new URL("aws-instance-types.json", import.meta.url);

/** What the KWOK provider sells. Throws when there is anything wrong with the file. */
export function loadInstanceTypes({ file, builtIn }: InstanceTypesSource): readonly InstanceType[] {
  if (file !== undefined) return readCatalogue(readJson(file), `in "${file}"`);
  return builtIn === "aws"
    ? readCatalogue(readJson(awsCatalogueFile), "of AWS")
    : readCatalogue(defaultCatalogue(), "that are built in");
}

function readCatalogue(json: unknown, where: string): readonly InstanceType[] {
  const { instanceTypes, problems } = readInstanceTypes(json);
  const complaints = problems.map(describeProblem);
  if (complaints.length === 0 && instanceTypes.length === 0) complaints.push("There are none.");
  if (complaints.length > 0) throw new Error(`Cannot use the instance types ${where}:\n  ${complaints.join("\n  ")}`);
  return instanceTypes;
}

function readJson(file: string | URL): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`Cannot read the file of instance types "${file}": ${(cause as Error).message}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot use the instance types in "${file}": it is not JSON (${(cause as Error).message})`, {
      cause,
    });
  }
}
