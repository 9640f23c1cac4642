import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { Condition } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { type NodeQuestion, planNodeStep } from "./plan-node-step.ts";

const now = 1_000_000;
const node = { name: "node", deletedAt: now } as NodeObject;
const empty = { evictions: [], surges: [], deletions: [], waits: [], lookAgainAt: undefined };
const attachment = { name: "va", nodeName: "node", volumeName: "pv" };

function claim(...conditions: readonly Partial<Condition>[]): NodeClaim {
  return { name: "claim", conditions } as unknown as NodeClaim;
}

const draining = claim({ type: "Drained", status: "Unknown", lastTransitionTime: now });

/** What is awaited, what the claim says, and after how long to look again. */
function step(question: Partial<NodeQuestion>) {
  const plan = planNodeStep({
    node,
    claim: draining,
    drain: empty,
    attachments: [],
    deadline: undefined,
    now,
    ...question,
  });
  const said = plan.changes.map(({ type, status, reason = type }) => `${type}=${status} ${reason}`);
  return [plan.awaits, said, plan.lookAgainAt];
}

describe("a cordoned node", () => {
  test("says that it drains, and waits for its pods", () => {
    const drain = { ...empty, waits: [{ kind: "leaving", pod: modelPod("a") } as const], lookAgainAt: now + 7 };
    assert.deepEqual(step({ claim: claim(), drain }), ["pods", ["Drained=Unknown Draining"], now + 7]);
    assert.deepEqual(step({ drain }), ["pods", [], now + 7]);
  });

  test("drains for at least five seconds, because a scheduler may not have seen the cordon", () => {
    assert.deepEqual(step({ claim: claim() }), ["late-pods", ["Drained=Unknown Draining"], now + 5_000]);
    assert.deepEqual(step({ now: now + 4_999 }), ["late-pods", [], now + 5_000]);
    assert.equal(step({ now: now + 5_000 })[0], "instance");
  });

  test("counts those seconds from its deletion when it has no claim", () => {
    const changes = ["Drained=Unknown Draining"];
    assert.deepEqual(step({ claim: undefined, now: now + 1 }), ["late-pods", changes, now + 5_000]);
    assert.equal(step({ claim: undefined, now: now + 5_000 })[0], "instance");
  });

  test("waits for volumes until the deadline", () => {
    const deadline = now + 60_000;
    assert.deepEqual(step({ attachments: [attachment], deadline, now: now + 5_000 }), [
      "volumes",
      ["Drained=True Drained", "VolumesDetached=Unknown AwaitingVolumeDetachment"],
      deadline,
    ]);
    assert.deepEqual(step({ attachments: [attachment], deadline, now: deadline }), [
      "instance",
      ["Drained=True Drained", "VolumesDetached=False TerminationGracePeriodElapsed"],
      undefined,
    ]);
  });

  test("is ready for the end of its machine when nothing is left on it", () => {
    const changes = ["Drained=True Drained", "VolumesDetached=True VolumesDetached"];
    assert.deepEqual(step({ now: now + 5_000 }), ["instance", changes, undefined]);
  });

  test("that was drained once need not drain another five seconds", () => {
    const drained = claim({ type: "Drained", status: "True", lastTransitionTime: now });
    assert.equal(step({ claim: drained })[0], "instance");
  });
});
