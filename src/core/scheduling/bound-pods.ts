import type { Pod } from "../model/pod.ts";
import { addResources, noResources, type Resources } from "../model/resources.ts";
import { kindOf, type PodKind } from "./pod-kinds.ts";

/** What the pods of one node come to, whoever asks. */
export interface NodeLoad {
  readonly used: Resources;
  /** The part of it that daemon pods have. */
  readonly daemonUse: Resources;
  readonly kinds: readonly BoundCount[];
  /** Those of the kinds that keep others away or take ports of their host. */
  readonly assertive: readonly PodKind[];
  /** Pods with volumes. */
  readonly mounting: readonly Pod[];
}

interface BoundCount {
  readonly kind: PodKind;
  readonly isDeleting: boolean;
  count: number;
}

/** A list of pods never changes, and plans that follow each other, or try something out, see most lists again. */
const loads = new WeakMap<readonly Pod[], NodeLoad>();

export function loadOf(pods: readonly Pod[]): NodeLoad {
  let load = loads.get(pods);
  if (load === undefined) {
    load = workOut(pods);
    loads.set(pods, load);
  }
  return load;
}

function workOut(pods: readonly Pod[]): NodeLoad {
  let used = noResources;
  let daemonUse = noResources;
  const kinds: BoundCount[] = [];
  for (const pod of pods) {
    used = addResources(used, pod.spec.requests);
    if (pod.owners.some(({ kind }) => kind === "DaemonSet")) daemonUse = addResources(daemonUse, pod.spec.requests);
    const kind = kindOf(pod);
    const known = kinds.find((one) => one.kind === kind && one.isDeleting === pod.isDeleting);
    if (known) known.count++;
    else kinds.push({ kind, isDeleting: pod.isDeleting, count: 1 });
  }
  return {
    used,
    daemonUse,
    kinds,
    assertive: kinds.map(({ kind }) => kind).filter(isAssertive),
    mounting: pods.filter(({ spec }) => spec.volumeClaims.length > 0),
  };
}

function isAssertive({ spec }: PodKind): boolean {
  return spec.podAntiAffinity.length > 0 || spec.hostPorts.length > 0;
}
