import { ec2NodeClasses } from "../karpenter-resources.ts";
import { ageColumn, conditionColumn, defineKind } from "./custom-resource-definition.ts";
import { blockDeviceMappings } from "./ec2-block-devices.ts";
import { connectionTracking, metadataOptions, networkInterfaces } from "./ec2-network.ts";
import { ec2NodeClassStatus } from "./ec2-node-class-status.ts";
import {
  amiSelectorTerms,
  capacityReservationSelectorTerms,
  longestTagValue,
  placementGroupSelector,
  securityGroupSelectorTerms,
  subnetSelectorTerms,
} from "./ec2-selectors.ts";
import type { Rule, Schema } from "./schema.ts";

/** Tags by which machines are found again. */
const ownTags = [
  "eks:eks-cluster-name",
  "karpenter.sh/nodepool",
  "karpenter.sh/nodeclaim",
  "karpenter.k8s.aws/ec2nodeclass",
  "karpenter.k8s.aws/ec2nodeclass-hash",
];

const tags: Schema = {
  type: "object",
  description: "Tags of all that is made in AWS for the nodes: machines, volumes, network interfaces and so on.",
  // AWS allows no more, and a bound is what lets the API server afford the rules.
  maxProperties: 50,
  additionalProperties: { type: "string", maxLength: longestTagValue },
  "x-kubernetes-validations": [
    { rule: "self.all(key, key != '')", message: "a tag without a key is none: name it or leave it out" },
    ...ownTags.map(
      (tag): Rule => ({
        rule: `self.all(key, key != '${tag}')`,
        message: `Karpenter finds its machines by the tag ${tag}: leave it out`,
      }),
    ),
    {
      rule: "self.all(key, !key.startsWith('karpenter.k8s.aws/nodeclaims-'))",
      message: "Karpenter names the claims of a machine in tags karpenter.k8s.aws/nodeclaims-: leave them out",
    },
    {
      rule: "self.all(key, !key.startsWith('kubernetes.io/cluster'))",
      message: "Karpenter sets the tag kubernetes.io/cluster/ with the name of the cluster: leave it out",
    },
  ],
};

function nonEmpty(description: string, message: string): Schema {
  return { type: "string", description, "x-kubernetes-validations": [{ rule: "self != ''", message }] };
}

const spec: Schema = {
  type: "object",
  description: "How machines on EC2 come to be.",
  required: ["amiSelectorTerms", "securityGroupSelectorTerms", "subnetSelectorTerms"],
  properties: {
    amiFamily: {
      type: "string",
      enum: ["AL2", "AL2023", "Bottlerocket", "Custom", "Windows2019", "Windows2022", "Windows2025"],
      description:
        "How machines learn of their cluster, and which volumes they have by default. Custom leaves all of it to userData. By default that of the alias.",
    },
    amiSelectorTerms,
    associatePublicIPAddress: {
      type: "boolean",
      description: "Whether machines get public addresses. By default what their subnet says.",
    },
    blockDeviceMappings,
    capacityReservationSelectorTerms,
    connectionTracking,
    context: { type: "string", description: "What EC2 CreateFleet is given as its context. Most have none." },
    cpuOptions: {
      type: "object",
      description: "What the processors of the machines can do.",
      properties: {
        nestedVirtualization: {
          type: "string",
          enum: ["enabled", "disabled"],
          description: "Whether machines can run virtual machines themselves. Not all types can.",
        },
      },
    },
    detailedMonitoring: {
      type: "boolean",
      description: "Whether CloudWatch measures the machines every minute, which costs extra. It does not by default.",
    },
    instanceProfile: nonEmpty(
      "The instance profile of the machines, which somebody else has made. Goes without role.",
      "name an instance profile, or set role and leave instanceProfile out",
    ),
    instanceStorePolicy: {
      type: "string",
      enum: ["RAID0"],
      description:
        "What to do with disks that machines bring along. RAID0 makes one of all of them, where pods and images are kept. By default they are left alone.",
    },
    ipPrefixCount: {
      type: "integer",
      format: "int32",
      minimum: 0,
      description: "How many prefixes of addresses the primary interface gets at launch.",
    },
    kubelet: {
      type: "object",
      description:
        "Settings of the kubelet: any field of a KubeletConfiguration of kubelet.config.k8s.io/v1beta1 that the AMI family can pass on. What is wrong with them is told in the condition ValidationSucceeded.",
      "x-kubernetes-preserve-unknown-fields": true,
    },
    metadataOptions,
    networkInterfaces,
    placementGroupSelector,
    role: nonEmpty(
      "The IAM role of the machines. Karpenter makes an instance profile for it. Goes without instanceProfile.",
      "name an IAM role, or set instanceProfile and leave role out",
    ),
    securityGroupSelectorTerms,
    subnetSelectorTerms,
    tags,
    userData: {
      type: "string",
      description:
        "What machines are started with besides what makes them join. Its form depends on the AMI family; with Custom it is all there is.",
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "has(self.role) != has(self.instanceProfile)",
      message: "machines need one identity: set role or instanceProfile, and not both",
    },
    {
      rule: "!has(self.amiFamily) || self.amiFamily == 'Custom' || self.amiSelectorTerms.all(term, !has(term.alias) || term.alias.find('^[^@]+') == self.amiFamily.lowerAscii())",
      message: "the alias is of another family: leave amiFamily out, or set it to that of the alias or to Custom",
    },
    {
      rule: "has(self.amiFamily) || self.amiSelectorTerms.exists(term, has(term.alias))",
      message: "only an alias tells the family of its images: set amiFamily, to Custom if no other fits",
    },
  ],
};

export const ec2NodeClassDefinition = defineKind({
  resource: ec2NodeClasses,
  description: "How nodes on machines of EC2 come to be.",
  category: "karpenter",
  shortNames: ["ec2nc", "ec2ncs"],
  columns: [conditionColumn("Ready"), ageColumn, { name: "Role", type: "string", jsonPath: ".spec.role", priority: 1 }],
  spec,
  status: ec2NodeClassStatus,
});
