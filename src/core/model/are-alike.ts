import { type Labels, regionLabel, zoneLabel } from "./labels.ts";
import type { Pod } from "./pod.ts";

/** Whether one can stand in for the other. Specs that say the same are the same object, and labels mostly. */
export function areAlike(one: Pod, other: Pod): boolean {
  return one.spec === other.spec && one.namespace === other.namespace && haveSameLabels(one.labels, other.labels);
}

/** Those that are alike together, in the order in which they come. */
export function groupAlike(pods: readonly Pod[]): readonly (readonly [Pod, ...Pod[]])[] {
  const kinds: [Pod, ...Pod[]][] = [];
  const kindsBySpec = new Map<Pod["spec"], [Pod, ...Pod[]][]>();
  for (const pod of pods) {
    const ofSpec = kindsBySpec.get(pod.spec) ?? [];
    kindsBySpec.set(pod.spec, ofSpec);
    const kind = ofSpec.find(([first]) => areAlike(first, pod));
    if (kind !== undefined) {
      kind.push(pod);
      continue;
    }
    const another: [Pod, ...Pod[]] = [pod];
    kinds.push(another);
    ofSpec.push(another);
  }
  return kinds;
}

/** Apart from those that the API server gives pods that are bound, from their nodes. */
function haveSameLabels(one: Labels, other: Labels): boolean {
  return one === other || (isPartOf(one, other) && isPartOf(other, one));
}

function isPartOf(one: Labels, other: Labels): boolean {
  for (const [key, value] of one) {
    if (key !== zoneLabel && key !== regionLabel && other.get(key) !== value) return false;
  }
  return true;
}
