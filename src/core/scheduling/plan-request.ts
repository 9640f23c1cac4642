import type { Pod, TopologySpread } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";

export interface PlanningRequest {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly defaultSpread: readonly TopologySpread[];
}

export interface PlanRequest extends PlanningRequest {
  /** The node that an earlier plan meant a pending pod for, by the pod's uid: tried first, never trusted. */
  readonly hints: ReadonlyMap<string, string>;
  /** Suggest: kube-scheduler places the pods, so that the plan has to hold in its hands. Bind: it is followed to the letter. */
  readonly placement: "Suggest" | "Bind";
}
