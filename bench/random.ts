import { seededRandom } from "../src/core/model/seeded-random.ts";

/** The same numbers for the same seed, on every machine: an FNV-1a hash of the seed drives mulberry32. */
export class Random {
  /** At least 0 and below 1. */
  readonly next: () => number;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (let index = 0; index < seed.length; index++) {
      hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
    }
    this.next = seededRandom(hash);
  }

  choose<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.next() * values.length)] ?? values[0];
  }

  /** At least 1, and above x with probability x^-alpha: many small ones and a few huge ones. */
  pareto(alpha: number): number {
    return (1 - this.next()) ** (-1 / alpha);
  }
}
