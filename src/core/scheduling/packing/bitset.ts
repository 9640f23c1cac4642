/** A set of small integers. */
export type Bitset = Uint32Array;

export function emptyBitset(size: number): Bitset {
  return new Uint32Array((size + 31) >>> 5);
}

export function addBit(set: Bitset, index: number): void {
  set[index >>> 5]! |= 1 << (index & 31);
}

export function hasBit(set: Bitset, index: number): boolean {
  return (set[index >>> 5]! & (1 << (index & 31))) !== 0;
}
