import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PreferredSchedulingTerm,
} from "kubernetes-types/core/v1.js";
import { equalities, type LabelMatcher, matcherOfConditions, noLabels } from "../label-matcher.ts";

/** Whether a node is one of those that are meant. */
export type NodePredicate = (node: Node) => boolean;

const everyNode: NodePredicate = () => true;

/** What the pod requires of its node by nodeSelector and required node affinity. */
export function requiredNodes(spec: PodSpec): NodePredicate {
  const selector = spec.nodeSelector === undefined ? undefined : matcherOfConditions(equalities(spec.nodeSelector));
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (selector === undefined && required === undefined) return everyNode;
  const matchesTerms = required === undefined ? everyNode : matchNodeSelector(required);
  return (node) => (selector === undefined || selector.matches(labelsOf(node))) && matchesTerms(node);
}

/** At least one term must match; a term without conditions matches no node. */
export function matchNodeSelector(selector: NodeSelector): NodePredicate {
  const terms = (selector.nodeSelectorTerms ?? []).filter(isNotEmpty).map(matchTerm);
  return (node) => terms.some((matches) => matches(node));
}

/** The sum of the weights of the preferred terms that match the node. */
export function preferenceFor(terms: readonly PreferredSchedulingTerm[]): (node: Node) => number {
  const weighted = terms
    .filter(({ weight, preference }) => weight !== 0 && isNotEmpty(preference))
    .map(({ weight, preference }) => ({ weight, matches: matchTerm(preference) }));
  return (node) => weighted.reduce((sum, { weight, matches }) => (matches(node) ? sum + weight : sum), 0);
}

function isNotEmpty({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return matchExpressions.length > 0 || matchFields.length > 0;
}

function matchTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodePredicate {
  const labels: LabelMatcher = matcherOfConditions(matchExpressions);
  if (!matchFields.every(isFieldCondition)) return () => false;
  return (node) => labels.matches(labelsOf(node)) && matchFields.every((field) => matchesField(field, node));
}

/** Fields know only these two operators, with exactly one value. */
function isFieldCondition({ operator, values = [] }: NodeSelectorRequirement): boolean {
  return (operator === "In" || operator === "NotIn") && values.length === 1;
}

/** A node that has no name, as when a volume looks at labels alone, fails no condition on fields. */
function matchesField({ key, operator, values = [] }: NodeSelectorRequirement, node: Node): boolean {
  const name = node.metadata?.name ?? "";
  if (name === "") return true;
  const value = key === "metadata.name" ? name : "";
  return (operator === "In") === (value === values[0]);
}

export function labelsOf(object: { readonly metadata?: { readonly labels?: Record<string, string> } }) {
  return object.metadata?.labels ?? noLabels;
}
