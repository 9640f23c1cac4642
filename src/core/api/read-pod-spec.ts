import { isLabelValue, type Labels, normalizeLabelKey } from "../model/labels.ts";
import type { PodSpec } from "../model/pod.ts";
import type { Field } from "./field.ts";
import { readHostPorts } from "./read-host-ports.ts";
import { labelValueGrammar } from "./read-labels.ts";
import { readNodeAffinity } from "./read-node-affinity.ts";
import { readOldLabels } from "./read-old-labels.ts";
import { readPodAffinity } from "./read-pod-affinity.ts";
import { readPodRequests } from "./read-pod-resources.ts";
import { readVolumeClaims } from "./read-pod-volumes.ts";
import { checkLabelKey } from "./read-requirement.ts";
import { readTolerations } from "./read-taints.ts";
import { readTopologySpread } from "./read-topology-spread.ts";

export interface PodSpecSource {
  readonly spec: Field;
  readonly containerStatuses: Field;
  readonly podName: string;
  /** The pod has a node, or its DaemonSet says which. */
  readonly isPlaced: boolean;
}

export function readPodSpec({ spec, containerStatuses, podName, isPlaced }: PodSpecSource): PodSpec {
  const affinity = spec.at("affinity");
  const podAffinity = readPodAffinity(affinity.at("podAffinity"));
  const podAntiAffinity = readPodAffinity(affinity.at("podAntiAffinity"));
  return {
    requests: readPodRequests(spec, containerStatuses),
    priority: spec.at("priority").integer(-(2 ** 31), 2 ** 31 - 1) ?? 0,
    ...readOldLabels({
      nodeSelector: readNodeSelector(spec.at("nodeSelector"), isPlaced),
      ...readNodeAffinity(affinity.at("nodeAffinity"), isPlaced),
    }),
    podAffinity: podAffinity.required,
    podAntiAffinity: podAntiAffinity.required,
    preferredPodAffinity: podAffinity.preferred,
    preferredPodAntiAffinity: podAntiAffinity.preferred,
    topologySpread: spec.at("topologySpreadConstraints").items().map(readTopologySpread),
    tolerations: readTolerations(spec.at("tolerations")),
    hostPorts: readHostPorts(spec),
    volumeClaims: readVolumeClaims(spec.at("volumes"), podName),
    usesResourceClaims: spec.at("resourceClaims").items().length > 0,
  };
}

function readNodeSelector(field: Field, isPlaced: boolean): Labels {
  const selector = new Map<string, string>();
  for (const [written, item] of field.entries()) {
    const key = normalizeLabelKey(written);
    const value = item.text() ?? "";
    if (!isPlaced) {
      checkLabelKey(item, key);
      if (!isLabelValue(value)) item.reject(labelValueGrammar);
    }
    const other = selector.get(key);
    if (other !== undefined && other !== value) item.note(`must not contradict another spelling of ${key}`);
    selector.set(key, value);
  }
  return selector;
}
