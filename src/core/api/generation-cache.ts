/** Enough for every workload of the largest clusters; two generations of this many are kept. */
const generationSize = 50_000;

/**
 * Remembers things by key, and forgets those that nobody has asked for since some tens of thousands of others came:
 * workloads come and go for months in one process.
 */
export class GenerationCache<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  readonly #size: number;

  constructor(size = generationSize) {
    this.#size = size;
  }

  get(key: string): T | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: T): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
