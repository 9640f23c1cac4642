import type { SendingShelf } from "./shelf.ts";

/** Sends a list of things from a shelf again and again. Most are where they were the last time. */
export class ListSender<T> {
  readonly #shelf: SendingShelf<T, unknown>;
  #sent: readonly T[] = [];
  #numbers: readonly number[] = [];

  constructor(shelf: SendingShelf<T, unknown>) {
    this.#shelf = shelf;
  }

  /** Yields after each thing that is not where it was, so that a large list need not cross at once. */
  *send(list: readonly T[]): Generator<undefined, readonly number[]> {
    const before = this.#sent;
    const numbers: number[] = [];
    for (const [index, value] of list.entries()) {
      const known = before[index] === value ? this.#numbers[index] : undefined;
      numbers.push(known ?? this.#shelf.take(value));
      if (known === undefined) yield;
    }
    for (const [index, value] of before.entries()) {
      if (index >= list.length || list[index] !== value) this.#shelf.release(value);
    }
    this.#sent = list;
    this.#numbers = numbers;
    return numbers;
  }
}
