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

/** As many as AWS allows on a machine. */
export const mostTags = 50;
/** Those above, one that names the cluster as its owner, and the name of the machine. */
const mostUserTags = mostTags - ownTags.size - 2;

/** What is wrong with the tags of a node class: by some, Karpenter finds its machines, and AWS takes only so many. */
export function tagProblem(tags: Labels): string | undefined {
  const restricted = [...tags.keys()].filter(isRestricted);
  if (restricted.length > 0) {
    return `Karpenter sets the tags ${restricted.map(quote).join(", ")} itself: leave them out of spec.tags`;
  }
  if (tags.size <= mostUserTags) return undefined;
  return `spec.tags has ${tags.size} tags, and only ${mostUserTags} fit on a machine beside those that Karpenter sets: leave some out`;
}

function isRestricted(key: string): boolean {
  return (
    ownTags.has(key) ||
    key.startsWith(claimListTagPrefix) ||
    /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/.test(key)
  );
}
