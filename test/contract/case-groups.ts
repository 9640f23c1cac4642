import { applyCases } from "./cases/apply.ts";
import { deletionCases } from "./cases/deletion.ts";
import { discoveryCases } from "./cases/discovery.ts";
import { objectCases } from "./cases/objects.ts";
import { patchCases } from "./cases/patches.ts";
import { writeOptionCases } from "./cases/write-options.ts";
import type { ContractCase } from "./contract-case.ts";

/** Each group has a file of recordings of its name. */
export interface CaseGroup {
  readonly name: string;
  readonly cases: readonly ContractCase[];
}

/** What the API server does alone: no controller may run, here or there. */
export const apiGroups: readonly CaseGroup[] = [
  { name: "discovery", cases: discoveryCases },
  { name: "objects", cases: objectCases },
  { name: "patches", cases: patchCases },
  { name: "apply", cases: applyCases },
  { name: "write-options", cases: writeOptionCases },
  { name: "deletion", cases: deletionCases },
];
