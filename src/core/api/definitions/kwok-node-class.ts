import { conditions } from "./conditions.ts";
import { defineKind } from "./custom-resource-definition.ts";
import { duration } from "./duration.ts";

export const kwokNodeClassDefinition = defineKind({
  resource: {
    group: "karpenter.kwok.sh",
    version: "v1alpha1",
    plural: "kwoknodeclasses",
    kind: "KWOKNodeClass",
    isNamespaced: false,
  },
  description: "How nodes without machines come to be, which kwok or an embedded cluster runs.",
  category: "karpenter",
  shortNames: ["kwoknc", "kwokncs"],
  spec: {
    type: "object",
    description: "How the nodes come to be.",
    properties: {
      nodeRegistrationDelay: {
        ...duration,
        description: "How long a node takes to join the cluster, as a machine that boots would.",
      },
    },
  },
  isSpecOptional: true,
  status: {
    type: "object",
    description: "Whether the node class can be used. There is nothing to prepare, so it can be from the start.",
    default: {
      conditions: [
        { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: "2024-01-01T01:01:01Z" },
      ],
    },
    properties: { conditions },
  },
});
