/** The label of a metric for the label of an object, told by its last part: `topology.kubernetes.io/zone` is `zone`. */
export function shortMetricLabel(key: string): string {
  return key
    .slice(key.indexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[-.]/g, "_");
}

/** The label of a metric for the label of an object, told in full: `karpenter.sh/nodepool` is `karpenter_sh_nodepool`. */
export function fullMetricLabel(key: string): string {
  return key.replaceAll(/[/.-]/g, "_");
}
