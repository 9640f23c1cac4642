import type { Labels } from "./labels.ts";
import type { NodeTerm } from "./requirements.ts";
import type { Resources } from "./resources.ts";
import type { Selector } from "./selector.ts";
import type { Toleration } from "./taints.ts";

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  /** Only those that something here reads. */
  readonly annotations: Labels;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  /** When it became ready, undefined while it is not. */
  readonly readyAt: number | undefined;
  readonly isDeleting: boolean;
  /** When its deletion is due: its grace period ends then. Undefined while nobody has asked for it. */
  readonly deletesAt: number | undefined;
  /** How long it may take to end. */
  readonly graceSeconds: number;
  readonly priorityClassName: string;
  readonly serviceAccountName: string;
  readonly phase: string;
  /** The reason of the PodScheduled condition, "" without one. */
  readonly scheduledReason: string;
  /** When that condition last changed: for a pod with a node, when it got it. */
  readonly scheduledAt: number | undefined;
  /** Somebody holds it back until they are done with it; kube-scheduler does not look at it before. */
  readonly isGated: boolean;
  /** Its spec is not as admission left it: it was resized in place, or a scheduling gate was removed. */
  readonly isEdited: boolean;
  /** The Job that controls it has yet to count how it ended. */
  readonly isUncounted: boolean;
  readonly nodeName: string;
  readonly nominatedNodeName: string;
  readonly owners: readonly Owner[];
  /**
   * What it may use of cpu, memory and ephemeral storage, for quotas. It has no cpu or memory when one of the containers
   * has no such limit: a quota of that refuses the pod.
   */
  readonly limits: Resources;
  /**
   * Set on a pod that does not exist yet: its workload asks for it. Machines may be bought for a firm one; a tentative
   * one only gets room that is there, because admission may still change what the first pod of its template asks for.
   */
  readonly expectation?: "firm" | "tentative";
  /** Shared between pods that ask for the same: pods of one deployment hold the same object. */
  readonly spec: PodSpec;
}

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly isController: boolean;
}

/** Everything of a pod that decides where it can run, apart from its own labels. */
export interface PodSpec {
  /** What the pod asks of a node, `pods: 1` included. */
  readonly requests: Resources;
  readonly priority: number;
  readonly nodeSelector: Labels;
  /** One of them must hold; empty when the pod requires nothing. */
  readonly requiredNodeTerms: readonly NodeTerm[];
  readonly preferredNodeTerms: readonly Weighted<NodeTerm>[];
  readonly podAffinity: readonly PodTerm[];
  readonly podAntiAffinity: readonly PodTerm[];
  readonly preferredPodAffinity: readonly Weighted<PodTerm>[];
  readonly preferredPodAntiAffinity: readonly Weighted<PodTerm>[];
  readonly topologySpread: readonly TopologySpread[];
  readonly tolerations: readonly Toleration[];
  readonly hostPorts: readonly HostPort[];
  /** Names of the claims the pod mounts, in its own namespace; generic ephemeral volumes under their generated name. */
  readonly volumeClaims: readonly VolumeClaimUse[];
  /** The pod asks for devices through resource claims (DRA). */
  readonly usesResourceClaims: boolean;
}

export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

/** A term of pod affinity or anti-affinity. */
export interface PodTerm {
  readonly topologyKey: string;
  readonly selector: Selector | undefined;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: Selector | undefined;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
}

export interface TopologySpread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number | undefined;
  readonly isRequired: boolean;
  readonly selector: Selector | undefined;
  readonly matchLabelKeys: readonly string[];
  readonly honorsNodeAffinity: boolean;
  readonly honorsNodeTaints: boolean;
}

export interface HostPort {
  /** "0.0.0.0" when the pod names none. */
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

export interface VolumeClaimUse {
  /** The claim's name; for a generic ephemeral volume it is `<pod>-<volume>` and `isEphemeral` is set. */
  readonly claimName: string;
  readonly isEphemeral: boolean;
  /** For an ephemeral volume whose claim does not exist yet: the class its template names, undefined for the default one. */
  readonly storageClassName: string | undefined;
  /** The bytes that this template asks for; 0 for other volumes. */
  readonly storage: number;
}
