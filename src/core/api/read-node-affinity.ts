import type { PodSpec, Weighted } from "../model/pod.ts";
import type { NodeTerm } from "../model/requirements.ts";
import type { Field } from "./field.ts";
import { readNodeTerm } from "./read-node-term.ts";
import { checkRequirement } from "./read-requirement.ts";

type NodeAffinity = Pick<PodSpec, "requiredNodeTerms" | "preferredNodeTerms">;

/**
 * A pod that has a node, or that a DaemonSet has pinned to one, is taken as it is. Any other has to ask for what
 * Karpenter can provide.
 */
export function readNodeAffinity(affinity: Field, isPlaced: boolean): NodeAffinity {
  const required = affinity.at("requiredDuringSchedulingIgnoredDuringExecution");
  const preferred = affinity.at("preferredDuringSchedulingIgnoredDuringExecution");
  return {
    requiredNodeTerms: required.isAbsent ? [] : readRequiredTerms(required.at("nodeSelectorTerms"), isPlaced),
    preferredNodeTerms: preferred.items().flatMap(readPreferredTerm),
  };
}

function readRequiredTerms(field: Field, isPlaced: boolean): readonly NodeTerm[] {
  const items = field.items();
  if (items.length === 0) field.note("must have at least one term");
  if (isPlaced) return readPlacedTerms(items);
  const pinned = items.find(isPinned);
  pinned?.at("matchFields").note("is not supported: Karpenter provides nodes by their labels, not by their fields");
  const terms = items.flatMap((item) => readNodeTerm(item, checkRequirement) ?? []);
  if (terms.length === 0 && field.log.isEmpty) field.note("must have a term that some node could match, found none");
  return terms;
}

/** A pin to one node by its name says nothing about the nodes that are yet to come. */
function readPlacedTerms(items: readonly Field[]): readonly NodeTerm[] {
  const isOnlyPinned = items.some((item) => isPinned(item) && item.at("matchExpressions").items().length === 0);
  return isOnlyPinned ? [] : items.flatMap((item) => readNodeTerm(item) ?? []);
}

function isPinned(item: Field): boolean {
  return item.at("matchFields").items().length > 0;
}

/** A preference that nothing can meet is none. */
function readPreferredTerm(item: Field): Weighted<NodeTerm>[] {
  const weight = readWeight(item);
  const term = readNodeTerm(item.at("preference"));
  return term === undefined ? [] : [{ weight, term }];
}

export function readWeight(item: Field): number {
  const field = item.at("weight");
  if (field.isAbsent) field.reject("must be a whole number from 1 to 100");
  return field.integer(1, 100) ?? 1;
}
