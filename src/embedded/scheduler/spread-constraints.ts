import type { Node, Pod, TopologySpreadConstraint } from "kubernetes-types/core/v1.js";
import {
  conditionsOf,
  equalities,
  type LabelCondition,
  type LabelMatcher,
  type Labels,
  labelValue,
  matcherOf,
  matcherOfConditions,
} from "../label-matcher.ts";
import { keyConditions } from "./affinity-term.ts";
import { type NodePredicate, requiredNodes } from "./node-selector.ts";
import type { NodeState } from "./node-state.ts";
import type { PodInfo } from "./pod-info.ts";
import type { PodOwner, SchedulerCache } from "./scheduler-cache.ts";
import { isHard, toleratesAll } from "./tolerations.ts";

export const hostnameKey = "kubernetes.io/hostname";

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: LabelMatcher;
  /** Whether the node's domain counts. */
  readonly includes: NodePredicate;
}

export function spreadConstraints(info: PodInfo, action: "DoNotSchedule" | "ScheduleAnyway"): SpreadConstraint[] {
  const { pod } = info;
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((constraint) => ({
      topologyKey: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      minDomains: constraint.minDomains ?? 1,
      selector: selectorOf(pod, constraint),
      includes: inclusionOf(pod, constraint),
    }));
}

function selectorOf(pod: Pod, { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint): LabelMatcher {
  if (labelSelector === undefined) return matcherOf(undefined);
  return matcherOfConditions([...conditionsOf(labelSelector), ...keyConditions(pod, matchLabelKeys, "In")]);
}

function inclusionOf(
  pod: Pod,
  { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: TopologySpreadConstraint,
): NodePredicate {
  const matches = nodeAffinityPolicy === "Honor" ? requiredNodes(pod.spec ?? { containers: [] }) : undefined;
  const tolerations = pod.spec?.tolerations ?? [];
  const tolerates = (node: Node) => toleratesAll(tolerations, (node.spec?.taints ?? []).filter(isHard));
  return (node) => (matches === undefined || matches(node)) && (nodeTaintsPolicy !== "Honor" || tolerates(node));
}

/** Every topology key of the constraints is among the node's labels. */
export function hasEveryKey({ labels }: NodeState, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => labelValue(labels, topologyKey) !== undefined);
}

/** Pods of that namespace on the node that the selector selects. Those that are leaving, or selected by nothing, do not count. */
export function countSelected({ pods }: NodeState, selector: LabelMatcher, namespace: string): number {
  if (selector.isEmpty) return 0;
  let count = 0;
  for (const pod of pods) {
    if (!pod.isDeleting && pod.namespace === namespace && selector.matches(pod.labels)) count++;
  }
  return count;
}

/** What every pod that a Service, ReplicaSet or the like selects is spread by, if it says nothing itself. */
export function defaultConstraints(info: PodInfo, cache: SchedulerCache): SpreadConstraint[] {
  const conditions = defaultConditions(info, cache);
  if (conditions.length === 0) return [];
  const common = {
    minDomains: 1,
    selector: matcherOfConditions(conditions),
    includes: requiredNodes(info.pod.spec ?? { containers: [] }),
  };
  return [
    { ...common, topologyKey: hostnameKey, maxSkew: 3 },
    { ...common, topologyKey: "topology.kubernetes.io/zone", maxSkew: 5 },
  ];
}

function defaultConditions({ pod, namespace, labels }: PodInfo, cache: SchedulerCache): LabelCondition[] {
  const conditions: LabelCondition[] = [];
  for (const { spec } of cache.servicesIn(namespace)) {
    if (spec?.selector === undefined) continue;
    const selected = equalities(spec.selector);
    if (matcherOfConditions(selected).matches(labels)) conditions.push(...selected);
  }
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || owner.apiVersion !== ownerVersions.get(owner.kind)) return conditions;
  conditions.push(...ownerConditions(cache.owner(owner.kind, namespace, owner.name)));
  return conditions;
}

const ownerVersions: ReadonlyMap<string, string> = new Map([
  ["ReplicationController", "v1"],
  ["ReplicaSet", "apps/v1"],
  ["StatefulSet", "apps/v1"],
]);

function ownerConditions(owner: PodOwner | undefined): LabelCondition[] {
  const selector = owner?.spec?.selector;
  if (selector === undefined) return [];
  // A ReplicationController's selector is nothing but labels.
  return owner?.kind === "ReplicationController" ? equalities(selector as Labels) : conditionsOf(selector);
}
