import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import { isPodAvailable, isPodReady } from "../pod-state.ts";
import { podFromTemplate } from "./create-pod.ts";
import type { Stored } from "./resource.ts";

const revisionLabel = "controller-revision-hash";

export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** The number behind the name of the set; undefined for what does not look like a pod of it. */
export function ordinalOf(set: Stored<StatefulSet>, pod: Stored<Pod>): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const rest = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : "";
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

export function revisionIn({ metadata }: Stored<Pod>): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod);
}

export function isRunningAndAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return pod.status?.phase === "Running" && isPodAvailable(pod, minReadySeconds, now);
}

export interface StatefulTemplate {
  readonly template: PodTemplateSpec;
  readonly revision: string;
}

/** The pod with that ordinal, with its name, its place in the service and its claims. */
export function statefulPod(set: Stored<StatefulSet>, ordinal: number, { template, revision }: StatefulTemplate): Pod {
  const pod = podFromTemplate(set, template);
  const name = `${set.metadata.name}-${ordinal}`;
  const { serviceName } = set.spec ?? {};
  const podSpec = template.spec ?? { containers: [] };
  const claimed: Volume[] = claimTemplates(set).map((claim) => ({
    name: claim.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const names = new Set(claimed.map((volume) => volume.name));
  const volumes = [...(podSpec.volumes ?? []).filter((volume) => !names.has(volume.name)), ...claimed];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name,
      labels: {
        ...pod.metadata?.labels,
        "apps.kubernetes.io/pod-index": String(ordinal),
        "statefulset.kubernetes.io/pod-name": name,
        [revisionLabel]: revision,
      },
    },
    spec: {
      ...podSpec,
      hostname: name,
      ...(serviceName === undefined || serviceName === "" ? {} : { subdomain: serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

export function claimTemplates({ spec }: StatefulSet): readonly PersistentVolumeClaim[] {
  return spec?.volumeClaimTemplates ?? [];
}

export function claimName(set: Stored<StatefulSet>, { metadata }: PersistentVolumeClaim, ordinal: number): string {
  return `${metadata?.name}-${set.metadata.name}-${ordinal}`;
}

/** The claim of the pod with that ordinal; it stays when the pod goes, unless the set says otherwise. */
export function claimFor(
  set: Stored<StatefulSet>,
  template: PersistentVolumeClaim,
  ordinal: number,
): PersistentVolumeClaim {
  const { labels = {}, annotations } = template.metadata ?? {};
  const { apiVersion, kind, metadata } = set;
  const isDeletedWithSet = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  const owner = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimName(set, template, ordinal),
      labels: { ...labels, ...set.spec?.selector.matchLabels },
      ...(annotations === undefined ? {} : { annotations }),
      ...(isDeletedWithSet ? { ownerReferences: [owner] } : {}),
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}
