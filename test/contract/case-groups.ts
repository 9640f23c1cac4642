import { applyCases } from "./cases/apply.ts";
import { badInputCases } from "./cases/bad-input.ts";
import { changeCases } from "./cases/changes.ts";
import { customResourceCases } from "./cases/custom-resources.ts";
import { defaultCases } from "./cases/defaults.ts";
import { definitionCases } from "./cases/definitions.ts";
import { deletionCases } from "./cases/deletion.ts";
import { discoveryCases } from "./cases/discovery.ts";
import { listCases } from "./cases/lists.ts";
import { metadataCases } from "./cases/metadata.ts";
import { objectCases } from "./cases/objects.ts";
import { patchCases } from "./cases/patches.ts";
import { refusalCases } from "./cases/refusals.ts";
import { representationCases } from "./cases/representations.ts";
import { subresourceCases } from "./cases/subresources.ts";
import { systemKindCases } from "./cases/system-kinds.ts";
import { watchCases } from "./cases/watches.ts";
import { cleanUpCases } from "./cases/workloads/clean-up.ts";
import { deploymentCases } from "./cases/workloads/deployments.ts";
import { otherWorkloadCases } from "./cases/workloads/other-workloads.ts";
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
  { name: "representations", cases: representationCases },
  { name: "lists", cases: listCases },
  { name: "watches", cases: watchCases },
  { name: "subresources", cases: subresourceCases },
  { name: "definitions", cases: definitionCases },
  { name: "custom-resources", cases: customResourceCases },
  { name: "system-kinds", cases: systemKindCases },
  { name: "metadata", cases: metadataCases },
  { name: "bad-input", cases: badInputCases },
  { name: "defaults", cases: defaultCases },
  { name: "refusals", cases: refusalCases },
  { name: "changes", cases: changeCases },
];

/** What a cluster does by itself: all controllers, a scheduler and nodes run, here and there. */
export const workloadGroups: readonly CaseGroup[] = [
  { name: "deployments", cases: deploymentCases },
  { name: "other-workloads", cases: otherWorkloadCases },
  { name: "clean-up", cases: cleanUpCases },
];
