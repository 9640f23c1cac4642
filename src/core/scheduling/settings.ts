import type { NodePool } from "../model/node-pool.ts";
import type { Pod, TopologySpread } from "../model/pod.ts";
import type { Resources } from "../model/resources.ts";

export interface PlanSettings {
  /** Ignore: preferences never influence where a pod goes. */
  readonly preferencePolicy: "Respect" | "Ignore";
  /** BestEffort: a pool's minValues are lowered to what there is rather than leaving pods without a node. */
  readonly minValuesPolicy: "Strict" | "BestEffort";
  /** Strict: pods that could use a reservation wait for it rather than being bought a machine. */
  readonly reservedCapacity: "Strict" | "Fallback";
  /** Dollars an hour that every new node is thought to cost on top of its price. */
  readonly pricePerNode: number;
  /** Labels that a pod may select although no pool, instance type or offering promises them. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** The cluster's default spread constraints, for pods that have none. */
  readonly defaultSpread: readonly TopologySpread[];
  /** The node on which a pod is tried first, by the pod's uid. */
  readonly hints?: ReadonlyMap<string, string>;
  /** The share of a new node's cpu and memory that stays free; none by default. */
  readonly headroom?: number;
  /** How many times a plan may be made anew in search of a cheaper one. */
  readonly maxRounds: number;
  /** Asked between rounds; the best plan so far is returned when it says so. */
  readonly shouldStop: () => boolean;
  /** Where a pod's requests come from, when not from its spec. */
  readonly requestsFor: ((pod: Pod, pool: NodePool | undefined) => Resources) | undefined;
}
