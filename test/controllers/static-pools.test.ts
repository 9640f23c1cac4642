import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { StaticPools } from "../../src/controllers/accountant/static-pools.ts";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import type { KubeObject } from "../../src/runtime/kube-object.ts";
import type { Wire } from "../support/builders.ts";
import { ControllerBench, noCloud } from "../support/controller-bench.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const since = { lastTransitionTime: "2026-01-01T00:00:00Z", message: "" };
const capacity = { cpu: "4", memory: "8Gi", pods: "110" };

function staticPool(replicas: number, spec: Wire = {}): Wire {
  const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["small", "large"] }];
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "web" },
    spec: { replicas, template: { spec: { nodeClassRef, requirements } }, ...spec },
    status: { conditions: [{ type: "Ready", status: "True", reason: "Ready", ...since }] },
  };
}

function claim(name: string, providerID?: string): Wire {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name, labels: { "karpenter.sh/nodepool": "web" }, finalizers: ["karpenter.sh/termination"] },
    spec: { nodeClassRef, requirements: [] },
    ...(providerID === undefined ? {} : { status: { providerID, capacity, allocatable: capacity } }),
  };
}

function node(name: string): Wire {
  const conditions = [{ type: "Ready", status: "True", reason: "Ready", ...since }];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "karpenter.sh/nodepool": "web" } },
    spec: { providerID: `test:///${name}` },
    status: { capacity, allocatable: capacity, conditions },
  };
}

function pod(name: string, nodeName: string, metadata: Wire = {}): Wire {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...metadata },
    spec: { nodeName, containers: [{ name: "main", image: "example.com/main:1" }] },
    status: { phase: "Running" },
  };
}

describe("StaticPools", () => {
  let bench: ControllerBench;
  /** The most claims that the API ever held at once. */
  let most = 0;
  beforeEach(() => {
    bench = new ControllerBench();
    most = 0;
  });
  afterEach(() => bench.stop());

  function run(isStaticCapacityEnabled = true): void {
    const { cluster, kube, clock, telemetry, random } = bench;
    bench.run(new StaticPools({ cluster, kube, clock, telemetry, random, cloud: noCloud, isStaticCapacityEnabled }));
  }

  async function start(...objects: Wire[]): Promise<void> {
    bench.load(...objects);
    await bench.observe();
    bench.cluster.claims.onChange(() => {
      most = Math.max(most, bench.cluster.claims.size);
    });
    run();
    await bench.clock.advance(1_000);
  }

  const claims = (): Promise<readonly KubeObject[]> => bench.user.list(nodeClaims);
  const staying = async (): Promise<string[]> =>
    (await claims())
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name ?? "");
  const scale = (spec: Wire) => bench.user.patch(nodePools, { name: "web" }, { body: { spec } });
  /** What the terminator does in the end. */
  const finish = async (): Promise<void> => {
    for (const { metadata } of await claims()) {
      if (metadata.deletionTimestamp === undefined) continue;
      await bench.user.patch(nodeClaims, { name: metadata.name ?? "" }, { body: { metadata: { finalizers: null } } });
    }
  };

  it("makes as many claims as the pool says, from its template alone", async () => {
    await start(staticPool(3));
    const made = await claims();
    assert.equal(made.length, 3);
    assert.ok(made.every(({ metadata }) => /^web-\w{5}$/.test(metadata.name ?? "")));
    assert.deepEqual((made[0]?.spec as Wire | undefined)?.requirements, [
      { key: "karpenter.sh/nodepool", operator: "In", values: ["web"] },
      { key: "node.kubernetes.io/instance-type", operator: "In", values: ["large", "small"] },
    ]);
    assert.equal(
      bench.telemetry.numbers.get(
        'nodeclaims_created_total{reason="provisioned",nodepool="web",min_values_relaxed="false"}',
      ),
      3,
    );
  });

  it("does nothing when static capacity is off, or before the pool is ready", async () => {
    bench.load({ ...staticPool(3), status: {} });
    await bench.observe();
    run();
    await bench.clock.advance(1_000);
    assert.equal((await claims()).length, 0);
    const other = new ControllerBench();
    other.load(staticPool(3));
    await other.observe();
    const { cluster, kube, clock, telemetry, random } = other;
    other.run(
      new StaticPools({ cluster, kube, clock, telemetry, random, cloud: noCloud, isStaticCapacityEnabled: false }),
    );
    await clock.advance(1_000);
    assert.equal((await kube.list(nodeClaims)).length, 0);
    await other.stop();
  });

  it("follows the number of replicas up and down, and replaces what goes", async () => {
    await start(staticPool(2));
    await scale({ replicas: 5 });
    await bench.clock.advance(1_000);
    assert.equal((await staying()).length, 5);
    await scale({ replicas: 1 });
    await bench.clock.advance(1_000);
    assert.equal((await staying()).length, 1);
    await finish();
    await bench.user.delete(nodeClaims, { name: (await staying())[0] ?? "" });
    await finish();
    await bench.clock.advance(1_000);
    assert.equal((await staying()).length, 1);
  });

  it("keeps to the limit, counting claims until they are gone", async () => {
    await start(staticPool(3, { limits: { nodes: "4" } }));
    await scale({ replicas: 6 });
    await bench.clock.advance(1_000);
    assert.equal((await staying()).length, 4);
    const [first = ""] = await staying();
    await bench.user.delete(nodeClaims, { name: first });
    await bench.clock.advance(60_000);
    assert.deepEqual([(await staying()).length, (await claims()).length], [3, 4]);
    await finish();
    await bench.clock.advance(1_000);
    assert.equal((await staying()).length, 4);
    assert.equal(most, 4);
  });

  it("never makes a claim too many when answers are lost, refused and late, while replicas and claims change", async () => {
    const { faults } = bench.embedded;
    await start(staticPool(3, { limits: { nodes: "5" } }));
    faults.inject({ effect: "drop", at: "answer", probability: 0.3 });
    faults.inject({ effect: "time-out", afterMs: 700, isDone: true, probability: 0.2 });
    faults.inject({ effect: "refuse", status: 500, probability: 0.2 });
    faults.inject({ effect: "slow", byMs: 300, probability: 0.3 });
    faults.inject({ effect: "delay-watch", byMs: 2_000, probability: 0.5 });
    for (const replicas of [5, 2, 4, 1, 5, 3, 4]) {
      await scale({ replicas });
      await bench.clock.advance(3_000);
      const [victim = ""] = await staying();
      await bench.user.delete(nodeClaims, { name: victim });
      await finish();
    }
    faults.stop();
    await scale({ replicas: 4 });
    for (let round = 0; round < 5; round++) {
      await bench.clock.advance(30_000);
      await finish();
    }
    assert.equal((await staying()).length, 4);
    assert.ok(most <= 5, `${most} claims at once`);
  });

  it("removes first what was never launched, then empty nodes, and last those whose pods want to stay", async () => {
    const held = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };
    const daemon = {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "log", uid: "d", controller: true }],
      // Nobody has such a DaemonSet: whoever wants the pod gone has to wait.
      finalizers: ["example.com/wait"],
    };
    const cheap = { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-1000000" } };
    bench.load(
      ...["held", "busy", "cheap", "daemons"].flatMap((name) => [node(name), claim(name, `test:///${name}`)]),
      claim("unlaunched"),
      pod("held", "held", held),
      pod("busy", "busy"),
      pod("cheap", "cheap", cheap),
      pod("daemon", "daemons", daemon),
    );
    await start(staticPool(5));
    const order: string[] = [];
    for (const replicas of [4, 3, 2, 1, 0]) {
      const before = await staying();
      await scale({ replicas });
      await bench.clock.advance(1_000);
      const after = await staying();
      order.push(...before.filter((name) => !after.includes(name)));
    }
    assert.deepEqual(order, ["unlaunched", "daemons", "cheap", "busy", "held"]);
  });
});
