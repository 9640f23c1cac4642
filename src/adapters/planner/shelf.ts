/** What has come to a shelf and what has left it. */
export interface ShelfNews<Packed> {
  readonly numbers: readonly number[];
  /** Of each number in turn. */
  readonly values: readonly Packed[];
  readonly gone: readonly number[];
}

/** How a value crosses to the other thread, and what to do when it is wanted there no more. */
export interface Packing<T, Packed> {
  readonly pack: (value: T) => Packed;
  readonly drop: (value: T) => void;
}

export function asItIs<T>(value: T): T {
  return value;
}

export function whole<T>(): Packing<T, T> {
  return { pack: asItIs, drop: () => {} };
}

/**
 * Objects that the other thread has or is about to get. Each crosses once, and goes by a number for as long as somebody
 * uses it.
 */
export class SendingShelf<T, Packed = T> {
  readonly #held = new Map<T, { readonly number: number; uses: number }>();
  readonly #packing: Packing<T, Packed>;
  #lastNumber = 0;
  #numbers: number[] = [];
  #values: Packed[] = [];
  #gone: number[] = [];
  #released: T[] = [];

  constructor(packing: Packing<T, Packed>) {
    this.#packing = packing;
  }

  /** Each `take` wants a `release` in the end. */
  take(value: T): number {
    const held = this.#held.get(value);
    if (held !== undefined) {
      held.uses++;
      return held.number;
    }
    const number = ++this.#lastNumber;
    this.#held.set(value, { number, uses: 1 });
    this.#numbers.push(number);
    this.#values.push(this.#packing.pack(value));
    return number;
  }

  release(value: T): void {
    this.#released.push(value);
  }

  /** Lets go of what nobody uses any more. Whatever has been released until now can still be taken again. */
  sweep(): void {
    for (const value of this.#released) {
      const held = this.#held.get(value);
      if (held === undefined || --held.uses > 0) continue;
      this.#held.delete(value);
      this.#gone.push(held.number);
      this.#packing.drop(value);
    }
    this.#released = [];
  }

  /** How many values the next news will bring. */
  get waiting(): number {
    return this.#values.length;
  }

  /** What has happened since the last time. */
  news(): ShelfNews<Packed> {
    const news = { numbers: this.#numbers, values: this.#values, gone: this.#gone };
    this.#numbers = [];
    this.#values = [];
    this.#gone = [];
    return news;
  }
}

export class ReceivingShelf<T, Packed = T> {
  readonly #values = new Map<number, T>();
  readonly #unpack: (packed: Packed) => T;

  constructor(unpack: (packed: Packed) => T) {
    this.#unpack = unpack;
  }

  get size(): number {
    return this.#values.size;
  }

  learn({ numbers, values, gone }: ShelfNews<Packed>): void {
    for (const [index, number] of numbers.entries()) this.#values.set(number, this.#unpack(values[index] as Packed));
    for (const number of gone) this.#values.delete(number);
  }

  readonly get = (number: number): T => {
    const value = this.#values.get(number);
    if (value === undefined && !this.#values.has(number)) throw new Error(`Number ${number} never arrived`);
    return value as T;
  };
}
