import { fingerprint } from "../../../core/api/fingerprint.ts";
import { HashStamp } from "../../../core/api/hash-stamp.ts";
import type { Condition } from "../../../core/model/condition.ts";
import type { Labels } from "../../../core/model/labels.ts";
import { nodeClassHashAnnotation, nodeClassHashVersionAnnotation } from "../names.ts";
import type { Ec2NodeClass } from "./ec2-node-class.ts";

/**
 * Names how the hash is made. The Go version has names of its own, so that whichever of the two takes over from the
 * other stamps the claims anew, and no node drifts for it.
 */
export const nodeClassHashVersion = "ts1";

const stamp = new HashStamp({
  hashAnnotation: nodeClassHashAnnotation,
  versionAnnotation: nodeClassHashVersionAnnotation,
  version: nodeClassHashVersion,
});

/**
 * A number that differs when machines would be made in another way, for all that cannot be seen on the machines: what
 * the selectors find is compared with those. Fields that say nothing, and the order of lists and maps, make no difference.
 */
export function nodeClassHash(nodeClass: Ec2NodeClass, facts: { readonly caBundle: string }): string {
  const { spec } = nodeClass;
  return fingerprint(
    unordered({
      placementGroupSelector: spec.placementGroupSelector,
      associatePublicIPAddress: spec.associatePublicIPAddress,
      amiFamily: spec.amiFamily,
      userData: spec.userData,
      role: spec.role,
      instanceProfile: spec.instanceProfile,
      tags: spec.tags,
      // The order of its lists means something to the kubelet, and so does an empty one.
      kubelet: spec.kubelet === undefined ? undefined : JSON.stringify(withSortedKeys(spec.kubelet)),
      blockDeviceMappings: spec.blockDeviceMappings,
      instanceStorePolicy: spec.instanceStorePolicy,
      networkInterfaces: spec.networkInterfaces,
      detailedMonitoring: spec.detailedMonitoring,
      metadataOptions: spec.metadataOptions,
      connectionTracking: spec.connectionTracking,
      context: spec.context,
      cpuOptions: spec.cpuOptions,
      caBundle: facts.caBundle,
    }),
  );
}

/** The annotations of a node class, and of the claims that are made of it. */
export function nodeClassHashAnnotations(hash: string): Readonly<Record<string, string>> {
  return stamp.annotations(hash);
}

/** What to write on a claim whose hash was made another way; undefined when there is nothing to write. */
export function restampClaim(
  claim: { readonly annotations: Labels; readonly conditions: readonly Condition[] },
  hash: string,
): Readonly<Record<string, string>> | undefined {
  return stamp.renew(claim, hash);
}

/** Whether a claim was made of the node class as it was. Hashes that were made in different ways tell nothing. */
export function isOfOldNodeClass(
  claim: { readonly annotations: Labels },
  nodeClass: { readonly annotations: Labels },
): boolean {
  const version = nodeClass.annotations.get(nodeClassHashVersionAnnotation);
  if (version === undefined || claim.annotations.get(nodeClassHashVersionAnnotation) !== version) return false;
  const present = nodeClass.annotations.get(nodeClassHashAnnotation);
  const own = claim.annotations.get(nodeClassHashAnnotation);
  return present !== undefined && own !== undefined && own !== present;
}

/** As JSON can say it, with all parts that say nothing left out and all others in one order. */
function unordered(value: unknown): unknown {
  if (value instanceof Map) return [...value].sort(byKey);
  if (Array.isArray(value)) return value.map((part) => JSON.stringify(unordered(part))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([key, part]): [string, unknown] => [key, unordered(part)])
    .filter(([, part]) => !saysNothing(part))
    .sort(byKey);
}

function saysNothing(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  // Pairs, because keys come from users and an object would treat some of them in a way of its own.
  return {
    entries: Object.entries(value)
      .sort(byKey)
      .map(([key, part]) => [key, withSortedKeys(part)]),
  };
}

function byKey([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
