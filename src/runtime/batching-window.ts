import type { Clock, Timer } from "../ports/clock.ts";

export interface BatchingWindowOptions {
  readonly clock: Clock;
  /** The window closes when nothing new has come for so long. */
  readonly idleMilliseconds: number;
  /** And at the latest so long after it was opened. */
  readonly maxMilliseconds: number;
  /** Whether nothing more is to be expected, so that the window may close early. */
  readonly isComplete: () => boolean;
  readonly onClosed: () => void;
}

/** For so long at least an early window gathers what comes together. */
const gatherMilliseconds = 100;
/** An early window closes only when nothing has announced itself for so long. */
const quietMilliseconds = 250;

/** Gathers what comes in quick succession, so that it is dealt with together. */
export class BatchingWindow {
  readonly #options: BatchingWindowOptions;
  readonly #members = new Set<string>();
  #announcedAt = Number.NEGATIVE_INFINITY;
  #openedAt = 0;
  #idle: Timer | undefined;
  #max: Timer | undefined;
  #early: Timer | undefined;

  constructor(options: BatchingWindowOptions) {
    this.#options = options;
  }

  /** Opens the window or keeps it open; one that is in it already, or that was foreseen, does not keep it open. */
  add(member: string, { isForeseen = false } = {}): void {
    if (this.#members.has(member)) return;
    const { clock, idleMilliseconds, maxMilliseconds } = this.#options;
    if (this.#members.size === 0) this.#openedAt = clock.now();
    this.#members.add(member);
    if (!isForeseen) this.#idle?.cancel();
    if (!isForeseen || this.#idle === undefined) this.#idle = clock.after(idleMilliseconds, () => this.#closeNow());
    this.#max ??= clock.after(maxMilliseconds, () => this.#closeNow());
    this.#closeEarly();
  }

  /** Something is on its way: an early window waits for it. */
  announce(): void {
    this.#announcedAt = this.#options.clock.now();
    if (this.#members.size > 0) this.#closeEarly();
  }

  stop(): void {
    for (const timer of [this.#idle, this.#max, this.#early]) timer?.cancel();
    this.#idle = undefined;
    this.#max = undefined;
    this.#early = undefined;
    this.#members.clear();
  }

  #closeEarly(): void {
    const { clock, isComplete } = this.#options;
    const due = Math.max(this.#openedAt + gatherMilliseconds, this.#announcedAt + quietMilliseconds);
    this.#early?.cancel();
    this.#early = clock.after(Math.max(0, due - clock.now()), () => {
      if (isComplete()) this.#closeNow();
    });
  }

  #closeNow(): void {
    this.stop();
    this.#options.onClosed();
  }
}
