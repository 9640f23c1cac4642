import type { InstanceType, Offering } from "../model/instance-type.ts";
import { capacityTypeLabel, nodePoolLabel, zoneLabel } from "../model/labels.ts";
import type { NodePool } from "../model/node-pool.ts";
import {
  anyLabelValue,
  conflictingKey,
  has,
  intersection,
  makeRequirement,
  operatorOf,
  type Requirement,
  type Requirements,
  requirementFor,
} from "../model/requirements.ts";
import type { Resources } from "../model/resources.ts";

/** One way for a pool to buy a node: an instance type in one of its offerings. */
export interface Row {
  /** Place in the catalogue, which is in the order of price. */
  readonly index: number;
  /** Rows of one instance type have the same number. */
  readonly typeIndex: number;
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly allocatable: Resources;
  readonly zone: string;
  readonly capacityType: string;
  readonly isAvailable: boolean;
}

/** A label's value on a machine; a requirement where it may still become one of several; undefined where it is absent. */
export type LabelChoice = string | Requirement | undefined;

/** The choice for a label that every cloud has and nothing here mentions: a pod may select any value of it. */
export const cloudDecides: Requirement = { ...anyLabelValue };

/** Rows that look the same to everything that reads the given labels. */
export interface RowGroup {
  readonly choices: readonly LabelChoice[];
  /** Available rows, the cheapest first. Empty for a group that only exists as a topology domain. */
  readonly rows: readonly Row[];
}

/** Everything a pool could buy. Made once for a pool and its instance types, and remembered with them. */
export class Catalogue {
  readonly pool: NodePool;
  readonly rows: readonly Row[];
  private readonly poolRequirements: Requirements;
  private knownKeys: ReadonlySet<string> | undefined;
  private readonly groupings = new Map<string, readonly RowGroup[]>();

  constructor(pool: NodePool) {
    this.pool = pool;
    this.poolRequirements = requirementsOfPool(pool);
    this.rows = rowsOf(pool, this.poolRequirements);
  }

  /** The rows by the labels in `keys`. Labels in `wellKnown` that nothing defines may become anything. */
  grouping(keys: readonly string[], wellKnown: ReadonlySet<string>): readonly RowGroup[] {
    // Most keys that pods may think of mean nothing to a pool: no machine of it has such a label.
    const known = keys.filter((key) => this.isKnown(key) || wellKnown.has(key));
    const name = JSON.stringify([keys, known]);
    const remembered = this.groupings.get(name);
    if (remembered) return remembered;
    if (this.groupings.size >= maxGroupings) this.groupings.clear();
    const groups = new Map<string, { choices: readonly LabelChoice[]; rows: Row[] }>();
    const describe = new Map<Requirement, string>();
    for (const row of this.rows) {
      const own = known.map((key) => this.choice(row, key, wellKnown));
      const id = JSON.stringify(own.map((choice) => describeChoice(choice, describe)));
      const group = groups.get(id);
      if (group === undefined) {
        const byKey = new Map(known.map((key, index) => [key, own[index]]));
        groups.set(id, { choices: keys.map((key) => byKey.get(key)), rows: row.isAvailable ? [row] : [] });
      } else if (row.isAvailable) group.rows.push(row);
    }
    const grouping = [...groups.values()];
    this.groupings.set(name, grouping);
    return grouping;
  }

  private isKnown(key: string): boolean {
    this.knownKeys ??= new Set([
      ...this.pool.defaultKeys,
      ...this.poolRequirements.keys(),
      ...this.rows.flatMap(({ type, offering }) => [...type.requirements.keys(), ...offering.requirements.keys()]),
    ]);
    return this.knownKeys.has(key);
  }

  private choice(row: Row, key: string, wellKnown: ReadonlySet<string>): LabelChoice {
    let combined: Requirement | undefined;
    const sources = [
      this.pool.defaultKeys.has(key) ? undefined : this.poolRequirements.get(key),
      row.type.requirements.get(key),
      row.offering.requirements.get(key),
    ];
    for (const requirement of sources) {
      if (requirement) combined = combined ? intersection(combined, requirement) : requirement;
    }
    if (combined === undefined && this.pool.defaultKeys.has(key)) return anyLabelValue;
    if (combined === undefined) return wellKnown.has(key) ? cloudDecides : undefined;
    if (operatorOf(combined) === "DoesNotExist") return undefined;
    if (!combined.isComplement && combined.values.size === 1) return [...combined.values][0];
    return combined;
  }
}

/** Different batches look at different labels; a few dozen ways of looking are plenty to remember. */
const maxGroupings = 32;

const catalogues = new WeakMap<NodePool, Catalogue>();

export function catalogueOf(pool: NodePool): Catalogue {
  let catalogue = catalogues.get(pool);
  if (!catalogue) {
    catalogue = new Catalogue(pool);
    catalogues.set(pool, catalogue);
  }
  return catalogue;
}

/** What every node of the pool promises: its requirements, its labels, its name and its node class. */
export function requirementsOfPool(pool: NodePool): Requirements {
  const { group, kind, name } = pool.nodeClassRef;
  const requirements = new Map(pool.requirements);
  const labels = [...pool.labels, [nodePoolLabel, pool.name], [`${group}/${kind.toLowerCase()}`, name]] as const;
  for (const [key, value] of labels) {
    const own = requirements.get(key);
    const exact = makeRequirement("In", [value]);
    requirements.set(key, own ? intersection(own, exact) : exact);
  }
  return requirements;
}

function rowsOf(pool: NodePool, poolRequirements: Requirements): Row[] {
  const limits = new Map([...poolRequirements].filter(([key]) => !pool.defaultKeys.has(key)));
  const rows: Omit<Row, "index">[] = [];
  if (contradictsItself(pool)) return [];
  for (const [typeIndex, type] of pool.instanceTypes.entries()) {
    if (conflictingKey(limits, type.requirements) !== undefined) continue;
    for (const offering of type.offerings) {
      if (conflictingKey(limits, offering.requirements) !== undefined) continue;
      rows.push({
        typeIndex,
        type,
        offering,
        allocatable: offering.allocatable ?? type.allocatable,
        zone: onlyValue(offering.requirements, zoneLabel),
        capacityType: onlyValue(offering.requirements, capacityTypeLabel),
        isAvailable: offering.isAvailable && offering.reservationCapacity !== 0,
      });
    }
  }
  rows.sort((a, b) => a.offering.price - b.offering.price || (a.type.name < b.type.name ? -1 : 1));
  return rows.map((row, index) => ({ ...row, index }));
}

/** A label of the template that the requirements rule out: no node can have it and meet them. */
function contradictsItself({ labels, requirements }: NodePool): boolean {
  return [...labels].some(([key, value]) => !has(requirementFor(requirements, key), value));
}

function onlyValue(requirements: Requirements, key: string): string {
  const [value = ""] = requirements.get(key)?.values ?? [];
  return value;
}

function describeChoice(choice: LabelChoice, known: Map<Requirement, string>): string | undefined {
  if (choice === undefined || typeof choice === "string") return choice === undefined ? "-" : `=${choice}`;
  let text = known.get(choice);
  if (text === undefined) {
    const { isComplement, values, atLeast, atMost } = choice;
    text = `?${isComplement} ${atLeast} ${atMost} ${JSON.stringify([...values].sort())}`;
    known.set(choice, text);
  }
  return text;
}
