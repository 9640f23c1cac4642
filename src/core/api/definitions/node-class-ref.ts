import { type Schema, textLike, withRules } from "./schema.ts";

/** Names the object that says how the cloud is to make machines. */
export const nodeClassRef: Schema = {
  type: "object",
  description: "The node class, which holds what only the cloud understands.",
  required: ["group", "kind", "name"],
  properties: {
    group: withRules(
      {
        ...textLike("^[^/]*$", "leave the version out: write the group alone, such as karpenter.k8s.aws"),
        description: "The API group of the node class, without a version.",
      },
      [{ rule: "self != ''", message: "name the API group of the node class, such as karpenter.k8s.aws" }],
    ),
    kind: {
      type: "string",
      description: "The kind of the node class.",
      "x-kubernetes-validations": [
        { rule: "self != ''", message: "name the kind of the node class, such as EC2NodeClass" },
      ],
    },
    name: {
      type: "string",
      description: "The name of the node class.",
      "x-kubernetes-validations": [{ rule: "self != ''", message: "name the node class" }],
    },
  },
};

/** A pool stays with one kind of node class, and so with one cloud. */
export const lastingNodeClassRef = withRules(nodeClassRef, [
  {
    rule: "self.group == oldSelf.group",
    message: "the group cannot change: create another NodePool for this node class, and delete this one",
  },
  {
    rule: "self.kind == oldSelf.kind",
    message: "the kind cannot change: create another NodePool for this node class, and delete this one",
  },
]);
