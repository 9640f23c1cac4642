import { filterBy, type Preparation, type Situation, unresolvable } from "../node-filter.ts";
import { isHard, isTolerated, toleratesAll } from "../tolerations.ts";

const cordoned = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const unschedulable = unresolvable("node(s) were unschedulable");
const anotherNode = unresolvable("node(s) didn't match the requested node name");
const tainted = unresolvable("node(s) had untolerated taint(s)");

export function nodeUnschedulable({ pod }: Situation): Preparation {
  const toleratesIt = isTolerated(pod.pod.spec?.tolerations ?? [], cordoned);
  return filterBy(({ node }) => (node?.spec?.unschedulable === true && !toleratesIt ? unschedulable : undefined));
}

export function nodeName({ pod }: Situation): Preparation {
  const wanted = pod.pod.spec?.nodeName ?? "";
  return filterBy(({ name }) => (wanted === "" || wanted === name ? undefined : anotherNode));
}

export function taintToleration({ pod }: Situation): Preparation {
  const tolerations = pod.pod.spec?.tolerations ?? [];
  return filterBy(({ node }) => {
    const taints = node?.spec?.taints;
    return taints === undefined || toleratesAll(tolerations, taints.filter(isHard)) ? undefined : tainted;
  });
}
