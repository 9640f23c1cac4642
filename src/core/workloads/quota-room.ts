import type { Pod, PodTerm } from "../model/pod.ts";
import { isFinished } from "../model/pod-lifecycle.ts";
import type { QuotaScope, ResourceQuota } from "../model/workload.ts";

/** What the quotas of one namespace leave for pods that are still to be created. */
export class QuotaRoom {
  readonly #quotas: readonly { readonly quota: ResourceQuota; readonly left: Map<string, number> }[];

  /** `pods` are those of the namespace: the status of a quota may be older than they are. */
  constructor(quotas: readonly ResourceQuota[], pods: readonly Pod[]) {
    this.#quotas = quotas.map((quota) => {
      const counted = pods.filter((pod) => isInScope(pod, quota.scopes));
      const left = [...quota.hard].map(([name, hard]): [string, number] => {
        const used = counted.reduce((sum, pod) => sum + amountOf(pod, name), 0);
        return [name, hard - Math.max(used, quota.used.get(name) ?? 0)];
      });
      return { quota, left: new Map(left) };
    });
  }

  /** Takes the room of a pod, if all quotas that it counts for have some. */
  take(pod: Pod): boolean {
    const counting = this.#quotas.filter(({ quota }) => isInScope(pod, quota.scopes));
    if (!counting.every(({ left }) => [...left].every(([name, amount]) => isAdmitted(pod, name, amount)))) return false;
    for (const { left } of counting) {
      for (const [name, amount] of left) left.set(name, amount - amountOf(pod, name));
    }
    return true;
  }
}

/** The API server refuses pods that do not say how much they need of these where a quota limits them. */
const required: ReadonlySet<string> = new Set(["cpu", "memory", "requests.cpu", "requests.memory"]);

function isAdmitted(pod: Pod, name: string, left: number): boolean {
  const amount = amountOf(pod, name);
  return amount === 0 ? !required.has(name) : amount <= left;
}

/** `count/pods` counts objects, whatever has become of them. */
function amountOf(pod: Pod, name: string): number {
  if (name === "count/pods") return 1;
  return isFinished(pod) ? 0 : (pod.spec.requests.get(name.replace(/^requests\./, "")) ?? 0);
}

function isInScope(pod: Pod, scopes: readonly QuotaScope[]): boolean {
  return scopes.every((scope) => {
    switch (scope.name) {
      case "PriorityClass":
        return isAmong(pod.priorityClassName, scope);
      case "BestEffort":
        return isBestEffort(pod);
      case "NotBestEffort":
        return !isBestEffort(pod);
      case "CrossNamespacePodAffinity":
        return podTerms(pod).some(reachesOtherNamespaces);
      // Whether it ends by itself is not known here: it counts rather than not.
      default:
        return true;
    }
  });
}

function isAmong(value: string, { operator, values }: QuotaScope): boolean {
  if (operator === "In") return values.includes(value);
  if (operator === "NotIn") return !values.includes(value);
  return (value !== "") === (operator === "Exists");
}

function isBestEffort({ spec }: Pod): boolean {
  return (spec.requests.get("cpu") ?? 0) === 0 && (spec.requests.get("memory") ?? 0) === 0;
}

function podTerms({ spec }: Pod): readonly PodTerm[] {
  const preferred = [...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity].map(({ term }) => term);
  return [...spec.podAffinity, ...spec.podAntiAffinity, ...preferred];
}

function reachesOtherNamespaces({ namespaces, namespaceSelector }: PodTerm): boolean {
  return namespaces.length > 0 || namespaceSelector !== undefined;
}
