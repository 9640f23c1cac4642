import { firstProvisioners } from "../karpenter-resources.ts";
import { defineKind } from "./custom-resource-definition.ts";
import { commonFields, constraintFields, legacyColumns, legacyStatus, openSpec } from "./legacy-parts.ts";

export const firstProvisionerDefinition = defineKind({
  resource: firstProvisioners,
  olderVersions: ["v1alpha1"],
  description:
    "What a NodePool was in the first months of 2021. Each is carried out as a NodePool and an EC2NodeClass of its name, with the meaning that it had.",
  category: "karpenter",
  columns: legacyColumns,
  spec: openSpec("Which nodes there may be, and when they go; constraints as a map or a list are accepted too.", {
    ...commonFields,
    ...constraintFields,
  }),
  isSpecOptional: true,
  status: legacyStatus,
});
