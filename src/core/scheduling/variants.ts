import { acceptsAbsence, has, type NodeTerm, type Requirement } from "../model/requirements.ts";
import { cloudDecides, type LabelChoice } from "./catalogue.ts";
import type { LabelKeys } from "./label-keys.ts";

/** One way to settle the labels that a machine leaves open. */
export interface Variant {
  readonly labels: ReadonlyMap<string, string>;
  /** Made for pods that name it; the others have a variant that nobody names. */
  readonly isSpecific: boolean;
}

/** A label that may become any of these; undefined stands for a node without it. The first is what nobody asked for. */
interface OpenLabel {
  readonly key: string;
  readonly values: readonly (string | undefined)[];
}

type Settled = ReadonlyMap<string, string | undefined>;

/** As long as there are no more than this, all combinations of all values are looked at. */
const maxCombinations = 64;

/** No more variants than this are made of a machine, nor of the topology domains it can be in, nor for one pod's wish. */
const maxVariants = 4096;
const maxDomainCombinations = 1024;
const maxCombinationsOfWish = 16;

/**
 * The ways to settle open labels that pods of this batch could tell apart. When there are too many combinations, one
 * for every topology domain and one for every wish of a pod will do: pods with different wishes do not share a node then.
 */
export function variantsOf(choices: readonly LabelChoice[], labelKeys: LabelKeys): Variant[] {
  const fixed = new Map<string, string>();
  const open: OpenLabel[] = [];
  labelKeys.keys.forEach((key, index) => {
    const choice = choices[index];
    if (typeof choice === "string") fixed.set(key, choice);
    else if (choice !== undefined) open.push({ key, values: openValues(key, choice, labelKeys) });
  });
  const combinations = open.reduce((product, { values }) => product * values.length, 1);
  const isFew = combinations <= maxCombinations;
  const settled = isFew ? allCombinations(open, maxCombinations) : wantedCombinations(open, labelKeys);
  const usual = new Map(open.map(({ key, values }) => [key, values[0]]));
  return settled.map((values) => ({
    labels: new Map([...fixed, ...[...values].filter(isPresent)]),
    isSpecific:
      !isFew && open.some(({ key }) => !labelKeys.topologyKeys.has(key) && values.get(key) !== usual.get(key)),
  }));
}

function isPresent(entry: readonly [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

/** The values of an open label that somebody could tell apart, and one that nobody names. */
function openValues(
  key: string,
  choice: Requirement,
  { valuesByKey, topologyKeys }: LabelKeys,
): (string | undefined)[] {
  const named = valuesByKey.get(key)!;
  const values = [...named].filter((value) => has(choice, value)).sort();
  if (!choice.isComplement) {
    const others = [...choice.values].filter((value) => !named.has(value) && has(choice, value)).sort();
    return [...(topologyKeys.has(key) ? others : others.slice(0, 1)), ...values];
  }
  // Nobody can promise a value that only the cloud knows, unless a pod insists on it.
  if (choice === cloudDecides) return [undefined, ...values];
  const unnamed = unnamedValue(choice, named);
  const absence = acceptsAbsence(choice) ? [undefined] : [];
  return [...(unnamed === undefined ? [] : [unnamed]), ...values, ...absence];
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

function allCombinations(labels: readonly OpenLabel[], most: number): Settled[] {
  let combinations: Settled[] = [new Map()];
  for (const { key, values } of labels) {
    combinations = combinations
      .flatMap((settled) => values.map((value) => new Map(settled).set(key, value)))
      .slice(0, most);
  }
  return combinations;
}

function wantedCombinations(open: readonly OpenLabel[], { topologyKeys, wishes }: LabelKeys): Settled[] {
  const usual = new Map(open.map(({ key, values }) => [key, values[0]]));
  const variants = new Map<string, Settled>();
  const add = (settled: Settled) => {
    if (variants.size < maxVariants) variants.set(JSON.stringify([...settled]), settled);
  };
  for (const domain of domainCombinations(open.filter(({ key }) => topologyKeys.has(key)))) {
    add(new Map([...usual, ...domain]));
  }
  const domains = [...variants.values()];
  for (const wish of wishes) {
    for (const granted of grant(wish, open)) {
      for (const domain of domains)
        if (accepts(wish, domain, topologyKeys)) add(new Map([...usual, ...domain, ...granted]));
    }
  }
  return [...variants.values()];
}

/** All combinations of topology domains, or where those are too many, every domain with the usual ones of other keys. */
function domainCombinations(labels: readonly OpenLabel[]): Settled[] {
  const combinations = labels.reduce((product, { values }) => product * values.length, 1);
  if (combinations <= maxDomainCombinations) return allCombinations(labels, maxDomainCombinations);
  return labels.flatMap(({ key, values }) => values.map((value) => new Map([[key, value]])));
}

/** The values of the open labels that a wish mentions, as it wants them. */
function grant(wish: NodeTerm, open: readonly OpenLabel[]): Settled[] {
  const mentioned: OpenLabel[] = [];
  for (const { key, values } of open) {
    const requirement = wish.get(key);
    if (!requirement) continue;
    mentioned.push({ key, values: values.filter((value) => isMet(requirement, value)) });
  }
  return mentioned.length === 0 ? [] : allCombinations(mentioned, maxCombinationsOfWish);
}

function accepts(wish: NodeTerm, domain: Settled, topologyKeys: ReadonlySet<string>): boolean {
  for (const [key, value] of domain) {
    const requirement = topologyKeys.has(key) ? wish.get(key) : undefined;
    if (requirement && !isMet(requirement, value)) return false;
  }
  return true;
}

function isMet(requirement: Requirement, value: string | undefined): boolean {
  return value === undefined ? acceptsAbsence(requirement) : has(requirement, value);
}
