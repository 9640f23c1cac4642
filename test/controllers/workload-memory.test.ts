import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Observer } from "../../src/controllers/observer/observer.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { KubeRequest, KubeTransport } from "../../src/ports/kube-transport.ts";
import type { KubeObject } from "../../src/runtime/kube-object.ts";
import { chartObjects } from "../support/chart-workloads.ts";
import { heapUsed } from "../support/heap-used.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

/** Of each workload. */
const mostBytes = 2_000;

/** By their plural name. */
type Objects = Readonly<Record<string, readonly KubeObject[]>>;

/** Lists these objects, new ones every time, as they come from a network. */
function serve(objects: Objects): KubeTransport {
  const text = new Map(Object.entries(objects).map(([plural, items]) => [plural, JSON.stringify(items)]));
  return {
    send: async ({ path }: KubeRequest) => {
      const items: unknown = JSON.parse(text.get(/\/(\w+)\?/.exec(path)?.[1] ?? "") ?? "[]");
      return { status: 200, body: { metadata: { resourceVersion: "1" }, items } };
    },
    watch: async () => () => {},
  };
}

interface Watched {
  readonly cluster: ClusterState;
  readonly observer: Observer;
}

async function watch(transport: KubeTransport): Promise<Watched> {
  const cluster = new ClusterState();
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const { log } = new RecordingTelemetry();
  const options = { transport, clock, random: () => 0.5, log, nodeClassKinds: [], needsSelectors: false };
  const observer = new Observer(cluster, { ...options, followsWorkloads: true });
  observer.start();
  await clock.advance(1_000);
  assert.deepEqual(observer.unsynced, []);
  return { cluster, observer };
}

/** All that the observer and the state of the cluster keep for a workload; not what the first cluster takes once. */
async function bytesOfEach(objects: Objects): Promise<number> {
  const transport = serve(objects);
  const kept = [await watch(transport)];
  const before = heapUsed();
  kept.push(await watch(transport));
  const bytes = heapUsed() - before;
  const { size } = kept[1]!.cluster.workloads;
  assert.equal(size, Object.values(objects).flat().length);
  return bytes / size;
}

describe("a workload that is watched takes at most 2 kB", () => {
  it("where Deployments have the ReplicaSets of their last ten rollouts", async () => {
    const charts = Array.from({ length: 250 }, (_, number) => chartObjects(number, 10));
    const bytes = await bytesOfEach({
      deployments: charts.flatMap(({ deployments }) => deployments),
      replicasets: charts.flatMap(({ replicasets }) => replicasets),
    });
    assert.ok(bytes < mostBytes, `${bytes} bytes`);
  });

  it("where each has a template of its own", async () => {
    const charts = Array.from({ length: 1_500 }, (_, number) => chartObjects(number, 0));
    const bytes = await bytesOfEach({
      replicasets: charts.flatMap(({ replicasets }) => replicasets),
      statefulsets: charts.flatMap(({ statefulsets }) => statefulsets),
    });
    assert.ok(bytes < mostBytes, `${bytes} bytes`);
  });
});
