import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import type { Pod } from "../model/pod.ts";

/** A node that could go by a decision of ours. */
export interface Candidate {
  readonly claim: NodeClaim;
  readonly node: NodeObject;
  readonly pool: NodePoolObject;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** Dollars an hour, 0 when unknown. */
  readonly price: number;
  /** The pods that need another place when it goes. */
  readonly pods: readonly Pod[];
  /** What moving them costs: one for the node, and the eviction cost of every pod. */
  readonly disturbance: number;
}

/** Why a node cannot go by a decision of ours now. */
export type Blocker =
  | { readonly kind: "no-claim" }
  | { readonly kind: "no-node" }
  | { readonly kind: "not-initialized" }
  | { readonly kind: "going" }
  /** Pods are meant for it that are not there yet. */
  | { readonly kind: "nominated" }
  /** It takes the place of claims that are not gone yet. */
  | { readonly kind: "replaces"; readonly claimNames: readonly string[] }
  | { readonly kind: "node-held"; readonly annotation: string }
  | { readonly kind: "no-pool" }
  | { readonly kind: "pool-unknown"; readonly poolName: string }
  | { readonly kind: "pool-paused"; readonly poolName: string }
  | { readonly kind: "no-instance-types"; readonly poolName: string }
  | { readonly kind: "pod-held"; readonly pod: string; readonly annotation: string }
  /** The budget lets the pod go nowhere now, or never. */
  | { readonly kind: "pod-budget"; readonly pod: string; readonly budget: string; readonly isForever: boolean }
  | { readonly kind: "pod-budgets"; readonly pod: string; readonly budgets: readonly string[] };
