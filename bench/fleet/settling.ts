import { answerConsolidation } from "../../src/adapters/planner/answer-consolidation.ts";
import type { Node } from "../../src/core/model/node.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import type { ConsolidationAnswer, ConsolidationRequest } from "../../src/ports/planner.ts";
import { nodeOf, planSettings } from "./grown-fleet.ts";

const budgetShare = 0.2;
const mostPasses = 40;

export interface Settled {
  readonly passes: number;
  readonly pricePerHour: number;
  readonly podsMoved: number;
}

/** What becomes of a fleet when all that is worth it is done, a fifth of its nodes at a time. */
export function settle(fleet: Snapshot, threshold: number): Settled {
  let snapshot = withoutEmpty(fleet);
  let podsMoved = 0;
  for (let passes = 0; ; passes++) {
    const answer = search(requestFor(snapshot, threshold));
    const gone = new Set(answer.moves.flatMap(({ nodeNames }) => nodeNames));
    if (gone.size === 0 || passes === mostPasses) return { passes, pricePerHour: priceOf(snapshot), podsMoved };
    podsMoved += [...gone].reduce((sum, name) => sum + (snapshot.podsByNode.get(name)?.length ?? 0), 0);
    snapshot = withoutEmpty(carryOut(snapshot, gone, { later: new Set(answer.whole.nodeNames), pass: passes }));
  }
}

export function priceOf({ nodes }: Snapshot): number {
  return nodes.reduce((sum, { price = 0 }) => sum + price, 0);
}

function search(request: ConsolidationRequest): ConsolidationAnswer {
  const steps = answerConsolidation(request, { maxEvaluations: 80, maxRounds: 1, shouldStop: () => false });
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

function requestFor(snapshot: Snapshot, threshold: number): ConsolidationRequest {
  const disturbanceOf = ({ name }: Node): number => 1 + (snapshot.podsByNode.get(name)?.length ?? 0);
  const average = priceOf(snapshot) / snapshot.nodes.reduce((sum, node) => sum + disturbanceOf(node), 0);
  return {
    snapshot,
    pendingPods: [],
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    wellKnownLabels: new Set(),
    defaultSpread: [],
    candidates: snapshot.nodes.map((node) => ({
      nodeName: node.name,
      poolName: node.nodePool,
      instanceType: node.labels.get("node.kubernetes.io/instance-type") ?? "",
      capacityType: node.labels.get("karpenter.sh/capacity-type") ?? "",
      price: node.price ?? 0,
      podUids: (snapshot.podsByNode.get(node.name) ?? []).map(({ uid }) => uid),
      disturbance: disturbanceOf(node),
      leastSaving: threshold * average,
      isReady: true,
    })),
    destinations: new Set(snapshot.nodes.map(({ name }) => name)),
    laterDestinations: new Set(snapshot.nodes.map(({ name }) => name)),
    budgets: new Map([["default", Math.ceil(snapshot.nodes.length * budgetShare)]]),
    isSpotToSpotEnabled: false,
    seed: 1,
  };
}

/** The pods land where the plan puts them, and not on nodes that go later. */
function carryOut(
  { nodes, podsByNode, ...rest }: Snapshot,
  gone: ReadonlySet<string>,
  { later, pass }: { readonly later: ReadonlySet<string>; readonly pass: number },
): Snapshot {
  const staying = nodes.filter(({ name }) => !gone.has(name));
  const landed = new Map(staying.map(({ name }) => [name, podsByNode.get(name) ?? []]));
  const closed = staying.map((node) => (later.has(node.name) ? { ...node, allocatable: new Map() } : node));
  const moving = [...gone].flatMap((name) => podsByNode.get(name) ?? []);
  const plan = planProvisioning({ ...rest, nodes: closed, podsByNode: landed }, moving, planSettings);
  for (const { node, pods } of plan.placements) landed.set(node.name, [...(landed.get(node.name) ?? []), ...pods]);
  const bought = plan.nodes.map((planned, index) => {
    const node = nodeOf(planned, `bought-${pass}-${index}`);
    landed.set(node.name, planned.pods);
    return node;
  });
  return { ...rest, nodes: [...staying, ...bought], podsByNode: landed };
}

function withoutEmpty(snapshot: Snapshot): Snapshot {
  const nodes = snapshot.nodes.filter(({ name }) => (snapshot.podsByNode.get(name)?.length ?? 0) > 0);
  return { ...snapshot, nodes };
}
