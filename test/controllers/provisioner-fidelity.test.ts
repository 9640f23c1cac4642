import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Fidelity } from "../../src/controllers/provisioner/fidelity.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { modelClaim, modelCondition, modelNode } from "../support/model-machine.ts";
import { modelPod } from "../support/model-pod.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const initializedAt = 100_000;
const asPlanned = 'plan_pods_total{outcome="as_planned"}';
const elsewhere = 'plan_pods_total{outcome="elsewhere"}';

describe("a pod that has a place", () => {
  let cluster: ClusterState;
  let telemetry: RecordingTelemetry;
  let fidelity: Fidelity;
  let now: number;

  beforeEach(() => {
    now = initializedAt;
    cluster = new ClusterState();
    telemetry = new RecordingTelemetry();
    fidelity = new Fidelity(cluster, telemetry);
    for (const name of ["a", "b"]) {
      const conditions = [modelCondition("Initialized", "True", { lastTransitionTime: initializedAt })];
      cluster.claims.put(
        `claim-${name}`,
        modelClaim({ name: `claim-${name}`, providerId: `test://${name}`, conditions }),
      );
      const allocatable = new Map([["cpu", 2_000]]);
      cluster.nodes.put(`node-${name}`, modelNode({ name: `node-${name}`, providerId: `test://${name}`, allocatable }));
    }
  });

  /** Pods that are alike share their specs and labels. */
  const shared = modelPod("any");
  function waits(name: string, claimName: string, like: Pod = shared): Pod {
    const pod = { ...modelPod(name, { nodeName: "" }), spec: like.spec, labels: like.labels };
    cluster.pods.put(`default/${name}`, pod);
    cluster.nominations.nominate(pod.uid, claimName, 0);
    return pod;
  }

  /** Whom no plan knows goes to a node; says who has lost his place by that. */
  function intrude(name: string, like: Pod): readonly string[] {
    const pod = { ...modelPod(name, { nodeName: "node-a" }), spec: like.spec, labels: like.labels };
    cluster.pods.put(`default/${name}`, pod);
    return fidelity.take({ ...pod, nodeName: "" }, pod, now);
  }

  function change(before: Pod, fields: Partial<Pod>): Pod {
    const after = { ...before, ...fields };
    cluster.pods.put(`default/${before.name}`, after);
    fidelity.take(before, after, now);
    return after;
  }

  const counts = (): readonly number[] => [asPlanned, elsewhere].map((series) => telemetry.numbers.get(series) ?? 0);

  it("and takes it has landed as planned", () => {
    change(waits("web", "claim-a"), { nodeName: "node-a" });
    assert.deepEqual([counts(), cluster.nominations.size], [[1, 0], 0]);
  });

  it("and goes to another node has not", () => {
    change(waits("web", "claim-a"), { nodeName: "node-b" });
    assert.deepEqual([counts(), cluster.nominations.size], [[0, 1], 0]);
  });

  it("can change it with one that is alike", () => {
    const web = waits("web", "claim-a");
    const twin = waits("twin", "claim-b");
    change(web, { nodeName: "node-b" });
    assert.equal(cluster.nominations.claimOf(twin.uid), "claim-a");
    change(twin, { nodeName: "node-a" });
    assert.deepEqual(counts(), [2, 0]);
  });

  it("cannot change it with one that is not, or that has gone to a node already", () => {
    const web = waits("web", "claim-a");
    waits("other", "claim-b", modelPod("any other"));
    change(web, { nodeName: "node-b" });
    assert.deepEqual([counts(), cluster.nominations.claimOf("uid-other")], [[0, 1], "claim-b"]);
  });

  it("and is deleted leaves it, and counts for nothing", () => {
    change(waits("web", "claim-a"), { isDeleting: true });
    const db = waits("db", "claim-a");
    cluster.pods.remove("default/db");
    fidelity.take(db, undefined, now);
    assert.deepEqual([counts(), cluster.nominations.size], [[0, 0], 0]);
  });

  it("can change it with one that is alike apart from the labels that it got from its node", () => {
    const web = waits("web", "claim-a");
    const labels = new Map([...web.labels, ["topology.kubernetes.io/zone", "zone-b"]]);
    waits("twin", "claim-b");
    change(web, { nodeName: "node-b", labels });
    assert.deepEqual(counts(), [1, 0]);
  });

  it("loses it when it is left over: others were bound, but nobody for five seconds", () => {
    const web = waits("web", "claim-a");
    now = initializedAt + 1_500;
    change(waits("db", "claim-a"), { nodeName: "node-a" });
    fidelity.dropStale(initializedAt + 6_499);
    assert.equal(cluster.nominations.claimOf(web.uid), "claim-a");
    assert.deepEqual(fidelity.dropStale(initializedAt + 6_500), [web.uid]);
    assert.equal(cluster.nominations.size, 0);
  });

  it("keeps it for ten seconds while kube-scheduler has bound nobody since the node was opened", () => {
    now = initializedAt - 1;
    change(waits("db", "claim-b"), { nodeName: "node-b" });
    const web = waits("web", "claim-a");
    assert.deepEqual(fidelity.dropStale(initializedAt + 9_999), []);
    assert.deepEqual(fidelity.dropStale(initializedAt + 10_000), [web.uid]);
  });

  it("loses it when others are bound all the time and it is not for ten seconds", () => {
    const web = waits("web", "claim-a");
    now = initializedAt + 9_000;
    change(waits("db", "claim-a"), { nodeName: "node-a" });
    fidelity.dropStale(initializedAt + 9_999);
    assert.equal(cluster.nominations.claimOf(web.uid), "claim-a");
    assert.deepEqual(fidelity.dropStale(initializedAt + 10_000), [web.uid]);
  });

  it("and lost it has ten seconds for the next, and is measured by the first", () => {
    for (const [name, nodeName] of [
      ["web", "node-b"],
      ["db", "node-a"],
    ] as const) {
      const pod = waits(name, "claim-a");
      fidelity.dropStale(initializedAt + 2_000);
      cluster.nominations.nominate(pod.uid, "claim-b", initializedAt + 2_000);
      fidelity.dropStale(initializedAt + 11_999);
      assert.equal(cluster.nominations.claimOf(pod.uid), "claim-b");
      change(pod, { nodeName });
    }
    assert.deepEqual(counts(), [1, 1]);
  });

  it("keeps it while its claim is being written, and loses it when the claim does not come", () => {
    const web = waits("web", "claim-a");
    cluster.nominations.nominate(web.uid, "claim-to-come", initializedAt);
    fidelity.dropStale(initializedAt + 9_999);
    assert.equal(cluster.nominations.claimOf(web.uid), "claim-to-come");
    fidelity.dropStale(initializedAt + 10_000);
    assert.equal(cluster.nominations.claimOf(web.uid), undefined);
  });

  it("keeps it while its node is on its way, and loses it with the claim", () => {
    cluster.claims.put("claim-a", modelClaim({ name: "claim-a" }));
    waits("web", "claim-a");
    fidelity.dropStale(initializedAt + 600_000);
    assert.equal(cluster.nominations.size, 1);
    cluster.claims.put("claim-a", modelClaim({ name: "claim-a", deletedAt: 1 }));
    fidelity.dropStale(initializedAt + 600_000);
    assert.equal(cluster.nominations.size, 0);
  });

  it("and lost it makes a node that is bought for it one of a second wave, until it has one", () => {
    const second = 'plan_second_wave_nodes_total{nodepool="general"}';
    const web = waits("web", "claim-a");
    fidelity.countSecondWave("general", [web.uid]);
    assert.equal(telemetry.numbers.get(second), undefined);
    fidelity.dropStale(initializedAt + 10_000);
    fidelity.countSecondWave("general", [web.uid, "uid-other"]);
    assert.equal(telemetry.numbers.get(second), 1);
    change(web, { nodeName: "node-b" });
    fidelity.countSecondWave("general", [web.uid]);
    assert.equal(telemetry.numbers.get(second), 1);
  });

  const half = modelPod("half", { spec: { requests: new Map([["cpu", 1_000]]) } });

  const otherHalf = modelPod("other half", { spec: { requests: new Map([["cpu", 1_000]]) } });
  const secondWave = (uid: string): number => {
    fidelity.countSecondWave("general", [uid]);
    return telemetry.numbers.get('plan_second_wave_nodes_total{nodepool="general"}') ?? 0;
  };

  it("leaves it at once to one that is alike and that no plan knew, and stands in for that one", () => {
    const web = waits("web", "claim-a", half);
    const told = waits("told", "claim-a", half);
    cluster.pods.put("default/told", { ...told, nominatedNodeName: "node-a" });
    assert.deepEqual(intrude("new", half), [web.uid]);
    assert.deepEqual([...cluster.nominations.podsOf("claim-a")], [told.uid]);
    assert.equal(secondWave(web.uid), 0);
  });

  it("leaves it to one that is alike and has lost its own, and that was not foreseen", () => {
    const lost = waits("lost", "claim-a", otherHalf);
    assert.deepEqual([intrude("new", half), intrude("newer", half)], [[], [lost.uid]]);
    const twin = waits("twin", "claim-b", otherHalf);
    change(waits("told", "claim-b", otherHalf), { nominatedNodeName: "node-b" });
    change(lost, { nodeName: "node-b" });
    assert.equal(cluster.nominations.claimOf(twin.uid), undefined);
    assert.equal(secondWave(twin.uid), 1);
    change(twin, { nodeName: "node-a" });
    assert.equal(secondWave(twin.uid), 1);
  });

  it("loses it at once to one that is not alike, and that was not foreseen", () => {
    waits("db", "claim-a", otherHalf);
    const web = waits("web", "claim-a", otherHalf);
    assert.deepEqual(intrude("new", half), [web.uid]);
    assert.equal(secondWave(web.uid), 1);
  });

  /** It is told of its place; kube-scheduler refuses it there. Says who has lost his place by that. */
  function refuse(pod: Pod): readonly string[] {
    const told = change(pod, { nominatedNodeName: "node-a" });
    const refused = { ...told, nominatedNodeName: "" };
    cluster.pods.put(`default/${pod.name}`, refused);
    return fidelity.take(told, refused, now);
  }

  it("keeps it while kube-scheduler keeps its room, and leaves it to others when it is refused", () => {
    waits("untold", "claim-a", modelPod("third half", { spec: otherHalf.spec, app: "db" }));
    const web = change(waits("web", "claim-a", otherHalf), { nominatedNodeName: "node-a" });
    const allocatable = new Map([["cpu", 3_000]]);
    cluster.nodes.put("node-a", modelNode({ name: "node-a", providerId: "test://a", allocatable }));
    assert.deepEqual([intrude("new", half), intrude("newer", half)], [[], ["uid-untold"]]);
    assert.deepEqual(intrude("newest", half), []);
    assert.deepEqual(refuse(web), [web.uid]);
    assert.deepEqual([cluster.nominations.size, secondWave(web.uid)], [0, 1]);
  });

  it("keeps it when it is refused because the node is still closed", () => {
    const taints = [{ key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" }] as const;
    const allocatable = new Map([["cpu", 2_000]]);
    cluster.nodes.put("node-a", modelNode({ name: "node-a", providerId: "test://a", allocatable, taints }));
    const web = waits("web", "claim-a", otherHalf);
    assert.deepEqual(refuse(web), []);
    change({ ...web, nominatedNodeName: "" }, { nominatedNodeName: "node-a" });
    assert.deepEqual([intrude("new", half), intrude("newer", half)], [[], []]);
  });

  it("is not driven out by those that come to their own places", () => {
    const [first, second] = ["first", "second"].map((name) =>
      change(waits(name, "claim-a", half), { nominatedNodeName: "node-a" }),
    );
    assert.ok(first !== undefined && second !== undefined);
    intrude("new", otherHalf);
    change(first, { nodeName: "node-a" });
    assert.equal(cluster.nominations.claimOf(second.uid), "claim-a");
  });

  it("keeps it when it is refused though there is room, and is then the one that may lose it", () => {
    const web = waits("web", "claim-a", otherHalf);
    const told = change(web, { nominatedNodeName: "node-a" });
    change(told, { nominatedNodeName: "" });
    const again = change({ ...told, nominatedNodeName: "" }, { nominatedNodeName: "node-a" });
    assert.equal(cluster.nominations.claimOf(again.uid), "claim-a");
    assert.deepEqual(intrude("new", half), []);
    assert.deepEqual(intrude("newer", half), [web.uid]);
  });

  it("loses it at once to one that has left its own", () => {
    const web = waits("web", "claim-a", modelPod("whole", { spec: { requests: new Map([["cpu", 2_000]]) } }));
    change(waits("db", "claim-b", half), { nodeName: "node-a" });
    assert.equal(cluster.nominations.claimOf(web.uid), undefined);
  });

  it("is left alone by one like it that takes the place it was given in place of another", () => {
    const web = waits("web", "claim-a", half);
    const twin = waits("twin", "claim-b", half);
    fidelity.dropStale(initializedAt + 10_000);
    for (const { uid } of [web, twin]) cluster.nominations.nominate(uid, "claim-b", now);
    change(web, { nodeName: "node-b" });
    assert.deepEqual([cluster.nominations.claimOf(twin.uid), counts()], ["claim-b", [0, 1]]);
  });

  it("keeps it when another takes what it does not need", () => {
    const gpu = modelPod("gpu", { spec: { requests: new Map([["gpu", 1]]) } });
    const allocatable = new Map([
      ["cpu", 2_000],
      ["gpu", 1],
    ]);
    cluster.nodes.put("node-a", modelNode({ name: "node-a", providerId: "test://a", allocatable }));
    waits("training", "claim-a", gpu);
    waits("web", "claim-a", half);
    assert.deepEqual(intrude("other training", modelPod("other gpu", { spec: gpu.spec, app: "other" })), [
      "uid-training",
    ]);
    assert.deepEqual([...cluster.nominations.podsOf("claim-a")], ["uid-web"]);
  });

  it("loses it, and was not displaced, when somebody was there before the plan was ready", () => {
    intrude("new", half);
    intrude("newer", half);
    const web = waits("web", "claim-a", half);
    const claim = cluster.claims.get("claim-a");
    assert.ok(claim !== undefined);
    assert.deepEqual(fidelity.dropOvertaken(claim), [web.uid]);
    assert.equal(secondWave(web.uid), 0);
  });

  it("keeps it while the node does not have all yet that its machine was bought for", () => {
    const gpu = modelPod("gpu", { spec: { requests: new Map([["gpu", 1]]) } });
    const allocatable = new Map([["gpu", 1]]);
    cluster.claims.put("claim-a", modelClaim({ name: "claim-a", providerId: "test://a", allocatable }));
    cluster.nodes.put(
      "node-a",
      modelNode({ name: "node-a", providerId: "test://a", allocatable: new Map([["gpu", 0]]) }),
    );
    waits("training", "claim-a", gpu);
    assert.deepEqual(intrude("agent", half), []);
    assert.deepEqual(intrude("other training", gpu), ["uid-training"]);
  });

  it("keeps it where there is room for both; who has finished takes none", () => {
    waits("web", "claim-a", half);
    change(waits("job", "claim-a", half), { nodeName: "node-a", phase: "Succeeded" });
    assert.deepEqual(intrude("new", half), []);
    assert.deepEqual(intrude("one too many", half), ["uid-web"]);
  });
});
