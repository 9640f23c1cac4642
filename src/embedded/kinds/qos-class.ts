import type { Pod, ResourceRequirements } from "kubernetes-types/core/v1.js";
import { parseQuantity } from "../../core/model/quantity.ts";

/** Guaranteed, where all containers have requests equal to limits; BestEffort, where none asks for anything; else Burstable. */
export function qosClassOf({ spec }: Pod): string {
  const podLevel = (spec as { resources?: ResourceRequirements } | undefined)?.resources;
  const requirements = podLevel
    ? [podLevel]
    : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources ?? {});
  const requests = sumOf(requirements.map((entry) => entry.requests));
  const limits = sumOf(requirements.map((entry) => entry.limits));
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const limitsAll = requirements.every((entry) => {
    if (podLevel && Object.keys(entry.limits ?? {}).length === 0) return true;
    return sumOf([entry.limits]).size === 2;
  });
  const areEqual = [...requests].every(([name, amount]) => limits.get(name) === amount);
  return limitsAll && areEqual && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

function sumOf(lists: readonly ({ readonly [name: string]: unknown } | undefined)[]): Map<string, bigint> {
  const sum = new Map<string, bigint>();
  for (const list of lists) {
    for (const name of ["cpu", "memory"]) {
      const amount = parseQuantity(String(list?.[name] ?? "0")) ?? 0n;
      if (amount > 0n) sum.set(name, (sum.get(name) ?? 0n) + amount);
    }
  }
  return sum;
}
