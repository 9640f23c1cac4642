import type { PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import { parseQuantity } from "../../core/model/quantity.ts";
import type { KubeObject } from "../kube-object.ts";
import { roundResources } from "./resource-list.ts";
import { isSameValue } from "./validation/same-value.ts";

/**
 * Gives a new pod the overhead, the node selector and the tolerations of its runtime class. Returns the refusal, if
 * the class is missing or contradicts the pod. Only a class can give a pod its overhead.
 */
export function applyRuntimeClass(spec: PodSpec, find: (name: string) => KubeObject | undefined): string | undefined {
  const name = spec.runtimeClassName;
  const runtimeClass = name === undefined ? undefined : (find(name) as unknown as RuntimeClass | undefined);
  if (name !== undefined && runtimeClass === undefined) return `pod rejected: RuntimeClass "${name}" not found`;
  return setOverhead(spec, runtimeClass) ?? setScheduling(spec, runtimeClass) ?? checkOverhead(spec, runtimeClass);
}

type Quantities = Readonly<Record<string, string>>;

function setOverhead(spec: PodSpec, { overhead }: Partial<RuntimeClass> = {}): string | undefined {
  if (overhead === undefined) return undefined;
  const given = (spec.overhead ?? {}) as Quantities;
  if (Object.keys(given).length > 0 && !isSameAmount(given, (overhead.podFixed ?? {}) as Quantities)) {
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  }
  if (overhead.podFixed === undefined) {
    delete spec.overhead;
    return undefined;
  }
  spec.overhead = { ...overhead.podFixed };
  // The defaults of a pod round amounts below a thousandth, those of a class do not. Rounded only by the next update of
  // the pod, the overhead would change, which is refused.
  roundResources(spec.overhead);
  return undefined;
}

function isSameAmount(a: Quantities, b: Quantities): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && parseQuantity(a[name] ?? "") === parseQuantity(b[name] ?? ""))
  );
}

function setScheduling(spec: PodSpec, { scheduling }: Partial<RuntimeClass> = {}): string | undefined {
  if (scheduling === undefined) return undefined;
  const selector = spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = Object.hasOwn(selector, key) ? selector[key] : value;
    if (own !== value) {
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    }
  }
  if (scheduling.nodeSelector !== undefined) spec.nodeSelector = { ...selector, ...scheduling.nodeSelector };
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (tolerations.length > 0) spec.tolerations = tolerations;
  return undefined;
}

/** Overhead without a class that has one. */
function checkOverhead({ overhead }: PodSpec, runtimeClass: RuntimeClass | undefined): string | undefined {
  if (runtimeClass?.overhead !== undefined || overhead === undefined) return undefined;
  return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
}

/** Without those that another one includes; of equal ones the first stays. */
function mergeTolerations(own: readonly Toleration[], added: readonly Toleration[]): Toleration[] {
  const all = structuredClone([...own, ...added]);
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isIncluded =
      merged.some((other) => includes(other, toleration)) ||
      all.slice(index + 1).some((other) => !isSameValue(other, toleration) && includes(other, toleration));
    if (!isIncluded) merged.push(toleration);
  }
  return merged;
}

/** Whether one toleration tolerates all that another one does, as the server decides it. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (isSameValue(wide, narrow)) return true;
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds: most } = wide;
  const isAnyKey = key === "" && operator === "Exists";
  if ((narrow.key ?? "") !== key && !isAnyKey) return false;
  if (effect !== "" && (narrow.effect ?? "") !== effect) return false;
  const seconds = narrow.tolerationSeconds;
  if (effect === "NoExecute" && most !== undefined && (seconds === undefined || seconds > most)) return false;
  if (operator === "Exists") return true;
  const isEqual = operator === "" || operator === "Equal";
  return isEqual && narrow.operator === "Equal" && (narrow.value ?? "") === value;
}
