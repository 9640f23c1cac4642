import { addBit, type Bitset, emptyBitset, hasBit } from "./packing/bitset.ts";

/** A set of machine groups. Equal sets have the same key. */
export interface GroupSet {
  readonly key: string;
  has(group: { readonly index: number }): boolean;
}

/** Makes sets of groups, one object for all that are equal. */
export class GroupSets {
  private readonly size: number;
  private readonly known = new Map<string, GroupSet>();

  constructor(size: number) {
    this.size = size;
  }

  of(groups: Iterable<{ readonly index: number }>): GroupSet {
    const bits = emptyBitset(this.size);
    for (const { index } of groups) addBit(bits, index);
    const content = bits.join();
    let set = this.known.get(content);
    if (!set) {
      set = groupSet(String(this.known.size), bits);
      this.known.set(content, set);
    }
    return set;
  }
}

function groupSet(key: string, bits: Bitset): GroupSet {
  return { key, has: ({ index }) => hasBit(bits, index) };
}
