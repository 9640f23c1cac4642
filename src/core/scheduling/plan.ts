import type { Node } from "../model/node.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { Pod } from "../model/pod.ts";
import type { Requirements } from "../model/requirements.ts";
import type { Resources } from "../model/resources.ts";
import type { Refusal } from "./refusal.ts";

/** Where every pending pod goes, or why it cannot go anywhere. */
export interface ProvisioningPlan {
  /** Nodes to be launched. */
  readonly nodes: readonly PlannedNode[];
  /** Pods that fit on nodes that exist or are on their way. */
  readonly placements: readonly { readonly node: Node; readonly pods: readonly Pod[] }[];
  readonly refusals: readonly { readonly pod: Pod; readonly refusal: Refusal }[];
  readonly costPerHour: number;
  /** No plan for these new nodes can cost less. To find out takes as long as a plan, so only who wants to know waits. */
  readonly boundPerHour: () => number;
  readonly rounds: number;
}

export interface PlannedNode {
  readonly pool: NodePool;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly reservationId: string | undefined;
  /** Dollars an hour. */
  readonly price: number;
  readonly pods: readonly Pod[];
  /** What the pods and the daemons ask for together. */
  readonly requests: Resources;
  /** Every instance type that would hold the pods, the cheapest first, the planned one among them. */
  readonly instanceTypes: readonly string[];
  /** What a NodeClaim must say besides the instance types. Whatever combination of all that is launched holds the pods. */
  readonly requirements: Requirements;
  /** A minValues of the pool was lowered to what there is. */
  readonly isMinValuesRelaxed: boolean;
}
