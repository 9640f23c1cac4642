import type { Clock, Timer } from "../../ports/clock.ts";
import { TimerHeap } from "./timer-heap.ts";

export interface ScaledClockOptions {
  /** The clock that it follows. */
  readonly real: Clock;
  /** How many times faster than that one. */
  readonly speed: number;
}

/** What is missed beyond this, in real milliseconds, is not made up: time goes as fast as the process can follow. */
const mostCatchUp = 1_000;

/**
 * Time that passes faster than it does outside. Timers run one after the other at the very time they were set for,
 * also when the process is late: nothing sees time leap, so nobody loses a lease to a slow machine.
 */
export class ScaledClock implements Clock {
  readonly #options: ScaledClockOptions;
  readonly #timers = new TimerHeap();
  /** A moment of ours, and the real one that it was at. */
  #start: number;
  #realStart: number;
  #latest: number;
  #alarm: { readonly at: number; readonly timer: Timer } | undefined;
  #isRunning = false;

  constructor(options: ScaledClockOptions) {
    this.#options = options;
    this.#realStart = options.real.now();
    this.#start = this.#realStart;
    this.#latest = this.#start;
  }

  now(): number {
    if (!this.#isRunning) {
      const next = this.#timers.earliest() ?? Number.POSITIVE_INFINITY;
      this.#latest = Math.max(this.#latest, Math.min(this.#aim(), next));
    }
    return this.#latest;
  }

  after(milliseconds: number, callback: () => void): Timer {
    const timer = this.#timers.add(this.now() + Math.max(0, milliseconds), callback);
    this.#setAlarm();
    return timer;
  }

  /** What the time would be if nothing were late. */
  #aim(): number {
    const { real, speed } = this.#options;
    return Math.floor(this.#start + (real.now() - this.#realStart) * speed);
  }

  #setAlarm(): void {
    const { real, speed } = this.#options;
    const next = this.#timers.earliest();
    if (next === undefined || this.#isRunning || (this.#alarm !== undefined && this.#alarm.at <= next)) return;
    this.#alarm?.timer.cancel();
    const wait = Math.ceil((next - this.#aim()) / speed);
    this.#alarm = { at: next, timer: real.after(wait, () => this.#ring()) };
  }

  /** Runs what is due at one moment; what it causes comes before the next one. */
  #ring(): void {
    this.#alarm = undefined;
    const next = this.#timers.earliest();
    if (next !== undefined && next <= this.#aim()) {
      this.#latest = Math.max(this.#latest, next);
      this.#run();
      this.#forgive();
    }
    this.#setAlarm();
  }

  #run(): void {
    this.#isRunning = true;
    try {
      for (const callback of this.#timers.takeDue(this.#latest)) callback();
    } finally {
      this.#isRunning = false;
    }
  }

  #forgive(): void {
    const { real, speed } = this.#options;
    const late = this.#aim() - this.#latest;
    if (late <= mostCatchUp * speed) return;
    this.#start = this.#latest;
    this.#realStart = real.now();
  }
}
