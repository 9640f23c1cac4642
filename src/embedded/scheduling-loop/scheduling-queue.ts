import type { Clock, Timer } from "../../ports/clock.ts";

export interface QueuedPod {
  /** `namespace/name`. */
  readonly key: string;
  readonly priority: number;
  /** When it first asked for a place, in milliseconds. */
  readonly since: number;
}

interface Entry extends QueuedPod {
  attempts: number;
  /** When it may be tried again; undefined while it waits for the cluster to change. */
  readyAt: number | undefined;
  lastTried: number;
}

const firstBackoff = 1_000;
const longestBackoff = 10_000;
/** Pods are tried again after this even if nothing seems to have changed. */
const longestWait = 5 * 60_000;

/** Pods that wait for a place: the most important first, refused ones again when something changed, with a pause that grows. */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #wake: () => void;
  readonly #entries = new Map<string, Entry>();
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  /** `wake` is called when there may be something to take. */
  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  add({ key, priority, since }: QueuedPod): void {
    if (this.#entries.has(key)) return;
    this.#entries.set(key, { key, priority, since, attempts: 0, readyAt: 0, lastTried: 0 });
    this.#wakeAt(this.#clock.now());
  }

  remove(key: string): void {
    this.#entries.delete(key);
  }

  /** Those that may be tried now, in order; each stays in the queue until it is removed or refused. */
  ready(): QueuedPod[] {
    const now = this.#clock.now();
    const ready = [...this.#entries.values()].filter(({ readyAt }) => readyAt !== undefined && readyAt <= now);
    ready.sort((a, b) => b.priority - a.priority || a.since - b.since);
    return ready;
  }

  /** It found no place, and waits until the cluster changes. */
  refused(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.attempts++;
    entry.lastTried = this.#clock.now();
    entry.readyAt = undefined;
    this.#wakeAt(entry.lastTried + longestWait);
  }

  /** Something changed that may help a pod that was refused. */
  retryAll(): void {
    for (const { key, readyAt } of this.#entries.values()) if (readyAt === undefined) this.retry(key);
  }

  /** Those that wait for the cluster to change. */
  refusedKeys(): string[] {
    return [...this.#entries.values()].filter(({ readyAt }) => readyAt === undefined).map(({ key }) => key);
  }

  /** Without a pause: something changed that is likely to help. */
  retryNow(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.readyAt = this.#clock.now();
    this.#wakeAt(entry.readyAt);
  }

  retry(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.readyAt !== undefined) return;
    const backoff = Math.min(firstBackoff * 2 ** Math.max(0, entry.attempts - 1), longestBackoff);
    entry.readyAt = Math.max(this.#clock.now(), entry.lastTried + backoff);
    this.#wakeAt(entry.readyAt);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#entries.clear();
  }

  /** Who has waited too long for a change is tried without one. */
  #promote(): void {
    const now = this.#clock.now();
    for (const entry of this.#entries.values()) {
      if (entry.readyAt === undefined && entry.lastTried + longestWait <= now) entry.readyAt = now;
    }
  }

  #setAlarm(): void {
    for (const entry of this.#entries.values()) this.#wakeAt(entry.readyAt ?? entry.lastTried + longestWait);
  }

  #wakeAt(at: number): void {
    if (at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.after(at - this.#clock.now(), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#promote();
      this.#wake();
      this.#setAlarm();
    });
  }
}
