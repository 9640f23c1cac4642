import { zoneLabel } from "../../src/core/model/labels.ts";
import type { ProvisioningPlan } from "../../src/core/scheduling/plan.ts";

/** How many of the planned pods are in each zone, the largest first: `[2, 1, 1]`. */
export function zoneCounts(plan: ProvisioningPlan): number[] {
  return [...podsByZone(plan).values()].map((pods) => pods.length).sort((a, b) => b - a);
}

/** The names of the planned pods by zone. */
export function podsByZone({ nodes, placements }: ProvisioningPlan): ReadonlyMap<string, readonly string[]> {
  const zones = new Map<string, string[]>();
  const add = (zone: string, pods: readonly { readonly name: string }[]) => {
    zones.set(zone, [...(zones.get(zone) ?? []), ...pods.map(({ name }) => name)].sort());
  };
  for (const { zone, pods } of nodes) add(zone, pods);
  for (const { node, pods } of placements) add(node.labels.get(zoneLabel) ?? "", pods);
  return new Map([...zones].sort());
}

/** How many pods are on each planned node, the most first. */
export function hostCounts({ nodes, placements }: ProvisioningPlan): number[] {
  return [...nodes, ...placements].map(({ pods }) => pods.length).sort((a, b) => b - a);
}
