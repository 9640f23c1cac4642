import type { Pod } from "./pod.ts";
import { isActive, isDaemonSet } from "./pod-lifecycle.ts";

/**
 * The pod that a DaemonSet will run on a new node. A live one is the better model, because it has been through
 * admission; only its node affinity comes from the template, where it is not yet pinned to a node.
 */
export function daemonPodOnNewNode(template: Pod, newestPod: Pod | undefined): Pod {
  if (newestPod === undefined) return template;
  const { requiredNodeTerms } = template.spec.requiredNodeTerms.length > 0 ? template.spec : newestPod.spec;
  return { ...newestPod, nodeName: "", spec: { ...newestPod.spec, requiredNodeTerms } };
}

/** The newest live pod of each DaemonSet, by the set's `namespace/name`. */
export function newestPodByDaemonSet(pods: Iterable<Pod>): ReadonlyMap<string, Pod> {
  const newest = new Map<string, Pod>();
  for (const pod of pods) {
    const owner = pod.owners.find((candidate) => candidate.isController && isDaemonSet(candidate));
    if (owner === undefined || !isActive(pod)) continue;
    const key = `${pod.namespace}/${owner.name}`;
    if (pod.createdAt >= (newest.get(key)?.createdAt ?? 0)) newest.set(key, pod);
  }
  return newest;
}
