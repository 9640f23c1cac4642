import assert from "node:assert/strict";
import { it } from "node:test";
import { answerPlan } from "./answer-plan.ts";
import { rehearsal } from "./rehearsal.ts";

it("a rehearsal is work: pods of many kinds, of which some must spread, on several kinds of machines", () => {
  const request = rehearsal();
  const pace = { effort: () => ({ maxRounds: 1, shouldStop: () => false }), isLate: () => false };
  const { nodes, refusals } = answerPlan(request, pace);
  assert.equal(refusals.length, 0);
  assert.equal(
    nodes.reduce((sum, { podUids }) => sum + podUids.length, 0),
    request.pendingPods.length,
  );
  assert.ok(new Set(nodes.map(({ instanceType }) => instanceType)).size > 3);
  assert.ok(request.pendingPods.some((pod) => pod.spec.topologySpread.length > 0));
});
