import type { Leaver } from "../core/model/leaver.ts";
import type { Requirements } from "../core/model/requirements.ts";
import type { Resources } from "../core/model/resources.ts";
import type { PlanningRequest, PlanRequest } from "../core/scheduling/plan-request.ts";

/** Decides where pods go, here or in a thread of its own. */
export interface Planner {
  plan(request: PlanRequest): Promise<PlanAnswer>;
  /** Looks for nodes that the fleet is cheaper without. Plans that are asked for meanwhile do not wait for it. */
  consolidate(request: ConsolidationRequest): Promise<ConsolidationAnswer>;
  stop(): Promise<void>;
}

/** A plan as it crosses threads: pods by their uid, nodes by their name. */
export interface PlanAnswer {
  readonly nodes: readonly NodeToLaunch[];
  /** Pods that fit on nodes that exist or are on their way. */
  readonly placements: readonly { readonly nodeName: string; readonly podUids: readonly string[] }[];
  readonly refusals: readonly PodRefusal[];
  readonly costPerHour: number;
  readonly boundPerHour: number;
}

export interface NodeToLaunch {
  readonly poolName: string;
  /** The offering that the plan's price is of. */
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  readonly podUids: readonly string[];
  readonly requests: Resources;
  /** Everything that would hold the pods, the cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly requirements: Requirements;
  readonly isMinValuesRelaxed: boolean;
}

export interface PodRefusal {
  readonly podUid: string;
  /** For people. */
  readonly reason: string;
  /** The pod waits for capacity that another pod of this batch took; the next plan knows more, and nobody need be told. */
  readonly isDeferred: boolean;
  /** The pod itself asks for what cannot be; nobody's capacity would help. */
  readonly isInvalid: boolean;
}

export interface ConsolidationRequest extends PlanningRequest {
  /** Nodes that may go, now or before long. All others stay, whatever they cost. */
  readonly candidates: readonly Leaver[];
  /** Nodes that may take pods which move; the others are left as they are. */
  readonly destinations: ReadonlySet<string>;
  /** Those, and others that may take pods before long. */
  readonly laterDestinations: ReadonlySet<string>;
  /** How many nodes of each pool may go now; no entry is none. */
  readonly budgets: ReadonlyMap<string, number>;
  /** Whether spot machines may be replaced by cheaper spot machines. */
  readonly isSpotToSpotEnabled: boolean;
  /** Of the random numbers that the search takes. */
  readonly seed: number;
}

export interface ConsolidationAnswer {
  /** What to do now, the most worthwhile first. Each stands alone, and all together are what the budgets allow. */
  readonly moves: readonly ConsolidationMove[];
  /** What the best plan found would come to if budgets allowed all of it at once. */
  readonly whole: { readonly nodeNames: readonly string[]; readonly launches: number; readonly savings: number };
  /** Why candidates stay, for people. */
  readonly stays: ReadonlyMap<string, string>;
  /** What was weighed and found to save too little for what it disturbs. */
  readonly rejected: readonly Omit<ConsolidationMove, "launches">[];
  /** Whether its time was up before it had tried all that it would have. */
  readonly isCutShort: boolean;
  /** How many plans were looked at. */
  readonly evaluations: number;
}

export interface ConsolidationMove {
  readonly nodeNames: readonly string[];
  readonly launches: readonly NodeToLaunch[];
  /** Dollars an hour. */
  readonly savings: number;
  readonly disturbance: number;
}
