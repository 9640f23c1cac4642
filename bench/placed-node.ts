import { type InstanceType, requestsOf } from "./catalogue.ts";
import {
  capacityTypeLabel,
  type Labels,
  type NodePool,
  nodePoolLabel,
  type PlanNode,
  type Pod,
  zoneLabel,
} from "./wire.ts";

/** A node of the plan that the catalogue and the pools know, with the pods that exist. */
export interface PlacedNode {
  readonly node: PlanNode;
  readonly pool: NodePool;
  readonly type: InstanceType;
  readonly labels: Labels;
  readonly pods: readonly Pod[];
}

/** The labels of a node of this type in the place of the planned one. */
export function labelsOf(type: InstanceType, pool: NodePool, { zone, capacityType }: PlanNode): Labels {
  return {
    ...type.labels,
    ...pool.spec.template.metadata?.labels,
    [zoneLabel]: zone,
    [capacityTypeLabel]: capacityType,
    [nodePoolLabel]: pool.metadata.name,
  };
}

export function sumRequests(pods: readonly Pod[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const pod of pods) {
    for (const [resource, amount] of requestsOf(pod.spec)) used.set(resource, (used.get(resource) ?? 0) + amount);
  }
  return used;
}
