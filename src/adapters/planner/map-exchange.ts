import type { Packing } from "./shelf.ts";

/** How a map differs from the last one that was sent. */
export interface MapNews<Packed> {
  readonly changed: readonly (readonly [string, Packed])[];
  readonly removed: readonly string[];
}

/** Sends a map again and again, each time only the entries that are other objects than before. */
export class MapSender<T extends object, Packed = T> {
  readonly #packing: Packing<T, Packed>;
  #sent: ReadonlyMap<string, T> = new Map();

  constructor(packing: Packing<T, Packed>) {
    this.#packing = packing;
  }

  /** Yields after each entry that has to cross, so that a large map need not do so at once. */
  *send(map: ReadonlyMap<string, T>): Generator<undefined, MapNews<Packed>> {
    const before = this.#sent;
    const changed: [string, Packed][] = [];
    const removed: string[] = [];
    if (map === before) return { changed, removed };
    let kept = 0;
    for (const [key, value] of map) {
      const other = before.get(key);
      if (other !== undefined) kept++;
      if (other === value) continue;
      changed.push([key, this.#packing.pack(value)]);
      if (other !== undefined) this.#packing.drop(other);
      yield;
    }
    if (kept < before.size) {
      for (const [key, value] of before) {
        if (map.has(key)) continue;
        removed.push(key);
        this.#packing.drop(value);
      }
    }
    this.#sent = map;
    return { changed, removed };
  }
}

export class MapReceiver<T, Packed = T> {
  readonly #unpack: (packed: Packed) => T;
  #map: ReadonlyMap<string, T> = new Map();

  constructor(unpack: (packed: Packed) => T) {
    this.#unpack = unpack;
  }

  /** The map as it was sent; earlier ones stay as they are. */
  receive({ changed, removed }: MapNews<Packed>): ReadonlyMap<string, T> {
    if (changed.length === 0 && removed.length === 0) return this.#map;
    const map = new Map(this.#map);
    for (const key of removed) map.delete(key);
    for (const [key, packed] of changed) map.set(key, this.#unpack(packed));
    this.#map = map;
    return map;
  }
}
