import type { Pod } from "../model/pod.ts";
import { isFinished, isMirrorPod } from "../model/pod-lifecycle.ts";
import { disruptedTaint, tolerates } from "../model/taints.ts";

/** A pod that has not gone so long after its time will not; its node waits for it no longer. */
const stuckAfter = 60_000;

/** When nobody waits for the pod any more; undefined while its deletion has not been asked for. */
export function stuckAt({ deletesAt }: Pod): number | undefined {
  return deletesAt === undefined ? undefined : deletesAt + stuckAfter + 1;
}

/** Whether the pod can leave its node before the node goes, and is expected to. */
export function isDrainable(pod: Pod, now: number): boolean {
  return !tolerates(pod.spec.tolerations, disruptedTaint) && !isMirrorPod(pod) && now < (stuckAt(pod) ?? Infinity);
}

/** Whether a drain waits for the pod. One that its annotation holds is waited for, too. */
export function isAwaited(pod: Pod, now: number): boolean {
  return !isFinished(pod) && isDrainable(pod, now);
}
