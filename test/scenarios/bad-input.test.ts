import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { deployment, nodeClass, nodeClassRef, nodePool, pod } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const limits = { cpu: "100" };
const twoPods = deployment("web", 2);

describe("bad input", () => {
  it("of a pool that cannot be followed is said on the pool, and other pools serve", () =>
    tell({}, async (story) => {
      const requirements = [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["cheap"] }];
      story.whole.load(
        nodeClass(),
        nodePool("bad", { limits, weight: 50, spec: { requirements } }),
        nodePool("good", { limits }),
        twoPods,
      );
      story.whole.start();
      await story.pass(30_000);
      story.expect(story.pending, []);
      story.expect(poolCondition(story, "bad", "ValidationSucceeded"), ["False", "NodePoolValidationFailed"]);
      story.expect(poolCondition(story, "bad", "Ready")[0], "False");
      story.expect(saidOf(story, "bad", "NodePoolValidationFailed").length, 1);
    }));

  it("of a pool without limits is a warning, once", () =>
    tell({}, async (story) => {
      story.whole.load(nodeClass(), nodePool("open"), twoPods);
      story.whole.start();
      await story.pass(120_000);
      story.expect(story.pending, []);
      const warnings = saidOf(story, "open", "NodePoolValidationWarning");
      story.expect(warnings.length, 1);
      assert.match(warnings[0] ?? "", /nothing bounds what the pool spends/);
    }));

  it("of a pool whose node class is missing is said on the pool and to the pods, until there is one", () =>
    tell({}, async (story) => {
      story.whole.load(nodePool("general", { limits }), twoPods);
      story.whole.start();
      await story.pass(60_000);
      story.expect(poolCondition(story, "general", "NodeClassReady"), ["False", "NodeClassNotFound"]);
      story.expect(story.claims, []);
      for (const message of toldPods(story)) assert.match(message, /Pool "general" cannot be used: .*not/i);
      assert.ok(toldPods(story).length >= 2);
      story.whole.load(nodeClass());
      await story.pass(30_000);
      story.expect(story.pending, []);
    }));

  it("of a pool whose node class is not ready is said on the pool and to the pods, until it is", () =>
    tell({}, async (story) => {
      const condition = {
        type: "Ready",
        reason: "NoImages",
        message: "no image",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      const ready = (status: string) => ({ conditions: [{ ...condition, status }] });
      story.whole.load({ ...nodeClass(), status: ready("False") }, nodePool("general", { limits }), twoPods);
      story.whole.start();
      await story.pass(60_000);
      story.expect(poolCondition(story, "general", "NodeClassReady"), ["False", "NoImages"]);
      story.expect(story.claims, []);
      assert.ok(toldPods(story).length >= 2);
      story.whole.changeStatus(nodeClass(), ready("True"));
      await story.pass(30_000);
      story.expect(story.pending, []);
    }));

  it("of a pool that wants instance types which do not exist is told to the pods", () =>
    tell({}, async (story) => {
      const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["no-such-type"] }];
      story.whole.load(nodeClass(), nodePool("general", { limits, spec: { requirements } }), twoPods);
      story.whole.start();
      await story.pass(60_000);
      story.expect(story.claims, []);
      for (const message of toldPods(story)) assert.match(message, /Pool "general" has no instance type on offer/);
      assert.ok(toldPods(story).length >= 2);
    }));

  it("of a claim that names only instance types which do not exist is said on the claim, which goes after five minutes", () =>
    tell({}, async (story) => {
      const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["no-such-type"] }];
      story.whole.load(nodeClass(), {
        apiVersion: "karpenter.sh/v1",
        kind: "NodeClaim",
        metadata: { name: "by-hand" },
        spec: { nodeClassRef, requirements },
      });
      story.whole.start();
      await story.pass(60_000);
      const [claim] = story.claims;
      story.expect(conditionOf(claim, "Launched"), ["Unknown", "InstanceTypesNotFound"]);
      const isGone = await story.passUntil(() => story.claims.length === 0, 300_000);
      story.expect(isGone, true);
    }));

  it("of pods that a limit leaves no room for is told to them, with the limit", () =>
    tell({}, async (story) => {
      const general = nodePool("general", { limits: { cpu: "4" } });
      story.whole.load(nodeClass(), general, deployment("web", 12));
      story.whole.start();
      await story.pass(60_000);
      assert.ok(story.pending.length > 0);
      for (const message of toldPods(story)) assert.match(message, /Pool "general" has reached its limit: .* of cpu/);
      assert.ok(toldPods(story).length > 0);
      story.note("the limit is raised");
      story.whole.change(general, (current) => ({ ...current, spec: { ...(current.spec as object), limits } }));
      await story.pass(30_000);
      story.expect(story.pending, []);
    }));

  it("of pods that no machine can hold is told to them, and they do not hold up others", () =>
    tell({}, async (story) => {
      story.whole.load(nodeClass(), nodePool("general", { limits }), pod("giant", { cpu: "5000" }), twoPods);
      story.whole.start();
      await story.pass(30_000);
      story.expect(story.pending, ["giant"]);
      assert.match(toldPods(story)[0] ?? "", /has nothing large enough/);
    }));
});

function saidOf(story: Story, name: string, reason: string): string[] {
  return story.whole.telemetry.happenings
    .filter((happening) => happening.object.name === name && happening.reason === reason)
    .map(({ message }) => message);
}

/** What pods without a place were told. */
function toldPods(story: Story): string[] {
  return story.whole.telemetry.happenings
    .filter(({ reason }) => reason === "FailedScheduling")
    .map(({ message }) => message);
}

function poolCondition(story: Story, pool: string, type: string): readonly string[] {
  const found = story.whole.list("karpenter.sh/v1", "NodePool").find(({ metadata }) => metadata.name === pool);
  return conditionOf(found, type);
}

function conditionOf(object: KubeObject | undefined, wanted: string): readonly string[] {
  const { conditions = [] } = (object?.status ?? {}) as {
    conditions?: { type: string; status: string; reason: string }[];
  };
  return conditions.filter(({ type }) => type === wanted).flatMap(({ status, reason }) => [status, reason]);
}
