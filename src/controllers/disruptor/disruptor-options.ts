import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { TopologySpread } from "../../core/model/pod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { NodeToLaunch, Planner } from "../../ports/planner.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import type { Journal } from "./journal.ts";
import type { PastMoves } from "./past-moves.ts";

export interface DisruptorOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly planner: Planner;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly journal: Journal;
  readonly pastMoves: PastMoves;
  readonly claims: ReplacementMaker;
  readonly isSynced: () => boolean;
  readonly settings: DisruptorSettings;
}

export interface DisruptorSettings {
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly defaultSpread: readonly TopologySpread[];
  readonly isSpotToSpotEnabled: boolean;
  /** Of all pods, how many may be moved within an hour because they cost less elsewhere. */
  readonly mostPodMovesPercentPerHour: number;
}

/** Who writes the claims of replacements. */
export interface ReplacementMaker {
  nameFor(node: NodeToLaunch): string;
  make(purchase: {
    readonly name: string;
    readonly node: NodeToLaunch;
    readonly reason: string;
    readonly annotations?: Labels;
  }): Promise<void>;
}
