import type { KubeResource } from "./kube-object.ts";

function resource(
  apiVersion: string,
  kind: string,
  scope: "cluster" | "namespaced",
  plural = `${kind.toLowerCase()}s`,
): KubeResource {
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    plural,
    kind,
    isNamespaced: scope === "namespaced",
  };
}

export const pods = resource("v1", "Pod", "namespaced");
export const nodes = resource("v1", "Node", "cluster");
export const namespaces = resource("v1", "Namespace", "cluster");
export const services = resource("v1", "Service", "namespaced");
export const replicationControllers = resource("v1", "ReplicationController", "namespaced");
export const limitRanges = resource("v1", "LimitRange", "namespaced");
export const persistentVolumeClaims = resource("v1", "PersistentVolumeClaim", "namespaced");
export const persistentVolumes = resource("v1", "PersistentVolume", "cluster");
export const daemonSets = resource("apps/v1", "DaemonSet", "namespaced");
export const deployments = resource("apps/v1", "Deployment", "namespaced");
export const replicaSets = resource("apps/v1", "ReplicaSet", "namespaced");
export const statefulSets = resource("apps/v1", "StatefulSet", "namespaced");
export const jobs = resource("batch/v1", "Job", "namespaced");
export const resourceQuotas = resource("v1", "ResourceQuota", "namespaced");
export const priorityClasses = resource("scheduling.k8s.io/v1", "PriorityClass", "cluster", "priorityclasses");
export const runtimeClasses = resource("node.k8s.io/v1", "RuntimeClass", "cluster", "runtimeclasses");
export const storageClasses = resource("storage.k8s.io/v1", "StorageClass", "cluster", "storageclasses");
export const csiNodes = resource("storage.k8s.io/v1", "CSINode", "cluster");
export const volumeAttachments = resource("storage.k8s.io/v1", "VolumeAttachment", "cluster");
export const podDisruptionBudgets = resource("policy/v1", "PodDisruptionBudget", "namespaced");
export const leases = resource("coordination.k8s.io/v1", "Lease", "namespaced");
