import type { Pod } from "../../model/pod.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { PlanSettings } from "../settings.ts";
import { type Outcome, Stage } from "./stage.ts";

/**
 * Where kube-scheduler may put pods on the nodes that exist or are on their way. Of a few orders, the one that leaves the
 * fewest over: a pod that finds its place in some order does not need another machine yet.
 */
export function foresee(pods: readonly Pod[], snapshot: Snapshot, settings: PlanSettings): Outcome {
  const nodes = new Set(snapshot.nodes.map(({ name }) => name));
  const outcomes = new Stage({ snapshot, pods, nodes }, settings).playAll();
  return outcomes.reduce((best, one) => (one.leftOver.length < best.leftOver.length ? one : best));
}
