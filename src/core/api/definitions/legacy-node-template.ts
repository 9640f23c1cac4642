import { nodeTemplates } from "../karpenter-resources.ts";
import { ageColumn, conditionColumn, defineKind } from "./custom-resource-definition.ts";
import { anything, legacyStatus, openSpec } from "./legacy-parts.ts";
import type { Schema } from "./schema.ts";

const text = (description: string): Schema => ({ type: "string", description });
const selector = (description: string): Schema => ({
  type: "object",
  additionalProperties: { type: "string" },
  description,
});

export const nodeTemplateDefinition = defineKind({
  resource: nodeTemplates,
  description:
    "What an EC2NodeClass was until 2023. Provisioners that refer to it get EC2NodeClasses of their own that say the same.",
  category: "karpenter",
  columns: [conditionColumn("Converted"), ageColumn],
  spec: openSpec("How machines come to be.", {
    amiFamily: text("The family of images; AL2 where it is not set."),
    amiSelector: selector("Tags, ids, names and owners of images."),
    blockDeviceMappings: { type: "array", items: anything, description: "Volumes of the machines." },
    context: text("A value that EC2 keeps with the order."),
    detailedMonitoring: { type: "boolean", description: "Whether machines are measured every minute." },
    instanceProfile: text("The instance profile of the machines."),
    launchTemplate: text("A launch template of one's own, which there cannot be any more."),
    metadataOptions: { ...anything, description: "How the metadata service of a machine answers." },
    securityGroupSelector: selector("Tags or ids of security groups."),
    subnetSelector: selector("Tags or ids of subnets."),
    tags: selector("Tags of what is made."),
    userData: text("What a machine runs when it starts."),
  }),
  isSpecOptional: true,
  status: legacyStatus,
});
