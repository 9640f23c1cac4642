import { capacityBuffers } from "../karpenter-resources.ts";
import { conditions } from "./conditions.ts";
import { ageColumn, defineKind, type PrinterColumn } from "./custom-resource-definition.ts";
import { quantities } from "./quantities.ts";
import type { Schema } from "./schema.ts";

const name: Schema = { type: "string", minLength: 1, description: "The name of the object." };

const podTemplateRef: Schema = {
  type: "object",
  required: ["name"],
  properties: { name },
};

const spec: Schema = {
  type: "object",
  description: "How much room to keep, and in what shape.",
  properties: {
    limits: {
      ...quantities,
      description:
        "The most that the buffer may ask for, by resource. Alone, it makes the buffer as large as it allows.",
    },
    percentage: {
      type: "integer",
      format: "int32",
      minimum: 0,
      description: "The size of the buffer as a share of the replicas of scalableRef, rounded up to at least one.",
    },
    podTemplateRef: {
      ...podTemplateRef,
      description: "A PodTemplate of the same namespace that has the shape of the pods. Excludes scalableRef.",
    },
    provisioningStrategy: {
      type: "string",
      default: "buffer.x-k8s.io/active-capacity",
      description: "How the room is kept; by default with nodes that stand ready.",
    },
    replicas: {
      type: "integer",
      format: "int32",
      minimum: 0,
      description: "For how many pods to keep room.",
    },
    scalableRef: {
      type: "object",
      description:
        "A Deployment, StatefulSet or ReplicaSet of the same namespace whose pods have the shape. Excludes podTemplateRef.",
      required: ["kind", "name"],
      properties: {
        apiGroup: { type: "string", description: "The API group of the object; apps by default." },
        kind: { type: "string", minLength: 1, description: "The kind of the object." },
        name,
      },
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)",
      message: "podTemplateRef says nothing about the size of the buffer: set replicas or limits too",
    },
    {
      rule: "!has(self.podTemplateRef) || !has(self.scalableRef)",
      message: "podTemplateRef and scalableRef both give the shape of the pods: remove one of them",
    },
  ],
};

const status: Schema = {
  type: "object",
  description: "What has come of it.",
  properties: {
    conditions,
    podTemplateGeneration: {
      type: "integer",
      format: "int64",
      description: "The generation of the PodTemplate that the buffer follows.",
    },
    podTemplateRef: { ...podTemplateRef, description: "The PodTemplate that the buffer follows." },
    provisioningStrategy: { type: "string", description: "How the room is kept." },
    replicas: { type: "integer", format: "int32", description: "For how many pods room is kept." },
  },
};

export const capacityBufferDefinition = defineKind({
  resource: capacityBuffers,
  description: "Room that is kept free for pods that are still to come, so that they need not wait for a node.",
  category: "autoscaling",
  shortNames: ["cb"],
  columns: [
    column("Strategy", ".spec.provisioningStrategy", "How the room is kept."),
    column("PodTemplate", ".status.podTemplateRef.name", "The PodTemplate that the buffer follows."),
    { ...column("Replicas", ".status.replicas", "For how many pods room is kept."), type: "integer" },
    column("ConditionsType", ".status.conditions[*].type", "What the conditions are about."),
    column("ConditionsStatus", ".status.conditions[*].status", "Whether they are so."),
    column("ConditionsReason", ".status.conditions[*].reason", "Why."),
    { ...ageColumn, description: "How long the buffer has existed." },
  ],
  spec,
  status,
});

function column(name: string, jsonPath: string, description: string): PrinterColumn {
  return { name, type: "string", jsonPath, description };
}
