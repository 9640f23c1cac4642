import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelPlannedPool, modelPool } from "../../../test/support/model-pool.ts";
import type { InstanceType } from "../model/instance-type.ts";
import type { Pod } from "../model/pod.ts";
import { ClusterState } from "./cluster-state.ts";
import { type TakenSnapshot, takeSnapshot } from "./take-snapshot.ts";

function clusterWith({ nodes = [], pods = [] }: { nodes?: readonly string[]; pods?: readonly Pod[] }): ClusterState {
  const cluster = new ClusterState();
  for (const name of nodes) cluster.nodes.put(name, modelNode({ name, providerId: `id://${name}` }));
  for (const pod of pods) put(cluster, pod);
  return cluster;
}

function put(cluster: ClusterState, pod: Pod): void {
  cluster.pods.put(`${pod.namespace}/${pod.name}`, pod);
}

const noTypes: readonly InstanceType[] = [];

function take(cluster: ClusterState, mustStay: (pod: Pod) => boolean = () => false): TakenSnapshot {
  return takeSnapshot(cluster, { instanceTypesOf: () => noTypes, mustStay });
}

function namesByNode({ snapshot }: TakenSnapshot): Record<string, readonly string[]> {
  return Object.fromEntries(Array.from(snapshot.podsByNode, ([node, pods]) => [node, pods.map(({ name }) => name)]));
}

const waiting = { nodeName: "", phase: "Pending", scheduledReason: "Unschedulable" };

describe("takeSnapshot", () => {
  it("finds pods on their nodes, as they come, change and go", () => {
    const cluster = clusterWith({ nodes: ["a", "b"], pods: [modelPod("one", { nodeName: "a" })] });
    assert.deepEqual(namesByNode(take(cluster)), { a: ["one"] });
    put(cluster, modelPod("two", { nodeName: "b" }));
    put(cluster, modelPod("three", { nodeName: "a" }));
    assert.deepEqual(namesByNode(take(cluster)), { a: ["one", "three"], b: ["two"] });
    put(cluster, modelPod("one", { nodeName: "a", phase: "Succeeded" }));
    cluster.pods.remove("default/two");
    assert.deepEqual(namesByNode(take(cluster)), { a: ["three"] });
  });

  it("gives what has not changed as the same object again", () => {
    const pods = ["a", "b"].map((nodeName) => modelPod(`on-${nodeName}`, { nodeName }));
    const cluster = clusterWith({ nodes: ["a", "b"], pods });
    cluster.namespaces.put("default", new Map());
    cluster.pools.put("default", modelPool("default", { pool: modelPlannedPool("default") }));
    const { snapshot: before } = take(cluster);
    put(cluster, modelPod("another", { nodeName: "b" }));
    cluster.nodes.put("b", modelNode({ name: "b", providerId: "id://b", capacity: new Map([["cpu", 1]]) }));
    const { snapshot: after } = take(cluster);
    assert.equal(after.podsByNode.get("a"), before.podsByNode.get("a"));
    assert.equal(after.nodes[0], before.nodes[0]);
    assert.equal(after.namespaces, before.namespaces);
    assert.equal(after.nodePools.length, 1);
    assert.equal(after.nodePools[0], before.nodePools[0]);
    assert.equal(after.nodes[1]?.capacity.get("cpu"), 1);
    assert.equal(before.podsByNode.get("b")?.length, 1);
    assert.equal(after.podsByNode.get("b")?.length, 2);
  });

  it("joins a node anew when its claim or its attach limits change", () => {
    const cluster = clusterWith({ nodes: ["a"] });
    assert.equal(take(cluster).snapshot.nodes[0]?.isDeleting, false);
    cluster.claims.put("claim", modelClaim({ name: "claim", providerId: "id://a", deletedAt: 1 }));
    assert.equal(take(cluster).snapshot.nodes[0]?.isDeleting, true);
    cluster.attachLimits.put("a", new Map([["driver", 3]]));
    assert.equal(take(cluster).snapshot.nodes[0]?.volumeLimits.get("driver"), 3);
  });

  it("lets pods wait whose node goes, unless they stay to the end", () => {
    const pods = [modelPod("moves", { nodeName: "a" }), modelPod("stays", { nodeName: "a" }), modelPod("new", waiting)];
    const cluster = clusterWith({ nodes: ["a"], pods });
    cluster.nodes.put("a", modelNode({ name: "a", deletedAt: 1 }));
    const taken = take(cluster, ({ name }) => name === "stays");
    assert.deepEqual(namesByNode(taken), { a: ["stays"] });
    assert.deepEqual(taken.pendingPods.map(({ name }) => name).sort(), ["moves", "new"]);
    cluster.nodes.put("a", modelNode({ name: "a" }));
    assert.deepEqual(namesByNode(take(cluster)), { a: ["moves", "stays"] });
  });

  it("keeps a place for a pod that is meant for a node, beside those that are on it", () => {
    const pods = [modelPod("on-a", { nodeName: "a" }), modelPod("new", waiting)];
    const cluster = clusterWith({ nodes: ["a"], pods });
    cluster.claims.put("claim", modelClaim({ name: "claim", providerId: "id://a" }));
    cluster.intendedPods.intend("uid-new", "claim", 0);
    const taken = take(cluster);
    assert.deepEqual(namesByNode(taken), { a: ["on-a", "new"] });
    assert.deepEqual(taken.pendingPods, []);
    cluster.intendedPods.drop("uid-new");
    assert.deepEqual(namesByNode(take(cluster)), { a: ["on-a"] });
    assert.equal(take(cluster).pendingPods.length, 1);
  });

  it("takes the newest live pod of a DaemonSet for its model", () => {
    const owners = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "", isController: true }];
    const daemon = (name: string, createdAt: number) => modelPod(name, { owners, createdAt });
    const cluster = clusterWith({ pods: [daemon("old", 1), daemon("new", 2)] });
    cluster.daemonSets.put("default/agent", modelPod("template"));
    const model = () => take(cluster).snapshot.daemonPods[0];
    assert.equal(model()?.name, "new");
    assert.equal(model(), model());
    put(cluster, daemon("newer", 3));
    assert.equal(model()?.name, "newer");
    cluster.pods.remove("default/newer");
    cluster.pods.remove("default/new");
    assert.equal(model()?.name, "old");
    cluster.pods.remove("default/old");
    assert.equal(model()?.name, "template");
  });
});
