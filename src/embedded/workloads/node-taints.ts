import type { Node, Taint } from "kubernetes-types/core/v1.js";
import { timestamp } from "../timestamp.ts";

const prefix = "node.kubernetes.io/";
const notReady = `${prefix}not-ready`;
const unreachable = `${prefix}unreachable`;
const unschedulable = `${prefix}unschedulable`;

/** Which taint a condition of a node stands for, by the status of the condition. */
const taintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: `${prefix}memory-pressure` },
  DiskPressure: { True: `${prefix}disk-pressure` },
  NetworkUnavailable: { True: `${prefix}network-unavailable` },
  PIDPressure: { True: `${prefix}pid-pressure` },
};

const managedKeys = new Set([unschedulable, ...Object.values(taintKeys).flatMap((keys) => Object.values(keys))]);

/** The taints that the node should have: those that people set, and those that stand for its conditions. */
export function taintsFor(node: Node, now: number): Taint[] {
  const conditions = node.status?.conditions ?? [];
  const keys = conditions.map(({ type, status }) => taintKeys[type]?.[status]).filter((key) => key !== undefined);
  if (node.spec?.unschedulable === true) keys.push(unschedulable);
  const wanted: Taint[] = keys.map((key) => ({ key, effect: "NoSchedule" }));
  const ready = conditions.find(({ type }) => type === "Ready");
  const executeKey = taintKeys.Ready?.[ready?.status ?? ""];
  if (executeKey !== undefined) wanted.push({ key: executeKey, effect: "NoExecute" });
  const current = node.spec?.taints ?? [];
  const kept = current.filter((taint) => !isManaged(taint, ready !== undefined) || wanted.some(isSame(taint)));
  const added = wanted.filter((taint) => !kept.some(isSame(taint)));
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: timestamp(now) }))];
}

/** Before a kubelet has said how the node is, nobody evicts from it or takes back an eviction. */
function isManaged({ key, effect }: Taint, isKnown: boolean): boolean {
  if (effect === "NoSchedule") return managedKeys.has(key);
  return effect === "NoExecute" && isKnown && (key === notReady || key === unreachable);
}

function isSame(taint: Taint): (other: Taint) => boolean {
  return ({ key, effect }) => key === taint.key && effect === taint.effect;
}
