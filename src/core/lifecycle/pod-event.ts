import type { Change } from "../cluster/collection.ts";
import type { Pod } from "../model/pod.ts";
import { isDaemonPod, isFinished } from "../model/pod-lifecycle.ts";

/**
 * The node on which a change of a pod makes a difference to how busy it is: a pod came, ended or began to go. "" when
 * it makes none. What was so before we looked is no change, or each start of the controller would make all nodes look
 * busy.
 */
export function nodeOfPodEvent({ before, after }: Change<Pod>, watchedSince: number): string {
  const pod = after ?? before;
  if (pod === undefined || pod.nodeName === "" || isDaemonPod(pod)) return "";
  // Its end was told when it began.
  if (after === undefined && stage(before) !== "there") return "";
  const isNews = before !== undefined || pod.createdAt >= watchedSince;
  return isNews && stage(before) !== stage(after) ? pod.nodeName : "";
}

function stage(pod: Pod | undefined): "absent" | "there" | "going" | "gone" {
  if (pod === undefined) return "gone";
  if (pod.nodeName === "") return "absent";
  if (isFinished(pod)) return "gone";
  return pod.isDeleting ? "going" : "there";
}
