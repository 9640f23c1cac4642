import type { Node } from "../../core/model/node.ts";
import type { Pod } from "../../core/model/pod.ts";
import { formatAmount } from "../../core/model/quantity.ts";
import { describeRequirement } from "../../core/model/requirement-entries.ts";
import { holdsOn, type Requirement, requirementsFromLabels, unmetKey } from "../../core/model/requirements.ts";
import { addResources, noResources, subtractResources } from "../../core/model/resources.ts";
import { untoleratedTaint } from "../../core/model/taints.ts";

/** Why a node does not take a pod. Nodes with the same key are told of together. */
export interface NodeObstacle {
  readonly key: string;
  /** To follow "which" or the name of the node. */
  readonly because: string;
  /** The least of a kind is the nearest miss. */
  readonly distance: number;
}

/** Judged in the order in which people think of it; what concerns other pods comes last, and is not taken apart. */
export function whyNotNode(pod: Pod, node: Node, podsThere: readonly Pod[]): NodeObstacle {
  if (node.isDeleting) return { key: "going", because: "is going away", distance: 0 };
  const taint = untoleratedTaint(pod.spec.tolerations, node.taints);
  if (taint !== undefined) {
    const text = `${taint.key}${taint.value === "" ? "" : `=${taint.value}`}:${taint.effect}`;
    return { key: `taint ${text}`, because: `has the taint ${text}, which the pod does not tolerate`, distance: 0 };
  }
  const unmet = unmetLabel(pod, node);
  if (unmet !== undefined) {
    const found = node.labels.get(unmet.key);
    const has = found === undefined ? `has no label ${unmet.key}` : `has ${unmet.key}=${found}`;
    const wanted = describeRequirement(unmet.key, unmet.wanted);
    return { key: `label ${unmet.key}`, because: `${has}, and the pod wants ${wanted}`, distance: 0 };
  }
  return shortage(pod, node, podsThere) ?? rulesOut;
}

const rulesOut: NodeObstacle = {
  key: "rules",
  because: "is ruled out by pod affinity, anti-affinity, spread, host ports or volumes",
  distance: 0,
};

function unmetLabel({ spec }: Pod, { labels }: Node): { key: string; wanted: Requirement } | undefined {
  for (const [key, wanted] of requirementsFromLabels(spec.nodeSelector)) {
    if (unmetKey(new Map([[key, wanted]]), labels) !== undefined) return { key, wanted };
  }
  const terms = spec.requiredNodeTerms;
  if (terms.length === 0 || terms.some((term) => holdsOn(term, labels))) return undefined;
  const [term = new Map()] = terms;
  const key = unmetKey(term, labels) ?? "";
  const wanted = term.get(key);
  return wanted === undefined ? undefined : { key, wanted };
}

function shortage({ spec }: Pod, { allocatable }: Node, podsThere: readonly Pod[]): NodeObstacle | undefined {
  const taken = podsThere.reduce((sum, other) => addResources(sum, other.spec.requests), noResources);
  const room = subtractResources(allocatable, taken);
  const missing = [...spec.requests].flatMap(([resource, amount]) => {
    const lacks = amount - (room.get(resource) ?? 0);
    return lacks > 0 && amount > 0 ? [{ resource, lacks, share: lacks / amount }] : [];
  });
  if (missing.length === 0) return undefined;
  const words = missing.map(({ resource, lacks }) => `${formatAmount(resource, lacks)} ${resource}`).join(" and ");
  const distance = missing.reduce((sum, { share }) => sum + share, 0);
  return { key: "resources", because: `lacks ${words}`, distance };
}

/** `7 nodes: too full; the nearest is a, which lacks 500m cpu`, the most frequent reason first. */
export function describeObstacles(found: ReadonlyMap<string, NodeObstacle>): readonly string[] {
  const groups = Map.groupBy(found, ([, { key }]) => key);
  return [...groups.values()]
    .toSorted((a, b) => b.length - a.length)
    .map((group) => {
      const nearest = group.reduce((best, one) => (one[1].distance < best[1].distance ? one : best));
      const [name, { key, because }] = nearest;
      if (group.length === 1) return `${name} ${because}`;
      if (key === "resources") return `${group.length} nodes are too full; the nearest is ${name}, which ${because}`;
      return `${group.length} nodes, such as ${name}: each ${because}`;
    });
}
