import type { NodePool } from "../../core/model/node-pool.ts";
import { formatAmount } from "../../core/model/quantity.ts";
import type { Row } from "../../core/scheduling/catalogue.ts";
import { type Finding, nearestWord } from "./finding.ts";

/** What nodes of every cloud have. */
const common: ReadonlySet<string> = new Set(["cpu", "memory", "nodes", "pods", "ephemeral-storage"]);

/** What people write for it. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ["mem", "memory"],
  ["ram", "memory"],
  ["cores", "cpu"],
  ["vcpu", "cpu"],
  ["gpu", "nvidia.com/gpu"],
  ["gpus", "nvidia.com/gpu"],
  ["storage", "ephemeral-storage"],
  ["disk", "ephemeral-storage"],
]);

interface LimitedPool {
  readonly object: string;
  readonly pool: NodePool;
}

/** Limits of things that no machine has, which limit nothing. */
export function lintLimitNames({ object, pool }: LimitedPool): readonly Finding[] {
  const known = new Set([...common, ...pool.instanceTypes.flatMap(({ capacity }) => [...capacity.keys()])]);
  return [...pool.limits.keys()].flatMap((resource): Finding[] => {
    if (known.has(resource) || resource.startsWith("hugepages-")) return [];
    const meant = otherWords.get(resource.toLowerCase()) ?? nearestWord(resource, known);
    // Devices of one's own have names with a domain.
    if (resource.includes("/") && meant === undefined) return [];
    const fix = meant === undefined ? `use one of ${[...common].join(", ")}` : `did you mean ${meant}?`;
    const message = "limits nothing: no machine has such a resource";
    return [{ severity: "warning", object, path: `spec.limits.${resource}`, message, fix }];
  });
}

/** Limits that no machine is small enough for. */
export function lintLimits({ object, pool }: LimitedPool, rows: readonly Row[]): readonly Finding[] {
  return [...pool.limits].flatMap(([resource, limit]): Finding[] => {
    const smallest = rows.reduce((least, row) => (amount(row, resource) < amount(least, resource) ? row : least));
    if (limit >= amount(smallest, resource)) return [];
    const path = `spec.limits.${resource}`;
    if (limit === 0) {
      const message = "is 0, so nothing is ever launched";
      return [{ severity: "warning", object, path, message, fix: "raise the limit unless that is meant" }];
    }
    const least = `${formatAmount(resource, amount(smallest, resource))} of ${smallest.type.name}`;
    const message = `is ${formatAmount(resource, limit)}, less than the smallest machine has (${least}), so nothing is ever launched`;
    const meant = withUnit(resource, limit);
    const fix = meant === undefined ? "raise the limit" : `did you mean ${meant}?`;
    return [{ severity: "error", object, path, message, fix }];
  });
}

/** What was probably meant by an amount that has the wrong unit, or none. */
function withUnit(resource: string, limit: number): string | undefined {
  if (resource === "memory") return limit < 2 ** 20 ? `${limit}Gi` : undefined;
  return resource === "cpu" && limit < 1000 && limit >= 10 ? String(limit) : undefined;
}

function amount({ type }: Row, resource: string): number {
  return resource === "nodes" ? 1 : (type.capacity.get(resource) ?? 0);
}
