import { parseQuantity } from "../../core/model/quantity.ts";

const one = 10n ** 9n;
const milli = one / 1000n;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The text that the API server stores for a quantity ("1000m" is "1", "1.5Gi" is "1536Mi"); what is none stays as it is. */
export function canonicalQuantity(text: string): string {
  const amount = parseQuantity(text);
  return amount === undefined ? text : writeQuantity(amount, text);
}

/** As in lists of resources, which are kept in thousandths: what is finer is rounded up. */
export function canonicalResourceQuantity(text: string): string {
  const amount = parseQuantity(text);
  if (amount === undefined) return text;
  const rest = ((amount % milli) + milli) % milli;
  return writeQuantity(rest === 0n ? amount : amount - rest + milli, text);
}

/** `notation` is what somebody wrote: amounts stay binary, decimal or with an exponent as they were. */
function writeQuantity(amount: bigint, notation: string): string {
  if (amount === 0n) return "0";
  if (/[eE][+-]?\d+$/.test(notation)) return writeExponent(amount);
  const isBinary = notation.endsWith("i") && (amount >= 1024n * one || amount <= -1024n * one);
  return isBinary ? writeBinary(amount) : writeDecimal(amount);
}

function writeDecimal(amount: bigint): string {
  const { mantissa, power } = shorten(amount, 1000n, decimalSuffixes.length - 1);
  return `${mantissa}${decimalSuffixes[power]}`;
}

function writeExponent(amount: bigint): string {
  const { mantissa, power } = shorten(amount, 1000n, 12);
  const exponent = (power - 3) * 3;
  return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
}

function writeBinary(amount: bigint): string {
  const whole = amount % one === 0n ? amount / one : amount / one + (amount > 0n ? 1n : -1n);
  const { mantissa, power } = shorten(whole, 1024n, binarySuffixes.length - 1);
  return `${mantissa}${binarySuffixes[power]}`;
}

function shorten(amount: bigint, factor: bigint, mostPower: number): { mantissa: bigint; power: number } {
  let mantissa = amount;
  let power = 0;
  while (power < mostPower && mantissa % factor === 0n) {
    mantissa /= factor;
    power++;
  }
  return { mantissa, power };
}

/** Puts a list of resources into the form in which the server keeps it. */
export function canonicalizeResources(resources: Record<string, unknown> | undefined): void {
  for (const [name, quantity] of Object.entries(resources ?? {})) {
    if (resources !== undefined) resources[name] = canonicalResourceQuantity(String(quantity));
  }
}
