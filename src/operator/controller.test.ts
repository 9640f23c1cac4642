import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { RecordingTelemetry } from "../../test/support/recording-telemetry.ts";
import { InProcessPlanner } from "../adapters/planner/in-process-planner.ts";
import { customResourceDefinitions } from "../core/api/definitions/custom-resource-definitions.ts";
import { EmbeddedCluster } from "../embedded/cluster.ts";
import { loadManifests } from "../embedded/manifests.ts";
import { VirtualClock } from "../embedded/time/virtual-clock.ts";
import type { KubeRequest, KubeTransport } from "../ports/kube-transport.ts";
import type { PlanAnswer, Planner } from "../ports/planner.ts";
import { openKwok } from "./clouds.ts";
import { Controller } from "./controller.ts";

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/leader";

const objects = [
  ...(customResourceDefinitions as object[]),
  { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" }, spec: {} },
  {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "general" },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
          requirements: [],
          expireAfter: "Never",
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "main", image: "main", resources: { requests: { cpu: "1" } } }] },
  },
];

let clock: VirtualClock;
let cluster: EmbeddedCluster;
let telemetry: RecordingTelemetry;

function createController(planner: Planner, isMute: (request: KubeRequest) => boolean = () => false): Controller {
  const transport: KubeTransport = {
    send: (request) => (isMute(request) ? new Promise(() => {}) : cluster.transport.send(request)),
    watch: (request, watch) => cluster.transport.watch(request, watch),
  };
  const random = cluster.random;
  return new Controller({
    transport,
    leaderTransport: transport,
    clock,
    random,
    telemetry,
    planner,
    cloud: openKwok({ instanceTypes: "generic", instanceTypesFilePath: "" }, { clock, random, log: telemetry.log }),
    settings: {
      batchIdleMilliseconds: 1_000,
      batchMaxMilliseconds: 10_000,
      preferencePolicy: "Respect",
      minValuesPolicy: "Strict",
      defaultSpread: [],
      placementPolicy: "Suggest",
      lookAhead: "Workloads",
      lookAheadMaxPods: 5_000,
      isStaticCapacityEnabled: false,
      isNodeRepairEnabled: true,
      nodeRepairMaxUnhealthyPercent: 20,
      nodeRepairAfter: new Map(),
      isObservable: true,
      isSpotToSpotEnabled: false,
      mostPodMovesPercentPerHour: 100,
    },
    lease: { namespace: "kube-system", name: "leader", identity: "me" },
  });
}

async function holder(): Promise<string> {
  const { body } = await cluster.transport.send({ method: "GET", path: leasePath });
  return (body as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? "";
}

/** Seconds until it has stopped. */
async function stop(controller: Controller): Promise<number> {
  const started = clock.now();
  let isStopped = false;
  const stopping = controller.stop().then(() => {
    isStopped = true;
  });
  assert.ok(await clock.advanceUntil(() => isStopped, 600_000));
  await stopping;
  return (clock.now() - started) / 1000;
}

describe("Controller", () => {
  beforeEach(() => {
    clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
    cluster = new EmbeddedCluster({ clock, seed: 1 });
    telemetry = new RecordingTelemetry();
    const { problems } = loadManifests(cluster, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    assert.deepEqual(problems, []);
  });

  afterEach(() => cluster.stop());

  it("stops without waiting for a plan, and gives the lease back", async () => {
    const plan = Promise.withResolvers<PlanAnswer>();
    let isAsked = false;
    const controller = createController({
      plan: () => {
        isAsked = true;
        return plan.promise;
      },
      consolidate: () => assert.fail("nobody asked for less"),
      stop: async () => plan.reject(new Error("The planner was stopped")),
    });
    controller.start();
    await clock.advance(30_000);
    assert.deepEqual([isAsked, await holder()], [true, "me"]);
    assert.ok((await stop(controller)) < 1);
    assert.equal(await holder(), "");
  });

  it("stops after ten seconds although a write gets no answer", async () => {
    let isCreating = false;
    const controller = createController(new InProcessPlanner(), ({ method, path }) => {
      const isClaim = method === "POST" && path.endsWith("/nodeclaims");
      isCreating ||= isClaim;
      return isClaim;
    });
    controller.start();
    await clock.advance(30_000);
    assert.ok(isCreating);
    const seconds = await stop(controller);
    assert.ok(seconds >= 10 && seconds < 11, `${seconds} s`);
    assert.equal(await holder(), "");
  });

  it("shows whether it has seen all that is there, before it leads too", async () => {
    const controller = createController(new InProcessPlanner(), ({ path }) => path.startsWith("/api/v1/pods"));
    controller.start();
    await clock.advance(30_000);
    const show = () => {
      const scraped = telemetry.scrape();
      return [scraped.get("cluster_state_synced{}"), scraped.get("cluster_state_unsynced_time_seconds{}")];
    };
    assert.deepEqual(show(), [0, 30]);
    await stop(controller);
    const next = createController(new InProcessPlanner());
    next.start();
    await clock.advance(30_000);
    assert.deepEqual(show(), [1, 0]);
    await stop(next);
  });
});
