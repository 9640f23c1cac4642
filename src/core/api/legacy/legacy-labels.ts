import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, normalizeLabelKey } from "../../model/labels.ts";

/** Prefix of the labels by which the first versions were told about AWS. */
export const firstAwsPrefix = "node.k8s.aws/";
export const instanceCategoryLabel = "karpenter.k8s.aws/instance-category";
export const instanceGenerationLabel = "karpenter.k8s.aws/instance-generation";
export const instanceFamilyLabel = "karpenter.k8s.aws/instance-family";

const awsPrefix = "karpenter.k8s.aws/";
const dottedPrefix = `${awsPrefix}instance.`;

const renamedLabels: ReadonlyMap<string, string> = new Map([
  ["karpenter.sh/provisioner-name", nodePoolLabel],
  ["provisioning.karpenter.sh/name", nodePoolLabel],
  [`${firstAwsPrefix}capacity-type`, capacityTypeLabel],
  // As some pages printed it.
  ["kubernetes.io/instance-type", instanceTypeLabel],
]);

const lostLabels: ReadonlySet<string> = new Set([
  "karpenter.k8s.aws/instance-pods",
  "karpenter.k8s.aws/instance-ami-id",
  "karpenter.k8s.aws/instance.pods",
]);

const renamedAnnotations: ReadonlyMap<string, string> = new Map([
  ["karpenter.sh/do-not-evict", "karpenter.sh/do-not-disrupt"],
  ["karpenter.sh/do-not-consolidate", "karpenter.sh/do-not-disrupt"],
]);

const renamedTaints: ReadonlyMap<string, string> = new Map([
  ["karpenter.sh/not-ready", "karpenter.sh/unregistered"],
  ["karpenter.sh/disruption", "karpenter.sh/disrupted"],
]);

/** What a label is called now; undefined for one that no node has any more. */
export function renameLabel(key: string): string | undefined {
  const renamed = renamedLabels.get(key);
  if (renamed !== undefined) return renamed;
  if (lostLabels.has(key) || key.startsWith(firstAwsPrefix) || key.startsWith("provisioning.karpenter.sh/")) {
    return undefined;
  }
  // Between v0.11 and v0.14 words were joined with dots.
  if (key.startsWith(dottedPrefix)) return `${awsPrefix}${key.slice(awsPrefix.length).replaceAll(".", "-")}`;
  return normalizeLabelKey(key);
}

export function renameAnnotation(key: string): string {
  return renamedAnnotations.get(key) ?? key;
}

/** The key of a taint that Karpenter itself puts on nodes. */
export function renameTaint(key: string): string {
  return renamedTaints.get(key) ?? key;
}

/** Taints that Karpenter put on nodes itself, and that no pool has to name. */
export function isOwnTaint(key: string): boolean {
  return renamedTaints.has(key);
}
