import { type Random, seededRandom } from "../../../src/core/model/seeded-random.ts";

/** Random choices that a seed repeats. */
export class Dice {
  /** From 0 to below 1. */
  readonly next: Random;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** From least to most, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)]!;
  }

  /** Each with the same chance, in their order. */
  some<T>(choices: readonly T[], share = 0.5): T[] {
    return choices.filter(() => this.chance(share));
  }

  /** At least one. */
  several<T>(choices: readonly T[]): T[] {
    const certain = this.pick(choices);
    return choices.filter((choice) => choice === certain || this.chance(0.5));
  }

  times<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, index) => make(index));
  }

  /** The object, or nothing to spread. */
  maybe<T extends object>(share: number, make: () => T): T | Record<string, never> {
    return this.chance(share) ? make() : {};
  }
}
