import { type Labels, oldProvisionerNameLabel } from "../model/labels.ts";
import { successorOf } from "../model/old-labels.ts";
import type { PodSpec } from "../model/pod.ts";
import { toEntries } from "../model/requirement-entries.ts";
import { type NodeTerm, requirementsFromLabels } from "../model/requirements.ts";
import { joinEntries } from "./read-node-term.ts";

type NodeChoice = Pick<PodSpec, "nodeSelector" | "requiredNodeTerms" | "preferredNodeTerms">;

/**
 * Where a pod chooses nodes by an old name, it means what that is called now on nodes that come of a Provisioner of
 * ours, and the name as it is written on all others: kube-scheduler, which knows labels and no more, sees it so.
 */
export function readOldLabels(choice: NodeChoice): NodeChoice {
  const { requiredNodeTerms, preferredNodeTerms } = choice;
  const old = new Map([...choice.nodeSelector].filter(([key]) => isOldName(key)));
  const isMentioned = [...requiredNodeTerms, ...preferredNodeTerms.map(({ term }) => term)].some(mentionsOldName);
  if (old.size === 0 && !isMentioned) return choice;
  const terms = old.size === 0 ? requiredNodeTerms : withLabels(requiredNodeTerms, old);
  const required = terms.flatMap(eitherWay);
  // Of a pod that contradicts itself nothing is left, which would mean that it takes every node.
  if (required.length === 0 && old.size + requiredNodeTerms.length > 0) return choice;
  return {
    nodeSelector: new Map([...choice.nodeSelector].filter(([key]) => !old.has(key))),
    requiredNodeTerms: required,
    preferredNodeTerms: preferredNodeTerms.flatMap(({ weight, term }) =>
      eitherWay(term).map((way) => ({ weight, term: way })),
    ),
  };
}

function isOldName(key: string): boolean {
  return successorOf(key) !== undefined;
}

function mentionsOldName(term: NodeTerm): boolean {
  return [...term.keys()].some(isOldName);
}

function withLabels(terms: readonly NodeTerm[], labels: Labels): readonly NodeTerm[] {
  const requirements = requirementsFromLabels(labels);
  if (terms.length === 0) return [requirements];
  return terms.flatMap((term) => joinEntries([...toEntries(term), ...toEntries(requirements)]) ?? []);
}

/** Terms of which one holds: that for nodes that come of a Provisioner, and that for others. */
function eitherWay(term: NodeTerm): NodeTerm[] {
  if (!mentionsOldName(term)) return [term];
  const entries = toEntries(term);
  const renamed = entries.map((entry) => ({ ...entry, key: successorOf(entry.key) ?? entry.key }));
  const name = { key: oldProvisionerNameLabel, values: [], minValues: undefined };
  return [
    joinEntries([...renamed, { ...name, operator: "Exists" }]),
    joinEntries([...entries, { ...name, operator: "DoesNotExist" }]),
  ].filter((way) => way !== undefined);
}
