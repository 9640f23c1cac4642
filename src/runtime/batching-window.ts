import type { Clock, Timer } from "../ports/clock.ts";

export interface BatchingWindowOptions {
  readonly clock: Clock;
  /** The window closes when nothing new has come for so long. */
  readonly idleMilliseconds: number;
  /** And at the latest so long after it was opened. */
  readonly mostMilliseconds: number;
  readonly onClosed: () => void;
  /** Nothing has come for an eighth of that time: the window is probably about to close. A few times for each window. */
  readonly onQuiet?: () => void;
}

const quietShare = 1 / 8;
const mostQuiets = 5;

/** Gathers what comes in quick succession, so that it is dealt with together. */
export class BatchingWindow {
  readonly #options: BatchingWindowOptions;
  readonly #members = new Set<string>();
  #idle: Timer | undefined;
  #most: Timer | undefined;
  #quiets = 0;

  constructor(options: BatchingWindowOptions) {
    this.#options = options;
  }

  /** Opens the window or keeps it open; one that is in it already does neither. */
  add(member: string): void {
    if (this.#members.has(member)) return;
    this.#members.add(member);
    const { clock, idleMilliseconds, mostMilliseconds, onQuiet } = this.#options;
    this.#idle?.cancel();
    this.#idle = clock.after(idleMilliseconds * quietShare, () => {
      this.#idle = clock.after(idleMilliseconds * (1 - quietShare), () => this.#closeNow());
      if (++this.#quiets <= mostQuiets) onQuiet?.();
    });
    this.#most ??= clock.after(mostMilliseconds, () => this.#closeNow());
  }

  stop(): void {
    this.#idle?.cancel();
    this.#most?.cancel();
    this.#idle = undefined;
    this.#most = undefined;
    this.#members.clear();
    this.#quiets = 0;
  }

  #closeNow(): void {
    this.stop();
    this.#options.onClosed();
  }
}
