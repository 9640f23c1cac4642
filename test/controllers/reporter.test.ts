import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Reporter } from "../../src/controllers/reporter/reporter.ts";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import type { Readings } from "../../src/ports/telemetry.ts";
import { nodes as nodeResource, pods as podResource } from "../../src/runtime/resources.ts";
import { instanceType, offering, type Wire } from "../support/builders.ts";
import { ControllerBench, noCloud } from "../support/controller-bench.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const since = { lastTransitionTime: "2026-01-01T00:00:00Z", message: "" };
const capacity = { cpu: "4", memory: "8Gi", pods: "110" };
const machineLabels = {
  "karpenter.sh/nodepool": "web",
  "karpenter.kwok.sh/kwoknodeclass": "default",
  "node.kubernetes.io/instance-type": "small",
  "topology.kubernetes.io/zone": "zone-1",
  "karpenter.sh/capacity-type": "on-demand",
};

const pool: Wire = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "web" },
  spec: { limits: { cpu: "10", memory: "1Ti" }, template: { spec: { nodeClassRef, requirements: [] } } },
  status: {
    resources: { cpu: "4", nodes: "1" },
    conditions: [{ type: "Ready", status: "True", reason: "Ready", ...since }],
  },
};

const claim: Wire = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name: "web-1", labels: machineLabels },
  spec: { nodeClassRef, requirements: [] },
  status: {
    providerID: "test:///web-1",
    capacity,
    conditions: [{ type: "Registered", status: "Unknown", reason: "NodeNotFound", ...since }],
  },
};

const node: Wire = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "web-1", labels: machineLabels },
  spec: { providerID: "test:///web-1" },
  status: {
    capacity,
    allocatable: { ...capacity, cpu: "3900m" },
    conditions: [{ type: "Ready", status: "True", reason: "Ready", ...since }],
  },
};

const containers = [{ name: "main", image: "example.com/main:1", resources: { requests: { cpu: "500m" } } }];

function pod(name: string): Wire {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { nodeName: "web-1", containers },
  };
}

const daemonSet: Wire = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "log", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "log" } },
    template: { metadata: { labels: { app: "log" } }, spec: { containers } },
  },
};

describe("Reporter", () => {
  let bench: ControllerBench;
  beforeEach(() => {
    bench = new ControllerBench();
  });
  afterEach(() => bench.stop());

  async function begin(objects: Wire[], isObservable = true): Promise<Reporter> {
    bench.load(...objects);
    await bench.observe();
    const { cluster, clock, telemetry } = bench;
    const types = [instanceType("small", { offerings: [offering({ price: 0.25 })] })];
    const cloud = { ...noCloud, instanceTypes: async () => types };
    const reporter = new Reporter({ cluster, clock, telemetry, cloud, isObservable });
    bench.run(reporter);
    await bench.clock.advance(30_000);
    return reporter;
  }

  /** What is shown of a metric: its series with all of these labels, by the label that tells them apart. */
  function shown(metric: string, by: string): Record<string, number> {
    const { telemetry } = bench;
    const found = [...telemetry.numbers, ...telemetry.scrape()].filter(([series]) => series.startsWith(`${metric}{`));
    return Object.fromEntries(
      found.map(([series, value]) => [new RegExp(`[{,]${by}="([^"]*)"`).exec(series)?.[1] ?? "", value]),
    );
  }

  it("shows what pools may have, have and cost, until they are gone", async () => {
    await begin([pool, claim]);
    assert.deepEqual(
      ["limit", "usage"].map((metric) => shown(`nodepools_${metric}`, "resource_type")),
      [
        { cpu: 10, memory: 2 ** 40 },
        { cpu: 4, nodes: 1 },
      ],
    );
    assert.deepEqual(shown("nodepools_cost_total", "nodepool"), { web: 0.25 });
    await bench.user.delete(nodePools, { name: "web" });
    await bench.clock.advance(1_000);
    assert.deepEqual([shown("nodepools_limit", "resource_type"), shown("nodepools_cost_total", "nodepool")], [{}, {}]);
  });

  it("shows what nodes have and what is asked of them, and how much of all is used", async () => {
    await begin([node, claim, pod("web"), daemonSet]);
    assert.deepEqual(shown("nodes_allocatable", "resource_type"), { cpu: 3.9, memory: 2 ** 33, pods: 110 });
    assert.deepEqual(shown("nodes_total_pod_requests", "resource_type"), { cpu: 1, pods: 2 });
    assert.deepEqual(shown("nodes_total_daemon_requests", "resource_type"), { cpu: 0.5, pods: 1 });
    assert.equal(Math.round((shown("nodes_system_overhead", "resource_type").cpu ?? 0) * 10), 1);
    assert.equal(Math.round(shown("cluster_utilization_percent", "resource_type").cpu ?? 0), 26);
    assert.deepEqual(shown("cluster_state_node_count", "x"), { "": 1 });
    assert.deepEqual(Object.keys(shown("nodes_current_lifetime_seconds", "nodepool")), ["web"]);
    await bench.user.delete(nodeResource, { name: "web-1" });
    await bench.clock.advance(1_000);
    assert.deepEqual(shown("nodes_allocatable", "resource_type"), {});
  });

  it("shows the state of pods, how long they wait, and how long they took", async () => {
    const lonely = pod("lonely");
    (lonely.spec as Wire).nodeName = undefined;
    await begin([lonely]);
    assert.deepEqual(shown("pods_unbound_time_seconds", "name"), { lonely: 30 });
    assert.deepEqual(shown("pods_state", "scheduled"), { false: 1 });
    bench.cluster.intendedPods.intend(bench.cluster.pods.get("default/lonely")?.uid ?? "", "web-1", bench.clock.now());
    await bench.clock.advance(30_000);
    assert.deepEqual(shown("pods_provisioning_unbound_time_seconds", "name"), { lonely: 30 });
    await bench.user.create(nodeResource, node);
    await bench.clock.advance(61_000);
    assert.deepEqual(shown("pods_state", "node"), { "web-1": 1 });
    assert.deepEqual(
      [shown("pods_unbound_time_seconds", "name"), shown("pods_unstarted_time_seconds", "name")],
      [{}, {}],
    );
    const took = (metric: string) => bench.telemetry.observations.get(`pods_${metric}_duration_seconds{}`)?.length;
    const metrics = ["bound", "startup", "provisioning_bound", "provisioning_startup"];
    assert.deepEqual(metrics.map(took), [1, 1, 1, 1]);
    await bench.user.delete(podResource, { name: "lonely", namespace: "default" });
    await bench.clock.advance(70_000);
    assert.deepEqual(shown("pods_state", "name"), {});
  });

  it("tells of conditions that change, with an event, and for how long others have been so", async () => {
    await begin([claim, pool]);
    assert.deepEqual(shown("operator_nodeclaim_status_condition_current_status_seconds", "type"), { Registered: 30 });
    assert.deepEqual(shown("operator_nodeclaim_status_condition_count", "karpenter_kwok_sh_kwoknodeclass"), {
      default: 1,
    });
    assert.deepEqual(shown("operator_status_condition_count", "kind"), { NodeClaim: 1, NodePool: 1 });
    const conditions = [
      {
        type: "Registered",
        status: "True",
        reason: "Registered",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:20Z",
      },
    ];
    await bench.user.patch(nodeClaims, { name: "web-1", subresource: "status" }, { body: { status: { conditions } } });
    await bench.clock.advance(10_000);
    assert.deepEqual(shown("operator_nodeclaim_status_condition_count", "status"), { True: 1 });
    assert.deepEqual(shown("operator_nodeclaim_status_condition_transitions_total", "status"), { True: 1 });
    assert.deepEqual(
      bench.telemetry.happenings.map(({ type, reason, message, object }) => [object.name, type, reason, message]),
      [
        [
          "web-1",
          "Normal",
          "Registered",
          "Status condition transitioned, Type: Registered, Status: Unknown -> True, Reason: Registered",
        ],
      ],
    );
    const series = [...bench.telemetry.observations].filter(([name]) =>
      name.startsWith("operator_nodeclaim_status_condition_transition_"),
    );
    assert.deepEqual(
      series.map(([, values]) => values),
      [[20]],
    );
    await bench.user.delete(nodeClaims, { name: "web-1" });
    await bench.clock.advance(1_000);
    assert.deepEqual(shown("operator_nodeclaim_status_condition_count", "status"), {});
  });

  it("shows nothing when it is told to be quiet, and takes its numbers away when it stops", async () => {
    const reporter = await begin([pool, node, claim, pod("web")]);
    await reporter.stop();
    assert.deepEqual([...bench.telemetry.scrape().keys()], []);
    const { cluster, clock, telemetry } = bench;
    bench.run(new Reporter({ cluster, clock, telemetry, cloud: noCloud, isObservable: false }));
    assert.deepEqual([...telemetry.scrape().keys()], []);
  });

  it("does nothing while nobody asks", async () => {
    await begin([pool, node, claim, pod("web")]);
    const before = new Map(bench.telemetry.numbers);
    await bench.clock.advance(600_000);
    assert.deepEqual(bench.telemetry.numbers, before);
    assert.equal(bench.telemetry.scrape().get(`nodepools_cost_total{nodepool="web"}`), 0.25);
  });

  it("tells of one moment, whatever happens while it is told", async () => {
    await begin([pod("one"), pod("two")]);
    const { cluster, clock, telemetry } = bench;
    const told: string[] = [];
    const collect = (read: () => Readings): (() => void) => {
      for (const { labels } of read().pods_state ?? []) {
        told.push(labels.name ?? "");
        // As if it were made anew under the same name.
        const again = cluster.pods.get("default/one");
        cluster.pods.remove("default/one");
        if (again !== undefined) cluster.pods.put("default/one", again);
      }
      return () => undefined;
    };
    const { log, events, metrics } = telemetry;
    const curious = { log, events, metrics: { ...metrics, collect } };
    const options = { cluster, clock, telemetry: curious, cloud: noCloud, isObservable: true };
    bench.run(new Reporter(options));
    assert.deepEqual(told.sort(), ["one", "two"]);
  });
});
