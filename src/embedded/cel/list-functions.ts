import type { Environment } from "@marcbachmann/cel-js";
import { celError } from "./cel-error.ts";

/** What can be compared with less-than. */
type Ordered = bigint | number | string | boolean | Date | { valueOf(): number };

const orderedTypes = "int double string bool google.protobuf.Timestamp google.protobuf.Duration".split(" ");

/** The list library of Kubernetes, and that of sets. */
export function registerListFunctions(environment: Environment): void {
  const sync = { async: false };
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler as (...values: unknown[]) => unknown, sync);
  };
  for (const type of orderedTypes) {
    register(`list<${type}>.isSorted(): bool`, isSorted);
    register(`list<${type}>.min(): ${type}`, (list: Ordered[]) => extreme("min", list));
    register(`list<${type}>.sort(): list<${type}>`, (list: Ordered[]) => list.toSorted(compare));
    register(`list<${type}>.max(): ${type}`, (list: Ordered[]) => extreme("max", list));
  }
  register("list<int>.sum(): int", (list: bigint[]) => list.reduce((sum, item) => sum + item, 0n));
  register("list<double>.sum(): double", (list: number[]) => list.reduce((sum, item) => sum + item, 0));
  register("list<dyn>.indexOf(dyn): int", (list: unknown[], item: unknown) => BigInt(list.findIndex(isSame(item))));
  register("list<dyn>.lastIndexOf(dyn): int", (list: unknown[], item: unknown) =>
    BigInt(list.findLastIndex(isSame(item))),
  );
  register("list<A>.reverse(): list<A>", (list: unknown[]) => list.toReversed());
  register("list<A>.distinct(): list<A>", distinct);
  register("list<A>.slice(int, int): list<A>", slice);
  register("list<list<A>>.flatten(): list<A>", (list: unknown[]) => list.flat());
  class Lists {}
  environment.registerType("ListsNamespace", Lists).registerConstant("lists", "ListsNamespace", new Lists());
  register("ListsNamespace.range(int): list<int>", (_: Lists, size: bigint) => range(size));
  class Sets {}
  environment.registerType("SetsNamespace", Sets).registerConstant("sets", "SetsNamespace", new Sets());
  register("SetsNamespace.contains(list, list): bool", (_: Sets, all: unknown[], part: unknown[]) =>
    contains(all, part),
  );
  register("SetsNamespace.intersects(list, list): bool", (_: Sets, one: unknown[], other: unknown[]) => {
    return other.some((item) => one.some(isSame(item)));
  });
  register("SetsNamespace.equivalent(list, list): bool", (_: Sets, one: unknown[], other: unknown[]) => {
    return contains(one, other) && contains(other, one);
  });
}

function contains(all: readonly unknown[], part: readonly unknown[]): boolean {
  return part.every((item) => all.some(isSame(item)));
}

function isSame(item: unknown): (other: unknown) => boolean {
  return (other) => areSame(item, other);
}

/** Equality of values of CEL, which are deep. */
export function areSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    // Integers and doubles of the same size are equal.
    const areNumbers = typeof one === "bigint" || typeof other === "bigint";
    // biome-ignore lint/suspicious/noDoubleEquals: compares integers with doubles
    return areNumbers && typeof one !== "string" && typeof other !== "string" && one == other;
  }
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => areSame(item, other[index]))
    );
  }
  if (one instanceof Map) {
    if (!(other instanceof Map) || one.size !== other.size) return false;
    return [...one].every(([key, value]) => other.has(key) && areSame(value, other.get(key)));
  }
  if (one instanceof Uint8Array) {
    return other instanceof Uint8Array && one.length === other.length && one.every((byte, at) => byte === other[at]);
  }
  return one.constructor === other.constructor && one.valueOf() === other.valueOf();
}

function isSorted(list: readonly Ordered[]): boolean {
  return list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item);
}

function compare(one: Ordered, other: Ordered): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function extreme(name: "min" | "max", list: readonly Ordered[]): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw celError(`${name} called on empty list`);
  const sign = name === "min" ? -1 : 1;
  return rest.reduce((best, item) => (compare(item, best) === sign ? item : best), first);
}

function distinct(list: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  for (const item of list) if (!found.some(isSame(item))) found.push(item);
  return found;
}

function slice(list: readonly unknown[], start: bigint, end: bigint): unknown[] {
  const size = BigInt(list.length);
  if (start < 0n || end < 0n) throw celError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw celError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > size) throw celError(`cannot slice(${start}, ${end}), list is length ${size}`);
  return list.slice(Number(start), Number(end));
}

/** The longest list that a function may make. */
const longestList = 100_000n;

function range(size: bigint): bigint[] {
  if (size > longestList) throw celError("operation cancelled: actual cost limit exceeded");
  return Array.from({ length: Math.max(0, Number(size)) }, (_, index) => BigInt(index));
}
