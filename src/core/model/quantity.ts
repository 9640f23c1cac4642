/** An exact amount in billionths, the finest step that Kubernetes keeps. */
export type Quantity = bigint;

const scale = 9;
const one = 10n ** BigInt(scale);
/** Kubernetes keeps no amount beyond a signed 64-bit integer of whole units. */
const largest = (2n ** 63n - 1n) * one;

const notation = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d+))?$/;

const decimalExponents: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

const binaryFactors: ReadonlyMap<string, bigint> = new Map([
  ["Ki", 2n ** 10n],
  ["Mi", 2n ** 20n],
  ["Gi", 2n ** 30n],
  ["Ti", 2n ** 40n],
  ["Pi", 2n ** 50n],
  ["Ei", 2n ** 60n],
]);

/**
 * Reads every notation that Kubernetes accepts; undefined for anything else. What is finer than a billionth is rounded
 * away from zero, so that a request never becomes nothing, and what is too large becomes the largest amount.
 */
export function parseQuantity(text: string | number): Quantity | undefined {
  const match = notation.exec(String(text));
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", suffix = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  const digits = (whole + fraction).replace(/^0+/, "");
  const decimals = Number(exponent) + (decimalExponents.get(suffix) ?? 0) - fraction.length;
  const magnitude = billionths(digits, binaryFactors.get(suffix) ?? 1n, decimals);
  return sign === "-" ? -magnitude : magnitude;
}

/** Rounded up, `digits × factor × 10^exponent` in billionths. */
function billionths(digits: string, factor: bigint, exponent: number): bigint {
  if (digits === "") return 0n;
  // The position of the leading digit decides the hopeless cases, so that no exponent makes us build a giant number.
  const leading = digits.length + exponent;
  if (leading > 19) return largest;
  if (leading < -40) return 1n;
  const shift = exponent + scale;
  const unscaled = BigInt(digits) * factor;
  const amount = shift >= 0 ? unscaled * 10n ** BigInt(shift) : divideUp(unscaled, 10n ** BigInt(-shift));
  if (amount > largest) return largest;
  return amount;
}

/** Thousandths, rounded away from zero. */
export function milliValue(quantity: Quantity): number {
  return toSafeNumber(divideUp(quantity, one / 1000n));
}

/** Whole units, rounded away from zero. */
export function wholeValue(quantity: Quantity): number {
  return toSafeNumber(divideUp(quantity, one));
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  return dividend > 0n ? quotient + 1n : quotient - 1n;
}

function toSafeNumber(value: bigint): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)));
}

const byteUnits = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** The planner's whole units in the notation people write: "1500m" of cpu, "1.5Gi" of memory, "3" of anything else. */
export function formatAmount(resource: string, amount: number): string {
  if (resource === "cpu") return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  return isInBytes(resource) ? formatBytes(amount) : String(amount);
}

function isInBytes(resource: string): boolean {
  return resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");
}

/** Exact where that is short ("1.5Gi", "7577Mi"), else rounded to two decimals ("953.67Mi"). */
function formatBytes(bytes: number): string {
  let power = 0;
  while (power < byteUnits.length - 1 && Math.abs(bytes) >= 1024 ** (power + 1)) power++;
  const amount = bytes / 1024 ** power;
  const rounded = Number(amount.toFixed(2));
  const finer = amount * 1024;
  if (rounded !== amount && power > 0 && Number.isInteger(finer) && Math.abs(finer) < 100_000) {
    return `${finer}${byteUnits[power - 1]}`;
  }
  return `${rounded}${byteUnits[power]}`;
}
