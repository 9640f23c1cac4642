import { integerOf } from "./integer.ts";

export type TaintEffect = "NoSchedule" | "PreferNoSchedule" | "NoExecute";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
  /** Something else gives it to the nodes of a NodePool that does not have it. */
  readonly isForeign?: true;
}

export interface Toleration {
  /** Empty tolerates every key, with operator Exists. */
  readonly key: string;
  readonly operator: "Equal" | "Exists" | "Lt" | "Gt";
  readonly value: string;
  /** Empty tolerates every effect. */
  readonly effect: TaintEffect | "";
}

/** As kubectl writes it. */
export function taintName({ key, value, effect }: Taint): string {
  return value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

export function describeForeignTaint(taint: Taint): string {
  return `nodes get the taint ${taintName(taint)}, which the NodePool does not have and the pod does not tolerate: add it to startupTaints if it is removed later, else to taints`;
}

/** The first taint that none of the tolerations covers. PreferNoSchedule counts like the others. */
export function untoleratedTaint(tolerations: readonly Toleration[], taints: readonly Taint[]): Taint | undefined {
  return taints.find((taint) => !tolerates(tolerations, taint));
}

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => covers(toleration, taint));
}

function covers({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "Exists":
      return true;
    case "Equal":
      return value === taint.value;
    case "Gt":
    case "Lt":
      return isBeyond(taint.value, operator, value);
  }
}

/** Whether the taint's value lies above (Gt) or below (Lt) the toleration's threshold. */
function isBeyond(value: string, operator: "Gt" | "Lt", threshold: string): boolean {
  if (!plainInteger.test(value) || !plainInteger.test(threshold)) return false;
  const amount = integerOf(value);
  const limit = integerOf(threshold);
  if (amount === undefined || limit === undefined) return false;
  return operator === "Gt" ? amount > limit : amount < limit;
}

/** Kubernetes compares no leading zeros and no plus sign here. */
const plainInteger = /^(?:0|-?[1-9]\d*)$/;

/** On a node that is about to go. A pod that tolerates it stays to the end, and nobody waits for it. */
export const disruptedTaint: Taint = { key: "karpenter.sh/disrupted", value: "", effect: "NoSchedule" };

/** On a node that a plan takes away later: pods go elsewhere if they can, so that none is moved twice. */
export const leavingTaint: Taint = { key: "karpenter.sh/leaving", value: "", effect: "PreferNoSchedule" };

const ephemeralTaints: ReadonlySet<string> = new Set([
  "node.kubernetes.io/not-ready:NoSchedule",
  "node.kubernetes.io/not-ready:NoExecute",
  "node.kubernetes.io/unreachable:NoSchedule",
  "node.cloudprovider.kubernetes.io/uninitialized:NoSchedule",
  "karpenter.sh/unregistered:NoExecute",
  "karpenter.sh/unregistered:NoSchedule",
]);

/** A taint that goes away by itself while a node starts. */
export function isEphemeralTaint({ key, effect }: Taint): boolean {
  return key.startsWith("readiness.k8s.io/") || ephemeralTaints.has(`${key}:${effect}`);
}

/** What the DaemonSet controller lets every pod of its own tolerate, so that it runs on nodes in trouble. */
export const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", value: "", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", value: "", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", value: "", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", value: "", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", value: "", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", value: "", effect: "NoSchedule" },
];
