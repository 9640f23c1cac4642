import { osLabel } from "../../core/model/labels.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import { conflictingKey, has } from "../../core/model/requirements.ts";
import type { Finding } from "./finding.ts";
import { purchasesOf, without } from "./lint-launch.ts";
import type { PoolTypes } from "./lint-pool.ts";

export interface NamedPool {
  readonly object: string;
  readonly pool: NodePool;
  readonly types: PoolTypes;
}

/** Pools that would buy the same machines for the same pods, and nothing says which of them does. */
export function lintOverlaps(pools: readonly NamedPool[]): readonly Finding[] {
  return pools.flatMap((one, index) => pools.slice(index + 1).flatMap((other) => lintPair(one, other)));
}

function lintPair(one: NamedPool, other: NamedPool): readonly Finding[] {
  const [a, b] = [one.pool, other.pool];
  const isStatic = a.replicas !== undefined || b.replicas !== undefined;
  if (isStatic || a.weight !== b.weight || taintsOf(a) !== taintsOf(b) || a.name === b.name) return [];
  if (areApart(one, other)) return [];
  const bought = machinesOf(one);
  const common = new Set(
    [...machinesOf(other)].filter((machine) => bought.has(machine)).map((text) => text.split(" ")[0]),
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

/** By what is not judged, such as zones. */
function areApart(one: NamedPool, other: NamedPool): boolean {
  const [a, b] = [one, other].map(
    ({ pool, types }) => new Map([...pool.requirements].filter(([key]) => types.unjudged.has(key))),
  );
  return a !== undefined && b !== undefined && conflictingKey(a, b) !== undefined;
}

function taintsOf({ taints }: NodePool): string {
  return taints
    .map(({ key, value, effect }) => `${key}=${value}:${effect}`)
    .sort()
    .join(",");
}

/** Type, zone, capacity type and operating system. */
function machinesOf({ pool, types }: NamedPool): ReadonlySet<string> {
  const rows = purchasesOf(without(pool, types.unjudged));
  const own = pool.requirements.get(osLabel);
  return new Set(
    rows.flatMap(({ type, zone, capacityType }) => {
      const systems = [...(type.requirements.get(osLabel)?.values ?? [""])];
      return systems
        .filter((system) => own === undefined || has(own, system))
        .map((system) => `${type.name} ${zone} ${capacityType} ${system}`);
    }),
  );
}
