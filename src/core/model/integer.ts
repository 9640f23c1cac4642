export const largestInteger = 2n ** 63n - 1n;
export const smallestInteger = -(2n ** 63n);

/**
 * The signed 64-bit integer that a label value spells, undefined when it spells none. Up to fifteen digits, which is
 * nearly always, it is a number, because comparing that with a bigint allocates nothing.
 */
export function integerOf(text: string): number | bigint | undefined {
  const first = text.charCodeAt(0);
  const isNegative = first === minus;
  const start = isNegative || first === plus ? 1 : 0;
  if (start === text.length) return undefined;
  let total = 0;
  for (let position = start; position < text.length; position++) {
    const digit = text.charCodeAt(position) - zero;
    if (digit < 0 || digit > 9) return undefined;
    total = total * 10 + digit;
  }
  if (text.length - start <= 15) return isNegative ? -total : total;
  const exact = BigInt(text);
  return exact >= smallestInteger && exact <= largestInteger ? exact : undefined;
}

const zero = 48;
const plus = 43;
const minus = 45;
