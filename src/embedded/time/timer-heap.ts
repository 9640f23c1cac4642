import type { Timer } from "../../ports/clock.ts";

interface Entry {
  readonly at: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

/** Timers by the time they are due; those due together in the order they were set. */
export class TimerHeap {
  readonly #entries: Entry[] = [];
  #order = 0;
  /** About how many of the entries wait for nothing any more. */
  #cancelled = 0;

  add(at: number, callback: () => void): Timer {
    const entry: Entry = { at, order: this.#order++, callback };
    this.#entries.push(entry);
    this.#rise(this.#entries.length - 1);
    return {
      cancel: () => {
        if (entry.callback === undefined) return;
        entry.callback = undefined;
        this.#cancelled++;
        if (this.#cancelled > 1000 && this.#cancelled > this.#entries.length / 2) this.#sweep();
      },
    };
  }

  /** When the next timer is due. */
  earliest(): number | undefined {
    while (this.#entries.length > 0 && this.#entries[0]?.callback === undefined) this.#pop();
    return this.#entries[0]?.at;
  }

  /** Removes what is due, one by one, so that a callback may still cancel a later one; not what callbacks add meanwhile. */
  *takeDue(now: number): Generator<() => void> {
    const last = this.#order;
    for (;;) {
      const first = this.#entries[0];
      if (first === undefined || first.at > now || first.order >= last) return;
      this.#pop();
      if (first.callback !== undefined) yield first.callback;
    }
  }

  /** Timers of an hour that are cancelled within a second would pile up otherwise. */
  #sweep(): void {
    const kept = this.#entries.filter(({ callback }) => callback !== undefined);
    kept.sort((a, b) => a.at - b.at || a.order - b.order);
    this.#entries.splice(0, this.#entries.length, ...kept);
    this.#cancelled = 0;
  }

  #pop(): void {
    const last = this.#entries.pop();
    if (last === undefined || this.#entries.length === 0) return;
    this.#entries[0] = last;
    this.#sink(0);
  }

  #rise(start: number): void {
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#isBefore(i, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #sink(start: number): void {
    let i = start;
    for (;;) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < this.#entries.length && this.#isBefore(left, least)) least = left;
      if (right < this.#entries.length && this.#isBefore(right, least)) least = right;
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #isBefore(i: number, j: number): boolean {
    const [a, b] = [this.#entries[i] as Entry, this.#entries[j] as Entry];
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(i: number, j: number): void {
    const kept = this.#entries[i] as Entry;
    this.#entries[i] = this.#entries[j] as Entry;
    this.#entries[j] = kept;
  }
}
