import { readFileSync } from "node:fs";
import { readScenario } from "../../src/core/api/read-scenario.ts";
import {
  capacityTypeLabel,
  hostnameLabel,
  instanceTypeLabel,
  nodePoolLabel,
  wellKnownLabels,
  zoneLabel,
} from "../../src/core/model/labels.ts";
import type { Node } from "../../src/core/model/node.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import type { PlannedNode } from "../../src/core/scheduling/plan.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import type { PlanSettings } from "../../src/core/scheduling/settings.ts";
import { catalogueFile, generateScenario, type ScenarioOptions } from "../scenarios.ts";

/** Amounts of it are in thousandths. */
const cpu = 1000;

export const planSettings: PlanSettings = {
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  reservedCapacity: "Strict",
  pricePerNode: 0.02,
  wellKnownLabels,
  defaultSpread: [],
  maxRounds: 3,
  shouldStop: () => false,
  requestsFor: undefined,
};

/** Pods that are planned at once; a larger fleet is several like it. */
const pieceSize = 5_000;

/** A cluster whose pods all came at once and run where the plan put them, on machines of at most so many CPUs. */
export function grownFleet(options: ScenarioOptions, mostCpus = Number.POSITIVE_INFINITY): Snapshot {
  const pieces = Math.max(1, Math.round(options.pods / pieceSize));
  const piece = grownPiece({ ...options, pods: Math.round(options.pods / pieces) }, mostCpus);
  const copies = Array.from({ length: pieces }, (_, index) => copyOf(piece, `-${index}`));
  return {
    ...piece,
    nodes: copies.flatMap(({ nodes }) => nodes),
    podsByNode: new Map(copies.flatMap(({ podsByNode }) => [...podsByNode])),
  };
}

function copyOf({ nodes, podsByNode }: Snapshot, suffix: string): Pick<Snapshot, "nodes" | "podsByNode"> {
  const named = nodes.map((node) => {
    const name = `${node.name}${suffix}`;
    return { before: node.name, node: { ...node, name, labels: new Map(node.labels).set(hostnameLabel, name) } };
  });
  return {
    nodes: named.map(({ node }) => node),
    podsByNode: new Map(
      named.map(({ before, node }) => [
        node.name,
        (podsByNode.get(before) ?? []).map((pod) => ({
          ...pod,
          name: `${pod.name}${suffix}`,
          uid: `${pod.uid}${suffix}`,
          nodeName: node.name,
        })),
      ]),
    ),
  };
}

function grownPiece(options: ScenarioOptions, mostCpus: number): Snapshot {
  const { scenario } = readScenario(generateScenario(options), JSON.parse(readFileSync(catalogueFile, "utf8")));
  if (scenario === undefined) throw new Error("The scenario cannot be read");
  const nodePools = scenario.snapshot.nodePools.map((pool) => ({
    ...pool,
    instanceTypes: pool.instanceTypes.filter(({ capacity }) => (capacity.get("cpu") ?? 0) <= mostCpus * cpu),
  }));
  const small = { ...scenario.snapshot, nodePools };
  const { nodes: planned } = planProvisioning(small, scenario.pendingPods, planSettings);
  const named = planned.map((node, index) => ({ node, name: `node-${index}` }));
  const podsByNode = new Map(
    named.map(({ node, name }) => [name, node.pods.map((pod) => ({ ...pod, nodeName: name, phase: "Running" }))]),
  );
  return { ...scenario.snapshot, nodes: named.map(({ node, name }) => nodeOf(node, name)), podsByNode };
}

export function nodeOf({ pool, instanceType, zone, capacityType, price }: PlannedNode, name: string): Node {
  const type = pool.instanceTypes.find((one) => one.name === instanceType);
  if (type === undefined) throw new Error(`There is no instance type "${instanceType}"`);
  const own = [...type.requirements].flatMap(([key, { values }]) =>
    values.size === 1 ? [[key, [...values].join()] as const] : [],
  );
  return {
    name,
    labels: new Map([
      ...pool.labels,
      ...own,
      [hostnameLabel, name],
      [instanceTypeLabel, instanceType],
      [zoneLabel, zone],
      [capacityTypeLabel, capacityType],
      [nodePoolLabel, pool.name],
    ]),
    taints: pool.taints,
    capacity: type.capacity,
    allocatable: type.allocatable,
    nodePool: pool.name,
    isInitialized: true,
    isDeleting: false,
    volumeLimits: new Map(),
    price,
  };
}

/** Without every second pod of those that are alike. */
export function halved(snapshot: Snapshot): Snapshot {
  const seen = new Map<Pod["spec"], number>();
  const stays = ({ spec }: Pod): boolean => {
    const count = seen.get(spec) ?? 0;
    seen.set(spec, count + 1);
    return count % 2 === 0;
  };
  const podsByNode = new Map(Array.from(snapshot.podsByNode, ([name, pods]) => [name, pods.filter(stays)]));
  return { ...snapshot, podsByNode };
}
