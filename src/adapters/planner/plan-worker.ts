// The planner's thread: answers questions, plans before searches.
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import type { ConsolidationAnswer, ConsolidationRequest, PlanAnswer } from "../../ports/planner.ts";
import { answerConsolidation } from "./answer-consolidation.ts";
import { answerPlan } from "./answer-plan.ts";
import { paceFor } from "./pace.ts";
import { rehearsal } from "./rehearsal.ts";
import { RequestReceiver } from "./request-receiver.ts";
import type { Delivery, PackedRequest } from "./request-sender.ts";
import { searchTime } from "./search-time.ts";

export type WorkerQuestion =
  | { readonly kind: "learn"; readonly delivery: Delivery }
  | { readonly id: number; readonly kind: "plan"; readonly packed: PackedRequest<PlanRequest> }
  | { readonly id: number; readonly kind: "consolidate"; readonly packed: PackedRequest<ConsolidationRequest> };

export type WorkerAnswer =
  | { readonly id: number; readonly answer: PlanAnswer | ConsolidationAnswer; readonly error?: never }
  | { readonly id: number; readonly answer?: never; readonly error: string };

const maxEvaluations = 2_000;
const searchRounds = 1;

const receiver = new RequestReceiver();

// The first plan that somebody waits for takes a third less time when everything that it needs has been compiled.
plan(rehearsal());

/** Read at once, in the order in which it was sent. What cannot be read ends the thread, and the next one knows more. */
parentPort?.on("message", (question: WorkerQuestion) => {
  if (question.kind === "learn") receiver.learn(question.delivery);
  else if (question.kind === "plan") {
    const request = receiver.unpack(question.packed);
    void reply(question.id, () => plan(request));
  } else {
    const request = receiver.unpack(question.packed);
    void reply(question.id, () => search(request));
  }
});

async function reply(id: number, work: () => PlanAnswer | Promise<ConsolidationAnswer>): Promise<void> {
  try {
    const answer = await work();
    parentPort?.postMessage({ id, answer } satisfies WorkerAnswer);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, error: text } satisfies WorkerAnswer);
  }
}

function plan(request: PlanRequest): PlanAnswer {
  return answerPlan(request, paceFor(request.pendingPods.length));
}

/** Plans that are asked for meanwhile have their turn between two steps. */
async function search(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
  const until = performance.now() + searchTime(request.candidates.length);
  const steps = answerConsolidation(request, {
    maxEvaluations,
    maxRounds: searchRounds,
    shouldStop: () => performance.now() >= until,
  });
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
