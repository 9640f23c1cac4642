import type { Labels } from "../../src/core/model/labels.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { controllerUid, type OrdinalDemand, type TaskDemand, type Workload } from "../../src/core/model/workload.ts";
import type { KnownWorkloads } from "../../src/core/workloads/known-workloads.ts";
import { type ModelPodFields, modelPod } from "./model-pod.ts";

export interface ModelWorkloadFields extends Partial<Omit<Workload, "template">> {
  /** What its template says. */
  readonly template?: ModelPodFields;
}

/** A ReplicaSet for one pod that its controller has seen. */
export function modelWorkload(name: string, { template, ...fields }: ModelWorkloadFields = {}): Workload {
  return {
    kind: "ReplicaSet",
    namespace: "default",
    name,
    uid: `uid-${name}`,
    createdAt: 0,
    isDeleting: false,
    controller: undefined,
    isOptedOut: false,
    isObserved: true,
    demand: { kind: "replicas", replicas: 1 },
    template: modelPod(name, { phase: "Pending", nodeName: "", ...template }),
    ...fields,
  };
}

/** A pod that a workload has created from its template. */
export function podOf(
  { kind, name, uid, namespace, template }: Workload,
  id: string | number,
  { labels, ...fields }: ModelPodFields & { readonly labels?: Labels } = {},
): Pod {
  const owners = [{ apiVersion: "", kind, name, uid, isController: true }];
  const pod = modelPod(`${name}-${id}`, { namespace, owners, ...fields, spec: { ...template.spec, ...fields.spec } });
  return { ...pod, labels: labels ?? template.labels };
}

export function podsOf(workload: Workload, count: number, fields: ModelPodFields = {}): readonly Pod[] {
  return Array.from({ length: count }, (_, index) => podOf(workload, index, fields));
}

/** A StatefulSet without claims, whose pods all come from the present template. */
export function modelStatefulSet(name: string, demand: Partial<OrdinalDemand> = {}): Workload {
  return modelWorkload(name, {
    kind: "StatefulSet",
    demand: {
      kind: "ordinals",
      replicas: 3,
      start: 0,
      isParallel: false,
      available: Number.POSITIVE_INFINITY,
      claimTemplates: [],
      revision: `${name}-1`,
      partition: 0,
      currentRevision: `${name}-1`,
      ...demand,
    },
  });
}

/** A Job with ten completions, five at a time. */
export function modelJob(name: string, demand: Partial<TaskDemand> = {}): Workload {
  return modelWorkload(name, {
    kind: "Job",
    demand: {
      kind: "tasks",
      parallelism: 5,
      completions: 10,
      succeeded: 0,
      failed: 0,
      counted: new Set(),
      failedIndexes: 0,
      backoffLimit: 6,
      hasBackoffPerIndex: false,
      waitsForTerminating: false,
      wasSuspended: false,
      ...demand,
    },
  });
}

/** What is known of a cluster with these workloads and pods. */
export function knownWorkloads(
  workloads: readonly Workload[],
  pods: readonly Pod[],
  more: Partial<KnownWorkloads> = {},
): KnownWorkloads {
  return {
    workloads,
    pods,
    resourceQuotas: [],
    volumeClaims: new Map(),
    storageClasses: [],
    lookAheadOptOuts: new Map(),
    workloadByUid: (uid) => workloads.find((workload) => workload.uid === uid),
    workloadsOf: (uid) => workloads.filter(({ controller }) => controller?.uid === uid),
    podsOfWorkload: (uid) => pods.filter((pod) => controllerUid(pod) === uid),
    ...more,
  };
}
