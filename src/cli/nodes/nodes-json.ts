import { formatAmount } from "../../core/model/quantity.ts";
import type { Resources } from "../../core/model/resources.ts";
import type { NodesView } from "./draw-nodes.ts";
import { type FleetNode, hoursPerMonth } from "./fleet.ts";
import { arrange } from "./view-state.ts";

/** For programs: amounts as Kubernetes writes them, null for what is not known. */
export function nodesJson({ now, server, nodes, totals, notes, state }: NodesView): string {
  const { price, unpriced, allocatable, requested, used, ...counts } = totals;
  return JSON.stringify(
    {
      time: new Date(now).toISOString(),
      server,
      totals: {
        ...counts,
        pricePerHour: rounded(price),
        pricePerMonth: rounded(price * hoursPerMonth),
        nodesOfUnknownPrice: unpriced,
        allocatable: amounts(allocatable),
        requested: amounts(requested),
        used: used === undefined ? null : amounts(used),
      },
      nodes: arrange(nodes, state).map((node) => nodeJson(node, now)),
      notes,
    },
    undefined,
    2,
  );
}

function nodeJson(node: FleetNode, now: number): object {
  const { name, nodeName, pool, instanceType, zone, capacityType, price, pods, state, ageMilliseconds } = node;
  return {
    name: nodeName || null,
    // A node that Karpenter did not make has none, and is looked at under its own name.
    nodeClaim: pool === "" && name === nodeName ? null : name,
    nodePool: pool || null,
    instanceType: instanceType || null,
    zone: zone || null,
    capacityType: capacityType || null,
    pricePerHour: price ?? null,
    state,
    createdAt: new Date(now - ageMilliseconds).toISOString(),
    pods,
    allocatable: amounts(node.allocatable),
    requested: amounts(node.requested),
    used: node.used === undefined ? null : amounts(node.used),
  };
}

function amounts(resources: Resources): Record<string, string> {
  return Object.fromEntries(Array.from(resources, ([resource, amount]) => [resource, formatAmount(resource, amount)]));
}

/** Sums of prices have digits that mean nothing. */
function rounded(price: number): number {
  return Number(price.toFixed(6));
}
