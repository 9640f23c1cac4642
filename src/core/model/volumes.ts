import type { NodeTerm } from "./requirements.ts";

export interface VolumeClaim {
  readonly namespace: string;
  readonly name: string;
  readonly storageClassName: string | undefined;
  /** What it asks for, in bytes. */
  readonly storage: number;
  /** The volume it is bound to, "" while unbound. */
  readonly volumeName: string;
  readonly isBindCompleted: boolean;
  readonly isLost: boolean;
  readonly isDeleting: boolean;
}

export interface Volume {
  readonly name: string;
  /** Terms of its required node affinity, one of which must hold; empty when it can be attached anywhere. */
  readonly nodeTerms: readonly NodeTerm[];
  /** The CSI driver that attaches it, "" when its attachments are not counted. */
  readonly driver: string;
  /** Local and hostPath volumes name their host, which no new node can be. */
  readonly isLocal: boolean;
  readonly isDeleting: boolean;
}

export interface StorageClass {
  readonly name: string;
  /** The CSI name of its provisioner. */
  readonly driver: string;
  readonly bindsImmediately: boolean;
  readonly allowedTopologies: readonly NodeTerm[];
  /** Marked as the class of claims that name none. */
  readonly isDefault: boolean;
  readonly createdAt: number;
}

/** The class that the API server gives a claim that names none: the newest of those that are marked. */
export function findDefaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  const marked = [...classes].filter(({ isDefault }) => isDefault);
  return marked.sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? -1 : 1))[0];
}
