import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Placer } from "../../src/controllers/placer/placer.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import { pods } from "../../src/runtime/resources.ts";
import { pod } from "../scenarios/manifests.ts";
import type { Wire } from "../support/builders.ts";
import { LifecycleStage } from "../support/lifecycle-stage.ts";
import { onStage } from "./provisioner-stage.ts";

const refused = [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }];

describe("the placer", () => {
  let stage: LifecycleStage;
  let sent: string[];

  beforeEach(async () => {
    stage = await LifecycleStage.open();
    stage.launcher();
    stage.registrar();
    stage.run(new Placer(stage));
    sent = [];
    const { createSubresource } = stage.kube;
    stage.kube.createSubresource = (resource, target, body) => {
      sent.push(`${target.subresource} ${target.name}`);
      return createSubresource.call(stage.kube, resource, target, body);
    };
  });
  afterEach(() => stage.stop());

  /** Pods that the kube-scheduler of the stage leaves alone. */
  async function add(names: readonly string[], { conditions = refused, ...spec }: Wire = {}): Promise<void> {
    for (const name of names) {
      stage.load({ ...pod(name, { spec: { schedulerName: "by-hand", ...spec } }), status: { conditions } });
    }
    await stage.clock.advance(0);
  }

  function intend(claimName: string, ...names: readonly string[]): void {
    for (const name of names) {
      stage.cluster.intendedPods.intend(uidOf(name), claimName, stage.clock.now());
    }
  }

  function uidOf(name: string): string {
    const uid = stage.cluster.pods.get(`default/${name}`)?.uid;
    if (uid === undefined) throw new Error(`There is no pod ${name}`);
    return uid;
  }

  /** The node of each pod. */
  const bound = (): Record<string, string> =>
    Object.fromEntries(Array.from(stage.cluster.pods.values(), ({ name, nodeName }) => [name, nodeName]).sort());

  const errors = (): readonly string[] =>
    stage.telemetry.lines.filter(({ level }) => level === "error").map(({ message }) => message);

  it("binds the pods of each node as soon as that node is ready, and waits for no other", async () => {
    for (const name of ["a", "b"]) await stage.createClaim(name);
    await add(["one", "two", "three"]);
    intend("a", "one", "two");
    intend("b", "three");
    stage.embedded.kubelets.neverReady("b");
    for (const name of ["a", "b"]) await stage.join(name);
    await stage.clock.advance(5_000);
    assert.deepEqual(bound(), { one: "a", three: "", two: "a" });
    stage.embedded.kubelets.resumeNode("b");
    await stage.clock.advance(2_000);
    assert.deepEqual(bound(), { one: "a", three: "b", two: "a" });
    assert.deepEqual(sent.sort(), ["binding one", "binding three", "binding two"]);
    assert.deepEqual(errors(), []);
  });

  it("binds pods that are meant for a node when it is ready already", async () => {
    await stage.createClaim("a");
    await stage.join("a");
    await stage.clock.advance(5_000);
    await add(["late", "other"]);
    intend("a", "late");
    await stage.clock.advance(0);
    assert.deepEqual(bound(), { late: "a", other: "" });
  });

  it("leaves pods alone until kube-scheduler has refused them", async () => {
    await stage.createClaim("a");
    await stage.join("a");
    await add(["new"], { conditions: [] });
    intend("a", "new");
    await stage.clock.advance(5_000);
    assert.deepEqual([bound(), sent], [{ new: "" }, []]);
    const status = { body: { status: { conditions: refused } } };
    orThrow(
      await stage.user.patch(pods, { namespace: "default", name: "new", subresource: "status" }, status),
      "refuse",
    );
    await stage.clock.advance(0);
    assert.deepEqual(bound(), { new: "a" });
  });

  it("binds none to a node with a taint that the pod does not tolerate", async () => {
    await stage.createClaim("a", { taints: [{ key: "dedicated", effect: "NoSchedule" }] });
    await stage.join("a");
    await add(["plain"]);
    await add(["tolerant"], { tolerations: [{ key: "dedicated", operator: "Exists" }] });
    intend("a", "plain", "tolerant");
    await stage.clock.advance(5_000);
    assert.deepEqual(bound(), { plain: "", tolerant: "a" });
  });

  it("takes it as done when a pod has been bound or deleted meanwhile", async () => {
    await stage.createClaim("a");
    await stage.join("a");
    await add(["bound", "gone", "left"]);
    const { createSubresource } = stage.kube;
    // The observer does not see the change before the binding is sent.
    stage.kube.createSubresource = async (resource, target, body) => {
      const { namespace = "", name } = target;
      if (name === "bound") orThrow(await stage.user.createSubresource(resource, target, body), "bind the pod");
      if (name === "gone") orThrow(await stage.user.delete(pods, { namespace, name }), "delete the pod");
      return createSubresource.call(stage.kube, resource, target, body);
    };
    intend("a", "bound", "gone", "left");
    await stage.clock.advance(20_000);
    assert.deepEqual(bound(), { bound: "a", left: "a" });
    assert.deepEqual(sent.sort(), ["binding bound", "binding gone", "binding left"]);
    assert.deepEqual(errors(), []);
  });

  it("lets pods go with their namespace", async () => {
    await stage.createClaim("a");
    await stage.join("a");
    await add(["going", "left"]);
    const { createSubresource } = stage.kube;
    const refusal = { code: 403, reason: "Forbidden", message: "it is being terminated", retryAfterSeconds: undefined };
    stage.kube.createSubresource = async (resource, target, body) =>
      target.name === "going"
        ? { ok: false, refusal: { ...refusal, isNamespaceTerminating: true } }
        : createSubresource.call(stage.kube, resource, target, body);
    intend("a", "going", "left");
    await stage.clock.advance(5_000);
    assert.deepEqual([bound(), errors()], [{ going: "", left: "a" }, []]);
  });

  it("tries again what the API server could not do", async () => {
    await stage.createClaim("a");
    await stage.join("a");
    await add(["one", "two"]);
    const on = { methods: ["POST"], path: /\/binding$/ };
    stage.embedded.faults.inject({ effect: "refuse", status: 500, on, probability: 1, times: 3 });
    intend("a", "one", "two");
    await stage.clock.advance(20_000);
    assert.deepEqual(bound(), { one: "a", two: "a" });
    assert.ok(errors().length > 0);
  });
});

describe("the placement policy Bind", () => {
  it("binds planned pods, also those that kube-scheduler never looks at", () =>
    onStage({ placementPolicy: "Bind" }, async (stage) => {
      await stage.lead();
      stage.add("1200m", "a", "b", "c", "d");
      stage.addByHand("web");
      await stage.pass(10_000);
      assert.deepEqual(stage.boundPods.toSorted(), ["a", "b", "c", "d", "web"]);
      assert.equal(stage.times("claim").length, 2);
    }));
});

describe("the placement policy Suggest", () => {
  it("names the planned node in an event, and writes nothing on pods", () =>
    onStage({ placementPolicy: "Suggest" }, async (stage) => {
      await stage.lead();
      stage.add("3", "a", "b");
      stage.addByHand("c", { cpu: "3" });
      await stage.pass(2_500);
      assert.equal(stage.boundPods.length, 2);
      const told = stage.events("Nominated").map((said) => said.replace(/general-.*/, "…"));
      assert.deepEqual(
        [...new Set(told)].sort(),
        ["a", "b", "c"].map((name) => `${name}: Pod should schedule on: nodeclaim/…`),
      );
      const written = stage.whole.sent.filter(({ request }) => /\/pods\/.*\/(status|binding)$/.test(request.path));
      assert.deepEqual(written, []);
    }));
});
