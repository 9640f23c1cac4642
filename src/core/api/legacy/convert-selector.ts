import type { Field } from "../field.ts";

/** More than any node class may hold. */
const mostTerms = 30;

export type Term = Readonly<Record<string, unknown>>;

/** A map of tags in which commas separate alternatives, and special keys list ids: the old way to select things of AWS. */
export interface SelectorParts {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly owners: readonly string[];
  /** The alternatives, each a map of tags that must all match; one empty map when there are no tags. */
  readonly tagSets: readonly Readonly<Record<string, string>>[];
}

const idKeys: ReadonlySet<string> = new Set(["aws-ids", "aws::ids"]);

export function readSelector(field: Field): SelectorParts {
  const ids: string[] = [];
  const names: string[] = [];
  const owners: string[] = [];
  let tagSets: Readonly<Record<string, string>>[] = [{}];
  for (const [key, value] of field.labels()) {
    if (idKeys.has(key)) ids.push(...partsOf(value));
    else if (key === "aws::name") names.push(...partsOf(value));
    else if (key === "aws::owners") owners.push(...partsOf(value));
    else tagSets = product(tagSets, key, value);
    if (tagSets.length > mostTerms) {
      field.note(
        `must not have more than ${mostTerms} combinations of values: list ids, or give what is meant one tag`,
      );
      break;
    }
  }
  return { ids, names, owners, tagSets };
}

/** `Object.fromEntries` keeps even a tag called `__proto__` a tag. */
function product(
  sets: readonly Readonly<Record<string, string>>[],
  key: string,
  value: string,
): Readonly<Record<string, string>>[] {
  const values = partsOf(value);
  return sets
    .slice(0, mostTerms)
    .flatMap((set) =>
      (values.length === 0 ? ["*"] : values.slice(0, mostTerms + 1)).map((one) =>
        Object.fromEntries([...Object.entries(set), [key, one]]),
      ),
    );
}

function partsOf(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Terms for subnets or security groups; none when the selector says nothing. */
export function convertSelector(field: Field): Term[] {
  const { ids, names, owners, tagSets } = readSelector(field);
  if (names.length > 0 || owners.length > 0) field.note("must not have aws::name or aws::owners, which are for images");
  const hasTags = Object.keys(tagSets[0] ?? {}).length > 0;
  if (ids.length > 0 && hasTags) field.note("must have either ids or tags: remove one of them");
  if (ids.length > mostTerms) field.note(`must not list more than ${mostTerms} ids: select by a tag instead`);
  if (ids.length > 0) return ids.map((id) => ({ id }));
  return hasTags ? tagSets.map((tags) => ({ tags })) : [];
}
