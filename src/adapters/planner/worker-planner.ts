import { Worker } from "node:worker_threads";
import type { PlanAnswer, Planner, PlanRequest } from "../../ports/planner.ts";
import { CatalogueSender } from "./catalogue-exchange.ts";
import type { WorkerAnswer } from "./plan-worker.ts";

/** A plan that takes longer is a mistake of ours; the thread is given up, and the next plan gets a new one. */
const longestPlan = 120_000;

interface Waiting {
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: PlanAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Plans in a thread of its own, so that the lease, the probes and the watches never wait for a plan. */
export class WorkerPlanner implements Planner {
  #worker: Worker | undefined;
  #catalogues = new CatalogueSender();
  readonly #waiting: Waiting[] = [];

  /** The thread takes a moment to start; whoever calls this early does not wait for it later. */
  warmUp(): void {
    this.#worker ??= this.#start();
  }

  plan(request: PlanRequest): Promise<PlanAnswer> {
    this.warmUp();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(), longestPlan);
      this.#waiting.push({ timer, resolve, reject });
      this.#worker?.postMessage(this.#catalogues.pack(request));
    });
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
    worker.on("message", (answer: WorkerAnswer) => {
      const waiting = this.#waiting.shift();
      clearTimeout(waiting?.timer);
      if (answer.plan !== undefined) waiting?.resolve(answer.plan);
      else waiting?.reject(new Error(`Cannot plan: ${answer.error}`));
    });
    // A thread that dies, for want of memory for example, takes its plans with it; the next plan gets a new one.
    worker.on("error", (cause) => this.#lose(worker, new Error("The planner's thread failed", { cause })));
    worker.on("exit", () => this.#lose(worker, new Error("The planner's thread ended")));
    return worker;
  }

  #giveUp(): void {
    const worker = this.#worker;
    this.#forget(new Error(`The planner's thread found no plan in ${longestPlan / 1000} s`));
    void worker?.terminate();
  }

  #lose(worker: Worker, error: Error): void {
    if (worker === this.#worker) this.#forget(error);
  }

  #forget(error: Error): void {
    this.#worker = undefined;
    this.#catalogues = new CatalogueSender();
    for (const { timer, reject } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  }
}
