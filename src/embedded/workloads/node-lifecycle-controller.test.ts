import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { TestCluster } from "./test-cluster.ts";

function pod(name: string, spec: object = {}): object {
  return { metadata: { name, namespace: "default" }, spec: { containers: [{ name: "c", image: "x" }], ...spec } };
}

const nodes = (cluster: TestCluster) => cluster.of<Node>("", "nodes");
const taintsOf = (cluster: TestCluster) =>
  nodes(cluster)
    .find("a")
    ?.spec?.taints?.map(({ key, effect }) => `${key.split("/")[1]}:${effect}`);
const readyOf = (cluster: TestCluster) =>
  nodes(cluster)
    .find("a")
    ?.status?.conditions?.find(({ type }) => type === "Ready");

describe("NodeLifecycleController", () => {
  it("finds a node that fell silent, taints it, evicts in time, and takes all back when it returns", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    cluster.create("", "pods", pod("patient"));
    cluster.create(
      "",
      "pods",
      pod("hasty", {
        tolerations: [
          { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 },
        ],
      }),
    );
    await cluster.advance(15);
    assert.equal(taintsOf(cluster), undefined);
    cluster.kubelets.stopNode("a");
    await cluster.advance(50);
    const { status, reason, message } = readyOf(cluster)!;
    assert.deepEqual(
      [status, reason, message],
      ["Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."],
    );
    assert.deepEqual(taintsOf(cluster), ["unreachable:NoSchedule", "unreachable:NoExecute"]);
    const ready = (name: string) =>
      cluster
        .of<Pod>("", "pods")
        .find(`default/${name}`)
        ?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
    assert.equal(ready("patient"), "False");
    await cluster.advance(20);
    const hasty = cluster.of<Pod>("", "pods").find("default/hasty");
    assert.notEqual(hasty?.metadata.deletionTimestamp, undefined);
    assert.equal(
      hasty?.status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason,
      "DeletionByTaintManager",
    );
    cluster.kubelets.resumeNode("a");
    await cluster.advance(5);
    assert.equal(taintsOf(cluster), undefined);
    assert.deepEqual([ready("patient"), ready("hasty")], ["True", undefined]);
    assert.deepEqual(
      cluster.eventsAbout("patient").at(-1),
      "TaintManagerEviction: Cancelling deletion of Pod default/patient",
    );
    cluster.stop();
  });

  it("says of a node that never spoke that it never did", async () => {
    const cluster = new TestCluster({ runs: () => false });
    cluster.node("a");
    await cluster.advance(70);
    assert.equal(readyOf(cluster)?.reason, "NodeStatusNeverUpdated");
    cluster.stop();
  });

  it("taints nodes under pressure and nodes that are cordoned, and leaves other taints alone", async () => {
    const cluster = new TestCluster();
    cluster.node("a", { taints: [{ key: "example.com/own", effect: "NoSchedule" }] });
    await cluster.advance(1);
    const node = nodes(cluster).find("a")!;
    nodes(cluster).change(node, (current) => ({ ...current, spec: { ...current.spec, unschedulable: true } }));
    const conditions = node.status?.conditions?.map((condition) =>
      condition.type === "DiskPressure" ? { ...condition, status: "True" } : condition,
    );
    nodes(cluster).changeStatus(node, (current) => ({ ...current, status: { ...current.status, conditions } }));
    await cluster.advance(1);
    assert.deepEqual(taintsOf(cluster)?.sort(), [
      "disk-pressure:NoSchedule",
      "own:NoSchedule",
      "unschedulable:NoSchedule",
    ]);
    cluster.stop();
  });

  it("collects pods and the lease of a node that is deleted", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    cluster.create("", "pods", pod("lost"));
    await cluster.advance(5);
    nodes(cluster).delete(nodes(cluster).find("a")!);
    await cluster.advance(30);
    assert.equal(cluster.pods.length, 1);
    assert.deepEqual([...cluster.of("coordination.k8s.io", "leases").list()], []);
    await cluster.advance(30);
    assert.deepEqual(cluster.pods, []);
    cluster.stop();
  });
});
