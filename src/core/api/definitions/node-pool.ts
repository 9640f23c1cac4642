import { nodePools } from "../karpenter-resources.ts";
import { budgets } from "./budgets.ts";
import { conditions } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind } from "./custom-resource-definition.ts";
import { durationOrNever, expireAfter, terminationGracePeriod } from "./duration.ts";
import { labelValue, poolLabelRules } from "./label-grammar.ts";
import { lastingNodeClassRef } from "./node-class-ref.ts";
import { quantities } from "./quantities.ts";
import { poolRequirements } from "./requirements.ts";
import type { Schema } from "./schema.ts";
import { taints } from "./taints.ts";

const disruption: Schema = {
  type: "object",
  description: "When nodes that are not needed, or not needed at their price, go away.",
  default: { consolidateAfter: "0s" },
  required: ["consolidateAfter"],
  properties: {
    budgets,
    consolidateAfter: {
      ...durationOrNever,
      description:
        "How long no pod may have come to a node or left it before it can be consolidated. Never keeps nodes. Without effect where replicas is set.",
    },
    consolidationPolicy: {
      type: "string",
      default: "WhenEmptyOrUnderutilized",
      enum: ["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"],
      description:
        "Which nodes can be consolidated: empty ones, all whose pods would be cheaper elsewhere, or those where the saving outweighs the disruption. Without effect where replicas is set.",
    },
  },
};

const templateMetadata: Schema = {
  type: "object",
  description: "What nodes carry besides what their machines bring along.",
  properties: {
    annotations: {
      type: "object",
      description: "Annotations of the nodes.",
      additionalProperties: { type: "string" },
      "x-kubernetes-map-type": "granular",
    },
    labels: {
      type: "object",
      description: "Labels of the nodes, which pods can select.",
      additionalProperties: labelValue,
      maxProperties: 100,
      "x-kubernetes-map-type": "atomic",
      "x-kubernetes-validations": poolLabelRules,
    },
  },
};

const template: Schema = {
  type: "object",
  description: "What all NodeClaims of the pool have in common. Each is narrowed to what its pods need.",
  required: ["spec"],
  properties: {
    metadata: templateMetadata,
    spec: {
      type: "object",
      description: "The spec of the NodeClaims.",
      required: ["nodeClassRef", "requirements"],
      properties: {
        expireAfter,
        nodeClassRef: lastingNodeClassRef,
        requirements: poolRequirements,
        ...taints,
        terminationGracePeriod,
      },
    },
  },
};

const spec: Schema = {
  type: "object",
  description: "Which nodes the pool may have.",
  required: ["template"],
  properties: {
    disruption,
    limits: {
      ...quantities,
      description:
        "The most that all nodes of the pool may have together, by resource; nodes counts them. No limits means no limit to what they cost. Where replicas is set, only nodes can be limited.",
    },
    replicas: {
      type: "integer",
      format: "int64",
      minimum: 0,
      description:
        "Makes the pool static: it keeps this many nodes, whether pods need them or not. It then has no weight, only limits.nodes, and is not consolidated. Alpha: this field may change.",
    },
    template,
    weight: {
      type: "integer",
      format: "int32",
      minimum: 1,
      maximum: 100,
      description: "Pools with more weight are tried first; without one it is 0. Not for static pools.",
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "has(self.replicas) == has(oldSelf.replicas)",
      message: "a pool with replicas stays one, and one without stays without: create another NodePool instead",
    },
    {
      rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits)",
      message: "with replicas, only limits.nodes is possible: remove the other limits",
    },
    {
      rule: "!has(self.replicas) || !has(self.weight)",
      message: "weight has no meaning with replicas: remove one of them",
    },
  ],
};

export const nodePoolDefinition = defineKind({
  resource: nodePools,
  description: "Nodes that Karpenter may create for pods that find no room, and how it may take them away again.",
  category: "karpenter",
  columns: [
    { name: "NodeClass", type: "string", jsonPath: ".spec.template.spec.nodeClassRef.name" },
    { name: "Nodes", type: "string", jsonPath: ".status.nodes" },
    conditionColumn("Ready"),
    ageColumn,
    { name: "Weight", type: "integer", jsonPath: ".spec.weight", priority: 1 },
    { name: "CPU", type: "string", jsonPath: ".status.resources.cpu", priority: 1 },
    { name: "Memory", type: "string", jsonPath: ".status.resources.memory", priority: 1 },
  ],
  spec,
  status: {
    type: "object",
    description: "What the pool has.",
    properties: {
      conditions,
      nodeClassObservedGeneration: {
        type: "integer",
        format: "int64",
        description: "The generation of the node class that NodeRegistrationHealthy is about.",
      },
      nodes: { type: "integer", format: "int64", default: 0, description: "How many nodes the pool has." },
      resources: { ...quantities, description: "What all nodes of the pool have together." },
    },
  },
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.nodes" },
});
