import { zoneLabel } from "../../model/labels.ts";
import type { Pod, PodSpec, TopologySpread } from "../../model/pod.ts";

/** No pod has such a label: keys have no spaces. */
const label = "over zones";

const evenly: TopologySpread = {
  topologyKey: zoneLabel,
  maxSkew: 1,
  minDomains: undefined,
  isRequired: true,
  selector: { expressions: [{ key: label, operator: "In", values: ["true"] }] },
  matchLabelKeys: [],
  honorsNodeAffinity: true,
  honorsNodeTaints: false,
};

/**
 * The pods as if those that do not care about zones had to be spread over all of them. kube-scheduler fills all nodes
 * alike, whatever zone is the cheapest, and takes the room of pods that must be in one zone, or be spread.
 */
export function overZones(pods: readonly Pod[]): readonly Pod[] {
  const specs = new Map<PodSpec, PodSpec>();
  return pods.map((pod) => {
    if (caresAboutZones(pod.spec)) return pod;
    const spec = specs.get(pod.spec) ?? { ...pod.spec, topologySpread: [...pod.spec.topologySpread, evenly] };
    specs.set(pod.spec, spec);
    return { ...pod, spec, labels: new Map(pod.labels).set(label, "true") };
  });
}

function caresAboutZones({ nodeSelector, requiredNodeTerms, topologySpread, podAffinity, volumeClaims }: PodSpec) {
  return (
    nodeSelector.has(zoneLabel) ||
    requiredNodeTerms.some((term) => term.has(zoneLabel)) ||
    topologySpread.some(({ topologyKey, isRequired }) => isRequired && topologyKey === zoneLabel) ||
    podAffinity.length > 0 ||
    volumeClaims.length > 0
  );
}
