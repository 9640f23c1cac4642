/** The same numbers for the same seed, on every machine: an FNV-1a hash of the seed drives mulberry32. */
export class Random {
  private state: number;

  constructor(seed: string) {
    this.state = 0x811c9dc5;
    for (let index = 0; index < seed.length; index++) {
      this.state = Math.imul(this.state ^ seed.charCodeAt(index), 0x01000193);
    }
  }

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  choose<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.next() * values.length)] ?? values[0];
  }

  /** At least 1, and above x with probability x^-alpha: many small ones and a few huge ones. */
  pareto(alpha: number): number {
    return (1 - this.next()) ** (-1 / alpha);
  }
}
