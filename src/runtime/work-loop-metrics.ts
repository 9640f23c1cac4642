import type { Metrics } from "../ports/telemetry.ts";

/** Counts what a work loop does. Times are in milliseconds. */
export class WorkLoopMetrics {
  readonly #metrics: Metrics;
  readonly #worker: { readonly controller: string };
  readonly #queue: { readonly name: string; readonly controller: string };

  constructor(controller: string, metrics: Metrics) {
    this.#metrics = metrics;
    this.#worker = { controller };
    this.#queue = { name: controller, controller };
  }

  queued(): void {
    this.#metrics.add("workqueue_adds_total", this.#queue);
  }

  began(waited: number): void {
    this.#metrics.observe("workqueue_queue_duration_seconds", this.#queue, waited / 1000);
  }

  ended(result: "success" | "requeue_after" | "error", took: number): void {
    this.#metrics.add("controller_runtime_reconcile_total", { ...this.#worker, result });
    this.#metrics.observe("controller_runtime_reconcile_time_seconds", this.#worker, took / 1000);
    this.#metrics.observe("workqueue_work_duration_seconds", this.#queue, took / 1000);
  }

  failed(): void {
    this.#metrics.add("controller_runtime_reconcile_errors_total", this.#worker);
    this.#metrics.add("workqueue_retries_total", this.#queue);
  }
}
