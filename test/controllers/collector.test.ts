import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Collector } from "../../src/controllers/collector/collector.ts";
import { nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import type { CloudProvider, Instance } from "../../src/ports/cloud-provider.ts";
import { nodes as nodeResource, pods as podResource } from "../../src/runtime/resources.ts";
import type { Wire } from "../support/builders.ts";
import { ControllerBench, noCloud } from "../support/controller-bench.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const since = { lastTransitionTime: "2026-01-01T00:00:00Z", message: "" };
const start = Date.parse("2026-01-01T00:00:00Z");
const capacity = { cpu: "4", memory: "8Gi", pods: "110" };
const registered = ["Launched", "Registered", "Initialized"].map((type) => ({
  type,
  status: "True",
  reason: type,
  ...since,
}));

function claim(name: string, status: Wire = {}): Wire {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name, labels: { "karpenter.sh/nodepool": "web", "karpenter.sh/capacity-type": "spot" } },
    spec: { nodeClassRef, requirements: [], resources: { requests: { memory: "1Gi" } } },
    status,
  };
}

/** The claim of a node that runs. */
function nodeOwner(name: string): Wire {
  return claim(name, {
    providerID: `test:///${name}`,
    nodeName: name,
    capacity,
    allocatable: capacity,
    conditions: registered,
  });
}

function node(name: string, memory = "8Gi"): Wire {
  const resources = { ...capacity, memory };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "karpenter.sh/nodepool": "web", "karpenter.sh/initialized": "true" } },
    spec: { providerID: `test:///${name}` },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [{ type: "Ready", status: "True", reason: "Ready", ...since }],
    },
  };
}

function instance(claimName: string, fields: Partial<Instance> = {}): Instance {
  return {
    providerId: `test:///${claimName}`,
    claimName,
    imageId: "",
    labels: new Map(),
    annotations: new Map(),
    capacity: new Map(),
    allocatable: new Map(),
    createdAt: start - 3_600_000,
    isTerminating: false,
    ...fields,
  };
}

/** A cloud that has these machines and forgets those that are ended. */
function cloudWith(...instances: Instance[]): CloudProvider & { ended: string[]; instances: Instance[] } {
  const cloud = {
    ...noCloud,
    instances,
    ended: [] as string[],
    list: async () => [...cloud.instances],
    find: async (providerId: string) => cloud.instances.find((machine) => machine.providerId === providerId),
    terminate: async ({ providerId }: { providerId: string }) => {
      cloud.ended.push(providerId);
      cloud.instances = cloud.instances.filter((machine) => machine.providerId !== providerId);
      return "gone" as const;
    },
  };
  return cloud;
}

describe("Collector", () => {
  let bench: ControllerBench;
  beforeEach(() => {
    bench = new ControllerBench();
  });
  afterEach(() => bench.stop());

  function run(cloud: CloudProvider): void {
    const { cluster, kube, clock, telemetry } = bench;
    bench.run(new Collector({ cluster, kube, clock, telemetry, cloud }));
  }

  async function begin(cloud: CloudProvider, ...objects: Wire[]): Promise<void> {
    if (objects.length > 0) bench.load(...objects);
    await bench.observe();
    run(cloud);
    await bench.clock.advance(1_000);
  }

  const claimNames = async (): Promise<(string | undefined)[]> =>
    (await bench.user.list(nodeClaims)).map(({ metadata }) => metadata.name);

  describe("machines without a claim", () => {
    it("are ended, and those of claims are not, whether the claim knows of its machine or not", async () => {
      const cloud = cloudWith(
        instance("stray"),
        instance("known"),
        instance("unknowing"),
        instance("stray-2", { claimName: "" }),
      );
      await begin(cloud, claim("known", { providerID: "test:///known" }), claim("unknowing"));
      assert.deepEqual(cloud.ended, ["test:///stray", "test:///stray-2"]);
      assert.equal(bench.telemetry.numbers.get("nodeclaims_stray_instances_ended_total{}"), 2);
    });

    it("are ended when their claim has another machine", async () => {
      const cloud = cloudWith(instance("web", { providerId: "test:///second" }), instance("web"));
      await begin(cloud, claim("web", { providerID: "test:///web" }));
      assert.deepEqual(cloud.ended, ["test:///second"]);
    });

    it("are left alone for thirty seconds, and ended soon after", async () => {
      const cloud = cloudWith(instance("young", { createdAt: start - 5_000 }));
      await begin(cloud);
      assert.deepEqual(cloud.ended, []);
      await bench.clock.advance(30_000);
      assert.deepEqual(cloud.ended, ["test:///young"]);
    });

    it("are left alone when their end is under way", async () => {
      const cloud = cloudWith(instance("going", { isTerminating: true }));
      await begin(cloud);
      assert.deepEqual(cloud.ended, []);
    });

    it("are left alone while the API knows of a claim that we do not see, or does not answer", async () => {
      const cloud = cloudWith(instance("late"), instance("stray"));
      await bench.observe();
      bench.observer.stop();
      bench.load(claim("late"));
      const end = bench.embedded.faults.inject({ effect: "refuse", status: 500, probability: 1 });
      run(cloud);
      await bench.clock.advance(300);
      assert.deepEqual(cloud.ended, []);
      end();
      await bench.clock.advance(120_000);
      assert.deepEqual(cloud.ended, ["test:///stray"]);
    });

    it("that come later are ended within an interval", async () => {
      const cloud = cloudWith();
      await begin(cloud);
      cloud.instances = [instance("later")];
      await bench.clock.advance(120_000);
      assert.deepEqual(cloud.ended, ["test:///later"]);
    });
  });

  describe("claims without a machine", () => {
    it("are deleted when their node is absent, and counted", async () => {
      await begin(cloudWith(), nodeOwner("web"), claim("unregistered", { providerID: "test:///unregistered" }));
      assert.deepEqual(await claimNames(), ["unregistered"]);
      const labels =
        'reason="garbage_collected",nodepool="web",capacity_type="spot",consolidation_policy="",termination_mode="graceful"';
      assert.equal(bench.telemetry.numbers.get(`nodeclaims_disrupted_total{${labels}}`), 1);
    });

    it("are kept while their node is ready, and deleted when it is no more", async () => {
      await begin(cloudWith(), nodeOwner("web"), node("web"));
      assert.deepEqual(await claimNames(), ["web"]);
      bench.embedded.kubelets.stopNode("web");
      await bench.clock.advance(300_000);
      assert.deepEqual(await claimNames(), []);
    });

    it("are kept when the machine is there although the list lacks it", async () => {
      const cloud = { ...cloudWith(instance("web")), list: async () => [] };
      await begin(cloud, nodeOwner("web"));
      assert.deepEqual(await claimNames(), ["web"]);
    });
  });

  describe("consistency", () => {
    const consistency = (): (string | undefined)[] => {
      const found = bench.cluster.claims.get("web")?.conditions.find(({ type }) => type === "ConsistentStateFound");
      return [found?.status, found?.reason];
    };

    it("is found where the node has about what the claim promised", async () => {
      await begin(cloudWith(instance("web")), nodeOwner("web"), node("web", "7500Mi"));
      assert.deepEqual(consistency(), [undefined, undefined]);
      await bench.clock.advance(10_000);
      assert.deepEqual(consistency(), ["True", "ConsistentStateFound"]);
    });

    it("is not found on a node that has much less, until the next look finds it mended", async () => {
      await begin(cloudWith(instance("web")), nodeOwner("web"), node("web", "6Gi"));
      await bench.clock.advance(10_000);
      assert.deepEqual(consistency(), ["False", "ConsistencyCheckFailed"]);
      assert.deepEqual(
        bench.telemetry.happenings.map(({ type, reason, message }) => [type, reason, message]),
        [["Warning", "FailedConsistencyCheck", "expected 8Gi of resource memory, but found 6Gi (75.0% of expected)"]],
      );
      const body = { status: { capacity: { memory: "8Gi" } } };
      await bench.user.patch(nodeResource, { name: "web", subresource: "status" }, { body });
      await bench.clock.advance(500_000);
      assert.deepEqual(consistency(), ["False", "ConsistencyCheckFailed"]);
      await bench.clock.advance(101_000);
      assert.deepEqual(consistency(), ["True", "ConsistentStateFound"]);
    });
  });

  describe("pod events", () => {
    const lastEvent = (): number | undefined => {
      const time = bench.cluster.claims.get("web")?.lastPodEventTime;
      return time === undefined ? undefined : time - start;
    };
    const pod = (name: string): Wire => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: { nodeName: "web", containers: [{ name: "main", image: "example.com/main:1" }] },
      status: { phase: "Running" },
    });

    it("are noted on the claim, at most every ten seconds, and none is lost", async () => {
      await begin(cloudWith(instance("web")), nodeOwner("web"), node("web"));
      assert.equal(lastEvent(), undefined);
      await bench.clock.advance(19_000 - (bench.clock.now() - start));
      await bench.user.create(podResource, pod("first"), "default");
      await bench.clock.advance(4_000);
      assert.equal(lastEvent(), 19_000);
      await bench.user.delete(podResource, { name: "first", namespace: "default" });
      await bench.clock.advance(1_000);
      assert.equal(lastEvent(), 19_000);
      await bench.clock.advance(10_000);
      assert.ok((lastEvent() ?? 0) >= 23_000 && (lastEvent() ?? 0) <= 24_000, String(lastEvent()));
    });

    it("are not made up when the controller starts, nor by DaemonSets", async () => {
      await begin(cloudWith(instance("web")), nodeOwner("web"), node("web"), pod("old"));
      const template = { metadata: { labels: { app: "log" } }, spec: { containers: [{ name: "main", image: "a:1" }] } };
      bench.load({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "log", namespace: "default" },
        spec: { selector: { matchLabels: { app: "log" } }, template },
      });
      await bench.clock.advance(20_000);
      assert.deepEqual(
        [...bench.cluster.pods.values()].map(({ nodeName }) => nodeName),
        ["web", "web"],
      );
      assert.equal(lastEvent(), undefined);
    });
  });
});
