import type { Clock, Timer } from "../../../ports/clock.ts";
import type { Metrics } from "../../../ports/telemetry.ts";

export interface BatcherOptions<Request, Answer> {
  /** As in metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** A batch closes when nobody has joined it for so long, */
  readonly idleMilliseconds: number;
  /** or when it is so old, */
  readonly mostMilliseconds: number;
  /** or so large. */
  readonly mostItems: number;
  /** Requests with the same key can be answered together. */
  readonly keyOf: (request: Request) => string;
  /** One outcome for each request, in their order. A rejection is everybody's. */
  readonly execute: (requests: readonly Request[]) => Promise<readonly BatchOutcome<Answer>[]>;
}

export type BatchOutcome<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly error: unknown };

/** How many batches of one kind are under way at a time. */
const mostBatches = 100;

/** Lets requests that can be answered together wait a moment for each other. */
export class Batcher<Request, Answer> {
  readonly #options: BatcherOptions<Request, Answer>;
  readonly #open = new Map<string, OpenBatch<Request, Answer>>();
  readonly #waiting: OpenBatch<Request, Answer>[] = [];
  #running = 0;

  constructor(options: BatcherOptions<Request, Answer>) {
    this.#options = options;
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const key = this.#options.keyOf(request);
      const batch = this.#open.get(key) ?? this.#begin(key);
      batch.items.push({ request, resolve, reject });
      if (batch.items.length >= this.#options.mostItems) this.#close(key, batch);
      else this.#waitForMore(key, batch);
    });
  }

  #begin(key: string): OpenBatch<Request, Answer> {
    const batch = { items: [], since: this.#options.clock.now(), timer: undefined };
    this.#open.set(key, batch);
    return batch;
  }

  #waitForMore(key: string, batch: OpenBatch<Request, Answer>): void {
    const { clock, idleMilliseconds, mostMilliseconds } = this.#options;
    batch.timer?.cancel();
    const wait = Math.min(idleMilliseconds, batch.since + mostMilliseconds - clock.now());
    batch.timer = clock.after(Math.max(0, wait), () => this.#close(key, batch));
  }

  #close(key: string, batch: OpenBatch<Request, Answer>): void {
    batch.timer?.cancel();
    this.#open.delete(key);
    this.#waiting.push(batch);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < mostBatches) {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      this.#running++;
      void this.#run(batch).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  async #run({ items, since }: OpenBatch<Request, Answer>): Promise<void> {
    const { name: batcher, clock, metrics, execute } = this.#options;
    metrics.observe("cloudprovider_batcher_batch_size", { batcher }, items.length);
    metrics.observe("cloudprovider_batcher_batch_time_seconds", { batcher }, (clock.now() - since) / 1000);
    try {
      const outcomes = await execute(items.map(({ request }) => request));
      for (const [index, { resolve, reject }] of items.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error(`Batch ${batcher} was answered for ${outcomes.length} only`));
        else if (outcome.ok) resolve(outcome.answer);
        else reject(outcome.error);
      }
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  }
}

interface OpenBatch<Request, Answer> {
  readonly items: {
    readonly request: Request;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  }[];
  readonly since: number;
  timer: Timer | undefined;
}
