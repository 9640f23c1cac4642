import type { ContainerPort, Pod, PodSpec, Volume } from "kubernetes-types/core/v1.js";
import type { Labels } from "../label-matcher.ts";
import { type AffinityTerms, affinityTermsOf } from "./affinity-term.ts";
import { amountsOfPod, type PodAmounts } from "./node-resources.ts";
import { labelsOf } from "./node-selector.ts";

/** A pod with what the scheduler asks of it again and again worked out once. */
export interface PodInfo {
  readonly pod: Pod;
  /** namespace/name */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly amounts: PodAmounts;
  readonly hostPorts: readonly ContainerPort[];
  readonly terms: AffinityTerms;
  readonly hasAffinity: boolean;
  readonly isDeleting: boolean;
}

export function podInfoOf(pod: Pod): PodInfo {
  const namespace = pod.metadata?.namespace ?? "";
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  return {
    pod,
    key: `${namespace}/${pod.metadata?.name ?? ""}`,
    namespace,
    labels: labelsOf(pod),
    priority: pod.spec?.priority ?? 0,
    amounts: amountsOfPod(pod),
    hostPorts: hostPortsOf(pod.spec),
    terms: affinityTermsOf(pod),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
    isDeleting: pod.metadata?.deletionTimestamp !== undefined,
  };
}

/** Ports of containers that run as long as the pod does; ordinary init containers do not. */
function hostPortsOf(spec: PodSpec | undefined): ContainerPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...(spec?.containers ?? [])]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0);
}

export function volumesOf(pod: Pod): readonly Volume[] {
  return pod.spec?.volumes ?? [];
}

/** The name of the claim behind a volume. The claim of an ephemeral volume is named after pod and volume. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${pod.metadata?.name ?? ""}-${volume.name}`;
}
