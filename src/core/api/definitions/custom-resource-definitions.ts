import { capacityBufferDefinition } from "./capacity-buffer.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { ec2NodeClassDefinition } from "./ec2-node-class.ts";
import { kwokNodeClassDefinition } from "./kwok-node-class.ts";
import { firstProvisionerDefinition } from "./legacy-first-provisioner.ts";
import { nodeTemplateDefinition } from "./legacy-node-template.ts";
import { provisionerDefinition } from "./legacy-provisioner.ts";
import { nodeClaimDefinition } from "./node-claim.ts";
import { nodeOverlayDefinition } from "./node-overlay.ts";
import { nodePoolDefinition } from "./node-pool.ts";

/** The kinds of a cluster whose machines are simulated. */
export const simulationDefinitions: readonly CustomResourceDefinition[] = [
  nodePoolDefinition,
  nodeClaimDefinition,
  nodeOverlayDefinition,
  capacityBufferDefinition,
  kwokNodeClassDefinition,
];

/** Every kind that this project brings along. The files in charts/karpenter/crds are made of these. */
export const customResourceDefinitions: readonly CustomResourceDefinition[] = [
  ...simulationDefinitions,
  ec2NodeClassDefinition,
  provisionerDefinition,
  firstProvisionerDefinition,
  nodeTemplateDefinition,
];
