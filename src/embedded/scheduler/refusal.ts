import type { Pod } from "kubernetes-types/core/v1.js";
import type { Rejection } from "./node-filter.ts";

/** Why a pod has no place. */
export interface Refusal {
  readonly nodeCount: number;
  /** The reason that has nothing to do with any node. */
  readonly message?: string;
  /** How many nodes refuse it for each reason. A node may have several. */
  readonly counts: ReadonlyMap<string, number>;
  readonly preemption: Preemption;
}

/** Whether removing pods of lower priority would make room. */
export type Preemption =
  /** There is no node, or the reason has nothing to do with nodes, so nobody asked. */
  | { readonly kind: "none" }
  /** The pod may not push others out, or does so already. */
  | { readonly kind: "not eligible"; readonly message: string }
  | { readonly kind: "no help"; readonly nodeCount: number; readonly counts: ReadonlyMap<string, number> }
  /** Evict the victims, nominate the pod to the node and try again when they are gone. */
  | { readonly kind: "victims"; readonly node: string; readonly victims: readonly Pod[] };

/** Counts reasons over nodes; `absent` is what holds for those that have no rejection of their own. */
export function countReasons(
  rejections: ReadonlyMap<string, Rejection>,
  { nodeCount, absent }: { readonly nodeCount: number; readonly absent: string | undefined },
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (reason: string, times: number) => counts.set(reason, (counts.get(reason) ?? 0) + times);
  for (const { reasons } of rejections.values()) for (const reason of reasons) count(reason, 1);
  if (absent !== undefined && rejections.size < nodeCount) count(absent, nodeCount - rejections.size);
  return counts;
}

/** In the words of kube-scheduler, for the condition PodScheduled and the event FailedScheduling. */
export function describeRefusal({ nodeCount, message, counts, preemption }: Refusal): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const available = `0/${nodeCount} nodes are available:`;
  // What allocates devices would then look for something that it has not prepared, and says no more than this.
  if (message !== undefined) return `${available} ${message}. not found`;
  return [available, ...describeReasons(counts), ...describePreemption(preemption)].join(" ");
}

function describeReasons(counts: ReadonlyMap<string, number>): string[] {
  return counts.size === 0 ? [] : [`${describeCounts(counts)}.`];
}

function describeCounts(counts: ReadonlyMap<string, number>): string {
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort(byBytes)
    .join(", ");
}

/** Before pods, devices that nobody uses might be taken back; pods that claim devices are not for this scheduler. */
const noDevices = "no new claims to deallocate";

function describePreemption(preemption: Preemption): string[] {
  switch (preemption.kind) {
    case "none":
    case "victims":
      return [];
    case "not eligible":
      return [`${noDevices}, preemption: ${preemption.message}`];
    case "no help": {
      const { nodeCount, counts } = preemption;
      return [`${noDevices}, preemption: 0/${nodeCount} nodes are available: ${describeCounts(counts)}.`];
    }
  }
}

function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
