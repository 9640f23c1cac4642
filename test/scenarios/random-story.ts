import type { JsonObject } from "../../src/core/api/schema/json.ts";
import type { FaultEffect } from "../../src/embedded/faults/fault.ts";
import { lease } from "../support/whole-controller.ts";
import {
  apart,
  budget,
  daemonSet,
  deployment,
  type Manifest,
  nodeClass,
  nodePool,
  spread,
  statefulSet,
  storageClass,
} from "./manifests.ts";
import { disruptiveDeeds, makePeace } from "./random-disruption.ts";
import type { Story } from "./story.ts";

const zone = "topology.kubernetes.io/zone";
const doNotDisrupt = { "karpenter.sh/do-not-disrupt": "true" };

const fleeting = deployment("fleeting", 3, { spec: { tolerations: [{ key: "fleeting", operator: "Exists" }] } });

const workloads: readonly Manifest[] = [
  deployment("plain", 4, { cpu: "900m" }),
  deployment("large", 2, { cpu: "6", memory: "10Gi" }),
  deployment("zonal", 3, { spec: spread("zonal", zone) }),
  deployment("spread", 3, { spec: spread("spread", "kubernetes.io/hostname") }),
  deployment("apart", 2, { spec: apart("apart") }),
  deployment("guarded", 4, { cpu: "1500m" }),
  deployment("held", 2, { annotations: doNotDisrupt }),
  fleeting,
  statefulSet("stored", 2),
];

const pools: readonly Manifest[] = [
  nodePool("general", {
    limits: { cpu: "80", nodes: "14" },
    disruption: { consolidateAfter: "20s", budgets: [{ nodes: "30%" }] },
  }),
  nodePool("second", {
    limits: { cpu: "40", memory: "160Gi" },
    weight: 10,
    disruption: { consolidateAfter: "10s", consolidationPolicy: "Balanced", budgets: [{ nodes: "2" }] },
    spec: {
      terminationGracePeriod: "120s",
      nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "slow" },
      requirements: [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["2", "4", "8"] }],
    },
  }),
  nodePool("fleeting", {
    limits: { cpu: "20" },
    weight: 20,
    spec: { expireAfter: "150s", terminationGracePeriod: "60s", taints: [{ key: "fleeting", effect: "NoSchedule" }] },
  }),
];

const fixed = nodePool("fixed", {
  replicas: 2,
  limits: { nodes: "4" },
  spec: {
    requirements: [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["2"] }],
    taints: [{ key: "fixed", effect: "NoSchedule" }],
  },
});

export function setTheStage(story: Story): void {
  story.whole.load(
    nodeClass(),
    nodeClass("slow", { nodeRegistrationDelay: "8s" }),
    storageClass,
    ...pools,
    fixed,
    daemonSet("agent", { cpu: "100m", memory: "64Mi" }),
    budget("guarded", { maxUnavailable: 1 }),
    ...workloads,
  );
  story.whole.start();
}

type Deed = (story: Story) => void;

/** What people, other controllers and chance do to a cluster every day. */
const everyday: readonly Deed[] = [
  scaleSome,
  scaleSome,
  scaleSome,
  rollSome,
  removeSome,
  deleteOne("v1", "Node"),
  deleteOne("karpenter.sh/v1", "NodeClaim"),
  deleteOne("v1", "Pod"),
  tearOut("v1", "Node"),
  tearOut("karpenter.sh/v1", "NodeClaim"),
  editPool,
  replacePool,
  scaleFixed,
];

const troubles: readonly Deed[] = [
  breakApi,
  breakApi,
  breakApi,
  loseApi,
  forgetThePast,
  loseLease,
  crash,
  crash,
  afflictNodes,
];

/** So many deeds, one after the other, at times of their own choosing. */
export async function live(story: Story, deeds: number, { isTroubled }: { isTroubled: boolean }): Promise<void> {
  const peaceful = [...everyday, ...disruptiveDeeds];
  const choice = isTroubled ? [...peaceful, ...troubles] : peaceful;
  for (let i = 0; i < deeds; i++) {
    story.pick(choice)?.(story);
    await story.pass(1_000 + story.random() * 29_000);
  }
  story.calm();
  makePeace(story);
  // Whose nodes are replaced for ever, so that nothing would come to rest.
  story.whole.delete(fleeting);
}

function scaleSome(story: Story): void {
  const workload = story.pick(workloads);
  if (workload === undefined) return;
  // Where it was removed before, it is back.
  story.whole.load(workload);
  story.scale(workload, Math.floor(story.random() * 9));
}

function rollSome(story: Story): void {
  const workload = story.pick(workloads.filter(({ metadata: { name } }) => exists(story, "Deployment", name)));
  if (workload === undefined) return;
  story.note(`roll ${workload.metadata.name}`);
  const rolled = `at-${story.whole.clock.now()}`;
  story.whole.change(workload, (current) => withTemplateLabel(current, { rolled }));
}

function withTemplateLabel(object: JsonObject, labels: Record<string, string>): JsonObject {
  const { template, ...spec } = object.spec as JsonObject & { template: JsonObject & { metadata: JsonObject } };
  const metadata = { ...template.metadata, labels: { ...(template.metadata?.labels as JsonObject), ...labels } };
  return { ...object, spec: { ...spec, template: { ...template, metadata } } };
}

function exists(story: Story, kind: string, name: string): boolean {
  return story.whole.list("apps/v1", kind).some(({ metadata }) => metadata.name === name);
}

function removeSome(story: Story): void {
  const workload = story.pick(workloads);
  if (workload === undefined) return;
  story.note(`remove ${workload.metadata.name}`);
  story.whole.delete(workload);
}

function deleteOne(apiVersion: string, kind: string): Deed {
  return (story) => {
    const object = story.pick(story.whole.list(apiVersion, kind));
    if (object === undefined) return;
    story.note(`delete ${kind} ${object.metadata.name}`);
    story.whole.delete(object);
  };
}

/** Without waiting for whoever has to clean up first. */
function tearOut(apiVersion: string, kind: string): Deed {
  return (story) => {
    const object = story.pick(story.whole.list(apiVersion, kind));
    if (object === undefined) return;
    story.note(`tear out ${kind} ${object.metadata.name}`);
    story.whole.delete(object);
    story.whole.release(object);
  };
}

function editPool(story: Story): void {
  const pool = story.pick(story.whole.list("karpenter.sh/v1", "NodePool"));
  if (pool === undefined || pool.metadata.name === "fixed") return;
  const cpu = String(20 + Math.floor(story.random() * 80));
  story.note(`limit pool ${pool.metadata.name} to ${cpu} cpu, with another label`);
  story.whole.change(pool, (current) => {
    const labelled = withTemplateLabel(current, { edited: cpu });
    return { ...labelled, spec: { ...(labelled.spec as JsonObject), limits: { cpu } } };
  });
}

function scaleFixed(story: Story): void {
  if (story.whole.list("karpenter.sh/v1", "NodePool").some(({ metadata }) => metadata.name === "fixed"))
    story.scale(fixed, Math.floor(story.random() * 6));
}

/** Its machines go with it, and it comes back. */
function replacePool(story: Story): void {
  const pool = story.pick(pools);
  if (pool === undefined) return;
  const { name } = pool.metadata;
  const found = story.whole.list("karpenter.sh/v1", "NodePool").find(({ metadata }) => metadata.name === name);
  story.note(found === undefined ? `bring back pool ${name}` : `delete pool ${name}`);
  if (found === undefined) story.whole.load(pool);
  else story.whole.delete(found);
}

const effects: readonly FaultEffect[] = [
  { effect: "refuse", status: 409 },
  { effect: "refuse", status: 429 },
  { effect: "refuse", status: 500 },
  { effect: "refuse", status: 503 },
  { effect: "time-out", afterMs: 5_000, isDone: true },
  { effect: "time-out", afterMs: 5_000, isDone: false },
  { effect: "slow", byMs: 3_000 },
  { effect: "drop", at: "request" },
  { effect: "drop", at: "answer" },
  { effect: "drop", at: "half-answer" },
  { effect: "cut-watch", afterMs: 500 },
  { effect: "delay-watch", byMs: 4_000 },
  { effect: "expire-watch" },
  { effect: "stale-read", versions: 40 },
];

function breakApi(story: Story): void {
  const effect = story.pick(effects);
  if (effect === undefined) return;
  const probability = 0.1 + story.random() * 0.6;
  const seconds = 5 + Math.floor(story.random() * 40);
  const end = story.whole.cluster.faults.inject({ ...effect, probability });
  if (story.random() < 0.5) story.whole.breakWatches();
  const what = `${JSON.stringify(effect)} of ${Math.round(probability * 100)} % for ${seconds} s`;
  story.whole.clock.after(seconds * 1_000, story.trouble(what, end));
}

function loseApi(story: Story): void {
  const effect: FaultEffect =
    story.random() < 0.5 ? { effect: "drop", at: "request" } : { effect: "refuse", status: 503 };
  const { cluster, clock } = story.whole;
  const end = cluster.faults.inject({ ...effect, probability: 1 });
  story.whole.breakWatches();
  clock.after(60_000, story.trouble("the API is away for a minute", end));
}

/** Whoever was cut off cannot go on where it was. */
function forgetThePast(story: Story): void {
  story.note("watches break, and cannot be resumed");
  story.whole.breakWatches();
  story.whole.cluster.faults.compact();
}

function loseLease(story: Story): void {
  const { cluster, clock } = story.whole;
  if (story.random() < 0.5) {
    const end = cluster.faults.takeLease({ ...lease, holder: "thief", forMs: 20_000 });
    clock.after(40_000, story.trouble("the lease is stolen", end));
    return;
  }
  const end = cluster.faults.inject({ effect: "refuse", status: 500, probability: 1, on: { path: /leases/ } });
  clock.after(30_000, story.trouble("the lease cannot be renewed", end));
}

function crash(story: Story): void {
  if (!story.whole.isRunning) return;
  const writes = Math.floor(story.random() * 12);
  if (writes === 0) story.crash();
  else {
    story.note(`crash after ${writes} writes`);
    story.whole.crashAfterWrites(writes);
  }
  story.isMended = true;
}

function afflictNodes(story: Story): void {
  const { cluster, clock } = story.whole;
  const affliction = story.pick([
    { effect: "never-ready", share: 0.3 },
    { effect: "flap", periodSeconds: 20, share: 0.3 },
    { effect: "fall-silent", afterMs: 10_000, share: 0.3 },
  ] as const);
  if (affliction === undefined) return;
  story.note(`nodes are afflicted: ${affliction.effect}`);
  const end = cluster.afflict(affliction);
  clock.after(60_000, end);
}
