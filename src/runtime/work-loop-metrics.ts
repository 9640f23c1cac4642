import type { Metrics } from "../ports/telemetry.ts";

/** What can be scraped of a work loop. Times are in milliseconds. */
export class WorkLoopMetrics {
  readonly #metrics: Metrics;
  readonly #worker: { readonly controller: string };
  readonly #queue: { readonly name: string; readonly controller: string };
  readonly #depth: { readonly name: string; readonly controller: string; readonly priority: string };

  constructor(controller: string, concurrency: number, metrics: Metrics) {
    this.#metrics = metrics;
    this.#worker = { controller };
    this.#queue = { name: controller, controller };
    this.#depth = { ...this.#queue, priority: "0" };
    metrics.set("controller_runtime_max_concurrent_reconciles", this.#worker, concurrency);
    this.showDepth(0);
    this.#showWorkers(0);
  }

  queued(depth: number): void {
    this.#metrics.add("workqueue_adds_total", this.#queue);
    this.showDepth(depth);
  }

  showDepth(depth: number): void {
    this.#metrics.set("workqueue_depth", this.#depth, depth);
  }

  began(waited: number, workers: number): void {
    this.#metrics.observe("workqueue_queue_duration_seconds", this.#queue, waited / 1000);
    this.#showWorkers(workers);
  }

  ended(result: "success" | "requeue_after" | "error", took: number, workers: number): void {
    this.#metrics.add("controller_runtime_reconcile_total", { ...this.#worker, result });
    this.#metrics.observe("controller_runtime_reconcile_time_seconds", this.#worker, took / 1000);
    this.#metrics.observe("workqueue_work_duration_seconds", this.#queue, took / 1000);
    this.#showWorkers(workers);
  }

  failed(): void {
    this.#metrics.add("controller_runtime_reconcile_errors_total", this.#worker);
    this.#metrics.add("workqueue_retries_total", this.#queue);
  }

  #showWorkers(count: number): void {
    this.#metrics.set("controller_runtime_active_workers", this.#worker, count);
  }
}
