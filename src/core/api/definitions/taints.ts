import { qualifiedName } from "./label-grammar.ts";
import type { Schema } from "./schema.ts";

/** No key or value of a node can be longer, and a bound is what lets the API server afford the rules. */
const longestName = 317;

const taintList: Schema = {
  type: "array",
  "x-kubernetes-list-type": "atomic",
  maxItems: 1000,
  items: {
    type: "object",
    description: "Keeps pods that do not tolerate it off a node.",
    required: ["effect", "key"],
    properties: {
      effect: {
        type: "string",
        enum: ["NoSchedule", "PreferNoSchedule", "NoExecute"],
        description: "What happens to pods that do not tolerate the taint.",
      },
      key: { ...qualifiedName, minLength: 1, maxLength: longestName, description: "The key of the taint." },
      timeAdded: { type: "string", format: "date-time", description: "When the taint was added." },
      value: { ...qualifiedName, maxLength: longestName, description: "The value of the taint." },
    },
  },
};

/** The taints of a pool's template or of a claim. */
export const taints: Readonly<Record<"startupTaints" | "taints", Schema>> = {
  startupTaints: {
    ...taintList,
    description:
      "Taints that a node starts with and that something else removes, usually a DaemonSet when the node is prepared. Pods need not tolerate them to get a node.",
  },
  taints: { ...taintList, description: "Taints that a node has for good. Only pods that tolerate them get one." },
};
