import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import { instanceType, offering } from "../support/builders.ts";
import { LifecycleStage } from "../support/lifecycle-stage.ts";

describe("the launcher", () => {
  let stage: LifecycleStage;
  beforeEach(async () => {
    stage = await LifecycleStage.open();
  });
  afterEach(() => stage.stop());

  it("writes down what the cloud says of the machine; the claim's labels and the cloud's annotations win", async () => {
    stage.launcher();
    await stage.createClaim("a", {
      labels: { "example.com/team": "ours" },
      annotations: { "example.com/order": "0", "example.com/mine": "yes" },
    });
    const { metadata, status } = await stage.wire(nodeClaims, "a");
    assert.deepEqual(metadata.finalizers, ["karpenter.sh/termination"]);
    assert.deepEqual(metadata.labels, {
      "example.com/team": "ours",
      "karpenter.kwok.sh/kwoknodeclass": "default",
      "karpenter.sh/capacity-type": "spot",
      "node.kubernetes.io/instance-type": "m-4x",
      "topology.kubernetes.io/zone": "zone-a",
    });
    assert.deepEqual(metadata.annotations, { "example.com/order": "1", "example.com/mine": "yes" });
    const { conditions, ...rest } = status as { conditions: unknown };
    assert.deepEqual(rest, {
      providerID: "test://a",
      imageID: "image-1",
      capacity: { cpu: "4", memory: "8Gi" },
      allocatable: { cpu: "3900m", memory: "4Gi" },
    });
    assert.equal((conditions as unknown[]).length, 4);
    assert.deepEqual(stage.conditions("a"), [
      "Launched=True",
      "Registered=Unknown (NodeNotFound: Node not registered with cluster)",
      "Initialized=Unknown (AwaitingReconciliation: object is awaiting reconciliation)",
      "Ready=Unknown (ReconcilingDependents: Registered=Unknown, Initialized=Unknown)",
    ]);
    assert.deepEqual(stage.telemetry.lines, [
      {
        level: "info",
        message: "launched nodeclaim",
        fields: {
          controller: "nodeclaim.lifecycle",
          NodeClaim: { name: "a" },
          NodePool: { name: "" },
          "provider-id": "test://a",
          "instance-type": "m-4x",
          zone: "zone-a",
          "capacity-type": "spot",
          allocatable: { cpu: "3900m", memory: "4Gi" },
        },
      },
    ]);
  });

  it("leaves claims of other clouds alone", async () => {
    stage.launcher();
    await stage.createClaim("a", { nodeClassRef: { group: "example.com", kind: "OtherClass", name: "x" } });
    await stage.clock.advance(60_000);
    assert.equal(stage.cloud.launches, 0);
    assert.deepEqual(stage.claim("a").finalizers, []);
  });

  it("launches claims that were there before it", async () => {
    await stage.createClaim("a");
    stage.launcher();
    await stage.clock.advance(0);
    assert.equal(stage.claim("a").providerId, "test://a");
  });

  it("remembers what could not be had, until it can; a missing node class says nothing of that", async () => {
    const types = [instanceType("m-4x", { cpu: 4, offerings: [offering({ zone: "zone-a", capacityType: "spot" })] })];
    stage.cloud.instanceTypes = types;
    const { cluster, clock } = stage;
    const isAvailable = (): boolean | undefined =>
      cluster.refusedOfferings.mark(types, clock.now())[0]?.offerings[0]?.isAvailable;
    stage.cloud.answer = async () => ({ kind: "insufficient-capacity", message: "sold out" });
    stage.launcher();
    const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "missing" };
    await stage.createClaim("a", { nodeClassRef });
    assert.notEqual(stage.claim("a").deletedAt, undefined);
    assert.equal(isAvailable(), true);
    stage.cloud.answer = async () => ({ kind: "insufficient-capacity", message: "sold out", isTold: true });
    await stage.createClaim("told");
    assert.equal(isAvailable(), true, "the cloud says by itself what is left");
    stage.cloud.answer = async () => ({ kind: "insufficient-capacity", message: "sold out" });
    await stage.createClaim("b");
    assert.equal(isAvailable(), false);
    stage.cloud.answer = async () => undefined;
    await stage.createClaim("c");
    assert.equal(isAvailable(), true);
  });

  for (const { kind, event, reason } of [
    { kind: "insufficient-capacity", event: "InsufficientCapacityError", reason: "insufficient_capacity" },
    { kind: "node-class-not-ready", event: "NodeClassNotReady", reason: "nodeclass_not_ready" },
  ] as const) {
    it(`deletes a claim at once when the cloud says ${kind}`, async () => {
      stage.cloud.answer = async () => ({ kind, message: "x".repeat(400) });
      stage.launcher();
      await stage.createClaim("a", {
        finalizers: ["karpenter.sh/termination"],
        labels: { "karpenter.sh/nodepool": "p" },
      });
      assert.notEqual(stage.claim("a").deletedAt, undefined);
      assert.deepEqual(stage.events, [`Warning ${event} a: NodeClaim a event: ${"x".repeat(300)}...`]);
      assert.deepEqual(stage.said, ["failed launching nodeclaim"]);
      assert.equal(stage.sum("nodeclaims_disrupted_total", `reason="${reason}"`, 'nodepool="p"'), 1);
      await stage.clock.advance(60_000);
      assert.equal(stage.cloud.launches, 1);
    });
  }

  it("shows why a launch failed, and tries again with growing pauses", async () => {
    let times = 0;
    // A message that is never the same must not make it hurry.
    stage.cloud.answer = async () => ({ kind: "failed", reason: "QuotaExceeded", message: `request ${++times}` });
    stage.launcher();
    await stage.createClaim("a");
    assert.deepEqual(stage.conditions("a"), [
      "Launched=Unknown (QuotaExceeded: request 1)",
      "Registered=Unknown (AwaitingReconciliation: object is awaiting reconciliation)",
      "Initialized=Unknown (AwaitingReconciliation: object is awaiting reconciliation)",
      "Ready=Unknown (ReconcilingDependents: Launched=Unknown, Registered=Unknown, Initialized=Unknown)",
    ]);
    await stage.clock.advance(900);
    assert.equal(times, 1);
    await stage.clock.advance(3_000);
    assert.equal(times, 3);
    stage.cloud.answer = async () => undefined;
    await stage.clock.advance(60_000);
    assert.equal(stage.claim("a").providerId, "test://a");
  });

  it("asks again when nobody knows whether there is a machine", async () => {
    stage.cloud.answer = () => Promise.reject(new Error(`no answer ${"x".repeat(400)}`));
    stage.launcher();
    await stage.createClaim("a");
    const launched = stage.claim("a").conditions.find(({ type }) => type === "Launched");
    assert.equal(launched?.reason, "LaunchFailed");
    assert.equal(launched?.message, `no answer ${"x".repeat(290)}...`);
    stage.cloud.answer = async () => undefined;
    await stage.clock.advance(2_000);
    assert.equal(stage.claim("a").providerId, "test://a");
  });

  for (const [fault, path] of [
    [{ effect: "refuse", status: 409 }, /nodeclaims\/a$/],
    [{ effect: "refuse", status: 500 }, /nodeclaims\/a$/],
    [{ effect: "refuse", status: 409 }, /nodeclaims\/a\/status/],
    [{ effect: "refuse", status: 500 }, /nodeclaims\/a\/status/],
    [{ effect: "drop", at: "request" }, /nodeclaims\/a/],
    [{ effect: "drop", at: "answer" }, /nodeclaims\/a/],
  ] as const) {
    it(`launches once although patches of ${path.source} suffer ${Object.values(fault).join(" ")}`, async () => {
      stage.embedded.faults.inject({ ...fault, on: { methods: ["PATCH"], path }, probability: 1, times: 3 });
      stage.launcher();
      await stage.createClaim("a");
      await stage.clock.advance(60_000);
      assert.equal(stage.claim("a").providerId, "test://a");
      assert.equal(stage.cloud.machines.size, 1);
      assert.deepEqual(stage.cloud.terminated, []);
      // Whoever never hears that the write succeeded does not say so.
      const times = fault.effect === "drop" && fault.at === "answer" ? 0 : 1;
      assert.equal(stage.said.filter((message) => message === "launched nodeclaim").length, times);
    });
  }

  it("finds the machine again that another process launched and did not write down", async () => {
    const end = stage.embedded.faults.inject({
      effect: "refuse",
      status: 500,
      on: { methods: ["PATCH"], path: /status/ },
      probability: 1,
    });
    const crashed = stage.launcher();
    await stage.createClaim("a");
    assert.equal(stage.cloud.machines.size, 1);
    assert.equal(stage.claim("a").providerId, "");
    await crashed.stop();
    end();
    stage.launcher();
    await stage.clock.advance(0);
    assert.equal(stage.claim("a").providerId, "test://a");
    assert.equal(stage.cloud.machines.size, 1);
  });

  it("ends the machine of a claim that went while it was on order", async () => {
    let answer = (): void => {};
    stage.cloud.answer = () =>
      new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
    stage.launcher();
    await stage.createClaim("a");
    await stage.kube.delete(nodeClaims, { name: "a" });
    await stage.kube.patch(nodeClaims, { name: "a" }, { body: { metadata: { finalizers: null } } });
    answer();
    await stage.clock.advance(0);
    assert.deepEqual(stage.cloud.terminated, [{ providerId: "test://a", claimName: "a" }]);
  });

  it("tells whoever deletes a claim of the machine that was on order", async () => {
    let answer = (): void => {};
    stage.cloud.answer = () =>
      new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
    stage.launcher();
    await stage.createClaim("a");
    await stage.kube.delete(nodeClaims, { name: "a" });
    answer();
    await stage.clock.advance(0);
    assert.equal(stage.claim("a").providerId, "test://a");
    assert.deepEqual(stage.cloud.terminated, []);
  });
});
