import type { NodeClaim } from "../model/node-claim.ts";

/** How much later than the first of their age the last nodes go. */
const spread = 0.1;

/**
 * When a claim is old enough to be replaced within budgets. Each has a time of its own, always the same one, so that
 * nodes born together do not go together.
 */
export function softExpiryOf(
  { uid, createdAt }: Pick<NodeClaim, "uid" | "createdAt">,
  softExpireAfter: number,
): number {
  return createdAt + Math.floor(softExpireAfter * (1 + spread * shareOf(uid)));
}

/** From 0 to 1, 1 excluded, evenly spread over texts that differ in whatever place. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
