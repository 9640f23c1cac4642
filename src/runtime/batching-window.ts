import type { Clock, Timer } from "../ports/clock.ts";

export interface BatchingWindowOptions {
  readonly clock: Clock;
  /** The window closes when nothing new has come for so long, or for half of that after a dense burst. */
  readonly idleMilliseconds: number;
  /** And at the latest so long after it was opened. */
  readonly mostMilliseconds: number;
  readonly onClosed: () => void;
  /** Nothing has come for an eighth of that time: the window is probably about to close. A few times for each window. */
  readonly onQuiet?: () => void;
}

const quietShare = 1 / 8;
const mostQuiets = 5;
/** A burst of at least so many is over when it pauses for half the idle time, and that is so many times its mean pause. */
const burst = { members: 32, pauses: 32 };

/** Gathers what comes in quick succession, so that it is dealt with together. */
export class BatchingWindow {
  readonly #options: BatchingWindowOptions;
  readonly #members = new Set<string>();
  #openedAt = 0;
  #idle: Timer | undefined;
  #most: Timer | undefined;
  #quiets = 0;

  constructor(options: BatchingWindowOptions) {
    this.#options = options;
  }

  /** Opens the window or keeps it open; one that is in it already does neither. */
  add(member: string): void {
    if (this.#members.has(member)) return;
    const { clock, idleMilliseconds, mostMilliseconds, onQuiet } = this.#options;
    if (this.#members.size === 0) this.#openedAt = clock.now();
    this.#members.add(member);
    const quiet = idleMilliseconds * quietShare;
    const silence = this.#wasBurst() ? idleMilliseconds / 2 : idleMilliseconds;
    this.#idle?.cancel();
    this.#idle = clock.after(quiet, () => {
      this.#idle = clock.after(silence - quiet, () => this.#closeNow());
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

  #wasBurst(): boolean {
    const { clock, idleMilliseconds } = this.#options;
    const meanPause = (clock.now() - this.#openedAt) / (this.#members.size - 1);
    return this.#members.size >= burst.members && meanPause * burst.pauses <= idleMilliseconds / 2;
  }

  #closeNow(): void {
    this.stop();
    this.#options.onClosed();
  }
}
