import { type Labels, nodePoolLabel } from "../model/labels.ts";
import type { NodePool } from "../model/node-pool.ts";
import { acceptsAbsence, has } from "../model/requirements.ts";
import {
  type Catalogue,
  catalogueOf,
  cloudDecides,
  type LabelChoice,
  type Row,
  requirementsOfPool,
} from "./catalogue.ts";
import type { LabelKeys } from "./label-keys.ts";
import { variantsOf } from "./variants.ts";

/** Machines of one pool that have the same labels, as far as anybody in this batch reads them. */
export interface MachineGroup {
  readonly index: number;
  readonly catalogue: Catalogue;
  /** Place of the pool in the order in which pools are tried. */
  readonly poolRank: number;
  readonly labels: Labels;
  /** Labels whose value is that of its first row only, see `valuesOf`: nothing in this batch tells the others apart. */
  readonly mixedKeys: ReadonlySet<string>;
  /** Labels that its nodes may have although nobody can tell their values. */
  readonly openKeys: ReadonlySet<string>;
  /** Available rows, the cheapest first; empty where the group only says that a topology domain exists. */
  readonly rows: readonly Row[];
  /** Defaults of the pool that its labels do not meet: only pods that select these keys themselves may come here. */
  readonly overriddenKeys: readonly string[];
  /** Its open labels were settled for pods that name them; whoever names nothing has other groups to go to. */
  readonly isSpecific: boolean;
  /** Equal for groups of a pool whose open labels were settled in the same way. */
  readonly variantKey: string;
}

/** Pools in the order in which they are tried: the heaviest first, the later name first among equals. */
export function orderPools(pools: readonly NodePool[]): NodePool[] {
  return pools.toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? 1 : -1));
}

export function machineGroups(
  pools: readonly NodePool[],
  labels: LabelKeys,
  wellKnown: ReadonlySet<string>,
): MachineGroup[] {
  const groups: MachineGroup[] = [];
  pools.forEach((pool, poolRank) => {
    const catalogue = catalogueOf(pool);
    for (const { choices, mixedKeys, rows } of catalogue.grouping(labels, wellKnown)) {
      const openKeys = labels.keys.filter((_, index) => isOpen(choices[index]));
      const unknowable = labels.keys.filter((_, index) => choices[index] === cloudDecides);
      for (const { labels: settled, isSpecific } of variantsOf(choices, labels)) {
        const own = new Map(settled).set(nodePoolLabel, pool.name);
        groups.push({
          index: groups.length,
          catalogue,
          poolRank,
          labels: own,
          mixedKeys,
          openKeys: new Set(unknowable.filter((key) => !own.has(key))),
          rows,
          overriddenKeys: unmetDefaults(pool, own),
          isSpecific,
          variantKey: JSON.stringify([poolRank, openKeys.map((key) => [key, own.get(key) ?? null])]),
        });
      }
    }
  });
  return groups;
}

/** The values of a label on its available machines; undefined stands for those without it. */
export function valuesOf({ catalogue, labels, mixedKeys, rows }: MachineGroup, key: string): Set<string | undefined> {
  return new Set(mixedKeys.has(key) ? rows.map((row) => catalogue.valueOf(row, key)) : [labels.get(key)]);
}

function isOpen(choice: LabelChoice): boolean {
  return choice !== undefined && typeof choice !== "string";
}

function unmetDefaults(pool: NodePool, labels: Labels): string[] {
  if (pool.defaultKeys.size === 0) return [];
  const requirements = requirementsOfPool(pool);
  return [...pool.defaultKeys].filter((key) => {
    const requirement = requirements.get(key);
    if (requirement === undefined) return false;
    const value = labels.get(key);
    return value === undefined ? !acceptsAbsence(requirement) : !has(requirement, value);
  });
}
