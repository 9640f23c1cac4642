import type { Clock, Timer } from "../ports/clock.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { NotLeadingError } from "./kube-client.ts";
import { showWorkLoop, type WorkLoopView } from "./show-work-loop.ts";
import { WorkLoopMetrics } from "./work-loop-metrics.ts";

export interface WorkLoopOptions {
  /** As it stands in logs and in the `controller` label of metrics. */
  readonly name: string;
  /** Brings what the key names closer to what is wanted; says after how many milliseconds it wants to look again. */
  readonly reconcile: (key: string) => Promise<number | undefined>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** How many keys are worked on at a time; the same key never twice. */
  readonly concurrency?: number;
  readonly firstBackoff?: number;
  readonly longestBackoff?: number;
}

/** Works through keys, each once however often it was asked for before its turn; what fails is tried again, later. */
export class WorkLoop {
  readonly #options: Required<WorkLoopOptions>;
  readonly #metrics: WorkLoopMetrics;
  /** Due now, in the order they came, and since when. */
  readonly #ready = new Map<string, number>();
  readonly #waiting = new Map<string, { readonly at: number; readonly timer: Timer }>();
  readonly #running = new Map<string, { readonly since: number; readonly work: Promise<void> }>();
  /** Asked for again while they were worked on. */
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #endShow: () => void;
  #isPumping = false;
  #isStopped = false;

  constructor(options: WorkLoopOptions) {
    this.#options = { concurrency: 10, firstBackoff: 200, longestBackoff: 60_000, ...options };
    const { name, telemetry } = options;
    this.#metrics = new WorkLoopMetrics(name, telemetry.metrics);
    this.#endShow = showWorkLoop(() => this.#view(), telemetry.metrics);
  }

  /** Asks for a key to be looked at, now or after a while; the earliest wish counts. */
  enqueue(key: string, delay = 0): void {
    if (this.#isStopped) return;
    if (delay > 0) {
      this.#enqueueLater(key, delay);
      return;
    }
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
    if (this.#running.has(key)) this.#again.add(key);
    else if (!this.#ready.has(key)) {
      this.#ready.set(key, this.#options.clock.now());
      this.#metrics.queued();
    }
    this.#pumpSoon();
  }

  /** Takes on nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
    this.#ready.clear();
    await Promise.all([...this.#running.values()].map(({ work }) => work));
    this.#endShow();
  }

  #view(): WorkLoopView {
    const { name, concurrency, clock } = this.#options;
    const now = clock.now();
    const ages = [...this.#running.values()].map(({ since }) => now - since);
    return { name, concurrency, depth: this.#ready.size, ages };
  }

  #enqueueLater(key: string, delay: number): void {
    const { clock } = this.#options;
    const at = clock.now() + delay;
    const waiting = this.#waiting.get(key);
    if (this.#ready.has(key) || (waiting !== undefined && waiting.at <= at)) return;
    waiting?.timer.cancel();
    this.#waiting.set(key, { at, timer: clock.after(delay, () => this.enqueue(key)) });
  }

  /** Later in the same turn, so that whoever asks several times in one go is served once. */
  #pumpSoon(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    queueMicrotask(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { clock, concurrency } = this.#options;
    for (const [key, queuedAt] of this.#ready) {
      if (this.#running.size >= concurrency) break;
      this.#ready.delete(key);
      const since = clock.now();
      this.#metrics.began(since - queuedAt);
      // Begins only once it is known to run: a reconcile may ask for its own key before it first waits for anything.
      const work = Promise.resolve().then(() => this.#work(key));
      this.#running.set(key, { since, work });
    }
  }

  async #work(key: string): Promise<void> {
    const { reconcile, clock } = this.#options;
    const started = clock.now();
    let delay: number | undefined;
    let result: "success" | "requeue_after" | "error" = "success";
    try {
      delay = await reconcile(key);
      if (delay !== undefined) result = "requeue_after";
      this.#failures.delete(key);
    } catch (error) {
      delay = this.#delayAfter(key, error);
      result = "error";
    }
    this.#running.delete(key);
    this.#metrics.ended(result, clock.now() - started);
    if (this.#again.delete(key)) this.enqueue(key);
    else if (delay !== undefined) this.enqueue(key, Math.max(1, delay));
    this.#pump();
  }

  #delayAfter(key: string, error: unknown): number | undefined {
    const { name, telemetry, firstBackoff, longestBackoff } = this.#options;
    if (error instanceof NotLeadingError) return undefined;
    const count = this.#failures.get(key) ?? 0;
    this.#failures.set(key, count + 1);
    this.#metrics.failed();
    telemetry.log.error("Reconciler error", { controller: name, key, error });
    return Math.min(firstBackoff * 2 ** Math.min(count, 20), longestBackoff);
  }
}
