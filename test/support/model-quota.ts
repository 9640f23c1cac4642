import type { Pod } from "../../src/core/model/pod.ts";
import type { StorageClass, VolumeClaim } from "../../src/core/model/volumes.ts";
import type { QuotaScope, ResourceQuota } from "../../src/core/model/workload.ts";
import { QuotaRoom } from "../../src/core/workloads/quota-room.ts";

export interface ModelQuotaFields {
  readonly namespace?: string;
  readonly used?: Record<string, number>;
  readonly scopes?: readonly QuotaScope[];
}

export function modelQuota(hard: Record<string, number>, fields: ModelQuotaFields = {}): ResourceQuota {
  const { namespace = "default", used = {}, scopes = [] } = fields;
  return { namespace, hard: new Map(Object.entries(hard)), used: new Map(Object.entries(used)), scopes };
}

export interface QuotaObjects {
  readonly pods?: readonly Pod[];
  readonly claims?: readonly VolumeClaim[];
  readonly classes?: readonly StorageClass[];
}

/** What the quotas of a namespace leave beside these objects. */
export function quotaRoom(quotas: readonly ResourceQuota[], objects: QuotaObjects = {}): QuotaRoom {
  const { pods = [], claims = [], classes = [] } = objects;
  return new QuotaRoom(quotas, {
    pods,
    volumeClaims: new Map(claims.map((claim) => [`${claim.namespace}/${claim.name}`, claim])),
    storageClasses: classes,
  });
}
