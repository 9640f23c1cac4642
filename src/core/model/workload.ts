import type { Labels } from "./labels.ts";
import type { Owner, Pod } from "./pod.ts";
import type { Resources } from "./resources.ts";

export type WorkloadKind = "Deployment" | "ReplicaSet" | "ReplicationController" | "StatefulSet" | "Job";

/** An object that asks kube-controller-manager for pods. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: number;
  readonly isDeleting: boolean;
  /** The object that controls it, as a Deployment does a ReplicaSet. */
  readonly controller: Owner | undefined;
  /** Its annotation or label `karpenter.sh/look-ahead` is "false". */
  readonly isOptedOut: boolean;
  /** Whether its controller has acted on the spec as it is now. */
  readonly isObserved: boolean;
  readonly demand: Demand;
  /** The pod that its template describes, with what the API server itself would add. */
  readonly template: Pod;
}

/** How many pods a workload asks for. */
export type Demand =
  /** Creates none by itself: paused without a ReplicaSet, suspended, finished, gated, or for another scheduler. */
  { readonly kind: "none" } | { readonly kind: "replicas"; readonly replicas: number } | OrdinalDemand | TaskDemand;

/** Of a StatefulSet. */
export interface OrdinalDemand {
  readonly kind: "ordinals";
  readonly replicas: number;
  readonly start: number;
  /** Parallel: all at once. Otherwise each when the one before it is ready. */
  readonly isParallel: boolean;
  /** How many of its pods have been ready for minReadySeconds; infinite where these are 0. */
  readonly available: number;
  readonly claimTemplates: readonly ClaimTemplate[];
  /** Value of the label `controller-revision-hash` of pods that are made from the template; "" while its controller has not seen that. */
  readonly revision: string;
  /** Ordinals below `start + partition` are still created from the revision before that. */
  readonly partition: number;
  readonly currentRevision: string;
}

export interface ClaimTemplate {
  readonly name: string;
  /** Undefined for the default class. */
  readonly storageClassName: string | undefined;
  /** In bytes. */
  readonly storage: number;
}

/** Of a Job. */
export interface TaskDemand {
  readonly kind: "tasks";
  readonly parallelism: number;
  /** Undefined: as many as it takes until one succeeds. */
  readonly completions: number | undefined;
  /** As its status counts them, those included whose pods still have to be let go. */
  readonly succeeded: number;
  readonly failed: number;
  /** Uids of the pods that are in these counts and still have to be let go. */
  readonly counted: ReadonlySet<string>;
  /** Of an indexed Job: indexes that have failed for good. */
  readonly failedIndexes: number;
  /** With more failures than that, the Job has failed. */
  readonly backoffLimit: number;
  /** Each index is retried on its own. */
  readonly hasBackoffPerIndex: boolean;
  /** A terminating pod is replaced only when it has ended. */
  readonly waitsForTerminating: boolean;
  /** While it was suspended, its template may have been changed. Its active pods have been deleted then. */
  readonly wasSuspended: boolean;
}

/** What a namespace may have of something. */
export interface ResourceQuota {
  readonly namespace: string;
  /** By the names of the quota, such as `cpu`, `requests.cpu` and `count/pods`; amounts as in `Resources`. */
  readonly hard: Resources;
  readonly used: Resources;
  readonly scopes: readonly QuotaScope[];
}

/** Stands between a storage class and what is limited of it, as in `gold.storageclass.storage.k8s.io/requests.storage`. */
export const quotaOfClass = ".storageclass.storage.k8s.io/";

export interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const lookAheadKey = "karpenter.sh/look-ahead";

export function isOptedOut(labels: Labels, annotations: Labels): boolean {
  return annotations.get(lookAheadKey) === "false" || labels.get(lookAheadKey) === "false";
}

/** The object that controls the pod and creates its successor. */
export function controllerOf({ owners }: Pick<Pod, "owners">): Owner | undefined {
  return owners.find(({ isController }) => isController);
}

/** By uid; "" when none does. */
export function controllerUid(pod: Pod): string {
  return controllerOf(pod)?.uid ?? "";
}
