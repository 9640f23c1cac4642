/** A spec of the Go Karpenter's regression suite. */
export interface Spec {
  /** Without the group that comes before it. */
  readonly name: string;
  /** How long the Go controller takes, on two cores. */
  readonly peerSeconds: number;
  /** Runs only when all are asked for although it is short, or the other way round. */
  readonly pace?: "quick" | "long";
  /** Why the Go controller does not pass it every time. */
  readonly peerFails?: string;
}

/** Quick specs are those that take no longer with the Go controller. */
const quickSeconds = 60;

export function isQuick({ peerSeconds, pace }: Spec): boolean {
  return pace === undefined ? peerSeconds <= quickSeconds : pace === "quick";
}

// The two for LimitRanges take the Go controller minutes, because it applies a LimitRange to daemons only when it has seen
// one of their pods: until then it buys nodes that are too small, and consolidates them. Whoever applies it to the
// template passes in seconds.

/** What of the suite is not among the specs, by the start of its name. */
export const leftOut: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: "Drift should update the nodepool-hash annotation",
    reason: "it expects the Go version's hash, and ours has a version of its own",
  },
  { name: "CapacityBuffer", reason: "buffers are not carried out yet" },
];

/** None looks for the controller's own pod, so none is registered for it. */
export const specs: Readonly<Record<string, readonly Spec[]>> = {
  Integration: [
    {
      name: "DaemonSet should account for LimitRange Default on daemonSet pods for resources",
      peerSeconds: 112,
      pace: "quick",
    },
    {
      name: "DaemonSet should account for LimitRange DefaultRequest on daemonSet pods for resources",
      peerSeconds: 120,
      pace: "quick",
    },
    {
      name: "DaemonSet should correctly account for host ports of uncached daemonset pods targeting different instance types",
      peerSeconds: 11,
    },
    { name: "CRD Hash should have NodePool hash", peerSeconds: 3 },
    { name: "Utilization should provision one pod per node", peerSeconds: 68 },
    {
      name: "Validation NodePool should error when a restricted label is used in labels (karpenter.sh/nodepool)",
      peerSeconds: 1,
    },
    {
      name: "Validation NodePool should error when a restricted label is used in labels (karpenter.sh/custom-label)",
      peerSeconds: 1,
    },
    {
      name: "Validation NodePool should allow a restricted label exception to be used in labels (node-restriction.kubernetes.io/custom-label)",
      peerSeconds: 3,
    },
    {
      name: "Validation NodePool should allow a restricted label exception to be used in labels ([*].node-restriction.kubernetes.io/custom-label)",
      peerSeconds: 3,
    },
    {
      name: "Validation NodePool should error when a requirement references a restricted label (karpenter.sh/nodepool)",
      peerSeconds: 1,
    },
    { name: "Validation NodePool should error when a requirement uses In but has no values", peerSeconds: 1 },
    { name: "Validation NodePool should error when a requirement uses an unknown operator", peerSeconds: 1 },
    { name: "Validation NodePool should error when Gt is used with multiple integer values", peerSeconds: 1 },
    { name: "Validation NodePool should error when Lt is used with multiple integer values", peerSeconds: 1 },
    { name: "Validation NodePool should error when Gte is used with multiple integer values", peerSeconds: 1 },
    { name: "Validation NodePool should error when Lte is used with multiple integer values", peerSeconds: 1 },
    { name: "Validation NodePool should error when consolidateAfter is negative", peerSeconds: 1 },
    {
      name: "Validation NodePool should succeed when ConsolidationPolicy=WhenEmptyOrUnderutilized is used with consolidateAfter",
      peerSeconds: 3,
    },
    { name: "Validation NodePool should error when minValues for a requirement key is negative", peerSeconds: 1 },
    { name: "Validation NodePool should error when minValues for a requirement key is zero", peerSeconds: 1 },
    { name: "Validation NodePool should error when minValues for a requirement key is more than 50", peerSeconds: 1 },
    {
      name: "Validation NodePool should error when minValues for a requirement key is greater than the values specified within In operator",
      peerSeconds: 1,
    },
    {
      name: "DoNotDisrupt Grace Period should drain pods according to their grace period durations and block indefinitely for 'true'",
      peerSeconds: 160,
    },
    { name: "Validation Repair Policy Conditions Node Ready False", peerSeconds: 30 },
    { name: "Validation Repair Policy Conditions Node Ready Unknown", peerSeconds: 30 },
    { name: "Validation Repair Policy should ignore disruption budgets", peerSeconds: 30 },
    { name: "Validation Repair Policy should ignore do-not-disrupt annotation on node", peerSeconds: 30 },
    { name: "Validation Repair Policy should ignore terminationGracePeriod on the nodepool", peerSeconds: 30 },
  ],
  NodeClaim: [
    { name: "StandaloneNodeClaim should create a standard NodeClaim", peerSeconds: 11 },
    { name: "StandaloneNodeClaim should create a standard NodeClaim based on resource requests", peerSeconds: 11 },
    {
      name: "StandaloneNodeClaim should create a NodeClaim propagating all the NodeClaim spec details",
      peerSeconds: 9,
    },
    {
      name: "StandaloneNodeClaim should remove the cloudProvider NodeClaim when the cluster NodeClaim is deleted",
      peerSeconds: 13,
    },
    { name: "StandaloneNodeClaim should delete a NodeClaim from the node termination finalizer", peerSeconds: 13 },
    {
      name: "StandaloneNodeClaim should delete a NodeClaim if it references a NodeClass that doesn't exist",
      peerSeconds: 3,
    },
    {
      name: "StandaloneNodeClaim should delete a NodeClaim if it references a NodeClass that isn't Ready",
      peerSeconds: 5,
    },
    {
      name: "StandaloneNodeClaim should succeed to garbage collect an Instance that was launched by a NodeClaim but has no Instance mapping",
      peerSeconds: 97,
    },
    {
      name: "StandaloneNodeClaim should delete a NodeClaim after the registration timeout when the node doesn't register",
      peerSeconds: 906,
    },
  ],
  StaticCapacity: [
    { name: "Provisioning should create static NodeClaims to meet desired replicas", peerSeconds: 18 },
    { name: "Provisioning should create static NodeClaim propagating all the NodePool spec details", peerSeconds: 9 },
    { name: "Deprovisioning should scale down to zero", peerSeconds: 13 },
    {
      name: "Deprovisioning should terminate empty nodes first, then nodes with least cost, then respect do-not-disrupt",
      peerSeconds: 23,
    },
    { name: "Deprovisioning should handle graceful pod eviction during scale down", peerSeconds: 23 },
    {
      name: "Dynamic NodeClaim Interaction should provision dynamic nodeclaims when static nodeclaims cant satisfy pod constraints",
      peerSeconds: 15,
    },
    { name: "Edge Cases should handle NodePool deletion gracefully", peerSeconds: 35 },
    { name: "Provisioning should respect node limits when provisioning", peerSeconds: 308 },
    { name: "Drift should replace drifted nodes", peerSeconds: 30 },
    { name: "Drift should handle drift with node limits when budget allows", peerSeconds: 30 },
    { name: "Drift should handle drift with node limits when budget restricts", peerSeconds: 30 },
    {
      name: "Edge Cases should not go over limit during concurrent changes/executions",
      peerSeconds: 240,
      peerFails: "claims that are on their way or going do not count for its limit",
    },
  ],
  Termination: [
    { name: "should terminate the node and the instance on deletion", peerSeconds: 13 },
    {
      name: "TerminationGracePeriod should delete pod with do-not-disrupt when it reaches its terminationGracePeriodSeconds",
      peerSeconds: 40,
    },
    {
      name: "TerminationGracePeriod should delete pod that has a pre-stop hook after termination grace period seconds",
      peerSeconds: 38,
    },
    { name: "should drain pods on a node in order", peerSeconds: 204 },
    { name: "Emptiness should terminate an empty node", peerSeconds: 45 },
    { name: "Emptiness Budgets should not allow emptiness if the budget is fully blocking", peerSeconds: 80 },
    {
      name: "Emptiness Budgets should not allow emptiness if the budget is fully blocking during a scheduled time",
      peerSeconds: 80,
    },
  ],
  Expiration: [
    { name: "should expire the node after the expiration is reached", peerSeconds: 43 },
    { name: "should replace expired node with a single node and schedule all pods", peerSeconds: 43 },
  ],
  Performance: [
    { name: "Provisioning should do simple provisioning", peerSeconds: 30 },
    { name: "Provisioning should do complex provisioning", peerSeconds: 22 },
    { name: "Provisioning should do simple provisioning and simple drift", peerSeconds: 180 },
    { name: "Provisioning should do complex provisioning and complex drift", peerSeconds: 300 },
  ],
  Drift: [
    { name: "Budgets should respect budgets for empty drift", peerSeconds: 50 },
    { name: "Budgets should respect budgets for non-empty delete drift", peerSeconds: 70 },
    { name: "Budgets should respect budgets for non-empty replace drift", peerSeconds: 90 },
    { name: "Budgets should not allow drift if the budget is fully blocking", peerSeconds: 80 },
    { name: "Budgets should not allow drift if the budget is fully blocking during a scheduled time", peerSeconds: 80 },
    { name: "NodePool Drift Annotations", peerSeconds: 30 },
    { name: "NodePool Drift Labels", peerSeconds: 30 },
    { name: "NodePool Drift Taints", peerSeconds: 30 },
    { name: "NodePool Drift Start-up Taints", peerSeconds: 40 },
    { name: "NodePool Drift NodeRequirements", peerSeconds: 30 },
    { name: "Failure should not disrupt a drifted node if the replacement node never registers", peerSeconds: 800 },
    {
      name: "Failure should not disrupt a drifted node if the replacement node registers but never initialized",
      peerSeconds: 800,
    },
    { name: "Failure should not drift any nodes if their PodDisruptionBudgets are unhealthy", peerSeconds: 80 },
  ],
  Chaos: [
    { name: "Runaway Scale-Up should not produce a runaway scale-up when consolidation is enabled", peerSeconds: 310 },
    { name: "Runaway Scale-Up should not produce a runaway scale-up when emptiness is enabled", peerSeconds: 310 },
  ],
};

/** Of these names, group first, those that are neither tried nor left out: the suite has grown. */
export function unknownAmong(names: readonly string[]): string[] {
  const known = new Set(Object.entries(specs).flatMap(([group, all]) => all.map(({ name }) => `${group} ${name}`)));
  return names.filter((text) => !known.has(text) && !leftOut.some(({ name }) => text.startsWith(name)));
}
