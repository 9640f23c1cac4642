import type { Pod, PodSpec } from "../model/pod.ts";
import { isActive, isDaemonSet } from "../model/pod-lifecycle.ts";
import { daemonTolerations } from "../model/taints.ts";
import { nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import type { PodReader } from "./read-pod.ts";

/**
 * The pod that a DaemonSet will run on a new node. A live one is the better model, because it has been through
 * admission; only its node affinity comes from the template, where it is not yet pinned to a node.
 */
export function readDaemonSet(wire: unknown, newestPods: ReadonlyMap<string, Pod>, readPod: PodReader): Read<Pod> {
  const daemonSet = openObject(wire, nameObject(wire, "DaemonSet", "default"));
  const name = daemonSet.at("metadata").at("name").requiredText();
  const namespace = namespaceOf(daemonSet.at("metadata"));
  const template = daemonSet.at("spec").at("template");
  const templateMetadata = template.at("metadata").record();
  if (!daemonSet.log.isEmpty) return { problems: daemonSet.log.problems };
  const read = readPod({
    metadata: {
      name,
      namespace,
      labels: templateMetadata?.labels,
      annotations: templateMetadata?.annotations,
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name, controller: true }],
    },
    spec: template.at("spec").value,
  });
  if (read.problems !== undefined) {
    const { object } = daemonSet.log;
    return {
      problems: read.problems.map(({ field, message }) => ({ object, field: `spec.template.${field}`, message })),
    };
  }
  const newestPod = newestPods.get(`${namespace}/${name}`);
  return { value: newestPod === undefined ? withTolerations(read.value) : onNewNode(newestPod, read.value.spec) };
}

/** The newest live pod of each DaemonSet, by the set's `namespace/name`. */
export function newestPodByDaemonSet(pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  const newest = new Map<string, Pod>();
  for (const pod of pods) {
    const owner = pod.owners.find((candidate) => candidate.isController && isDaemonSet(candidate));
    if (owner === undefined || !isActive(pod)) continue;
    const key = `${pod.namespace}/${owner.name}`;
    if (pod.createdAt >= (newest.get(key)?.createdAt ?? 0)) newest.set(key, pod);
  }
  return newest;
}

function withTolerations(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, tolerations: [...pod.spec.tolerations, ...daemonTolerations] } };
}

function onNewNode(livePod: Pod, template: PodSpec): Pod {
  const { requiredNodeTerms } = template.requiredNodeTerms.length > 0 ? template : livePod.spec;
  return { ...livePod, nodeName: "", spec: { ...livePod.spec, requiredNodeTerms } };
}
