import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelBudget, modelPod, nodeOwner } from "../../../test/support/model-pod.ts";
import { judgeEviction, mustStay } from "./disruption-budget.ts";

describe("a disruption budget", () => {
  const pod = modelPod("web", { app: "web" });

  test("lets a pod go while it allows disruptions", () => {
    assert.equal(judgeEviction(pod, [modelBudget("web", { disruptionsAllowed: 1 })]).kind, "allowed");
    assert.equal(judgeEviction(pod, [modelBudget("web")]).kind, "exhausted");
  });

  test("concerns the pods of its namespace that it selects", () => {
    const others = [
      modelBudget("db"),
      modelBudget("web", { namespace: "other" }),
      modelBudget("web", { selector: undefined }),
    ];
    assert.equal(judgeEviction(pod, others).kind, "allowed");
  });

  test("may give up pods that are not ready", () => {
    const unready = modelPod("web", { app: "web", readyAt: undefined });
    const budget = modelBudget("web", { alwaysAllowsUnhealthy: true });
    assert.equal(judgeEviction(unready, [budget]).kind, "allowed");
    assert.equal(judgeEviction(unready, [modelBudget("web")]).kind, "exhausted");
    assert.equal(judgeEviction(pod, [budget]).kind, "exhausted");
  });

  test("blocks whatever it allows when another selects the same pod", () => {
    const two = [
      modelBudget("web", { disruptionsAllowed: 1 }),
      modelBudget("web", { name: "b", disruptionsAllowed: 1 }),
    ];
    assert.equal(judgeEviction(pod, two).kind, "several");
  });
});

describe("a pod on a node that goes", () => {
  const never = modelBudget("web", { neverAllows: true });

  test("stays while its annotation holds it", () => {
    assert.equal(mustStay(modelPod("a", { doNotDisrupt: "true" }), [], 0), true);
    assert.equal(mustStay(modelPod("a", { doNotDisrupt: "1m", startedAt: 0 }), [], 59_999), true);
    assert.equal(mustStay(modelPod("a", { doNotDisrupt: "1m", startedAt: 0 }), [], 60_000), false);
  });

  test("stays when a budget never lets it go, and leaves when it only does not now", () => {
    const pod = modelPod("web", { app: "web" });
    assert.equal(mustStay(pod, [never], 0), true);
    assert.equal(mustStay(pod, [modelBudget("web"), modelBudget("web", { name: "b" })], 0), true);
    assert.equal(mustStay(pod, [modelBudget("web")], 0), false);
    assert.equal(mustStay(pod, [], 0), false);
  });

  test("is not kept by a budget when nobody would evict it", () => {
    assert.equal(mustStay(modelPod("web", { app: "web", owners: [nodeOwner] }), [never], 0), false);
    assert.equal(mustStay(modelPod("web", { app: "web", deletesAt: 1 }), [never], 0), false);
  });
});
