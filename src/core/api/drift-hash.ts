import type { Condition } from "../model/condition.ts";
import type { Labels } from "../model/labels.ts";
import { type Field, nameObject, openObject } from "./field.ts";
import { fingerprint } from "./fingerprint.ts";
import { HashStamp } from "./hash-stamp.ts";
import { readDuration } from "./read-duration.ts";
import { readTaints } from "./read-taints.ts";

export const nodePoolHashAnnotation = "karpenter.sh/nodepool-hash";
export const nodePoolHashVersionAnnotation = "karpenter.sh/nodepool-hash-version";

/**
 * Names how the hash is made. The Go version has names of its own, so that whichever of the two takes over from the
 * other stamps the claims anew, and no node drifts for it.
 */
export const nodePoolHashVersion = "ts1";

const stamp = new HashStamp({
  hashAnnotation: nodePoolHashAnnotation,
  versionAnnotation: nodePoolHashVersionAnnotation,
  version: nodePoolHashVersion,
});

/**
 * A number that differs when what a NodePool says about its nodes differs, requirements apart: whether a node meets
 * those can be seen on the node. The order of taints and how a duration is written make no difference.
 */
export function nodePoolHash(poolWire: unknown): string {
  const template = openObject(poolWire, nameObject(poolWire, "NodePool")).at("spec").at("template");
  const metadata = template.at("metadata");
  const spec = template.at("spec");
  const nodeClassRef = spec.at("nodeClassRef");
  return fingerprint([
    sortedEntries(metadata.at("labels").labels()),
    sortedEntries(metadata.at("annotations").labels()),
    taintSet(spec.at("taints")),
    taintSet(spec.at("startupTaints")),
    ["group", "kind", "name"].map((name) => nodeClassRef.at(name).text() ?? ""),
    readDuration(spec.at("terminationGracePeriod")) ?? "none",
    readDuration(spec.at("expireAfter")) ?? "none",
  ]);
}

/** The annotations of a pool, and of the claims that are made of it. */
export function nodePoolHashAnnotations(hash: string): Readonly<Record<string, string>> {
  return stamp.annotations(hash);
}

/** What to write on a claim whose hash was made another way; undefined when there is nothing to write. */
export function restampClaim(
  claim: { readonly annotations: Labels; readonly conditions: readonly Condition[] },
  poolHash: string,
): Readonly<Record<string, string>> | undefined {
  return stamp.renew(claim, poolHash);
}

/**
 * Whether a claim was made of another template than its pool has now. Undefined until the pool bears a hash of ours:
 * claims get theirs before it, and while they do, nobody can tell.
 */
export function isOfOldTemplate(
  claim: { readonly annotations: Labels },
  pool: { readonly annotations: Labels; readonly hash: string },
): boolean | undefined {
  if (pool.annotations.get(nodePoolHashVersionAnnotation) !== nodePoolHashVersion) return undefined;
  if (claim.annotations.get(nodePoolHashVersionAnnotation) !== nodePoolHashVersion) return false;
  const hash = claim.annotations.get(nodePoolHashAnnotation);
  return hash !== undefined && hash !== pool.hash;
}

function sortedEntries(labels: Labels): [string, string][] {
  return [...labels].sort(([left], [right]) => (left < right ? -1 : 1));
}

function taintSet(field: Field): string[] {
  const taints = readTaints(field).map(({ key, value, effect }) => JSON.stringify([key, value, effect]));
  return [...new Set(taints)].sort();
}
