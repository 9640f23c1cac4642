// The planner's thread: answers questions, plans before searches.
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { Pace } from "../../core/scheduling/choose-plan.ts";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import type { ConsolidationAnswer, ConsolidationRequest, PlanAnswer } from "../../ports/planner.ts";
import { answerConsolidation } from "./answer-consolidation.ts";
import { answerPlan } from "./answer-plan.ts";
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

/** A plan is improved for at most this long: some time for everybody, and more for more pods. */
const improvementMilliseconds = 100;
const improvementMillisecondsPerPod = 0.2;
/** Where one plan has taken so many times as long, there is not another. */
const mostPatience = 3;
const maxRounds = 200;
const maxEvaluations = 2_000;
const searchRounds = 1;

const receiver = new RequestReceiver();

// The first plan that somebody waits for takes a third less time when everything that it needs has been compiled.
answerPlan(rehearsal(), paceOf(improvementMilliseconds));

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
  const allowed = improvementMilliseconds + request.pendingPods.length * improvementMillisecondsPerPod;
  return answerPlan(request, paceOf(allowed));
}

/** Time of this thread: on a machine that others keep busy a plan is as good as on an idle one, and takes longer. */
function paceOf(allowed: number): Pace {
  const started = spent();
  return {
    effort: (share) => {
      const until = spent() + allowed * share;
      return { maxRounds, shouldStop: () => spent() >= until };
    },
    isLate: () => spent() >= started + allowed * mostPatience,
  };
}

/** Milliseconds of a processor. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
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
