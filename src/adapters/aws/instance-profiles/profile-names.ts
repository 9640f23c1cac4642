import { createHash } from "node:crypto";
import type { ObjectIdentity } from "../../../core/model/object-identity.ts";
import { clusterNameTag, nodeClassTag, ownedTag, regionTag } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";

/** Where the names of instance profiles come from. */
export interface ProfileScope {
  readonly clusterName: string;
  readonly region: string;
}

/** Where all profiles of a cluster are; those of a node class are below it, by its uid. */
export function clusterPath({ clusterName, region }: ProfileScope): string {
  return `/karpenter/${region}/${clusterName}/`;
}

export function nodeClassPath(scope: ProfileScope, { uid }: Pick<ObjectIdentity, "uid">): string {
  return `${clusterPath(scope)}${uid}/`;
}

/** Never the same twice, so that a profile that machines were launched with is not changed under them. */
export function newProfileName({ clusterName, region }: ProfileScope, { name }: Ec2NodeClass, salt: string): string {
  const hash = createHash("sha256").update(`${region}${name}${salt}`).digest();
  return `${clusterName}_${hash.readBigUInt64BE()}`;
}

/**
 * The name of profiles from before they had paths of their own, undefined when IAM would not have allowed it. Only
 * needed to clean up after a node class, and has to agree to the digit with what was used then: FNV-1.
 */
export function legacyProfileName({ clusterName, region }: ProfileScope, { name }: ObjectIdentity): string | undefined {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(`${region}${name}`)) {
    hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte);
  }
  const profile = `${clusterName}_${hash}`;
  return /^[\w+=,.@-]{1,128}$/.test(profile) ? profile : undefined;
}

/** Roles are attached by their name alone; some write them with their path. */
export function roleNameOf(role: string): string {
  return role.slice(role.lastIndexOf("/") + 1);
}

export function profileTags(
  { clusterName, region }: ProfileScope,
  { name, spec }: Ec2NodeClass,
): { readonly Key: string; readonly Value: string }[] {
  const tags = new Map([
    ...spec.tags,
    [ownedTag(clusterName), "owned"],
    [clusterNameTag, clusterName],
    [nodeClassTag, name],
    [regionTag, region],
  ]);
  return [...tags].map(([Key, Value]) => ({ Key, Value }));
}
