import { type Labels, nodePoolLabel } from "../model/labels.ts";
import type { NodePool } from "../model/node-pool.ts";
import { acceptsAbsence, has, type Requirement } from "../model/requirements.ts";
import {
  type Catalogue,
  catalogueOf,
  cloudDecides,
  type LabelChoice,
  type Row,
  requirementsOfPool,
} from "./catalogue.ts";
import type { LabelKeys } from "./label-keys.ts";

/** Machines of one pool that have the same labels, as far as anybody in this batch reads them. */
export interface MachineGroup {
  readonly index: number;
  readonly catalogue: Catalogue;
  /** Place of the pool in the order in which pools are tried. */
  readonly poolRank: number;
  readonly labels: Labels;
  /** Labels that its nodes may have although nobody can tell their values. */
  readonly openKeys: ReadonlySet<string>;
  /** Available rows, the cheapest first; empty where the group only says that a topology domain exists. */
  readonly rows: readonly Row[];
  /** Defaults of the pool that its labels do not meet: only pods that select these keys themselves may come here. */
  readonly overriddenKeys: readonly string[];
}

/** A machine whose labels are open can be launched as any of this many variants; more are not looked at. */
const maxVariants = 64;

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
    for (const { choices, rows } of catalogue.grouping(labels.keys, wellKnown)) {
      for (const variant of variantsOf(choices, labels)) {
        variant.set(nodePoolLabel, pool.name);
        const overriddenKeys = unmetDefaults(pool, variant);
        const openKeys = new Set(
          labels.keys.filter((key, index) => choices[index] === cloudDecides && !variant.has(key)),
        );
        groups.push({ index: groups.length, catalogue, poolRank, labels: variant, openKeys, rows, overriddenKeys });
      }
    }
  });
  return groups;
}

function variantsOf(
  choices: readonly LabelChoice[],
  { keys, valuesByKey, topologyKeys }: LabelKeys,
): Map<string, string>[] {
  let variants: Map<string, string>[] = [new Map()];
  keys.forEach((key, index) => {
    const choice = choices[index];
    if (choice === undefined) return;
    if (typeof choice === "string") {
      for (const variant of variants) variant.set(key, choice);
      return;
    }
    const values = openValues(choice, valuesByKey.get(key)!, topologyKeys.has(key));
    variants = variants
      .flatMap((variant) => values.map((value) => (value === undefined ? variant : new Map(variant).set(key, value))))
      .slice(0, maxVariants);
  });
  return variants;
}

/** The values of an open label that somebody could tell apart, and one that nobody names. */
function openValues(choice: Requirement, named: ReadonlySet<string>, isTopologyKey: boolean): (string | undefined)[] {
  const values: (string | undefined)[] = [...named].filter((value) => has(choice, value)).sort();
  if (!choice.isComplement) {
    const others = [...choice.values].filter((value) => !named.has(value) && has(choice, value)).sort();
    return [...values, ...(isTopologyKey ? others : others.slice(0, 1))];
  }
  // Nobody can promise a value that only the cloud knows, unless a pod insists on it.
  if (choice === cloudDecides) return [undefined, ...values].slice(0, maxVariants);
  const unnamed = unnamedValue(choice, named);
  const absence = acceptsAbsence(choice) ? [undefined] : [];
  return [...(unnamed === undefined ? [] : [unnamed]), ...values, ...absence].slice(0, maxVariants);
}

/** An integer that the requirement allows and that nobody names, so that `Exists` and `NotIn` have something to match. */
function unnamedValue(choice: Requirement, named: ReadonlySet<string>): string | undefined {
  const start = choice.atLeast ?? (choice.atMost !== undefined && choice.atMost < 0n ? choice.atMost : 0n);
  const step = choice.atLeast === undefined && choice.atMost !== undefined ? -1n : 1n;
  for (let tries = 0, candidate = start; tries <= named.size + choice.values.size; tries++, candidate += step) {
    if (has(choice, String(candidate)) && !named.has(String(candidate))) return String(candidate);
  }
  return undefined;
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
