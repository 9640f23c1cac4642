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
import { type LabelKeys, meaningOf } from "./label-keys.ts";

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
  /** For each key, the choice of the first of its rows. */
  readonly choices: readonly LabelChoice[];
  /** Keys whose values differ among its rows, where nothing tells these values apart. */
  readonly mixedKeys: ReadonlySet<string>;
  /** Available rows, the cheapest first. Empty for a group that only exists as a topology domain. */
  readonly rows: readonly Row[];
}

/** One label of all rows. */
interface Column {
  /** Without repetition. */
  readonly choices: readonly LabelChoice[];
  /** For each row the index of its choice. */
  readonly choiceOfRow: Uint16Array | Uint32Array;
}

/** Everything a pool could buy. Made once for a pool and its instance types, and remembered with them. */
export class Catalogue {
  readonly pool: NodePool;
  readonly rows: readonly Row[];
  private readonly poolRequirements: Requirements;
  private knownKeys: ReadonlySet<string> | undefined;
  private readonly columns: Map<string, Column>;
  private readonly groupings: Map<string, readonly RowGroup[]>;

  /** `alike`: of a pool that sells the same. What was found out about either, both know. */
  constructor(pool: NodePool, alike?: Catalogue) {
    this.pool = pool;
    this.poolRequirements = alike?.poolRequirements ?? requirementsOfPool(pool);
    this.rows = alike?.rows ?? rowsOf(pool, this.poolRequirements);
    this.knownKeys = alike?.knownKeys;
    this.columns = alike?.columns ?? new Map();
    this.groupings = alike?.groupings ?? new Map();
  }

  /** The rows by the labels that the batch reads. Labels in `wellKnown` that nothing defines may become anything. */
  grouping(labelKeys: LabelKeys, wellKnown: ReadonlySet<string>): readonly RowGroup[] {
    const { keys } = labelKeys;
    // Most keys that pods may think of mean nothing to a pool: no machine of it has such a label.
    const known = keys.filter((key) => this.isKnown(key) || wellKnown.has(key));
    const columns = known.map((key) => this.column(key, wellKnown));
    const meanings = columns.map(({ choices }, index) =>
      numbered(choices.map((choice) => meaningOfChoice(choice, known[index]!, labelKeys))),
    );
    const name = JSON.stringify([keys, known, meanings.map((numbers) => numbers.join())]);
    const remembered = this.groupings.get(name);
    if (remembered) return remembered;
    if (this.groupings.size >= maxGroupings) this.groupings.clear();
    const grouping = [...this.rowsByMeaning(columns, meanings).values()].map((rows): RowGroup => {
      const [first] = rows;
      const byKey = new Map(
        known.map((key, index) => [key, columns[index]!.choices[columns[index]!.choiceOfRow[first!.index]!]]),
      );
      const isMixed = ({ choiceOfRow }: Column): boolean =>
        rows.some(({ index }) => choiceOfRow[index] !== choiceOfRow[first!.index]);
      return {
        choices: keys.map((key) => byKey.get(key)),
        mixedKeys: new Set(known.filter((_, index) => isMixed(columns[index]!))),
        rows: rows.filter(({ isAvailable }) => isAvailable),
      };
    });
    this.groupings.set(name, grouping);
    return grouping;
  }

  /** The value of a label on a machine, where that is certain. */
  valueOf({ index }: Row, key: string): string | undefined {
    const { choices, choiceOfRow } = this.column(key, noKeys);
    const choice = choices[choiceOfRow[index]!];
    return typeof choice === "string" ? choice : undefined;
  }

  private rowsByMeaning(
    columns: readonly Column[],
    meanings: readonly (readonly number[])[],
  ): ReadonlyMap<number, Row[]> {
    let idOfRow = this.rows.map(() => 0);
    columns.forEach(({ choiceOfRow }, column) => {
      const ofChoice = meanings[column]!;
      idOfRow = numbered(idOfRow.map((id, row) => id * ofChoice.length + ofChoice[choiceOfRow[row]!]!));
    });
    return Map.groupBy(this.rows, ({ index }) => idOfRow[index]!);
  }

  private column(key: string, wellKnown: ReadonlySet<string>): Column {
    const name = `${wellKnown.has(key)} ${key}`;
    let column = this.columns.get(name);
    if (column === undefined) {
      const describe = new Map<Requirement, string>();
      const texts = new Map<string, number>();
      const choices: LabelChoice[] = [];
      const choiceOfRow = this.rows.map((row) => {
        const choice = this.choice(row, key, wellKnown);
        const text = describeChoice(choice, describe);
        const known = texts.get(text);
        if (known !== undefined) return known;
        texts.set(text, choices.length);
        return choices.push(choice) - 1;
      });
      const Numbers = choices.length < 2 ** 16 ? Uint16Array : Uint32Array;
      column = { choices, choiceOfRow: Numbers.from(choiceOfRow) };
      this.columns.set(name, column);
    }
    return column;
  }

  private isKnown(key: string): boolean {
    this.knownKeys ??= this.findKnownKeys();
    return this.knownKeys.has(key);
  }

  private findKnownKeys(): ReadonlySet<string> {
    const keys = new Set([...this.pool.defaultKeys, ...this.poolRequirements.keys()]);
    for (const { type, offering } of this.rows) {
      for (const key of type.requirements.keys()) keys.add(key);
      for (const key of offering.requirements.keys()) keys.add(key);
    }
    return keys;
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
/** The last one of these requirements: a pool often differs from that of the plan before in its limits only. */
const latest = new WeakMap<Requirements, Catalogue>();

export function catalogueOf(pool: NodePool): Catalogue {
  let catalogue = catalogues.get(pool);
  if (!catalogue) {
    const last = latest.get(pool.requirements);
    catalogue = new Catalogue(pool, last && sellAlike(last.pool, pool) ? last : undefined);
    catalogues.set(pool, catalogue);
    latest.set(pool.requirements, catalogue);
  }
  return catalogue;
}

/** By the objects that they are made of, which snapshots and forks share. */
function sellAlike(one: NodePool, other: NodePool): boolean {
  return (["name", "labels", "requirements", "defaultKeys", "nodeClassRef", "instanceTypes"] as const).every(
    (part) => one[part] === other[part],
  );
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

/** Equal for choices that the batch cannot tell apart. */
function meaningOfChoice(choice: LabelChoice, key: string, labelKeys: LabelKeys): string | Requirement {
  if (choice === undefined) return "absent";
  return typeof choice === "string" ? meaningOf(choice, key, labelKeys) : choice;
}

/** Each value as a number, counted in the order in which they come: equal values, equal numbers. */
function numbered(values: readonly unknown[]): number[] {
  const numbers = new Map<unknown, number>();
  return values.map((value) => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  });
}

const noKeys: ReadonlySet<string> = new Set();

function describeChoice(choice: LabelChoice, known: Map<Requirement, string>): string {
  if (choice === undefined || typeof choice === "string") return choice === undefined ? "-" : `=${choice}`;
  let text = known.get(choice);
  if (text === undefined) {
    const { isComplement, values, atLeast, atMost } = choice;
    text = `?${isComplement} ${atLeast} ${atMost} ${JSON.stringify([...values].sort())}`;
    known.set(choice, text);
  }
  return text;
}
