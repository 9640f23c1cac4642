import type { Workload } from "../model/workload.ts";

/**
 * The workloads whose missing pods can be expected. A Deployment is one of them only until its first ReplicaSet is seen:
 * from then on the ReplicaSets say how many pods there are to be. Its pods may be seen before that, see `podsOfUnseenSets`.
 */
export function expectingWorkloads(workloads: Iterable<Workload>): readonly Workload[] {
  const all = [...workloads];
  const byUid = new Map(all.map((workload) => [workload.uid, workload]));
  const replaced = new Set(
    all.flatMap(({ kind, controller }) => (kind === "ReplicaSet" ? (controller?.uid ?? []) : [])),
  );
  return all.filter(({ kind, uid, controller, isOptedOut }) => {
    if (isOptedOut || byUid.get(controller?.uid ?? "")?.isOptedOut === true) return false;
    return kind !== "Deployment" || !replaced.has(uid);
  });
}
