import type { Pod } from "../model/pod.ts";
import { daemonTolerations } from "../model/taints.ts";
import { nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import type { PodReader } from "./read-pod.ts";

/** The pod that a DaemonSet would make, as its template says. */
export function readDaemonSet(wire: unknown, readPod: PodReader): Read<Pod> {
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
  return { value: withTolerations(read.value) };
}

function withTolerations(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, tolerations: [...pod.spec.tolerations, ...daemonTolerations] } };
}
