import { Worker } from "node:worker_threads";
import type {
  ConsolidationAnswer,
  ConsolidationRequest,
  PlanAnswer,
  Planner,
  PlanRequest,
} from "../../ports/planner.ts";
import { CatalogueSender } from "./catalogue-exchange.ts";
import type { WorkerAnswer, WorkerQuestion } from "./plan-worker.ts";

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
  #catalogues = new CatalogueSender();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** The thread takes a moment to start; whoever calls this early does not wait for it later. */
  warmUp(): void {
    this.#worker ??= this.#start();
  }

  async plan(request: PlanRequest): Promise<PlanAnswer> {
    const answer = await this.#ask((id) => ({ id, kind: "plan", packed: this.#catalogues.pack(request) }));
    return answer as PlanAnswer;
  }

  async consolidate(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
    const answer = await this.#ask((id) => ({ id, kind: "consolidate", packed: this.#catalogues.pack(request) }));
    return answer as ConsolidationAnswer;
  }

  #ask(question: (id: number) => WorkerQuestion): Promise<PlanAnswer | ConsolidationAnswer> {
    this.warmUp();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(), longestPlan);
      this.#waiting.set(id, { timer, resolve, reject });
      this.#worker?.postMessage(question(id));
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
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}
