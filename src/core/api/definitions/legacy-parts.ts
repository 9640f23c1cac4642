import { conditions } from "./conditions.ts";
import { ageColumn, conditionColumn, type PrinterColumn } from "./custom-resource-definition.ts";
import { quantities } from "./quantities.ts";
import type { Schema } from "./schema.ts";

// What the old kinds have in common. Their schemas know only the types of fields: what a field may say, and what it
// means today, is told by conditions, with the path and what to do.

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };
const list = (items: Schema, description: string): Schema => ({ type: "array", items, description });

/** A part that differs between versions, and may hold anything. */
export const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const taint: Schema = { ...anything, properties: { effect: text, key: text, value: text } };
const requirement: Schema = {
  ...anything,
  required: ["key", "operator"],
  properties: { key: text, operator: text, values: { type: "array", items: text } },
};
const seconds = (description: string): Schema => ({ type: "integer", format: "int64", minimum: 0, description });

/** Fields of Provisioners of every version. */
export const commonFields: Readonly<Record<string, Schema>> = {
  labels: { ...texts, description: "Labels of the nodes; those that say what a machine is choose the machines." },
  taints: list(taint, "Taints that a node has for good. Only pods that tolerate them get one."),
  requirements: list(requirement, "What the labels of the nodes may be."),
  kubeletConfiguration: { ...anything, description: "Settings of the kubelet, which the node class has now." },
  limits: {
    ...anything,
    properties: { resources: { ...quantities, description: "The most that all nodes may have together." } },
    description: "How large all nodes together may become.",
  },
  provider: { ...anything, description: "What an EC2NodeClass says now, in the object itself." },
  ttlSecondsAfterEmpty: seconds("After how long without pods a node goes; never where it is not set."),
  ttlSecondsUntilExpired: seconds("After how long a node goes; never where it is not set."),
};

/** Fields that say which machines to buy for pods that do not say so themselves, before v1alpha5. */
export const constraintFields: Readonly<Record<string, Schema>> = {
  zones: list(text, "Zones of machines, for pods that select none."),
  instanceTypes: list(text, "Instance types, for pods that select none."),
};

/** Whatever else an article says, so that the conditions can tell what became of it. */
export function openSpec(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { ...anything, description, properties };
}

export const legacyStatus: Schema = {
  ...anything,
  description: "What has become of it.",
  properties: { conditions },
};

export const legacyColumns: readonly PrinterColumn[] = [
  conditionColumn("Converted"),
  conditionColumn("Ready"),
  ageColumn,
  {
    name: "Message",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Converted")].message',
    priority: 1,
  },
];
