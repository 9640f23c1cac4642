import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Pod } from "kubernetes-types/core/v1.js";
import { hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { seededRandom } from "../../src/core/model/seeded-random.ts";
import { feasibleNodes, Scheduler } from "../../src/embedded/scheduler/scheduler.ts";
import { type ClusterObject, SchedulerCache } from "../../src/embedded/scheduler/scheduler-cache.ts";
import { ModelView } from "../e2e/scheduler/model-view.ts";
import { bestNodes, scoresOf } from "../e2e/scheduler/our-decision.ts";
import { node, pod, type Wire } from "../support/builders.ts";

/** Other clusters, and more: `RANDOM_SEED=7 RANDOM_RUNS=20000 npx node --test test/scheduling/scheduler-model.test.ts`. */
const seed = Number(process.env.RANDOM_SEED ?? 1);
const numRuns = Number(process.env.RANDOM_RUNS ?? 300);

interface Scene {
  /** Nodes, workloads and the pods that run. */
  readonly objects: readonly ClusterObject[];
  /** In the order in which kube-scheduler takes them up. */
  readonly pending: readonly Pod[];
}

const zones = ["zone-1", "zone-2", "zone-3"];
const apps = ["a", "b", "c", "d"];
const disks = ["ssd", "hdd"];

function seldom<T>(arbitrary: fc.Arbitrary<T>, percent = 20): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary });
}

const nodeFields = fc.record({
  cpu: fc.constantFrom("2", "3920m", "4", "8"),
  memory: fc.constantFrom("4Gi", "7577Mi", "16Gi"),
  pods: fc.constantFrom(5, 110),
  zone: fc.option(fc.constantFrom(...zones), { freq: 9 }),
  disk: fc.constantFrom(...disks),
  isTainted: seldom(fc.constant(true), 15),
});

const maxSkew = fc.integer({ min: 1, max: 3 });
const spread = fc.oneof(
  fc.record({
    topologyKey: fc.constantFrom(zoneLabel, zoneLabel, "disk"),
    maxSkew,
    whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "ScheduleAnyway"),
  }),
  fc.record({ topologyKey: fc.constant(hostnameLabel), maxSkew, whenUnsatisfiable: fc.constant("ScheduleAnyway") }),
);

const workload = fc.record({
  kind: fc.constantFrom("ReplicaSet", "ReplicaSet", "StatefulSet", "ReplicationController", "Job", undefined),
  requests: fc.constantFrom<Record<string, string>>(
    { cpu: "250m", memory: "256Mi" },
    { cpu: "1", memory: "512Mi" },
    { cpu: "1500m", memory: "6Gi" },
    { cpu: "500m" },
    { memory: "1500M" },
    {},
  ),
  spreads: seldom(
    fc.uniqueArray(spread, {
      minLength: 1,
      maxLength: 2,
      selector: ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`,
    }),
    40,
  ),
  isApart: seldom(fc.constant(true), 15),
  disk: seldom(fc.constantFrom(...disks)),
  tolerates: fc.boolean(),
  running: fc.array(fc.record({ place: fc.nat(), isDeleting: seldom(fc.constant(true), 10) }), { maxLength: 5 }),
  waiting: fc.integer({ min: 0, max: 4 }),
});

type WorkloadFields = typeof workload extends fc.Arbitrary<infer T> ? T : never;

/**
 * Clusters with the rules that the model knows. Left out are those that it does not: preferred affinity, and required
 * affinity of pods that run (both make kube-scheduler prefer nodes), taints with PreferNoSchedule, images, Services,
 * pods of several containers of which some ask for nothing, and nominated pods. Nor is there required spread over hosts:
 * the planner takes a new host to be possible at any time. Spread constraints select the pods of their own workload.
 */
const scenes: fc.Arbitrary<Scene> = fc
  .record({
    nodes: fc.array(nodeFields, { minLength: 1, maxLength: 6, size: "max" }),
    workloads: fc.array(workload, { minLength: 1, maxLength: apps.length, size: "max" }),
    order: fc.integer(),
  })
  .map(({ nodes, workloads, order }) => {
    const wireNodes = nodes.map(({ cpu, memory, pods, zone, disk, isTainted }, index) =>
      node(`n${index}`, {
        allocatable: { cpu, memory, pods },
        labels: { disk, [hostnameLabel]: `n${index}`, ...(zone === null ? {} : { [zoneLabel]: zone }) },
        taints: isTainted ? [{ key: "dedicated", value: "x", effect: "NoSchedule" }] : [],
      }),
    );
    const running = workloads.flatMap((fields, index) => {
      const homes = nodes.flatMap(({ disk }, place) => (disk === (fields.disk ?? disk) ? [place] : []));
      return fields.running.flatMap(({ place, isDeleting }, each) => {
        const home = homes[place % homes.length];
        if (home === undefined) return [];
        const deletion = isDeleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
        return [podOf(fields, { app: apps[index]!, name: `${apps[index]}-run-${each}`, metadata: deletion, home })];
      });
    });
    const random = seededRandom(order);
    const pending = workloads
      .flatMap((fields, index) =>
        Array.from({ length: fields.waiting }, (_, each) =>
          podOf(fields, { app: apps[index]!, name: `${apps[index]}-${each}`, metadata: {}, home: undefined }),
        ),
      )
      .map((waiting) => ({ waiting, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ waiting }) => waiting as Pod);
    const owners = workloads.flatMap(({ kind }, index) => ownerOf(kind, apps[index]!));
    return { objects: [...wireNodes, ...owners, ...running] as ClusterObject[], pending };
  });

interface Identity {
  readonly app: string;
  readonly name: string;
  readonly metadata: Wire;
  readonly home: number | undefined;
}

function podOf(
  { kind, requests, spreads, isApart, disk, tolerates }: WorkloadFields,
  { app, name, metadata, home }: Identity,
): Wire {
  const labelSelector = { matchLabels: { app } };
  const apart = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: hostnameLabel, labelSelector }] };
  const apiVersion = kind === "ReplicationController" ? "v1" : "apps/v1";
  const owner = { apiVersion, kind, name: app, uid: `uid of ${app}`, controller: true };
  return pod(name, {
    requests,
    labels: { app },
    metadata: { ...metadata, namespace: "default", uid: name, ...(kind ? { ownerReferences: [owner] } : {}) },
    nodeName: home === undefined ? undefined : `n${home}`,
    nodeSelector: disk === undefined ? undefined : { disk },
    affinity: isApart ? { podAntiAffinity: apart } : undefined,
    topologySpreadConstraints: spreads?.map((one) => ({ ...one, labelSelector })),
    tolerations: tolerates ? [{ key: "dedicated", operator: "Exists" }] : undefined,
  });
}

function ownerOf(kind: WorkloadFields["kind"], app: string): Wire[] {
  const metadata = { name: app, namespace: "default", uid: `uid of ${app}` };
  if (kind === undefined || kind === "Job") return [];
  if (kind === "ReplicationController") return [{ apiVersion: "v1", kind, metadata, spec: { selector: { app } } }];
  return [{ apiVersion: "apps/v1", kind, metadata, spec: { selector: { matchLabels: { app } } } }];
}

function cacheOf(objects: readonly ClusterObject[]): SchedulerCache {
  const cache = new SchedulerCache();
  for (const object of objects) cache.set(object);
  return cache;
}

/** Each pod's best nodes according to the model and to the scheduler, and where it then goes. */
function compareOneByOne(model: ModelView, { objects, pending }: Scene): void {
  const cache = cacheOf(objects);
  for (const waiting of pending) {
    const feasible = feasibleNodes(cache, waiting);
    assert.deepEqual(model.choices(waiting), bestNodes(feasible, scoresOf(cache, waiting)), waiting.metadata?.name);
    const nodeName = model.schedule(waiting);
    if (nodeName !== undefined) cache.set({ ...waiting, spec: { ...waiting.spec, nodeName } } as ClusterObject);
  }
}

describe("the model of kube-scheduler", () => {
  it("chooses among the nodes with the highest score", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        compareOneByOne(new ModelView(scene.objects, scene.pending), scene);
      }),
      { seed, numRuns },
    );
  });

  it("decides the same again once it was reset", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const model = new ModelView(scene.objects, scene.pending);
        for (const waiting of scene.pending) model.schedule(waiting);
        model.startAnew();
        compareOneByOne(model, scene);
      }),
      { seed, numRuns: Math.ceil(numRuns / 3) },
    );
  });

  it("knows each node that the scheduler may pick", () => {
    fc.assert(
      fc.property(scenes, fc.integer(), (scene, chance) => {
        const model = new ModelView(scene.objects, scene.pending);
        const scheduler = new Scheduler(cacheOf(scene.objects), seededRandom(chance));
        for (const waiting of scene.pending) {
          const placement = scheduler.schedule(waiting);
          const picked = placement.kind === "placed" ? [placement.node] : [];
          const choices = model.choices(waiting);
          assert.deepEqual(
            picked,
            choices.filter((name) => picked.includes(name)),
          );
          assert.equal(picked.length, Math.min(1, choices.length));
        }
      }),
      { seed, numRuns: Math.ceil(numRuns / 3) },
    );
  });
});
