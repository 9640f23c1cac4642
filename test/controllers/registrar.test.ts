import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import { initializedLabel, registeredLabel } from "../../src/core/model/labels.ts";
import { nodes } from "../../src/runtime/resources.ts";
import { LifecycleStage } from "../support/lifecycle-stage.ts";

const minute = 60_000;
const unregistered = { key: "karpenter.sh/unregistered", effect: "NoExecute" };
const allTrue = ["Launched=True", "Registered=True", "Initialized=True", "Ready=True"];

describe("the registrar", () => {
  let stage: LifecycleStage;
  beforeEach(async () => {
    stage = await LifecycleStage.open();
    stage.launcher();
  });
  afterEach(() => stage.stop());

  const initialized = (name: string): string | undefined =>
    stage.conditions(name).find((condition) => condition.startsWith("Initialized"));
  const registered = (name: string): string | undefined =>
    stage.conditions(name).find((condition) => condition.startsWith("Registered"));

  /** Kinds of what is patched from now on; each answer begins where the last one ended. */
  function recordWrites(): () => readonly string[] {
    const writes: string[] = [];
    const { patch } = stage.kube;
    stage.kube.patch = (resource, target, body) => {
      writes.push(`${resource.kind}${target.subresource ?? ""}`);
      return patch.call(stage.kube, resource, target, body);
    };
    return () => writes.splice(0);
  }

  it("makes a node of a claim, with all that the claim asks for", async () => {
    stage.registrar();
    await stage.createClaim("a", {
      labels: { "example.com/team": "ours", "karpenter.sh/nodepool": "p" },
      annotations: { "example.com/mine": "yes" },
      taints: [{ key: "dedicated", value: "ours", effect: "NoSchedule" }],
      startupTaints: [{ key: "booting", effect: "NoExecute" }],
    });
    await stage.join("a", {
      labels: { "example.com/team": "theirs", "example.com/kept": "yes" },
      metadata: {
        finalizers: ["example.com/kept"],
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "kept", uid: "1" }],
      },
    });
    await stage.clock.advance(5000);
    const { metadata, spec } = await stage.wire(nodes, "a");
    assert.deepEqual([...(metadata.finalizers as string[])].sort(), ["example.com/kept", "karpenter.sh/termination"]);
    assert.deepEqual(metadata.ownerReferences, [
      {
        apiVersion: "karpenter.sh/v1",
        kind: "NodeClaim",
        name: "a",
        uid: stage.claim("a").uid,
        blockOwnerDeletion: true,
      },
      { apiVersion: "v1", kind: "ConfigMap", name: "kept", uid: "1" },
    ]);
    assert.deepEqual((spec as { taints: unknown }).taints, [
      { key: "dedicated", value: "ours", effect: "NoSchedule" },
      { key: "booting", effect: "NoExecute" },
    ]);
    const { labels, annotations } = stage.node("a");
    assert.equal(labels.get("example.com/team"), "ours");
    assert.equal(labels.get("example.com/kept"), "yes");
    assert.equal(labels.get("karpenter.kwok.sh/kwoknodeclass"), "default");
    assert.equal(labels.get("node.kubernetes.io/instance-type"), "m-4x");
    assert.equal(labels.get(registeredLabel), "true");
    assert.equal(labels.get(initializedLabel), undefined);
    assert.equal(annotations.get("example.com/mine"), "yes");
    assert.equal(stage.claim("a").nodeName, "a");
    assert.equal(registered("a"), "Registered=True");
    assert.equal(
      initialized("a"),
      'Initialized=Unknown (StartupTaintsExist: StartupTaint "booting:NoExecute" still exists)',
    );
    assert.equal(stage.sum("nodes_created_total", 'nodepool="p"', 'zone="zone-a"'), 1);

    await stage.patch(nodes, "a", { spec: { taints: [{ key: "dedicated", value: "ours", effect: "NoSchedule" }] } });
    assert.deepEqual(stage.conditions("a"), allTrue);
    assert.equal(stage.node("a").labels.get(initializedLabel), "true");
    assert.deepEqual(stage.said, ["launched nodeclaim", "registered nodeclaim", "initialized nodeclaim"]);
    assert.deepEqual(stage.telemetry.lines.at(-1)?.fields, {
      controller: "nodeclaim.lifecycle",
      NodeClaim: { name: "a" },
      NodePool: { name: "p" },
      "provider-id": "test://a",
      Node: { name: "a" },
      allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
    });
    assert.deepEqual(stage.events, []);
  });

  it("takes one write for the node and one for the claim to register a node, and as many to initialize it", async () => {
    await stage.createClaim("a");
    const writes = recordWrites();
    stage.registrar();
    stage.embedded.kubelets.neverReady("a");
    await stage.join("a");
    assert.deepEqual([writes(), registered("a")], [["Node", "NodeClaimstatus"], "Registered=True"]);
    stage.embedded.kubelets.resumeNode("a");
    await stage.clock.advance(1500);
    assert.deepEqual([writes(), stage.conditions("a")], [["Node", "NodeClaimstatus"], allTrue]);
  });

  it("takes one write for the node and one for the claim when the node is ready by then", async () => {
    await stage.createClaim("a");
    await stage.join("a", { taints: [] });
    await stage.clock.advance(5000);
    const writes = recordWrites();
    stage.registrar();
    await stage.clock.advance(5000);
    assert.deepEqual([writes(), stage.conditions("a")], [["Node", "NodeClaimstatus"], allTrue]);
  });

  it("opens a node at once, also when it is not ready, and never before it carries all that its claim asks for", async () => {
    const seen: (readonly string[])[] = [];
    stage.cluster.nodes.onChange(({ after }) => {
      const keys = [...(after?.taints ?? []).map(({ key }) => key), ...(after?.labels.keys() ?? [])];
      if (after !== undefined) seen.push(keys.filter((key) => ours.includes(key)));
    });
    const ours = ["karpenter.sh/unregistered", "booting", "karpenter.kwok.sh/kwoknodeclass", registeredLabel];
    stage.embedded.kubelets.neverReady("a");
    const end = stage.embedded.faults.inject({
      effect: "refuse",
      status: 500,
      on: { methods: ["PATCH"], path: /\/nodes\/a$/ },
      probability: 1,
      times: 2,
    });
    stage.registrar();
    await stage.createClaim("a", { startupTaints: [{ key: "booting", effect: "NoExecute" }] });
    await stage.join("a");
    await stage.clock.advance(5000);
    end();
    const distinct = seen.filter((keys, index) => keys.join() !== seen[index - 1]?.join());
    assert.deepEqual(distinct, [[ours[0]], ours.slice(1)]);
    assert.equal(registered("a"), "Registered=True");
  });

  it("leaves the taints of a node alone that says so, but opens it", async () => {
    stage.registrar();
    await stage.createClaim("a", { taints: [{ key: "dedicated", effect: "NoSchedule" }] });
    await stage.join("a", { labels: { "karpenter.sh/do-not-sync-taints": "true" } });
    await stage.clock.advance(5000);
    assert.deepEqual(stage.node("a").taints, []);
    assert.deepEqual(stage.conditions("a"), allTrue);
  });

  it("says when the taint was missing that keeps pods away from a new node, and goes on", async () => {
    stage.registrar();
    await stage.createClaim("a");
    await stage.join("a", { taints: [] });
    await stage.clock.advance(5000);
    assert.deepEqual(stage.conditions("a"), allTrue);
    assert.deepEqual(stage.events, [
      "Warning UnregisteredTaintMissing a: Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes",
    ]);
  });

  it("does not choose between two nodes of one machine, until one of them goes", async () => {
    await stage.createClaim("a");
    await stage.join("a-1", { claim: "a" });
    await stage.join("a-2", { claim: "a" });
    stage.registrar();
    await stage.clock.advance(2000);
    assert.equal(registered("a"), "Registered=False (MultipleNodesFound: Invariant violated, matched multiple nodes)");
    await stage.patch(nodes, "a-1", { metadata: { finalizers: null } });
    await stage.kube.delete(nodes, { name: "a-1" });
    await stage.clock.advance(2000);
    assert.equal(registered("a"), "Registered=True");
    assert.equal(stage.claim("a").nodeName, "a-2");
  });

  it("gives up a claim whose node never comes, exactly when its time is up", async () => {
    stage.registrar();
    await stage.createPool("p");
    const { createdAt } = await stage.createClaim("a", { labels: { "karpenter.sh/nodepool": "p" } });
    await stage.clock.advance(createdAt + 15 * minute - 1 - stage.clock.now());
    assert.equal(stage.claim("a").deletedAt, undefined);
    await stage.clock.advance(1);
    assert.equal(stage.claim("a").deletedAt, stage.clock.now());
    assert.equal(stage.sum("nodeclaims_disrupted_total", 'reason="registration_timeout"', 'nodepool="p"'), 1);
  });

  it("gives up a claim that cannot be launched after five minutes", async () => {
    stage.cloud.answer = async () => ({ kind: "failed", reason: "QuotaExceeded", message: "too many" });
    stage.registrar();
    const { createdAt } = await stage.createClaim("a");
    await stage.clock.advance(createdAt + 5 * minute - 1 - stage.clock.now());
    assert.equal(stage.claim("a").deletedAt, undefined);
    await stage.clock.advance(1);
    assert.equal(stage.claim("a").deletedAt, stage.clock.now());
    assert.equal(stage.sum("nodeclaims_disrupted_total", 'reason="launch_timeout"'), 1);
  });

  it("waits for a node that is not ready, and is told of every change of it", async () => {
    stage.registrar();
    stage.embedded.kubelets.neverReady("a");
    await stage.createClaim("a", { resources: { requests: { "example.com/gpu": "1" } } });
    await stage.join("a");
    await stage.clock.advance(3000);
    assert.equal(initialized("a"), "Initialized=Unknown (NodeNotReady: Node status is NotReady)");
    stage.embedded.kubelets.resumeNode("a");
    await stage.clock.advance(10_000);
    assert.equal(
      initialized("a"),
      'Initialized=Unknown (ResourceNotRegistered: Resource "example.com/gpu" was requested but not registered)',
    );
    const status = { capacity: { "example.com/gpu": "1" }, allocatable: { "example.com/gpu": "1" } };
    await stage.kube.patch(nodes, { name: "a", subresource: "status" }, { body: { status } });
    await stage.clock.advance(0);
    assert.deepEqual(stage.conditions("a"), allTrue);
  });

  it("waits for taints that go by themselves, and misses a node that goes", async () => {
    stage.registrar();
    await stage.createClaim("a");
    await stage.join("a", {
      taints: [unregistered, { key: "readiness.k8s.io/net", value: "x", effect: "NoSchedule" }],
    });
    await stage.clock.advance(3000);
    assert.equal(
      initialized("a"),
      'Initialized=Unknown (KnownEphemeralTaintsExist: KnownEphemeralTaint "readiness.k8s.io/net=x:NoSchedule" still exists)',
    );
    await stage.patch(nodes, "a", { metadata: { finalizers: null } });
    await stage.kube.delete(nodes, { name: "a" });
    await stage.clock.advance(0);
    assert.equal(initialized("a"), "Initialized=Unknown (NodeNotFound: Node not registered with cluster)");
  });

  describe("the health of a pool", () => {
    const inPool = { labels: { "karpenter.sh/nodepool": "p" } };
    const failed = "NodeRegistrationHealthy=False (RegistrationFailed: Failed to register node)";
    const unknown = "NodeRegistrationHealthy=Unknown (AwaitingReconciliation: object is awaiting reconciliation)";

    async function fail(...names: string[]): Promise<void> {
      for (const name of names) await stage.createClaim(name, inPool);
      await stage.clock.advance(15 * minute);
    }

    async function succeed(...names: string[]): Promise<void> {
      for (const name of names) {
        await stage.createClaim(name, inPool);
        await stage.join(name);
      }
      await stage.clock.advance(5000);
    }

    beforeEach(() => stage.createPool("p"));

    it("is bad after two failures of the last four, and good again when they have passed", async () => {
      stage.registrar();
      await stage.clock.advance(0);
      assert.equal(stage.poolHealth("p"), unknown);
      await fail("a");
      assert.equal(stage.poolHealth("p"), unknown);
      await fail("b");
      assert.equal(stage.poolHealth("p"), failed);
      await succeed("c", "d");
      assert.equal(stage.poolHealth("p"), failed);
      await succeed("e");
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=True");
    });

    it("tells why launches fail", async () => {
      stage.cloud.answer = async () => ({ kind: "failed", reason: "QuotaExceeded", message: "too many" });
      stage.registrar();
      await fail("a", "b");
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=False (QuotaExceeded: too many)");
    });

    it("is unknown again when the pool or its node class changes", async () => {
      stage.registrar();
      await succeed("a");
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=True");
      await stage.patch(nodePools as never, "p", { spec: { weight: 7 } });
      assert.equal(stage.poolHealth("p"), unknown);
      await succeed("b");
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=True");
      const nodeClasses = { ...stage.cloud.provider.nodeClassKinds[0]!, isNamespaced: false };
      await stage.patch(nodeClasses as never, "default", { spec: { nodeRegistrationDelay: "1s" } });
      assert.equal(stage.poolHealth("p"), unknown);
      assert.equal(stage.cluster.pools.get("p")?.status.nodeClassObservedGeneration, 2);
    });

    it("survives a restart as far as the pool tells", async () => {
      const first = stage.registrar();
      await fail("a", "b");
      await first.stop();
      stage.registrar();
      await succeed("c", "d");
      assert.equal(stage.poolHealth("p"), failed);
      await succeed("e");
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=True");
    });

    it("is written although others write the pool too", async () => {
      stage.registrar();
      await stage.clock.advance(0);
      stage.embedded.faults.inject({
        effect: "refuse",
        status: 409,
        on: { methods: ["PATCH"], path: /nodepools/ },
        probability: 1,
        times: 3,
      });
      await succeed("a");
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=True");
    });
  });

  it("labels claims and nodes of an older controller with their node class", async () => {
    const first = stage.registrar();
    await stage.createClaim("a");
    await stage.join("a");
    await stage.clock.advance(5000);
    await first.stop();
    const label = "karpenter.kwok.sh/kwoknodeclass";
    await stage.patch(nodes, "a", { metadata: { labels: { [label]: null } } });
    await stage.patch(nodeClaims as never, "a", { metadata: { labels: { [label]: null } } });
    stage.registrar();
    await stage.clock.advance(0);
    assert.equal(stage.node("a").labels.get(label), "default");
    assert.equal(stage.claim("a").labels.get(label), "default");
  });

  it("writes the old names of labels on nodes that come of a Provisioner, and makes up for an older controller", async () => {
    const first = stage.registrar();
    await stage.createClaim("a", {
      labels: { "karpenter.sh/provisioner-name": "web", "karpenter.k8s.aws/instance-size": "large" },
    });
    await stage.createClaim("b", { labels: { "karpenter.k8s.aws/instance-size": "large" } });
    await stage.join("a");
    await stage.join("b");
    await stage.clock.advance(5000);
    const oldLabels = {
      "provisioning.karpenter.sh/name": "web",
      "node.k8s.aws/capacity-type": "spot",
      "karpenter.k8s.aws/instance.size": "large",
    };
    const found = (name: string) => Object.keys(oldLabels).map((label) => stage.node(name).labels.get(label));
    assert.deepEqual(found("a"), Object.values(oldLabels));
    assert.deepEqual(found("b"), [undefined, undefined, undefined]);
    await first.stop();
    const none = Object.fromEntries(Object.keys(oldLabels).map((label) => [label, null]));
    await stage.patch(nodes, "a", { metadata: { labels: none } });
    stage.registrar();
    await stage.clock.advance(0);
    assert.deepEqual(found("a"), Object.values(oldLabels));
    assert.deepEqual(found("b"), [undefined, undefined, undefined]);
  });

  for (const fault of [
    { effect: "refuse", status: 409 },
    { effect: "refuse", status: 500 },
    { effect: "drop", at: "request" },
    { effect: "drop", at: "answer" },
  ] as const) {
    it(`brings every claim to its end although half of all patches suffer ${Object.values(fault).join(" ")}`, async () => {
      stage.registrar();
      await stage.createPool("p");
      const end = stage.embedded.faults.inject({ ...fault, on: { methods: ["PATCH"] }, probability: 0.5 });
      const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
      for (const name of names) {
        await stage.createClaim(name, {
          labels: { "karpenter.sh/nodepool": "p" },
          taints: [{ key: "dedicated", effect: "NoSchedule" }],
        });
      }
      await stage.clock.advance(minute);
      for (const name of names) await stage.join(name);
      await stage.clock.advance(minute);
      end();
      await stage.clock.advance(2 * minute);
      for (const name of names) {
        assert.deepEqual(stage.conditions(name), allTrue);
        assert.deepEqual(
          stage.node(name).taints.map(({ key }) => key),
          ["dedicated"],
        );
      }
      assert.equal(stage.cloud.machines.size, 10);
      assert.equal(stage.poolHealth("p"), "NodeRegistrationHealthy=True");
    });
  }

  for (const fault of [
    { effect: "cut-watch", afterMs: 300 },
    { effect: "delay-watch", byMs: 1500 },
  ] as const) {
    it(`brings claims to their end although it learns of changes late (${fault.effect})`, async () => {
      await stage.stop();
      stage = await LifecycleStage.open({ ...fault, probability: 1 });
      stage.launcher();
      stage.registrar();
      const taints = [{ key: "dedicated", effect: "NoSchedule" }];
      for (const name of ["a", "b", "c"]) await stage.createClaim(name, { taints });
      await stage.clock.advance(1000);
      for (const name of ["a", "b", "c"]) await stage.join(name);
      await stage.clock.advance(minute);
      for (const name of ["a", "b", "c"]) {
        assert.deepEqual(stage.conditions(name), allTrue);
        assert.equal(stage.node(name).taints.length, 1);
      }
      assert.deepEqual(
        stage.telemetry.lines.filter(({ level, message }) => level === "error" && message.includes("Reconciler")),
        [],
      );
    });
  }

  for (const writes of [0, 1, 2, 3]) {
    it(`goes on where another process stopped after ${writes} writes`, async () => {
      await stage.createClaim("a", { taints: [{ key: "dedicated", effect: "NoSchedule" }] });
      let left = writes;
      const { patch } = stage.kube;
      stage.kube.patch = (...call) =>
        left-- > 0 ? patch.apply(stage.kube, call) : Promise.reject(new Error("killed"));
      const killed = stage.registrar();
      await stage.join("a");
      await stage.clock.advance(5000);
      await killed.stop();
      assert.ok(left < 0);
      assert.equal(registered("a") === "Registered=True", writes >= 2);
      assert.notEqual(initialized("a"), "Initialized=True");
      stage.kube.patch = patch;
      stage.registrar();
      await stage.clock.advance(5000);
      assert.deepEqual(stage.conditions("a"), allTrue);
      assert.deepEqual(
        stage.node("a").taints.map(({ key }) => key),
        ["dedicated"],
      );
    });
  }
});
