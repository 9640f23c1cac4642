import { nodeClaims } from "../karpenter-resources.ts";
import { claimConditions } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind, type PrinterColumn } from "./custom-resource-definition.ts";
import { expireAfter, terminationGracePeriod } from "./duration.ts";
import { nodeClassRef } from "./node-class-ref.ts";
import { quantities } from "./quantities.ts";
import { claimRequirements } from "./requirements.ts";
import type { Schema } from "./schema.ts";
import { taints } from "./taints.ts";

const spec: Schema = {
  type: "object",
  description: "The machine that is wanted.",
  required: ["nodeClassRef", "requirements"],
  properties: {
    expireAfter,
    nodeClassRef,
    requirements: claimRequirements,
    resources: {
      type: "object",
      description: "What the machine must have room for.",
      properties: { requests: { ...quantities, description: "The least that the machine must offer, by resource." } },
    },
    ...taints,
    terminationGracePeriod,
  },
  "x-kubernetes-validations": [
    {
      rule: "self == oldSelf",
      message: "a NodeClaim cannot change: delete it, and change its NodePool for the claims that come after it",
    },
  ],
};

const status: Schema = {
  type: "object",
  description: "What has come of it.",
  properties: {
    allocatable: { ...quantities, description: "What pods can have of the machine, as far as is known." },
    capacity: { ...quantities, description: "What the machine has, as far as is known." },
    conditions: claimConditions,
    imageID: { type: "string", description: "The image that the machine runs." },
    lastPodEventTime: {
      type: "string",
      format: "date-time",
      description: "When a pod last came to the node, ended or began to go. Pods of DaemonSets do not count.",
    },
    nodeName: { type: "string", description: "The name of the node." },
    providerID: { type: "string", description: "The name of the machine in its cloud." },
  },
};

export const nodeClaimDefinition = defineKind({
  resource: nodeClaims,
  description: "One machine, from the wish for it to its end.",
  category: "karpenter",
  columns: [
    labelColumn("Type", "node.kubernetes.io/instance-type"),
    labelColumn("Capacity", "karpenter.sh/capacity-type"),
    labelColumn("Zone", "topology.kubernetes.io/zone"),
    { name: "Node", type: "string", jsonPath: ".status.nodeName" },
    conditionColumn("Ready"),
    ageColumn,
    { name: "ImageID", type: "string", jsonPath: ".status.imageID", priority: 1 },
    { name: "ID", type: "string", jsonPath: ".status.providerID", priority: 1 },
    { ...labelColumn("NodePool", "karpenter.sh/nodepool"), priority: 1 },
    { name: "NodeClass", type: "string", jsonPath: ".spec.nodeClassRef.name", priority: 1 },
    conditionColumn("Drifted", { priority: 1 }),
  ],
  spec,
  status,
});

function labelColumn(name: string, key: string): PrinterColumn {
  return { name, type: "string", jsonPath: `.metadata.labels.${key.replaceAll(".", "\\.")}` };
}
