import type { Environment } from "@marcbachmann/cel-js";
import { parseQuantity } from "../../core/model/quantity.ts";
import { celError } from "./cel-error.ts";

const whole = 10n ** 9n;

class Quantity {
  /** In billionths. */
  readonly amount: bigint;
  constructor(amount: bigint) {
    this.amount = amount;
  }
}

/** The quantity library of Kubernetes. */
export function registerQuantityFunctions(environment: Environment): void {
  const sync = { async: false };
  const type = "kubernetes.Quantity";
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler as (...values: unknown[]) => unknown, sync);
  };
  environment.registerType(type, { ctor: Quantity, fields: {} });
  environment.registerOperator(`${type} == ${type}`, (one: Quantity, other: Quantity) => one.amount === other.amount);
  register("isQuantity(string): bool", (text: string) => parseQuantity(text) !== undefined);
  register(`quantity(string): ${type}`, read);
  register(`${type}.isLessThan(${type}): bool`, (one: Quantity, other: Quantity) => one.amount < other.amount);
  register(`${type}.isGreaterThan(${type}): bool`, (one: Quantity, other: Quantity) => one.amount > other.amount);
  register(`${type}.compareTo(${type}): int`, (one: Quantity, other: Quantity) => sign(one.amount - other.amount));
  register(
    `${type}.add(${type}): ${type}`,
    (one: Quantity, other: Quantity) => new Quantity(one.amount + other.amount),
  );
  register(`${type}.add(int): ${type}`, ({ amount }: Quantity, more: bigint) => new Quantity(amount + more * whole));
  register(
    `${type}.sub(${type}): ${type}`,
    (one: Quantity, other: Quantity) => new Quantity(one.amount - other.amount),
  );
  register(`${type}.sub(int): ${type}`, ({ amount }: Quantity, less: bigint) => new Quantity(amount - less * whole));
  register(`${type}.isInteger(): bool`, ({ amount }: Quantity) => amount % whole === 0n);
  register(`${type}.asInteger(): int`, asInteger);
  register(`${type}.asApproximateFloat(): double`, ({ amount }: Quantity) => Number(amount) / Number(whole));
}

function read(text: string): Quantity {
  const amount = parseQuantity(text);
  if (amount !== undefined) return new Quantity(amount);
  throw celError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

function sign(amount: bigint): bigint {
  return amount === 0n ? 0n : amount < 0n ? -1n : 1n;
}

function asInteger({ amount }: Quantity): bigint {
  if (amount % whole !== 0n) throw celError("cannot convert value to integer");
  return amount / whole;
}
