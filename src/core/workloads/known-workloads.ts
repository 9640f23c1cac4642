import type { Pod } from "../model/pod.ts";
import type { ResourceQuota, Workload } from "../model/workload.ts";
import type { Objects, QuotaPicture } from "./quota-room.ts";

/** What is known of the workloads of a cluster, as its state has it. */
export interface KnownWorkloads extends QuotaPicture {
  readonly workloads: Objects<Workload>;
  readonly resourceQuotas: Objects<ResourceQuota>;
  /** By namespace. */
  readonly lookAheadOptOuts: { get(namespace: string): boolean | undefined };
  workloadByUid(uid: string): Workload | undefined;
  /** Those that another one has created. */
  workloadsOf(uid: string): readonly Workload[];
  podsOfWorkload(uid: string): readonly Pod[];
}
