import type { Clock, Timer } from "../../ports/clock.ts";
import { TimerHeap } from "./timer-heap.ts";

/** Nothing sensible takes as many turns within one moment. */
const mostTurns = 100_000;

/** Time that passes only when it is told to, and then at once. */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.#timers.add(this.#now + Math.max(0, milliseconds), callback);
  }

  /** Lets so much time pass: runs everything that falls due, in order, and waits for the promises that it settles. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.#runUntil(end, () => false);
    this.#now = end;
  }

  /** Lets time pass until the condition holds; false if it did not come to hold within that time. */
  async advanceUntil(condition: () => boolean, atMost: number): Promise<boolean> {
    await settle();
    if (condition()) return true;
    const end = this.#now + atMost;
    if (await this.#runUntil(end, condition)) return true;
    this.#now = end;
    return false;
  }

  async #runUntil(end: number, condition: () => boolean): Promise<boolean> {
    await settle();
    let turns = 0;
    for (;;) {
      const next = this.#timers.earliest();
      if (next === undefined || next > end) return false;
      turns = next > this.#now ? 0 : turns + 1;
      if (turns > mostTurns)
        throw new Error(
          `Time stands still at ${new Date(this.#now).toISOString()}: something asks to be called at once, again and again`,
        );
      this.#now = Math.max(this.#now, next);
      for (const callback of this.#timers.takeDue(this.#now)) callback();
      await settle();
      if (condition()) return true;
    }
  }
}

/** Until no promise can go on without a timer: everything in the process is synchronous or waits for one. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
