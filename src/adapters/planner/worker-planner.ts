import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { PlanningRequest, PlanRequest } from "../../core/scheduling/plan-request.ts";
import type { ConsolidationAnswer, ConsolidationRequest, PlanAnswer, Planner } from "../../ports/planner.ts";
import type { WorkerAnswer, WorkerQuestion } from "./plan-worker.ts";
import { type PackedRequest, RequestSender } from "./request-sender.ts";

/** A plan that takes longer is a mistake of ours; the thread is given up, and the next plan gets a new one. */
const longestPlan = 120_000;

interface Waiting {
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: PlanAnswer | ConsolidationAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Plans in a thread of its own, so that the lease, the probes and the watches never wait for a plan. */
export class WorkerPlanner implements Planner {
  #worker: Worker | undefined;
  #sender = new RequestSender();
  /** Done when everything that was asked so far has been sent. */
  #sending = Promise.resolve();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** The thread takes a moment to start; whoever calls this early does not wait for it later. */
  warmUp(): void {
    this.#worker ??= this.#start();
  }

  async plan(request: PlanRequest): Promise<PlanAnswer> {
    const answer = await this.#ask(request, (id, packed) => ({ id, kind: "plan", packed }));
    return answer as PlanAnswer;
  }

  async consolidate(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
    const answer = await this.#ask(request, (id, packed) => ({ id, kind: "consolidate", packed }));
    return answer as ConsolidationAnswer;
  }

  #ask<Request extends PlanningRequest>(
    request: Request,
    question: (id: number, packed: PackedRequest<Request>) => WorkerQuestion,
  ): Promise<PlanAnswer | ConsolidationAnswer> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(), longestPlan);
      this.#waiting.set(id, { timer, resolve, reject });
      this.#sending = this.#sending
        // Whoever asks has just looked at the whole cluster.
        .then(() => setImmediate())
        .then(() => this.#send(worker, request, (packed) => question(id, packed)))
        .catch((error: unknown) => this.#fail(worker, new Error("The question cannot be sent", { cause: error })));
    });
  }

  /** In pieces, between which others have their turn: the first request of a large cluster is large. */
  async #send<Request extends PlanningRequest>(
    worker: Worker,
    request: Request,
    question: (packed: PackedRequest<Request>) => WorkerQuestion,
  ): Promise<void> {
    // Meanwhile the thread may have been given up, and its questions with it.
    if (worker !== this.#worker) return;
    const packing = this.#sender.pack(request);
    for (let step = packing.next(); worker === this.#worker; step = packing.next()) {
      if (step.done === true) return worker.postMessage(question(step.value));
      worker.postMessage({ kind: "learn", delivery: step.value } satisfies WorkerQuestion);
      await setImmediate();
    }
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#forget(new Error("The planner was stopped"));
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./plan-worker.ts", import.meta.url), {
      // Left alone, V8 lets short-lived objects pile up to a hundred megabytes before it looks at them.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    worker.on("message", ({ id, answer, error }: WorkerAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(waiting?.timer);
      if (answer !== undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(`Cannot plan: ${error}`));
    });
    // A thread that dies, for want of memory for example, takes its plans with it; the next plan gets a new one.
    worker.on("error", (cause) => this.#lose(worker, new Error("The planner's thread failed", { cause })));
    worker.on("exit", () => this.#lose(worker, new Error("The planner's thread ended")));
    return worker;
  }

  #giveUp(): void {
    if (this.#worker === undefined) return;
    this.#fail(this.#worker, new Error(`The planner's thread found no plan in ${longestPlan / 1000} s`));
  }

  #fail(worker: Worker, error: Error): void {
    this.#lose(worker, error);
    void worker.terminate();
  }

  #lose(worker: Worker, error: Error): void {
    if (worker === this.#worker) this.#forget(error);
  }

  #forget(error: Error): void {
    this.#worker = undefined;
    this.#sender = new RequestSender();
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}
