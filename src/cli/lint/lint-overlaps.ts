import type { NodePool } from "../../core/model/node-pool.ts";
import { catalogueOf } from "../../core/scheduling/catalogue.ts";
import type { Finding } from "./finding.ts";

interface NamedPool {
  readonly object: string;
  readonly pool: NodePool;
}

/** Pools that would buy the same machines for the same pods, and nothing says which of them does. */
export function lintOverlaps(pools: readonly NamedPool[]): readonly Finding[] {
  return pools.flatMap((one, index) => pools.slice(index + 1).flatMap((other) => lintPair(one, other)));
}

function lintPair(one: NamedPool, other: NamedPool): readonly Finding[] {
  const [a, b] = [one.pool, other.pool];
  const isStatic = a.replicas !== undefined || b.replicas !== undefined;
  if (isStatic || a.weight !== b.weight || taintsOf(a) !== taintsOf(b) || a.name === b.name) return [];
  const bought = purchasesOf(a);
  const common = new Set(
    [...purchasesOf(b)].filter((purchase) => bought.has(purchase)).map((text) => text.split(" ")[0]),
  );
  if (common.size === 0) return [];
  return [
    {
      severity: "warning",
      object: one.object,
      path: "spec.weight",
      message: `overlaps ${other.object}: both buy ${common.size} of the same instance types for the same pods, at weight ${a.weight}`,
      fix: "give one a higher weight, or set them apart with requirements or taints",
    },
  ];
}

function taintsOf({ taints }: NodePool): string {
  return taints
    .map(({ key, value, effect }) => `${key}=${value}:${effect}`)
    .sort()
    .join(",");
}

function purchasesOf(pool: NodePool): ReadonlySet<string> {
  return new Set(catalogueOf(pool).rows.map(({ type, zone, capacityType }) => `${type.name} ${zone} ${capacityType}`));
}
