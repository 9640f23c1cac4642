import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { podsOfUnseenSets } from "./unseen-sets.ts";

/**
 * The workloads whose missing pods can be expected. A Deployment is one of them only until its first ReplicaSet is known,
 * itself or by a pod: from then on the ReplicaSets say how many pods there are to be. The watches may lag in any order.
 * Of each controller, one pod is enough.
 */
export function expectingWorkloads(workloads: Iterable<Workload>, pods: Iterable<Pod>): readonly Workload[] {
  const all = [...workloads];
  const byUid = new Map(all.map((workload) => [workload.uid, workload]));
  const replaced = new Set(
    all.flatMap(({ kind, controller }) => (kind === "ReplicaSet" ? (controller?.uid ?? []) : [])),
  );
  const unseen = podsOfUnseenSets(pods, (uid) => byUid.has(uid));
  return all.filter((workload) => {
    const { kind, uid, controller, isOptedOut, createdAt } = workload;
    if (isOptedOut || byUid.get(controller?.uid ?? "")?.isOptedOut === true) return false;
    if (kind !== "Deployment") return true;
    const podsOfUnseen = unseen.get(`${workload.namespace}/${workload.name}`) ?? [];
    return !replaced.has(uid) && podsOfUnseen.every((pod) => pod.createdAt < createdAt);
  });
}
