import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { ageColumn, cellOf, integerColumn, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { validateBudget, validateBudgetStatus } from "./validation/validate-small.ts";

export const podDisruptionBudgetResource: ResourceDefinition = defineResource({
  group: "policy",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  requiresVersion: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "Min Available",
      "Pods that must stay.",
      cellOf(({ spec }: PodDisruptionBudget) => String(spec?.minAvailable ?? "N/A")),
    ),
    textColumn(
      "Max Unavailable",
      "Pods that may be missing.",
      cellOf(({ spec }: PodDisruptionBudget) => String(spec?.maxUnavailable ?? "N/A")),
    ),
    integerColumn(
      "Allowed Disruptions",
      "Pods that may be evicted now.",
      cellOf(({ status }: PodDisruptionBudget) => status?.disruptionsAllowed ?? 0),
    ),
    ageColumn,
  ],
  prepareCreate: (draft) => {
    draft.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate: validateBudget,
  validateStatus: validateBudgetStatus,
});
