import type { Catalogue } from "./catalogue.ts";
import { type Demand, demandsOf, resourcesOfBounds } from "./demands.ts";
import { LinearProgram } from "./linear-program.ts";
import { type Machine, machinesFor } from "./machines.ts";
import { hasLabels } from "./selector.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, type NodePool, type Pod, zoneLabel } from "./wire.ts";

/** Nodes and the pods that run on them. */
export interface RunningFleet {
  readonly nodes: readonly { readonly labels: Labels; readonly pods: readonly Pod[] }[];
  readonly nodePools: readonly NodePool[];
  readonly catalogue: Catalogue;
}

/** A node as the bound sees it: something that is there already. */
interface Standing extends Machine {
  /** How many pods of each demand run there. */
  readonly counts: readonly number[];
}

/**
 * How many pods have to leave their nodes at the least until the fleet costs no more than that an hour. It is the least
 * of all fractional ways: nodes may be kept in part, machines bought in part, pods cut into pieces; only the requests and
 * node selectors of the pods hold. Every real way is among these, so none can do with fewer.
 */
export function leastMoves({ nodes, nodePools, catalogue }: RunningFleet, mostPerHour: number): number {
  const demands = demandsOf(nodes.flatMap(({ pods }) => pods));
  const machines = machinesFor(nodePools, catalogue, demands);
  const standing = nodes.map(({ labels, pods }) => standingOf({ labels, pods }, catalogue, demands));
  const program = new LinearProgram();
  const cost: [variable: number, factor: number][] = [];
  const served: [variable: number, factor: number][][] = demands.map(() => []);
  for (const machine of machines) {
    const bought = program.addVariable(0);
    cost.push([bought, machine.price]);
    serveOn(machine, bought, { program, demands, served });
  }
  for (const node of standing) {
    const kept = program.addVariable(0);
    program.addAtMost([[kept, 1]], 1);
    cost.push([kept, node.price]);
    serveOn(node, kept, { program, demands, served });
  }
  program.addAtMost(cost, mostPerHour);
  for (const [index, { count }] of demands.entries()) program.addExactly(served[index] ?? [], count);
  const pods = nodes.reduce((sum, node) => sum + node.pods.length, 0);
  return pods + program.minimize();
}

interface Parts {
  readonly program: LinearProgram;
  readonly demands: readonly Demand[];
  /** For each demand the variables of its pods, wherever they are. */
  readonly served: [variable: number, factor: number][][];
}

/** Pods on so much of a machine as there is of it. Each that stays where it is is worth one. */
function serveOn(machine: Machine | Standing, amount: number, { program, demands, served }: Parts): void {
  const here: { readonly pods: number; readonly demand: Demand }[] = [];
  for (const [index, demand] of demands.entries()) {
    if (!machine.admits[index]) continue;
    const coming = program.addVariable(0);
    here.push({ pods: coming, demand });
    served[index]?.push([coming, 1]);
    const count = "counts" in machine ? (machine.counts[index] ?? 0) : 0;
    if (count === 0) continue;
    const staying = program.addVariable(-1);
    here.push({ pods: staying, demand });
    served[index]?.push([staying, 1]);
    program.addAtMost(
      [
        [staying, 1],
        [amount, -count],
      ],
      0,
    );
  }
  for (const [resource, size] of machine.size.entries()) {
    const used = here.map(({ pods, demand }) => [pods, demand.size[resource] ?? 0] as const);
    program.addAtMost([[amount, -size], ...used], 0);
  }
}

function standingOf(
  { labels, pods }: RunningFleet["nodes"][number],
  catalogue: Catalogue,
  demands: readonly Demand[],
): Standing {
  const type = catalogue.get(labels[instanceTypeLabel] ?? "");
  const offer = type?.offers.find(
    ({ zone, capacityType }) => zone === labels[zoneLabel] && capacityType === labels[capacityTypeLabel],
  );
  if (type === undefined || offer === undefined) {
    throw new Error(`Nobody sells the machine of a node with the labels ${JSON.stringify(labels)}`);
  }
  const counts = new Map(demandsOf(pods).map(({ name, count }) => [name, count]));
  return {
    zone: offer.zone,
    price: offer.price,
    size: resourcesOfBounds.map(({ resource, unit }) => (type.allocatable.get(resource) ?? 0) / unit),
    admits: demands.map(({ nodeSelector }) => hasLabels(nodeSelector, labels)),
    counts: demands.map(({ name }) => counts.get(name) ?? 0),
  };
}
