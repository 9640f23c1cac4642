import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, ConditionStatus } from "../model/condition.ts";
import { judgeQuiet, type Quiet } from "./consolidatable.ts";

const disruption = {
  consolidationPolicy: "WhenEmpty",
  budgets: [],
  balancedThreshold: 0.5,
  isPaused: false,
  softExpireAfter: undefined,
} as const;

interface Given {
  readonly consolidateAfter?: number;
  readonly replicas?: number;
  readonly initialized?: ConditionStatus;
  readonly lastPodEventTime?: number;
}

/** At the time 1,000, of a node that was initialized at 500. */
function judge({ consolidateAfter, replicas, initialized = "True", lastPodEventTime }: Given): Quiet {
  const details = { reason: "", message: "", lastTransitionTime: 500, observedGeneration: 1 };
  const conditions: Condition[] = [{ type: "Initialized", status: initialized, ...details }];
  return judgeQuiet(
    { conditions, lastPodEventTime },
    { replicas, disruption: { ...disruption, consolidateAfter } },
    1_000,
  );
}

test("the window runs from the last pod, or from when the node was initialized", () => {
  assert.deepEqual(judge({ consolidateAfter: 500 }), { kind: "consolidatable" });
  assert.deepEqual(judge({ consolidateAfter: 501 }), { kind: "wait", milliseconds: 1 });
  assert.deepEqual(judge({ consolidateAfter: 500, lastPodEventTime: 900 }), { kind: "wait", milliseconds: 400 });
  assert.deepEqual(judge({ consolidateAfter: 0, lastPodEventTime: 1_000 }), { kind: "consolidatable" });
});

test("no window makes a node consolidatable that is not initialized, in a static pool, or in one that never wants it", () => {
  assert.deepEqual(judge({}), { kind: "never" });
  assert.deepEqual(judge({ consolidateAfter: 0, replicas: 3 }), { kind: "never" });
  assert.deepEqual(judge({ consolidateAfter: 0, initialized: "Unknown" }), { kind: "never" });
});
