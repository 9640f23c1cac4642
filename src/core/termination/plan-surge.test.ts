import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Rollout } from "../model/rollout.ts";
import { planSurge, type SurgeQuestion } from "./plan-surge.ts";

const now = 1_000_000;

function step(rollout: Partial<Rollout> = {}, question: Partial<SurgeQuestion> = {}) {
  const whole: Rollout = {
    kind: "Deployment",
    namespace: "default",
    name: "web",
    uid: "web",
    resourceVersion: "1",
    revision: "new",
    obstacle: undefined,
    restartedAt: undefined,
    progressedAt: undefined,
    hasStalled: false,
    patience: 600_000,
    ...rollout,
  };
  return planSurge({ rollout: whole, revisions: ["old"], since: now, now, ...question });
}

describe("having pods replaced before they leave", () => {
  test("restarts the owner of a pod that nothing replaces", () => {
    assert.deepEqual(step({}, { revisions: ["old", "new"] }), { kind: "restart" });
  });

  test("restarts once: a pod that is older than what its owner has now is waited for", () => {
    assert.deepEqual(step(), { kind: "wait", until: now + 600_000 });
  });

  test("waits for the controller to take notice of a restart", () => {
    assert.deepEqual(step({ revision: undefined }), { kind: "wait", until: now + 600_000 });
  });

  test("restarts what had stalled before", () => {
    assert.deepEqual(step({ hasStalled: true }, { revisions: ["new"] }), { kind: "restart" });
  });

  test("waits as long as the rollout gets further", () => {
    const past = { since: now - 700_000 };
    assert.deepEqual(step({ progressedAt: now - 1_000 }, past), { kind: "wait", until: now + 599_000 });
    assert.deepEqual(step({ restartedAt: now - 2_000 }, past), { kind: "wait", until: now + 598_000 });
  });

  test("gives up, and says why", () => {
    const reason = (answer: ReturnType<typeof step>) => (answer.kind === "evict" ? answer.reason : answer.kind);
    assert.equal(reason(step({ obstacle: "its rollout is paused" }, { revisions: ["new"] })), "its rollout is paused");
    assert.equal(reason(step({ hasStalled: true })), "its rollout has exceeded its progress deadline");
    assert.equal(
      reason(step({ patience: 60_000 }, { since: now - 60_000 })),
      "its rollout has made no progress for 60 s",
    );
  });
});
