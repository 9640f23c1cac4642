import { type Amounts, fits } from "./catalogue.ts";
import { sumRequests } from "./placed-node.ts";
import { hasLabels, tolerates } from "./selector.ts";
import type { Violations } from "./violations.ts";
import { type Labels, nameOf, type Pod, type Taint } from "./wire.ts";

interface PodsOnNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly pods: readonly Pod[];
}

/** Each pod selects the node and tolerates its taints. */
export function checkPods({ name, labels, taints, pods }: PodsOnNode, violations: Violations): void {
  for (const pod of pods) {
    const { nodeSelector = {} } = pod.spec;
    if (!hasLabels(nodeSelector, labels)) {
      violations.add("nodeSelector", `${nameOf(pod)} wants ${JSON.stringify(nodeSelector)}, not ${name}`);
    }
    for (const taint of taints) {
      if (!tolerates(pod.spec, taint)) violations.add("taint", `${nameOf(pod)} does not tolerate ${taint.key}`);
    }
  }
}

interface Room {
  readonly name: string;
  readonly allocatable: Amounts;
  readonly pods: readonly Pod[];
}

export function checkRoom({ name, allocatable, pods }: Room, violations: Violations): void {
  const used = sumRequests(pods);
  if (fits(used, allocatable)) return;
  const text = [...used].map(([resource, amount]) => `${resource} ${amount} of ${allocatable.get(resource) ?? 0}`);
  violations.add("overcommitted", `${name}: ${text.join(", ")}`);
}
