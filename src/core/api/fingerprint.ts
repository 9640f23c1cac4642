const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/** FNV-1a with 64 bits, in decimal, over what JSON makes of it. */
export function fingerprint(value: unknown): string {
  const text = JSON.stringify(value);
  let hash = offsetBasis;
  for (let index = 0; index < text.length; index++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * prime);
  }
  return hash.toString();
}
