import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Accountant } from "../../src/controllers/accountant/accountant.ts";
import {
  nodePoolHashAnnotation,
  nodePoolHashVersion,
  nodePoolHashVersionAnnotation,
} from "../../src/core/api/drift-hash.ts";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import type { Wire } from "../support/builders.ts";
import { ControllerBench, kwokNodeClass, noCloud } from "../support/controller-bench.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const classes = { ...kwokNodeClass, isNamespaced: false };

function pool(name: string, spec: Wire = {}, templateSpec: Wire = {}): Wire {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: { limits: { cpu: "100" }, template: { spec: { nodeClassRef, requirements: [], ...templateSpec } }, ...spec },
  };
}

function nodeClass(ready?: Wire): Wire {
  const conditions =
    ready === undefined ? [] : [{ type: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", ...ready }];
  return {
    apiVersion: "karpenter.kwok.sh/v1alpha1",
    kind: "KWOKNodeClass",
    metadata: { name: "default" },
    status: { conditions },
  };
}

const readyClass = nodeClass({ status: "True", reason: "Ready" });

function claim(name: string, metadata: Wire = {}, status: Wire = {}): Wire {
  const { labels, ...rest } = metadata;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name, labels: { "karpenter.sh/nodepool": "web", ...(labels as object) }, ...rest },
    spec: { nodeClassRef, requirements: [] },
    status,
  };
}

describe("Accountant", () => {
  let bench: ControllerBench;
  beforeEach(() => {
    bench = new ControllerBench();
  });
  afterEach(() => bench.stop());

  async function start(...objects: Wire[]): Promise<void> {
    bench.load(...objects);
    await bench.observe();
    bench.run(new Accountant({ ...context(), cloud: noCloud }));
    await bench.clock.advance(1_000);
  }

  function context() {
    const { cluster, kube, clock, telemetry } = bench;
    return { cluster, kube, clock, telemetry };
  }

  async function read(name = "web"): Promise<{ status?: Wire; metadata: Wire }> {
    return orThrow(await bench.kube.get(nodePools, { name }), "read the pool") as never;
  }

  async function conditions(name = "web"): Promise<Record<string, string>> {
    const { status } = await read(name);
    const list = (status?.conditions ?? []) as { type: string; status: string; reason: string; message: string }[];
    return Object.fromEntries(
      list.map(({ type, status, reason, message }) => [type, `${status} ${reason}${message && `: ${message}`}`]),
    );
  }

  it("makes a pool ready within a second when its spec and its node class are fine", async () => {
    await start(readyClass, pool("web"));
    assert.deepEqual(await conditions(), {
      ValidationSucceeded: "True ValidationSucceeded",
      NodeClassReady: "True NodeClassReady",
      Ready: "True Ready",
    });
  });

  it("says why a node class cannot be used, and follows it as it changes", async () => {
    await start(pool("web"));
    const seen = [(await conditions()).NodeClassReady];
    bench.load(nodeClass());
    await bench.clock.advance(100);
    seen.push((await conditions()).NodeClassReady);
    const change = (body: Wire) => bench.kube.patch(classes, { name: "default", subresource: "status" }, { body });
    const condition = { type: "Ready", lastTransitionTime: "2026-01-01T00:00:00Z" };
    await change({
      status: { conditions: [{ ...condition, status: "False", reason: "NoSubnets", message: "no subnet matches" }] },
    });
    await bench.clock.advance(100);
    seen.push((await conditions()).NodeClassReady);
    await change({ status: { conditions: [{ ...condition, status: "True", reason: "Ready", message: "" }] } });
    await bench.clock.advance(100);
    seen.push((await conditions()).NodeClassReady);
    await bench.kube.patch(classes, { name: "default" }, { body: { metadata: { finalizers: ["example.com/wait"] } } });
    await bench.kube.delete(classes, { name: "default" });
    await bench.clock.advance(100);
    seen.push((await conditions()).NodeClassReady);
    assert.deepEqual(seen, [
      "False NodeClassNotFound: NodeClass not found on cluster",
      "False NodeClassReadinessUnknown: Node Class Readiness Unknown",
      "False NoSubnets: no subnet matches",
      "True NodeClassReady",
      "False NodeClassTerminating: NodeClass is Terminating",
    ]);
    assert.equal((await conditions()).Ready, "False UnhealthyDependents: NodeClassReady=False");
  });

  it("says what is wrong with a pool, in its status and in an event", async () => {
    const taint = { key: "example.com/gpu", effect: "NoSchedule" };
    await start(readyClass, pool("web", {}, { taints: [taint], startupTaints: [taint] }));
    const { ValidationSucceeded, Ready } = await conditions();
    assert.match(ValidationSucceeded ?? "", /^False NodePoolValidationFailed: .*example.com\/gpu/);
    assert.equal(Ready, "False UnhealthyDependents: ValidationSucceeded=False");
    assert.deepEqual(
      bench.telemetry.happenings.map(({ type, reason, object }) => [type, reason, object.kind, object.name]),
      [["Warning", "NodePoolValidationFailed", "NodePool", "web"]],
    );
  });

  it("warns of a pool without limits once for each generation, also when the controller starts anew", async () => {
    await start(readyClass, pool("web", { limits: undefined }));
    const count = () =>
      bench.telemetry.happenings.filter(({ reason }) => reason === "NodePoolValidationWarning").length;
    assert.equal(count(), 1);
    bench.run(new Accountant({ ...context(), cloud: noCloud }));
    await bench.clock.advance(5_000);
    assert.equal(count(), 1);
    await bench.kube.patch(nodePools, { name: "web" }, { body: { spec: { weight: 5 } } });
    await bench.clock.advance(5_000);
    assert.equal(count(), 2);
  });

  it("warns although another condition was written before the pool was looked at", async () => {
    const unlimited = pool("web", { limits: undefined });
    const begun = { type: "ValidationSucceeded", status: "Unknown", reason: "AwaitingReconciliation", message: "" };
    const condition = { ...begun, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 };
    unlimited.status = { conditions: [condition] };
    await start(readyClass, unlimited);
    assert.deepEqual(
      bench.telemetry.happenings.map(({ reason }) => reason),
      ["NodePoolValidationWarning"],
    );
  });

  it("leaves pools of another cloud alone", async () => {
    await start(pool("web", {}, { nodeClassRef: { group: "example.com", kind: "OtherNodeClass", name: "default" } }));
    assert.deepEqual(await conditions(), {});
  });

  it("stamps pools with the hash of their template, anew when it changes", async () => {
    await start(readyClass, pool("web"));
    const hash = async () => ((await read()).metadata.annotations as Record<string, string>)[nodePoolHashAnnotation];
    const before = await hash();
    await bench.kube.patch(
      nodePools,
      { name: "web" },
      { body: { spec: { template: { metadata: { labels: { a: "b" } } } } } },
    );
    await bench.clock.advance(100);
    assert.match(before ?? "", /^\d+$/);
    assert.notEqual(await hash(), before);
  });

  it("stamps the claims of a pool that was hashed another way, but not those that have drifted", async () => {
    const old = { annotations: { [nodePoolHashAnnotation]: "17", [nodePoolHashVersionAnnotation]: "v3" } };
    const drifted = {
      type: "Drifted",
      status: "True",
      reason: "NodePoolDrifted",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const stale = pool("web");
    stale.metadata = { name: "web", ...old };
    await start(readyClass, stale, claim("fresh", old), claim("gone-off", old, { conditions: [drifted] }));
    const pool1 = (await read()).metadata.annotations as Wire;
    const stampOf = async (name: string) =>
      orThrow(await bench.kube.get(nodeClaims, { name }), "read").metadata.annotations;
    assert.deepEqual(await stampOf("fresh"), pool1);
    assert.deepEqual(await stampOf("gone-off"), {
      [nodePoolHashAnnotation]: "17",
      [nodePoolHashVersionAnnotation]: nodePoolHashVersion,
    });
  });

  it("counts what the launched machines of a pool have, within a second of every change", async () => {
    await start(readyClass, pool("web"));
    const none = { cpu: "0", memory: "0", pods: "0", "ephemeral-storage": "0", nodes: "0" };
    assert.deepEqual([(await read()).status?.resources, (await read()).status?.nodes], [none, 0]);
    const capacity = { cpu: "4", memory: "8Gi", pods: "110", "example.com/gpu": "1" };
    bench.load(
      claim("a", {}, { providerID: "test:///a", capacity }),
      claim("b", {}, { providerID: "test:///b", capacity }),
      claim("c"),
    );
    await bench.clock.advance(1_000);
    const two = { cpu: "8", memory: "16Gi", pods: "220", "example.com/gpu": "2", "ephemeral-storage": "0", nodes: "2" };
    assert.deepEqual([(await read()).status?.resources, (await read()).status?.nodes], [two, 2]);
    for (const name of ["a", "b"]) await bench.kube.delete(nodeClaims, { name });
    await bench.clock.advance(1_000);
    assert.deepEqual([(await read()).status?.resources, (await read()).status?.nodes], [none, 0]);
  });

  it("gets there although the API server refuses half of what it is asked", async () => {
    bench.embedded.faults.inject({ effect: "refuse", status: 409, probability: 0.3 });
    bench.embedded.faults.inject({ effect: "refuse", status: 500, probability: 0.3 });
    bench.embedded.faults.inject({ effect: "drop", at: "answer", probability: 0.1 });
    bench.load(readyClass, pool("web"));
    await bench.observe();
    bench.run(new Accountant({ ...context(), cloud: noCloud }));
    await bench.clock.advance(60_000);
    bench.embedded.faults.stop();
    assert.equal((await conditions()).Ready, "True Ready");
    assert.equal((await read()).status?.nodes, 0);
  });
});
