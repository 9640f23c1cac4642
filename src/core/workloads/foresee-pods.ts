import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { isSuperseded, mayBeExpected } from "./counted-pods.ts";
import { expectPods } from "./expect-pods.ts";
import type { KnownWorkloads } from "./known-workloads.ts";
import { missingPods } from "./missing-pods.ts";
import { nextProgress, noProgress } from "./progress.ts";
import { WorkloadView } from "./workload-view.ts";

/**
 * The pods that workloads still have to create, by one look at a cluster. Without the memory of a controller, the times at
 * which pods were created stand for progress, and pods of a template that has no pod yet are tentative.
 */
export function foreseePods(known: KnownWorkloads, { now, maxPods }: { now: number; maxPods: number }): readonly Pod[] {
  const view = new WorkloadView(known, maxPods);
  const queueMovedAt = lastCreatedAt(known.pods.values());
  const shortfalls = [...known.workloads.values()]
    .filter((workload) => mayBeExpected(workload, known) && !isSuperseded(workload, known))
    .map((workload) => ({ workload, pods: view.podsOf(workload) }))
    .filter(({ workload, pods }) => missingPods(workload, pods, 1).length > 0)
    .filter(({ workload, pods }) => !hasStalled(workload, { now, createdAt: lastCreatedAt(pods), queueMovedAt }))
    .map((shortfall) => ({ ...shortfall, isTrusted: false, hasStalled: false, numbers: [] }));
  return expectPods(shortfalls, view.limits);
}

interface Times {
  readonly now: number;
  readonly createdAt: number;
  readonly queueMovedAt: number;
}

/** Whether a controller would have stopped to expect its pods. */
function hasStalled({ createdAt: since, isObserved }: Workload, { now, createdAt, queueMovedAt }: Times): boolean {
  const news = { now, createdAt, isMissingPods: true, queueMovedAt: isObserved ? undefined : queueMovedAt };
  return nextProgress({ ...noProgress, since, missingSince: since }, news).drops > 0;
}

function lastCreatedAt(pods: Iterable<Pod>): number {
  let last = 0;
  for (const { createdAt } of pods) last = Math.max(last, createdAt);
  return last;
}
