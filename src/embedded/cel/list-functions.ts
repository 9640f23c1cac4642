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
    register(`list<${type}>.min(): ${type}`, (list: Ordered[]) => extreme(list, (one, other) => one < other));
    register(`list<${type}>.max(): ${type}`, (list: Ordered[]) => extreme(list, (one, other) => one > other));
  }
  register("list<int>.sum(): int", (list: bigint[]) => list.reduce((sum, item) => sum + item, 0n));
  register("list<double>.sum(): double", (list: number[]) => list.reduce((sum, item) => sum + item, 0));
  register("list<dyn>.indexOf(dyn): int", (list: unknown[], item: unknown) => BigInt(list.findIndex(isSame(item))));
  register("list<dyn>.lastIndexOf(dyn): int", (list: unknown[], item: unknown) =>
    BigInt(list.findLastIndex(isSame(item))),
  );
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

function extreme(list: readonly Ordered[], isBetter: (one: Ordered, other: Ordered) => boolean): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw celError("min/max called on empty list");
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first);
}
