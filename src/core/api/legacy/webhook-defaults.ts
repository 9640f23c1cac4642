import { archLabel, capacityTypeLabel, instanceTypeLabel, osLabel } from "../../model/labels.ts";
import type { Requirement } from "./convert-requirements.ts";
import { instanceCategoryLabel, instanceFamilyLabel, instanceGenerationLabel } from "./legacy-labels.ts";

/** What was added to Provisioners of every version when they did not say. */
const always: readonly Requirement[] = [
  { key: osLabel, operator: "In", values: ["linux"] },
  { key: archLabel, operator: "In", values: ["amd64"] },
  { key: capacityTypeLabel, operator: "In", values: ["on-demand"] },
];

const ofMachines: readonly Requirement[] = [
  { key: instanceCategoryLabel, operator: "In", values: ["c", "m", "r"] },
  { key: instanceGenerationLabel, operator: "Gt", values: ["2"] },
];

const machineKeys = [instanceTypeLabel, instanceFamilyLabel, instanceCategoryLabel, instanceGenerationLabel];

/** The requirements that a webhook, or the schema, added about keys that a Provisioner did not mention. */
export function webhookDefaults(mentioned: ReadonlySet<string>, era: "first" | "v1alpha5"): readonly Requirement[] {
  const common = always.filter(({ key }) => !mentioned.has(key));
  const isFree = era === "v1alpha5" && !machineKeys.some((key) => mentioned.has(key));
  return isFree ? [...common, ...ofMachines] : common;
}
