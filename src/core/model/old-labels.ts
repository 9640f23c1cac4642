import { capacityTypeLabel, type Labels, oldProvisionerNameLabel, provisionerNameLabel } from "./labels.ts";

const awsPrefix = "karpenter.k8s.aws/";
/** Between v0.11 and v0.14 the words of these were joined with dots. */
const dottedNames = [
  "instance.family",
  "instance.size",
  "instance.cpu",
  "instance.memory",
  "instance.gpu.name",
  "instance.gpu.manufacturer",
  "instance.gpu.count",
  "instance.gpu.memory",
];

/** What labels of machines are called now, by what they were called once. */
export const successors: ReadonlyMap<string, string> = new Map([
  // Until v0.3.3.
  ["node.k8s.aws/capacity-type", capacityTypeLabel],
  ...dottedNames.map((name) => [`${awsPrefix}${name}`, `${awsPrefix}${name.replaceAll(".", "-")}`] as const),
]);

/**
 * What a label is called now that only nodes of pools made of Provisioners carry by its old name too. On all other
 * nodes the old name means nothing.
 */
export function successorOf(key: string): string | undefined {
  return successors.get(key);
}

/** The old names of what a node with these labels is, for pods that select by them; none unless it comes of a Provisioner. */
export function oldLabelsOf(labels: Labels): Labels {
  const provisionerName = labels.get(provisionerNameLabel);
  if (provisionerName === undefined) return new Map();
  const old = new Map([[oldProvisionerNameLabel, provisionerName]]);
  for (const [key, successor] of successors) {
    const value = labels.get(successor);
    if (value !== undefined) old.set(key, value);
  }
  return old;
}
