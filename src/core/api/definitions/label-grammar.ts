import { type Rule, textLike } from "./schema.ts";

const keyPattern =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$";

/** Keys of labels and taints, and values of taints. */
export const qualifiedName = textLike(
  keyPattern,
  "write a name such as team or example.com/team: letters, digits, dots, dashes and underscores, the first and last a letter or digit, after an optional lower-case domain and a slash",
);

export const labelValue = {
  ...textLike(
    "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
    "write letters, digits, dots, dashes and underscores, the first and last a letter or digit",
  ),
  maxLength: 63,
};

/** What labels users cannot choose, as rules about `key`, which is how the expression calls a key. */
interface LabelRule {
  readonly condition: (key: string) => string;
  readonly message: string;
}

const ownDomain: LabelRule = {
  condition: (key) =>
    `${key} in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !${key}.find("^([^/]+)").endsWith("karpenter.sh")`,
  message:
    "labels of karpenter.sh are set by Karpenter: take a domain of your own, or karpenter.sh/capacity-type for spot, on-demand and reserved",
};

const nodePool: LabelRule = {
  condition: (key) => `${key} != "karpenter.sh/nodepool"`,
  message: "every node gets karpenter.sh/nodepool with the name of its pool: leave it out",
};

const hostname: LabelRule = {
  condition: (key) => `${key} != "kubernetes.io/hostname"`,
  message: "kubernetes.io/hostname differs from node to node and is set by the kubelet: leave it out",
};

/** For a pool, which cannot choose the pool. */
const poolLabels = [ownDomain, nodePool, hostname];

/** For requirements of a node or of an overlay, which may name its pool. */
export const claimKeyRules: readonly Rule[] = keyRules([ownDomain, hostname]);
export const poolKeyRules: readonly Rule[] = keyRules(poolLabels);

/** The same for all keys of a map. */
export const poolLabelRules: readonly Rule[] = poolLabels.map(({ condition, message }) => ({
  rule: `self.all(key, ${condition("key")})`,
  message,
}));

function keyRules(rules: readonly LabelRule[]): Rule[] {
  return rules.map(({ condition, message }) => ({ rule: condition("self"), message }));
}
