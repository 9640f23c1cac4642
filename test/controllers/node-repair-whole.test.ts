import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { budget, deployment, nodeClass, nodePool } from "../scenarios/manifests.ts";
import { WholeController } from "../support/whole-controller.ts";

const minute = 60_000;

interface SeenPod extends KubeObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string };
}

describe("a node whose machine dies", () => {
  let whole: WholeController;
  beforeEach(() => {
    whole = new WholeController();
    const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["2"] }];
    whole.load(
      nodeClass(),
      nodePool("general", { limits: { cpu: "64" }, spec: { requirements } }),
      // Nothing may be evicted, and nothing disrupted.
      budget("web", { maxUnavailable: 0 }),
      deployment("web", 6, { cpu: "1500m", annotations: { "karpenter.sh/do-not-disrupt": "true" } }),
    );
    whole.start();
  });
  afterEach(async () => {
    await whole.controller.stop();
    whole.cluster.stop();
  });

  const nodes = () => whole.list("v1", "Node").map(({ metadata }) => metadata.name);
  const running = () =>
    (whole.list("v1", "Pod") as readonly SeenPod[]).filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === "Running",
    ).length;

  it("is replaced after ten minutes, with nobody's consent", async () => {
    await whole.clock.advance(2 * minute);
    const before = nodes();
    assert.deepEqual([before.length, running()], [6, 6]);
    const [dead = ""] = before;
    whole.cluster.kubelets.stopNode(dead);
    await whole.clock.advance(9 * minute);
    assert.equal(nodes().includes(dead), true);
    await whole.clock.advance(6 * minute);
    assert.equal(nodes().includes(dead), false);
    assert.deepEqual([nodes().length, running()], [6, 6]);
    assert.equal(before.filter((name) => nodes().includes(name)).length, 5);
  });

  it("is left alone when half of the pool dies with it, and replaced when the others are back", async () => {
    await whole.clock.advance(2 * minute);
    const [dead = "", ...others] = nodes();
    for (const name of [dead, ...others.slice(0, 2)]) whole.cluster.kubelets.stopNode(name);
    await whole.clock.advance(20 * minute);
    assert.equal(nodes().includes(dead), true);
    assert.equal(
      whole.telemetry.happenings.some(
        ({ reason, object }) => reason === "NodeRepairBlocked" && object.kind === "NodePool",
      ),
      true,
    );
    for (const name of others) whole.cluster.kubelets.resumeNode(name);
    await whole.clock.advance(12 * minute);
    assert.deepEqual([nodes().includes(dead), running()], [false, 6]);
  });
});
