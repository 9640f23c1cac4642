import type { Clock, Timer } from "../ports/clock.ts";
import { ApiError } from "./api/api-error.ts";

export interface ControlLoopParts {
  readonly clock: Clock;
  /** Brings one object closer to what is wanted. */
  readonly reconcile: (key: string) => void;
  /** Told about what went wrong and is tried again. */
  readonly onError: (key: string, error: unknown) => void;
}

const firstBackoff = 100;
const longestBackoff = 30_000;

/** Reconciles keys one after the other, each once however often it was asked for before its turn; failures again, later. */
export class ControlLoop {
  readonly #parts: ControlLoopParts;
  /** When each waiting key is due, with the timer that will look after it. */
  readonly #waiting = new Map<string, { readonly at: number; readonly timer: Timer }>();
  readonly #failures = new Map<string, number>();
  #isStopped = false;

  constructor(parts: ControlLoopParts) {
    this.#parts = parts;
  }

  /** Asks for a key to be looked at, now or after a while; the earliest wish counts. */
  enqueue(key: string, delay = 0): void {
    if (this.#isStopped) return;
    const { clock } = this.#parts;
    const at = clock.now() + delay;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined && waiting.at <= at) return;
    waiting?.timer.cancel();
    this.#waiting.set(key, { at, timer: clock.after(delay, () => this.#run(key)) });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }

  #run(key: string): void {
    this.#waiting.delete(key);
    try {
      this.#parts.reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      const count = this.#failures.get(key) ?? 0;
      this.#failures.set(key, count + 1);
      if (!(error instanceof ApiError)) this.#parts.onError(key, error);
      this.enqueue(key, Math.min(firstBackoff * 2 ** count, longestBackoff));
    }
  }
}
