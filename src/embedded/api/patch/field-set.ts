/**
 * Fields as `fieldsV1` writes them: `f:` for a field, `k:` for an item of a keyed list, `v:` for one of a set. What has
 * nothing below it is in the set itself; what has something below it is in the set if it has a `.` too.
 */
export type FieldSet = { readonly [key: string]: FieldSet };

export const emptySet: FieldSet = {};

/** Undefined for what is neither in the set nor has anything below it. */
export function fieldNode(isMember: boolean, below: FieldSet): FieldSet | undefined {
  if (isEmptySet(below)) return isMember ? {} : undefined;
  return isMember ? { ".": {}, ...below } : below;
}

export function isMember(node: FieldSet | undefined): boolean {
  return node !== undefined && ("." in node || isEmptySet(node));
}

export function isEmptySet(fields: FieldSet): boolean {
  for (const _ in fields) return false;
  return true;
}

/** Fields of either. */
export function unite(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA || inB);
}

/** Fields of both. */
export function intersect(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB);
}

/** Fields of the first that are not in the second. */
export function subtract(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB);
}

type Choice = (inA: boolean, inB: boolean) => boolean;

function combine(a: FieldSet, b: FieldSet, isChosen: Choice): FieldSet {
  const chosen: { [key: string]: FieldSet } = {};
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (key === ".") continue;
    const [left, right] = [a[key], b[key]];
    const below = combine(left ?? emptySet, right ?? emptySet, isChosen);
    const node = fieldNode(isChosen(isMember(left), isMember(right)), below);
    if (node !== undefined) chosen[key] = node;
  }
  return chosen;
}

/** Paths such as `.spec.containers[name="a"].image`, as conflicts tell them. */
export function pathsOf(fields: FieldSet, prefix = ""): string[] {
  const keys = Object.keys(fields)
    .filter((key) => key !== ".")
    .sort();
  const own = keys.filter((key) => isMember(fields[key])).map((key) => `${prefix}${pathElement(key)}`);
  const below = keys.flatMap((key) => pathsOf(fields[key] ?? emptySet, `${prefix}${pathElement(key)}`));
  return [...own, ...below];
}

/** How a path shows one step, as in `.spec` or `[name="a"]`. */
export function pathElement(key: string): string {
  const text = key.slice(2);
  if (key.startsWith("f:")) return `.${text}`;
  if (key.startsWith("v:")) return `[=${text}]`;
  const keys = Object.entries(JSON.parse(text) as { [name: string]: unknown });
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
}
