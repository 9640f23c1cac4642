import type { Pod } from "kubernetes-types/core/v1.js";
import { conditionOf, isPodReady } from "../pod-state.ts";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";
const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

export interface DeletionFacts {
  readonly now: number;
  /** How many pods of the same application are on that node. */
  readonly crowdOn: (node: string) => number;
}

/** Compares pods by which of them is missed less: unscheduled, pending, not ready, cheap, crowded, young. */
export function deletionOrder({ now, crowdOn }: DeletionFacts): (a: Pod, b: Pod) => number {
  const age = (time: string | undefined): number => {
    const milliseconds = now - Date.parse(time ?? "");
    return milliseconds > 0 ? Math.trunc(Math.log2(milliseconds * 1_000_000)) : -1;
  };
  return (a, b) => {
    const steps = [
      () => Number(isScheduled(a)) - Number(isScheduled(b)),
      () => (phases[a.status?.phase ?? ""] ?? 0) - (phases[b.status?.phase ?? ""] ?? 0),
      () => Number(isPodReady(a)) - Number(isPodReady(b)),
      () => costOf(a) - costOf(b),
      () => crowdOn(b.spec?.nodeName ?? "") - crowdOn(a.spec?.nodeName ?? ""),
      // Ages are compared by their order of magnitude, so that not always the newest go.
      () => age(readySince(a)) - age(readySince(b)),
      () => restartsOf(b) - restartsOf(a),
      () => age(a.metadata?.creationTimestamp) - age(b.metadata?.creationTimestamp),
      () => ((a.metadata?.uid ?? "") < (b.metadata?.uid ?? "") ? -1 : 1),
    ];
    for (const step of steps) {
      const difference = step();
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function isScheduled({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") !== "";
}

function costOf({ metadata }: Pod): number {
  const cost = Number.parseInt(metadata?.annotations?.[costAnnotation] ?? "0", 10);
  return Number.isNaN(cost) ? 0 : cost;
}

function readySince(pod: Pod): string | undefined {
  const ready = conditionOf(pod, "Ready");
  return ready?.status === "True" ? ready.lastTransitionTime : undefined;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
