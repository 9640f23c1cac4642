import { parseQuantity } from "../../core/model/quantity.ts";

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const alreadyCanonical = /^(?:[1-9]\d{0,2}(?:m|k|M|G|Ki|Mi|Gi|Ti)?|0)$/;
const whole = 1_000_000_000n;

/** How the API server writes a quantity back: without fractions, with the largest suffix that allows it. Undefined if it is none. */
export function canonicalQuantity(text: string | number): string | undefined {
  const written = String(text);
  if (alreadyCanonical.test(written)) return written;
  const amount = parseQuantity(written);
  if (amount === undefined) return undefined;
  if (/i$/.test(written) && (amount <= -1024n * whole || amount >= 1024n * whole)) {
    return scaled(divideUp(amount, whole), 1024n, binarySuffixes);
  }
  if (/[eE][+-]?\d+$/.test(written)) {
    const [digits, exponent] = withoutFactors(amount, 1000n, decimalSuffixes.length - 1);
    const power = exponent * 3 - 9;
    return power === 0 ? `${digits}` : `${digits}e${power}`;
  }
  return scaled(amount, 1000n, decimalSuffixes);
}

function scaled(amount: bigint, base: bigint, suffixes: readonly string[]): string {
  if (amount === 0n) return "0";
  const [digits, exponent] = withoutFactors(amount, base, suffixes.length - 1);
  return `${digits}${suffixes[exponent]}`;
}

function withoutFactors(amount: bigint, base: bigint, most: number): [bigint, number] {
  let [digits, exponent] = [amount, 0];
  while (digits !== 0n && exponent < most && digits % base === 0n) [digits, exponent] = [digits / base, exponent + 1];
  return [digits, exponent];
}

function divideUp(amount: bigint, divisor: bigint): bigint {
  const rest = amount % divisor;
  return amount / divisor + (rest === 0n ? 0n : amount > 0n ? 1n : -1n);
}
