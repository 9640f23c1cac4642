import { textLike } from "./schema.ts";

export const duration = textLike(
  "^([0-9]+(s|m|h))+$",
  "write whole hours, minutes and seconds, such as 30s or 1h30m; leave the field out for no limit",
);

export const durationOrNever = textLike(
  "^(([0-9]+(s|m|h))+|Never)$",
  "write whole hours, minutes and seconds, such as 30s or 1h30m (30 days are 720h), or Never",
);

/** How long a machine may live. */
export const expireAfter = {
  ...durationOrNever,
  default: "720h",
  description:
    "The age at which a node is replaced whatever runs on it, counted from the creation of its NodeClaim. Never keeps it for as long as it is useful.",
};

/** How long a drain may take. */
export const terminationGracePeriod = {
  ...duration,
  description:
    "How long a node may take to drain once its deletion has begun. Then its pods are deleted, whatever PodDisruptionBudgets, karpenter.sh/do-not-disrupt and their own grace periods say; pods with a long grace period are deleted early enough to have all of it. With this set, nodes may also be replaced for drift although pods on them block eviction. Without it a drain waits for ever.",
};
