// The planner's thread: answers requests one after the other.
import { parentPort } from "node:worker_threads";
import type { PlanAnswer } from "../../ports/planner.ts";
import { answerPlan } from "./answer-plan.ts";
import { CatalogueReceiver, type PackedRequest } from "./catalogue-exchange.ts";

export type WorkerAnswer =
  | { readonly plan: PlanAnswer; readonly error?: never }
  | { readonly plan?: never; readonly error: string };

/** A plan is improved for at most this long: some time for everybody, and more for more pods. */
const improvementMilliseconds = 500;
const improvementMillisecondsPerPod = 0.2;
const maxRounds = 200;

const catalogues = new CatalogueReceiver();

parentPort?.on("message", (message: PackedRequest) => parentPort?.postMessage(answer(message)));

function answer(message: PackedRequest): WorkerAnswer {
  try {
    const request = catalogues.unpack(message);
    const allowed = improvementMilliseconds + request.pendingPods.length * improvementMillisecondsPerPod;
    const started = performance.now();
    const plan = answerPlan(request, (part) => ({
      maxRounds,
      shouldStop: () => performance.now() >= started + allowed * part,
    }));
    return { plan };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
