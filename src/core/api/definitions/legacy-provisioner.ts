import { provisioners } from "../karpenter-resources.ts";
import { defineKind } from "./custom-resource-definition.ts";
import { anything, commonFields, constraintFields, legacyColumns, legacyStatus, openSpec } from "./legacy-parts.ts";

export const provisionerDefinition = defineKind({
  resource: provisioners,
  // There never was a v1alpha1 of this group, but some articles print it.
  olderVersions: ["v1alpha4", "v1alpha3", "v1alpha1"],
  description:
    "What a NodePool was until 2023. Each is carried out as a NodePool and an EC2NodeClass of its name, with the meaning that it had.",
  category: "karpenter",
  columns: [
    { name: "Template", type: "string", jsonPath: ".spec.providerRef.name", description: "The AWSNodeTemplate." },
    ...legacyColumns,
  ],
  spec: openSpec("Which nodes there may be, and when they go.", {
    ...commonFields,
    ...constraintFields,
    annotations: { type: "object", additionalProperties: { type: "string" }, description: "Annotations of the nodes." },
    startupTaints: {
      type: "array",
      items: anything,
      description: "Taints that a node starts with and that something else removes.",
    },
    providerRef: {
      ...anything,
      properties: { name: { type: "string", description: "The name of the AWSNodeTemplate." } },
      description: "The AWSNodeTemplate that says how machines come to be, in place of provider.",
    },
    weight: {
      type: "integer",
      format: "int32",
      minimum: 1,
      maximum: 100,
      description: "Provisioners of a higher weight are tried first.",
    },
    consolidation: {
      ...anything,
      properties: { enabled: { type: "boolean", description: "Whether nodes make way for fewer or cheaper ones." } },
      description: "Whether nodes that are not needed go. They stay where it is not set.",
    },
  }),
  isSpecOptional: true,
  status: legacyStatus,
});
