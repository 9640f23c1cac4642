import { formatAmount } from "../../core/model/quantity.ts";
import type { Resources } from "../../core/model/resources.ts";
import type { NodesView } from "./draw-nodes.ts";
import { addUpNodes, type FleetNode, type FleetTotals, hoursPerMonth } from "./fleet.ts";
import { arrange } from "./view-state.ts";

/** For programs: amounts as Kubernetes writes them, null for what is not known. */
export function nodesJson({ now, server, nodes, totals, notes, state }: NodesView): string {
  const shown = arrange(nodes, state);
  return JSON.stringify(
    {
      time: new Date(now).toISOString(),
      server,
      // Of the nodes that follow, and of those that the filter leaves out too.
      totals: totalsJson(addUpNodes(shown)),
      totalsOfAll: { ...totalsJson(totals), waiting: totals.waiting },
      nodes: shown.map((node) => nodeJson(node, now)),
      notes,
    },
    undefined,
    2,
  );
}

function totalsJson(totals: Omit<FleetTotals, "waiting">): object {
  const { nodes, ready, pods, price, unpriced, allocatable, requested, used } = totals;
  return {
    nodes,
    ready,
    pods,
    pricePerHour: rounded(price),
    pricePerMonth: rounded(price * hoursPerMonth),
    nodesOfUnknownPrice: unpriced,
    allocatable: amounts(allocatable),
    requested: amounts(requested),
    used: used === undefined ? null : amounts(used),
  };
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
