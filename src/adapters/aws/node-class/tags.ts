import { quote } from "../../../core/api/field.ts";
import type { Labels } from "../../../core/model/labels.ts";
import {
  claimListTagPrefix,
  clusterNameTag,
  nodeClaimTag,
  nodeClassHashAnnotation,
  nodeClassTag,
  nodePoolTag,
} from "../names.ts";

const ownTags: ReadonlySet<string> = new Set([
  clusterNameTag,
  nodePoolTag,
  nodeClaimTag,
  nodeClassTag,
  nodeClassHashAnnotation,
]);

/** What is wrong with the tags of a node class: by some, Karpenter finds its machines. The definition refuses them too. */
export function restrictedTagProblem(tags: Labels): string | undefined {
  const restricted = [...tags.keys()].filter(isRestricted);
  if (restricted.length === 0) return undefined;
  return `Karpenter sets the tags ${restricted.map(quote).join(", ")} itself: leave them out of spec.tags`;
}

function isRestricted(key: string): boolean {
  return (
    ownTags.has(key) ||
    key.startsWith(claimListTagPrefix) ||
    /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/.test(key)
  );
}
