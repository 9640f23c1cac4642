import type { SnapshotRead } from "../../src/core/api/read-objects.ts";
import { capacityTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { makeRequirement } from "../../src/core/model/requirements.ts";
import { addResources, noResources, type Resources } from "../../src/core/model/resources.ts";
import type { PlannedNode, ProvisioningPlan } from "../../src/core/scheduling/plan.ts";

/** A plan by hand: pods by their names, separated by spaces. */
export interface Draft {
  readonly nodes?: readonly DraftNode[];
  /** By the name of the node. */
  readonly placed?: Readonly<Record<string, string>>;
  readonly refused?: string;
}

export interface DraftNode extends Partial<Omit<PlannedNode, "pods" | "pool">> {
  readonly pods: string;
  readonly pool?: string;
}

/** Whatever the draft does not say of a node is made to fit: a small one in zone 1, of the pool "default". */
export function draftPlan(
  { snapshot, pendingPods }: SnapshotRead,
  { nodes = [], placed = {}, refused = "" }: Draft,
): ProvisioningPlan {
  const podsOf = (names: string): Pod[] =>
    names.split(" ").flatMap((name) => pendingPods.filter((pod) => pod.name === name));
  const planned = nodes.map((draft) =>
    draftNode(draft, podsOf(draft.pods), { snapshot, pendingPods, refusedPods: new Map(), problems: [] }),
  );
  return {
    nodes: planned,
    placements: Object.entries(placed).map(([name, pods]) => ({
      node: snapshot.nodes.find((node) => node.name === name)!,
      pods: podsOf(pods),
    })),
    refusals: podsOf(refused).map((pod) => ({ pod, refusal: { kind: "no-pools" } })),
    costPerHour: planned.reduce((sum, { price }) => sum + price, 0),
    boundPerHour: () => 0,
    rounds: 1,
  };
}

function draftNode(
  { pool: poolName = "default", ...draft }: DraftNode,
  pods: readonly Pod[],
  { snapshot }: SnapshotRead,
): PlannedNode {
  const pool = snapshot.nodePools.find(({ name }) => name === poolName)!;
  const { instanceType = "small", zone = "zone-1", capacityType = "on-demand" } = draft;
  const offering = pool.instanceTypes
    .find(({ name }) => name === instanceType)
    ?.offerings.find(({ requirements }) => {
      const isIn = (key: string, value: string) => requirements.get(key)?.values.has(value);
      return isIn(zoneLabel, zone) && isIn(capacityTypeLabel, capacityType);
    });
  const specs = [...snapshot.daemonPods, ...pods].map(({ spec }) => spec);
  return {
    pool,
    instanceType,
    zone,
    capacityType,
    reservationId: offering?.reservationId,
    price: offering?.price ?? 0,
    requests: specs.reduce<Resources>((sum, { requests }) => addResources(sum, requests), noResources),
    instanceTypes: [instanceType],
    requirements: new Map([
      ...pool.requirements,
      [zoneLabel, makeRequirement("In", [zone])],
      [capacityTypeLabel, makeRequirement("In", [capacityType])],
    ]),
    isMinValuesRelaxed: false,
    ...draft,
    pods,
  };
}
