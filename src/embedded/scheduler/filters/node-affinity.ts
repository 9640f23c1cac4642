import type { NodeSelectorTerm } from "kubernetes-types/core/v1.js";
import { type Preparation, type Situation, skip, unresolvable } from "../node-filter.ts";
import { requiredNodes } from "../node-selector.ts";

const mismatch = unresolvable("node(s) didn't match Pod's node affinity/selector");

export function nodeAffinity({ pod }: Situation): Preparation {
  const spec = pod.pod.spec;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (spec === undefined || (required === undefined && spec.nodeSelector === undefined)) return skip;
  const only = namedNodes(required?.nodeSelectorTerms ?? []);
  if (only?.size === 0) return { kind: "refuse", message: "pod affinity terms conflict" };
  const matches = requiredNodes(spec);
  const refuse = ({ node }: { node: Parameters<typeof matches>[0] | undefined }) =>
    node !== undefined && matches(node) ? undefined : mismatch;
  return { kind: "filter", filter: { refuse }, ...(only === undefined ? {} : { only }) };
}

/** The nodes that the terms name, if every term names some: nobody else need be asked. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => new Set(values));
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((list) => list.has(name))) all.add(name);
  }
  return all;
}
