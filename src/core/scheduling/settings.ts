import type { NodePool } from "../model/node-pool.ts";
import type { Pod, TopologySpread } from "../model/pod.ts";
import type { Resources } from "../model/resources.ts";
import type { Headroom } from "./headroom.ts";

export interface Leeway {
  /** Pods that are alike and must spread over zones, say, share new nodes only as far as so many in each do not go round. */
  readonly nodesPerDomain: number;
  /** Those that are like this one share as they please. */
  readonly mayCrowd?: Pod;
  /** Of new nodes. */
  readonly headroom: Headroom;
  /** A new node gets at most so many pods. */
  readonly podsPerNode: number;
}

export interface PlanSettings {
  /** Ignore: preferences never influence where a pod goes. */
  readonly preferencePolicy: "Respect" | "Ignore";
  /** BestEffort: a pool's minValues are lowered to what there is rather than leaving pods without a node. */
  readonly minValuesPolicy: "Strict" | "BestEffort";
  /** Strict: pods that could use a reservation wait for it rather than being bought a machine. */
  readonly reservedCapacity: "Strict" | "Fallback";
  /** Dollars an hour that every new node is thought to cost on top of its price. */
  readonly pricePerNode: number;
  /** For plans that kube-scheduler has to find its own way to. Undefined: it is followed to the letter. */
  readonly leeway: Leeway | undefined;
  /** Of nodes that are not initialized yet and have pods that are meant for them. */
  readonly headroomOnTheWay?: Headroom | undefined;
  /** Nodes that are being filled are left to the oldest kinds, as kube-scheduler does; else to the largest, for fewer nodes. */
  readonly oldestFirst?: boolean;
  /** Labels that a pod may select although no pool, instance type or offering promises them. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** The cluster's default spread constraints, for pods that have none. */
  readonly defaultSpread: readonly TopologySpread[];
  /** How many times a plan may be made anew in search of a cheaper one. */
  readonly maxRounds: number;
  /** Asked between rounds; the best plan so far is returned when it says so. */
  readonly shouldStop: () => boolean;
  /** Where a pod's requests come from, when not from its spec. */
  readonly requestsFor: ((pod: Pod, pool: NodePool | undefined) => Resources) | undefined;
}
