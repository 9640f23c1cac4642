import type { Labels } from "../model/labels.ts";
import type { Pod, PodSpec } from "../model/pod.ts";

/** Pods that no rule can tell apart. One object for all that share a namespace, a spec and labels. */
export interface PodKind {
  readonly spec: PodSpec;
  readonly namespace: string;
  readonly labels: Labels;
}

const kindsBySpec = new WeakMap<PodSpec, WeakMap<Labels, Map<string, PodKind>>>();

export function kindOf({ spec, namespace, labels }: Pod): PodKind {
  let byLabels = kindsBySpec.get(spec);
  if (byLabels === undefined) {
    byLabels = new WeakMap();
    kindsBySpec.set(spec, byLabels);
  }
  let byNamespace = byLabels.get(labels);
  if (byNamespace === undefined) {
    byNamespace = new Map();
    byLabels.set(labels, byNamespace);
  }
  let kind = byNamespace.get(namespace);
  if (kind === undefined) {
    kind = { spec, namespace, labels };
    byNamespace.set(namespace, kind);
  }
  return kind;
}
