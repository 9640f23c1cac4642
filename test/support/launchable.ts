import type { InstanceType, Offering } from "../../src/core/model/instance-type.ts";
import { type Labels, nodePoolLabel } from "../../src/core/model/labels.ts";
import type { NodePool } from "../../src/core/model/node-pool.ts";
import {
  acceptsAbsence,
  anyValue,
  has,
  intersection,
  makeRequirement,
  type Requirement,
  type Requirements,
} from "../../src/core/model/requirements.ts";
import type { PlannedNode } from "../../src/core/scheduling/plan.ts";

/** One machine that a cloud could launch, with labels that its node could get. */
export interface Launch {
  readonly pool: NodePool;
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly labels: Labels;
}

const mostLabelings = 256;

/** Everything that a cloud may launch for the claim of a planned node. */
export function launchesOf({ pool, instanceTypes, requirements }: PlannedNode): Launch[] {
  const named = new Set(instanceTypes);
  return pool.instanceTypes
    .filter(({ name }) => named.has(name))
    .flatMap((type) =>
      type.offerings.filter(isForSale).flatMap((offering) => {
        const sources = [requirements, stampedLabels(pool), type.requirements, offering.requirements];
        return labelings(sources, new Map()).map((labels) => ({ pool, type, offering, labels }));
      }),
    );
}

/** What a pod would find if it were alone with the market: every way to launch a node of the pool. */
export interface MarketView {
  /** Label values that somebody tells apart. */
  readonly named: ReadonlyMap<string, ReadonlySet<string>>;
  /** Labels that nobody has to promise. */
  readonly wellKnown: ReadonlySet<string>;
}

/** Offerings that are sold out are included: their zones exist. */
export function marketOf(pool: NodePool, { named, wellKnown }: MarketView): Launch[] {
  const required = new Map([...pool.requirements].filter(([key]) => !(pool.defaultKeys.has(key) && named.has(key))));
  const open = new Map<string, Requirement>();
  for (const key of named.keys()) if (wellKnown.has(key)) open.set(key, makeRequirement("NotIn", ["\n"]));
  return pool.instanceTypes.flatMap((type) =>
    type.offerings.flatMap((offering) => {
      const sources = [required, stampedLabels(pool), type.requirements, offering.requirements, open];
      return labelings(sources, named).map((labels) => ({ pool, type, offering, labels }));
    }),
  );
}

export function isForSale({ isAvailable, reservationCapacity }: Offering): boolean {
  return isAvailable && reservationCapacity !== 0;
}

/** Labels that the controller gives every node of the pool. */
function stampedLabels(pool: NodePool): Requirements {
  const { group, kind, name } = pool.nodeClassRef;
  const labels = [...pool.labels, [nodePoolLabel, pool.name], [`${group}/${kind.toLowerCase()}`, name]] as const;
  return new Map(labels.map(([key, value]) => [key, makeRequirement("In", [value])]));
}

/** Every set of labels that meets all the sources; none when they contradict each other. */
function labelings(
  sources: readonly Requirements[],
  named: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, string>[] {
  let found: Map<string, string>[] = [new Map()];
  for (const key of new Set(sources.flatMap((source) => [...source.keys()]))) {
    const values = valuesOf(
      sources.map((source) => source.get(key)).filter((one) => one !== undefined),
      named.get(key),
    );
    found = found.flatMap((labels) =>
      values.map((value) => (value === undefined ? labels : new Map(labels).set(key, value))),
    );
    if (found.length > mostLabelings) throw new Error(`More than ${mostLabelings} ways to label a node`);
  }
  return found;
}

/** The values a label can get, undefined where it may be missing. */
function valuesOf(
  requirements: readonly Requirement[],
  named: ReadonlySet<string> = new Set(),
): readonly (string | undefined)[] {
  const combined = requirements.reduce(intersection);
  const mayBeMissing = requirements.every(acceptsAbsence);
  if (!combined.isComplement) return combined.values.size > 0 ? [...combined.values] : mayBeMissing ? [undefined] : [];
  const values = new Set([...named].filter((value) => has(combined, value)));
  const other = anyValue(intersection(combined, makeRequirement("NotIn", [...named])));
  if (other !== "") values.add(other);
  return mayBeMissing ? [...values, undefined] : [...values];
}
