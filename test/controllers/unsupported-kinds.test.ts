import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { UnsupportedKinds } from "../../src/controllers/accountant/unsupported-kinds.ts";
import { capacityBuffers, nodeOverlays } from "../../src/core/api/karpenter-resources.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import type { KubeResource, ObjectName } from "../../src/runtime/kube-object.ts";
import type { Wire } from "../support/builders.ts";
import { ControllerBench } from "../support/controller-bench.ts";

const overlay: Wire = {
  apiVersion: "karpenter.sh/v1alpha1",
  kind: "NodeOverlay",
  metadata: { name: "cheap" },
  spec: { requirements: [], price: "1" },
};

const buffer: Wire = {
  apiVersion: "autoscaling.x-k8s.io/v1beta1",
  kind: "CapacityBuffer",
  metadata: { name: "room", namespace: "default" },
  spec: { podTemplateRef: { name: "chunk" }, replicas: 3 },
};

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  isNamespaced: false,
};

describe("UnsupportedKinds", () => {
  let bench: ControllerBench;
  beforeEach(() => {
    bench = new ControllerBench();
  });
  afterEach(() => bench.stop());

  async function conditions(resource: KubeResource, name: ObjectName): Promise<string[]> {
    const { status } = orThrow(await bench.user.get(resource, name), "read it") as { status?: Wire };
    const list = (status?.conditions ?? []) as { type: string; status: string; reason: string }[];
    return list.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  }

  it("says on overlays and buffers that they are not carried out, again when they change", async () => {
    bench.load(overlay, buffer);
    bench.run(new UnsupportedKinds(bench));
    await bench.clock.advance(1_000);
    assert.deepEqual(await conditions(nodeOverlays, { name: "cheap" }), ["Ready False NotSupportedYet"]);
    assert.deepEqual(await conditions(capacityBuffers, { name: "room", namespace: "default" }), [
      "ReadyForProvisioning False NotSupportedYet",
      "Provisioning False NotSupportedYet",
    ]);
    await bench.user.patch(nodeOverlays, { name: "cheap" }, { body: { spec: { price: "2" } } });
    await bench.clock.advance(1_000);
    const { status } = orThrow(await bench.user.get(nodeOverlays, { name: "cheap" }), "read it");
    assert.equal((status as { conditions: { observedGeneration: number }[] }).conditions[0]?.observedGeneration, 2);
    assert.deepEqual(bench.telemetry.lines, []);
  });

  it("waits in silence for kinds that the cluster does not have", async () => {
    await bench.user.delete(definitions, { name: "nodeoverlays.karpenter.sh" });
    await bench.clock.advance(1_000);
    bench.run(new UnsupportedKinds(bench));
    await bench.clock.advance(300_000);
    assert.deepEqual(bench.telemetry.lines, []);
  });

  it("gets there although the API server refuses half of what it is asked", async () => {
    bench.load(overlay);
    bench.embedded.faults.inject({ effect: "refuse", status: 409, probability: 0.3 });
    bench.embedded.faults.inject({ effect: "refuse", status: 503, probability: 0.3 });
    bench.run(new UnsupportedKinds(bench));
    await bench.clock.advance(600_000);
    assert.deepEqual(await conditions(nodeOverlays, { name: "cheap" }), ["Ready False NotSupportedYet"]);
  });
});
