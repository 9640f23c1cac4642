import type { Pod, TopologySpread } from "../core/model/pod.ts";
import type { Requirements } from "../core/model/requirements.ts";
import type { Resources } from "../core/model/resources.ts";
import type { Snapshot } from "../core/model/snapshot.ts";

/** Decides where pods go, here or in a thread of its own. */
export interface Planner {
  plan(request: PlanRequest): Promise<PlanAnswer>;
  stop(): Promise<void>;
}

export interface PlanRequest {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly defaultSpread: readonly TopologySpread[];
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
