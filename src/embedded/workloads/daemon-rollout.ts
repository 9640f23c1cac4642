import type { DaemonSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { isPodActive, isPodAvailable, isPodReady } from "../pod-state.ts";
import { hashLabel, type Suitability } from "./daemon-pods.ts";
import type { Stored } from "./resource.ts";
import { scaledValue } from "./scaled-value.ts";

/** The pods of a daemon set by node, and what is known about the nodes. */
export interface DaemonSituation {
  readonly set: Stored<DaemonSet>;
  readonly podsByNode: ReadonlyMap<string, readonly Stored<Pod>[]>;
  readonly nodes: ReadonlyMap<string, Suitability>;
  readonly hash: string;
  readonly now: number;
}

export interface DaemonPlan {
  /** Nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Stored<Pod>[];
}

function boundsOf({ spec }: DaemonSet, desired: number): { maxSurge: number; maxUnavailable: number } {
  const { rollingUpdate } = spec?.updateStrategy ?? {};
  const maxSurge = scaledValue(rollingUpdate?.maxSurge ?? 0, desired, "up");
  const unavailable = scaledValue(rollingUpdate?.maxUnavailable ?? 1, desired, "up");
  return { maxSurge, maxUnavailable: maxSurge === 0 && unavailable === 0 ? 1 : unavailable };
}

function allowsSurge({ spec }: DaemonSet): boolean {
  const { rollingUpdate, type } = spec?.updateStrategy ?? {};
  return type === "RollingUpdate" && ![undefined, 0, "0%"].includes(rollingUpdate?.maxSurge);
}

/** One pod on every node that should have one, none elsewhere. Pods that have finished are the caller's. */
export function planPresence({ set, podsByNode, nodes, hash, now }: DaemonSituation): DaemonPlan {
  const create: string[] = [];
  const remove: Stored<Pod>[] = [];
  const isSurging = allowsSurge(set);
  for (const [node, { shouldRun, mayStay }] of nodes) {
    const pods = podsByNode.get(node) ?? [];
    const active = pods.filter(isPodActive).sort(byAge);
    if (!mayStay && !shouldRun) remove.push(...pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
    else if (shouldRun && (pods.length === 0 || (isSurging && active.length === 0))) create.push(node);
    else if (active.length > 1)
      remove.push(...surplus(active, { isSurging, hash, isAvailable: availability(set, now) }));
  }
  for (const [node, pods] of podsByNode) {
    // A pod for a node that is gone would wait for ever.
    if (!nodes.has(node)) remove.push(...pods.filter((pod) => isPodActive(pod) && !pod.spec?.nodeName));
  }
  return { create, remove };
}

interface SurplusRules {
  readonly isSurging: boolean;
  readonly hash: string;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** All but the oldest; in a surge an old and a new one stay until the new one is available. */
function surplus(active: readonly Stored<Pod>[], { isSurging, hash, isAvailable }: SurplusRules): Stored<Pod>[] {
  if (!isSurging) return active.slice(1);
  const isNew = ({ metadata }: Stored<Pod>) => metadata.labels?.[hashLabel] === hash;
  const newest = active.find(isNew);
  const oldest = active.find((pod) => !isNew(pod));
  const others = active.filter((pod) => pod !== newest && pod !== oldest);
  const isOver = newest !== undefined && oldest !== undefined && (!isPodReady(oldest) || isAvailable(newest));
  return isOver ? [...others, oldest] : others;
}

/** Replaces pods of old templates, as many at a time as the strategy allows. */
export function planUpdate(situation: DaemonSituation): DaemonPlan {
  const { set, podsByNode, nodes, hash, now } = situation;
  const desired = [...nodes.values()].filter(({ shouldRun }) => shouldRun).length;
  const { maxSurge, maxUnavailable } = boundsOf(set, desired);
  const isAvailable = availability(set, now);
  const broken: Placed[] = [];
  const healthy: Placed[] = [];
  let missing = 0;
  let surging = 0;
  const remove: Stored<Pod>[] = [];
  for (const [node, { shouldRun }] of nodes) {
    const active = (podsByNode.get(node) ?? []).filter(isPodActive);
    const current = active.find(({ metadata }) => metadata.labels?.[hashLabel] === hash);
    const old = active.find((pod) => pod !== current);
    if (!shouldRun) continue;
    if (old === undefined) missing += current !== undefined && isAvailable(current) ? 0 : 1;
    else if (current !== undefined) {
      missing++;
      if (isAvailable(current)) remove.push(old);
      else surging++;
    } else if (isAvailable(old)) healthy.push({ node, old });
    else broken.push({ node, old });
  }
  if (maxSurge > 0) {
    const more = healthy.slice(0, Math.max(0, maxSurge - surging));
    return { create: [...broken, ...more].map(({ node }) => node), remove };
  }
  const allowed = healthy.slice(0, Math.max(0, maxUnavailable - missing - broken.length));
  return { create: [], remove: [...broken, ...allowed].map(({ old }) => old) };
}

interface Placed {
  readonly node: string;
  readonly old: Stored<Pod>;
}

function availability({ spec }: DaemonSet, now: number): (pod: Pod) => boolean {
  return (pod) => isPodAvailable(pod, spec?.minReadySeconds ?? 0, now);
}

export function byAge(a: Stored<Pod>, b: Stored<Pod>): number {
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return first === second ? 0 : first < second ? -1 : 1;
}
