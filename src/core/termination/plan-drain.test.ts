import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { daemonSetOwner, modelBudget, modelPod, nodeOwner } from "../../../test/support/model-pod.ts";
import type { Pod } from "../model/pod.ts";
import { type DrainQuestion, planDrain } from "./plan-drain.ts";

const now = 1_000_000;

/** The plan in short: names of pods, and `name: kind` of what is waited for. */
function drain(pods: readonly Pod[], question: Partial<DrainQuestion> = {}) {
  const plan = planDrain({
    pods,
    budgets: [],
    isReplacedFirst: () => false,
    deadline: undefined,
    now,
    ...question,
  });
  return {
    evict: plan.evictions.map(({ name }) => name),
    delete: plan.deletions.map(({ pod, graceSeconds }) => `${pod.name} in ${graceSeconds} s`),
    wait: plan.waits.map(({ pod, kind }) => `${pod.name}: ${kind}`),
    again: plan.lookAgainAt,
  };
}

const nothing = { evict: [], delete: [], wait: [], again: undefined };

describe("draining a node", () => {
  test("is done when no pod is left", () => {
    assert.deepEqual(drain([]), nothing);
  });

  test("evicts tier by tier: ordinary pods, daemons, critical pods, critical daemons", () => {
    const tiers = [
      modelPod("ordinary"),
      modelPod("daemon", { owners: [daemonSetOwner] }),
      modelPod("critical", { priorityClassName: "system-cluster-critical" }),
      modelPod("critical-daemon", { priorityClassName: "system-node-critical", owners: [daemonSetOwner] }),
    ];
    const order = tiers.map((_, gone) => drain(tiers.slice(gone)).evict);
    assert.deepEqual(order, [["ordinary"], ["daemon"], ["critical"], ["critical-daemon"]]);
    assert.deepEqual(drain(tiers).wait, [
      "ordinary: leaving",
      "daemon: turn",
      "critical: turn",
      "critical-daemon: turn",
    ]);
  });

  test("lets a later tier wait until the earlier one is gone, not only on its way", () => {
    const plan = drain([
      modelPod("ordinary", { deletesAt: now + 10_000 }),
      modelPod("daemon", { owners: [daemonSetOwner] }),
    ]);
    assert.deepEqual(plan, {
      evict: [],
      delete: [],
      wait: ["ordinary: leaving", "daemon: turn"],
      again: now + 70_001,
    });
  });

  test("leaves a pod that is replaced first to its owner, in its turn and while it is not held", () => {
    const pods = [
      modelPod("web"),
      modelPod("held", { doNotDisrupt: "true" }),
      modelPod("daemon", { owners: [daemonSetOwner] }),
    ];
    const plan = planDrain({ pods, budgets: [], isReplacedFirst: () => true, deadline: undefined, now });
    assert.deepEqual(
      { evict: plan.evictions, surge: plan.surges.map(({ name }) => name), wait: plan.waits.map(({ kind }) => kind) },
      { evict: [], surge: ["web"], wait: ["replacement", "held", "turn"] },
    );
  });

  test("deletes a pod that is replaced first when its time is up", () => {
    const question = { isReplacedFirst: () => true, deadline: now + 30_000 };
    assert.deepEqual(drain([modelPod("web")], question), {
      evict: [],
      delete: ["web in 30 s"],
      wait: ["web: leaving"],
      again: undefined,
    });
  });

  test("evicts pods that nobody owns", () => {
    assert.deepEqual(drain([modelPod("lone", { owners: [] })]).evict, ["lone"]);
  });

  test("does not wait for mirror pods, pods that tolerate the cordon, and pods that have ended", () => {
    const tolerations = [{ key: "", operator: "Exists", value: "", effect: "" } as const];
    const pods = [
      modelPod("mirror", { owners: [nodeOwner] }),
      modelPod("tolerant", { spec: { tolerations } }),
      modelPod("done", { phase: "Succeeded" }),
      modelPod("failed", { phase: "Failed" }),
    ];
    assert.deepEqual(drain(pods, { deadline: now - 1 }), nothing);
  });

  test("waits for a pod that is on its way until a minute after its time", () => {
    const stuck = modelPod("stuck", { deletesAt: now - 60_000 });
    assert.deepEqual(drain([stuck]), { ...nothing, wait: ["stuck: leaving"], again: now + 1 });
    assert.deepEqual(drain([stuck], { now: now + 1 }), nothing);
  });

  test("waits for a pod that is annotated, for ever or until its time is over", () => {
    assert.deepEqual(drain([modelPod("held", { doNotDisrupt: "true" })]), { ...nothing, wait: ["held: held"] });
    const until = modelPod("until", { doNotDisrupt: "10m", startedAt: now - 599_000 });
    assert.deepEqual(drain([until]), { ...nothing, wait: ["until: held"], again: now + 1_000 });
    assert.deepEqual(drain([until], { now: now + 1_000 }).evict, ["until"]);
  });

  test("protects a pod that has not started for as long as that is so", () => {
    const pod = modelPod("starting", { doNotDisrupt: "1s", startedAt: undefined });
    assert.deepEqual(drain([pod]), { ...nothing, wait: ["starting: held"] });
  });

  test("makes nothing of an annotation that says nothing", () => {
    const pods = ["false", "soon", "-5m", "0s"].map((doNotDisrupt) => modelPod(doNotDisrupt, { doNotDisrupt }));
    assert.deepEqual(drain(pods).evict, ["false", "soon", "-5m", "0s"]);
  });

  test("asks a pod out although its budget is exhausted, and says that it is", () => {
    const plan = drain([modelPod("web", { app: "web" })], { budgets: [modelBudget("web")] });
    assert.deepEqual(plan, { ...nothing, evict: ["web"], wait: ["web: budget"] });
  });

  test("says of several budgets that the API takes only one", () => {
    const budgets = [
      modelBudget("web", { disruptionsAllowed: 1 }),
      modelBudget("web", { name: "two", disruptionsAllowed: 1 }),
    ];
    assert.deepEqual(drain([modelPod("web", { app: "web" })], { budgets }).wait, ["web: budget"]);
  });
});

describe("a deadline", () => {
  const deadline = now + 300_000;

  test("deletes a pod when what is left is its grace, whatever protects it", () => {
    const pods = [
      modelPod("held", { doNotDisrupt: "true", graceSeconds: 60 }),
      modelPod("budgeted", { app: "web", graceSeconds: 60 }),
    ];
    const budgets = [modelBudget("web", { neverAllows: true })];
    assert.deepEqual(drain(pods, { deadline, budgets }), {
      evict: ["budgeted"],
      delete: [],
      wait: ["held: held", "budgeted: budget"],
      again: now + 240_000,
    });
    assert.deepEqual(drain(pods, { deadline, budgets, now: now + 240_000 }), {
      evict: [],
      delete: ["held in 60 s", "budgeted in 60 s"],
      wait: ["held: leaving", "budgeted: leaving"],
      again: undefined,
    });
  });

  test("deletes pods of every tier at once", () => {
    const pods = [
      modelPod("ordinary", { graceSeconds: 600 }),
      modelPod("daemon", { graceSeconds: 600, owners: [daemonSetOwner] }),
      modelPod("critical", { graceSeconds: 600, priorityClassName: "system-node-critical" }),
    ];
    assert.deepEqual(drain(pods, { deadline }).delete, ["ordinary in 300 s", "daemon in 300 s", "critical in 300 s"]);
  });

  test("shortens a deletion that would end after it, once", () => {
    const pod = modelPod("slow", { deletesAt: deadline + 1_000 });
    assert.deepEqual(drain([pod], { deadline }).delete, ["slow in 300 s"]);
    const shortened = modelPod("slow", { deletesAt: deadline });
    assert.deepEqual(drain([shortened], { deadline }).delete, []);
  });

  test("never gives less than a second, and does not ask again for that second", () => {
    assert.deepEqual(drain([modelPod("late")], { deadline: now - 5_000 }).delete, ["late in 1 s"]);
    assert.deepEqual(drain([modelPod("late", { deletesAt: now + 1_000 })], { deadline: now - 5_000 }).delete, []);
  });

  test("does not shorten the wait for a pod that is on its way in time", () => {
    const plan = drain([modelPod("going", { deletesAt: now + 10_000 })], { deadline });
    assert.deepEqual(plan, { ...nothing, wait: ["going: leaving"], again: now + 70_001 });
  });
});
