// The planner's thread: answers questions, plans before searches.
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { ConsolidationAnswer, ConsolidationRequest, PlanAnswer, PlanRequest } from "../../ports/planner.ts";
import { answerConsolidation } from "./answer-consolidation.ts";
import { answerPlan } from "./answer-plan.ts";
import { CatalogueReceiver, type PackedRequest } from "./catalogue-exchange.ts";

export type WorkerQuestion =
  | { readonly id: number; readonly kind: "plan"; readonly packed: PackedRequest }
  | { readonly id: number; readonly kind: "consolidate"; readonly packed: PackedRequest<ConsolidationRequest> };

export type WorkerAnswer =
  | { readonly id: number; readonly answer: PlanAnswer | ConsolidationAnswer; readonly error?: never }
  | { readonly id: number; readonly answer?: never; readonly error: string };

/** A plan is improved for at most this long: some time for everybody, and more for more pods. */
const improvementMilliseconds = 500;
const improvementMillisecondsPerPod = 0.2;
const maxRounds = 200;
/** A search goes on for so long, and longer for a large fleet. */
const searchMilliseconds = 1_000;
const searchMillisecondsPerNode = 4;
const maxEvaluations = 2_000;
const searchRounds = 1;

const catalogues = new CatalogueReceiver();

parentPort?.on("message", (question: WorkerQuestion) => void reply(question));

async function reply(question: WorkerQuestion): Promise<void> {
  const { id } = question;
  try {
    // Before anything else is awaited: catalogues come in the order in which they were sent.
    const answer =
      question.kind === "plan"
        ? plan(catalogues.unpack(question.packed))
        : await search(catalogues.unpack(question.packed));
    parentPort?.postMessage({ id, answer } satisfies WorkerAnswer);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, error: text } satisfies WorkerAnswer);
  }
}

function plan(request: PlanRequest): PlanAnswer {
  const allowed = improvementMilliseconds + request.pendingPods.length * improvementMillisecondsPerPod;
  const started = performance.now();
  return answerPlan(request, (part) => ({
    maxRounds,
    shouldStop: () => performance.now() >= started + allowed * part,
  }));
}

/** Plans that are asked for meanwhile have their turn between two steps. */
async function search(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
  const until = performance.now() + searchMilliseconds + request.candidates.length * searchMillisecondsPerNode;
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
