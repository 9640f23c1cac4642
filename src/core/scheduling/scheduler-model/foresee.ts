import type { Pod } from "../../model/pod.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { PlanSettings } from "../settings.ts";
import { type Outcome, Stage } from "./stage.ts";

/** With so few pods, another machine costs less than waiting for another boot is worth. */
const few = 100;
/** Of the orders, by what they leave over, the most first. */
const rank = { few: 1, many: -1 };

/**
 * Where kube-scheduler may put pods on the nodes that exist or are on their way. Of many pods, the order that leaves the
 * fewest over: a pod that finds its place in some order does not need another machine yet.
 */
export function foresee(pods: readonly Pod[], snapshot: Snapshot, settings: PlanSettings): Outcome {
  const nodes = new Set(snapshot.nodes.map(({ name }) => name));
  const outcomes = new Stage({ snapshot, pods, nodes }, settings).playAll();
  const ranked = outcomes.toSorted((a, b) => b.leftOver.length - a.leftOver.length);
  return ranked.at(pods.length < few ? rank.few : rank.many)!;
}
