import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { TerminatorStage } from "../support/terminator-stage.ts";

const labels = { app: "web" };
const surge = { "karpenter.sh/drain-strategy": "surge" };

describe("draining with surge", () => {
  let stage: TerminatorStage;

  beforeEach(() => {
    stage = new TerminatorStage();
  });

  afterEach(() => stage.stop());

  function addWorkload(kind: "Deployment" | "StatefulSet" | "ReplicaSet", replicas: number, spec: object = {}): void {
    stage.bench.load({
      apiVersion: "apps/v1",
      kind,
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations: surge }, spec: { containers: [{ name: "main", image: "main" }] } },
        ...spec,
      },
    });
  }

  const runningPods = () =>
    [...stage.cluster.pods.values()].filter((pod) => pod.readyAt !== undefined && !pod.isDeleting);
  const restarts = () => stage.requestsTo(/PATCH .*\/(deployments|statefulsets)\/web$/);
  const evictions = () => stage.requestsTo(/eviction/);

  /** The fewest ready pods from now on. */
  function watchReady(): () => number {
    let fewest = runningPods().length;
    stage.cluster.pods.onChange(() => {
      fewest = Math.min(fewest, runningPods().length);
    });
    return () => fewest;
  }

  const isGone =
    (...names: readonly string[]) =>
    () =>
      names.every((name) => !stage.left.claims.includes(name));

  test("never has fewer pods ready than asked for, with one restart for all nodes that go together", async () => {
    await stage.startWith("a", "b", "c", "d");
    addWorkload("Deployment", 8, { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } });
    await stage.clock.advance(20_000);
    assert.equal(runningPods().length, 8);
    const fewest = watchReady();
    await stage.deleteNode("a");
    await stage.deleteNode("b");
    assert.equal(await stage.clock.advanceUntil(isGone("a", "b"), 600_000), true);
    assert.deepEqual(
      { restarts: restarts(), evictions: evictions(), fewest: fewest(), left: stage.left.nodes },
      { restarts: 1, evictions: 0, fewest: 8, left: ["c", "d"] },
    );
    assert.deepEqual(stage.reasonsFor("web"), ["SurgeRestarted"]);
    assert.match(stage.messagesOf("AwaitingReplacement")[0] ?? "", /until the rollout of Deployment "web"/);
  });

  test("brings up the replacement of a lone pod first, and a terminator that starts anew restarts nothing twice", async () => {
    await stage.startWith("a");
    addWorkload("Deployment", 1);
    await stage.clock.advance(20_000);
    const fewest = watchReady();
    const [before] = runningPods();
    await stage.deleteNode("a");
    await stage.clock.advance(15_000);
    stage.startAnother();
    await stage.clock.advance(60_000);
    assert.deepEqual({ restarts: restarts(), node: runningPods()[0]?.nodeName }, { restarts: 1, node: "a" });
    stage.addNode("b");
    assert.equal(await stage.clock.advanceUntil(isGone("a"), 600_000), true);
    assert.deepEqual(
      { restarts: restarts(), evictions: evictions(), fewest: fewest() },
      { restarts: 1, evictions: 0, fewest: 1 },
    );
    assert.notEqual(runningPods()[0]?.uid, before?.uid);
  });

  test("restarts a StatefulSet, too", async () => {
    await stage.startWith("a", "b");
    addWorkload("StatefulSet", 2, { serviceName: "web" });
    await stage.clock.advance(20_000);
    assert.equal(runningPods().length, 2);
    await stage.deleteNode("a");
    assert.equal(await stage.clock.advanceUntil(isGone("a"), 600_000), true);
    assert.deepEqual({ restarts: restarts(), evictions: evictions() }, { restarts: 1, evictions: 0 });
    await stage.clock.advance(30_000);
    assert.deepEqual(new Set(runningPods().map(({ nodeName }) => nodeName)), new Set(["b"]));
  });

  test("evicts when the rollout gets no further, and says so", async () => {
    await stage.startWith("a");
    addWorkload("Deployment", 1, { progressDeadlineSeconds: 60 });
    await stage.clock.advance(20_000);
    await stage.deleteNode("a");
    await stage.clock.advance(45_000);
    assert.equal(evictions(), 0);
    assert.ok((await stage.secondsUntilGone()) < 120);
    assert.match(stage.messagesOf("SurgeImpossible")[0] ?? "", /=surge: its rollout has /);
    assert.equal(restarts(), 1);
  });

  test("evicts pods whose owner cannot replace them first, and says why", async () => {
    await stage.startWith("a");
    addWorkload("ReplicaSet", 1);
    stage.addPod("lone", "a", { metadata: { annotations: surge } });
    await stage.clock.advance(20_000);
    await stage.deleteNode("a");
    await stage.secondsUntilGone();
    assert.deepEqual(
      stage
        .messagesOf("SurgeImpossible")
        .map((message) => message.slice(message.indexOf(": ") + 2))
        .sort(),
      ['its ReplicaSet "web" belongs to no Deployment', "nothing owns it"],
    );
  });

  test("evicts where it may not read or restart the owner", async () => {
    await stage.startWith("a");
    addWorkload("Deployment", 1);
    await stage.clock.advance(20_000);
    stage.refuse = ({ method, path }) =>
      method === "PATCH" && path.includes("/deployments/")
        ? { status: 403, body: { reason: "Forbidden", message: "karpenter may not patch deployments" } }
        : undefined;
    await stage.deleteNode("a");
    await stage.secondsUntilGone();
    assert.deepEqual(stage.messagesOf("SurgeImpossible"), [
      'Evicted before another pod stands in for it, although annotated karpenter.sh/drain-strategy=surge: cannot restart Deployment "web": karpenter may not patch deployments',
    ]);
  });

  test("waits no longer than the node may", async () => {
    stage.addNode("a", { spec: { terminationGracePeriod: "2m" } });
    await stage.start();
    await stage.clock.advance(2_000);
    addWorkload("Deployment", 1);
    await stage.clock.advance(20_000);
    await stage.deleteClaim("a");
    assert.ok((await stage.secondsUntilGone()) < 130);
    assert.deepEqual({ evictions: evictions(), restarts: restarts() }, { evictions: 0, restarts: 1 });
  });

  test("tries again when somebody else writes to the owner in between", async () => {
    await stage.startWith("a", "b");
    addWorkload("Deployment", 1);
    await stage.clock.advance(20_000);
    let conflicts = 2;
    stage.refuse = ({ method, path }) =>
      method === "PATCH" && path.includes("/deployments/") && conflicts-- > 0
        ? { status: 409, body: { reason: "Conflict", message: "the object has been modified" } }
        : undefined;
    const [pod] = runningPods();
    await stage.deleteNode(pod?.nodeName ?? "");
    assert.equal(await stage.clock.advanceUntil(isGone(pod?.nodeName ?? ""), 600_000), true);
    assert.deepEqual({ evictions: evictions(), restarts: restarts() }, { evictions: 0, restarts: 3 });
  });
});
