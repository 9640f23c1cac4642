import type { Pod } from "../model/pod.ts";
import { isDaemonPod } from "../model/pod-lifecycle.ts";
import { controllerUid, type Workload } from "../model/workload.ts";
import type { KnownWorkloads } from "./known-workloads.ts";

/** Whether neither the workload, nor the one that created it, nor the namespace is opted out of look-ahead. */
export function mayBeExpected({ isOptedOut, namespace, controller }: Workload, known: KnownWorkloads): boolean {
  const isOut = isOptedOut || known.workloadByUid(controller?.uid ?? "")?.isOptedOut === true;
  return !isOut && known.lookAheadOptOuts.get(namespace) !== true;
}

/** A Deployment asks for pods itself only until its first ReplicaSet is seen: then its ReplicaSets say how many there are to be. */
export function isSuperseded({ kind, uid }: Workload, known: KnownWorkloads): boolean {
  return kind === "Deployment" && known.workloadsOf(uid).length > 0;
}

/** Whether kube-scheduler has yet to try a pod that is planned for already. */
export function isOnItsWay(pod: Pod, known: KnownWorkloads): boolean {
  return pod.scheduledReason === "" && !isDaemonPod(pod) && isCounted(pod, known);
}

/** Whether the workload of the pod says how many more are coming. */
export function isCounted(pod: Pod, known: KnownWorkloads): boolean {
  const workload = known.workloadByUid(controllerUid(pod));
  return workload !== undefined && workload.demand.kind !== "none" && mayBeExpected(workload, known);
}
