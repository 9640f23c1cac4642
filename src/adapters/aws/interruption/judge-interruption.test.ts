import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelClaim } from "../../../../test/support/model-machine.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { InterruptionKind } from "./interruption.ts";
import { judgeInterruption } from "./judge-interruption.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const labels = new Map([
  ["node.kubernetes.io/instance-type", "m5.large"],
  ["topology.kubernetes.io/zone", "us-west-2a"],
  ["karpenter.k8s.aws/capacity-reservation-id", "cr-1"],
]);
const deadline = "karpenter.sh/nodeclaim-termination-timestamp";

/** What is done, and the reason of the event. */
function judge(kind: InterruptionKind, fields: Partial<NodeClaim> = {}): readonly string[] {
  const actions = judgeInterruption(kind, modelClaim({ labels, deletedAt: undefined, ...fields }), now);
  return actions.map((action) => (action.kind === "announce" ? `${action.type} ${action.reason}` : action.kind));
}

describe("judging an interruption", () => {
  for (const [kind, expected] of [
    ["spot_interrupted", ["Warning SpotInterrupted", "mark-offering", "delete"]],
    ["rebalance_recommendation", ["Normal SpotRebalanceRecommendation"]],
    ["instance_stopped", ["Warning InstanceStopping", "delete"]],
    ["instance_terminated", ["Warning InstanceTerminating", "delete"]],
    ["scheduled_change", ["Warning InstanceUnhealthy", "delete"]],
    [
      "capacity_reservation_interrupted",
      ["Warning CapacityReservationInstanceInterrupted", "mark-reservation", "delete"],
    ],
    ["instance_status", ["Warning InstanceUnhealthy", "set-deadline", "delete"]],
    ["system_status", ["Warning InstanceUnhealthy", "set-deadline", "delete"]],
    ["event_status", ["Warning InstanceUnhealthy", "delete"]],
  ] as const) {
    test(`${kind} leads to ${expected.join(", ")}`, () => {
      assert.deepEqual(judge(kind), expected);
    });
  }

  test("marks name what was interrupted", () => {
    const marksOf = (kind: InterruptionKind) =>
      judgeInterruption(kind, modelClaim({ labels }), now).filter((action) => action.kind.startsWith("mark-"));
    const key = { capacityType: "spot", instanceType: "m5.large", zone: "us-west-2a" };
    assert.deepEqual(marksOf("spot_interrupted"), [{ kind: "mark-offering", key }]);
    assert.deepEqual(marksOf("capacity_reservation_interrupted"), [
      { kind: "mark-reservation", reservationId: "cr-1" },
    ]);
  });

  test("nothing is marked that nobody can name", () => {
    const none = { labels: new Map<string, string>() };
    assert.deepEqual(judge("spot_interrupted", none), ["Warning SpotInterrupted", "delete"]);
    assert.ok(!judge("capacity_reservation_interrupted", none).includes("mark-reservation"));
  });

  test("a claim that is being deleted is not deleted again, but waits no longer for its pods on a broken machine", () => {
    const deletedAt = now - 1_000;
    assert.deepEqual(judge("instance_terminated", { deletedAt }), ["Warning InstanceTerminating"]);
    assert.deepEqual(judge("instance_status", { deletedAt }), ["Warning InstanceUnhealthy", "set-deadline"]);
  });

  test("a deadline that lies ahead is brought forward, and one that has passed stays", () => {
    const withDeadline = (time: string) => ({ annotations: new Map([[deadline, time]]) });
    assert.ok(judge("system_status", withDeadline("2026-01-01T01:00:00Z")).includes("set-deadline"));
    assert.ok(judge("system_status", withDeadline("soon")).includes("set-deadline"));
    assert.ok(!judge("system_status", withDeadline("2025-12-31T23:59:59Z")).includes("set-deadline"));
  });
});
