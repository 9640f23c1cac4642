import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";

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
  const unseen = newestOfUnseen(pods, byUid);
  return all.filter((workload) => {
    const { kind, uid, controller, isOptedOut, createdAt } = workload;
    if (isOptedOut || byUid.get(controller?.uid ?? "")?.isOptedOut === true) return false;
    if (kind !== "Deployment") return true;
    return !replaced.has(uid) && !((unseen.get(`${workload.namespace}/${workload.name}`) ?? -1) >= createdAt);
  });
}

/** When the newest pod of a ReplicaSet that is not known was created, by `namespace/name` of its Deployment. */
function newestOfUnseen(pods: Iterable<Pod>, known: ReadonlyMap<string, Workload>): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { namespace, owners, createdAt } of pods) {
    const owner = owners.find(({ isController }) => isController);
    if (owner?.kind !== "ReplicaSet" || known.has(owner.uid)) continue;
    // A ReplicaSet is called `<deployment>-<hash>`, and there is no hyphen in the hash.
    const deployment = `${namespace}/${owner.name.slice(0, Math.max(0, owner.name.lastIndexOf("-")))}`;
    newest.set(deployment, Math.max(createdAt, newest.get(deployment) ?? 0));
  }
  return newest;
}
