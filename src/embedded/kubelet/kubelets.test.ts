import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { TestCluster } from "../workloads/test-cluster.ts";

function create(cluster: TestCluster, spec: object = {}, annotations: object = {}): void {
  cluster.create("", "pods", {
    metadata: { name: "web", namespace: "default", annotations },
    spec: { containers: [{ name: "c", image: "web" }], ...spec },
  });
}

const web = (cluster: TestCluster) => cluster.of<Pod>("", "pods").find("default/web");
const conditions = (pod: Pod | undefined) =>
  Object.fromEntries((pod?.status?.conditions ?? []).map(({ type, status }) => [type, status]));

function withNode(cpu = "8"): TestCluster {
  const cluster = new TestCluster();
  cluster.node("a", { cpu });
  return cluster;
}

describe("Kubelets", () => {
  it("bring a node up after a while and renew its lease", async () => {
    const cluster = new TestCluster({ startupDelay: 30_000 });
    cluster.node("a", { labels: { "kubernetes.io/arch": "arm64" } });
    const node = () => cluster.of<Node>("", "nodes").find("a")!;
    await cluster.advance(29);
    assert.equal(node().status?.conditions, undefined);
    await cluster.advance(12);
    const { status, metadata } = node();
    assert.deepEqual(
      status?.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`),
      [
        "MemoryPressure False KubeletHasSufficientMemory",
        "DiskPressure False KubeletHasNoDiskPressure",
        "PIDPressure False KubeletHasSufficientPID",
        "Ready True KubeletReady",
      ],
    );
    assert.equal(status?.nodeInfo?.architecture, "arm64");
    assert.equal(metadata.labels?.["kubernetes.io/hostname"], "a");
    const lease = cluster.of<Lease>("coordination.k8s.io", "leases").find("kube-node-lease/a");
    assert.equal(lease?.spec?.renewTime, "2026-03-01T12:00:40.000000Z");
    assert.equal(lease?.metadata.ownerReferences?.[0]?.uid, metadata.uid);
    cluster.stop();
  });

  it("run a pod: creating, its init containers in order, running, ready, and gone", async () => {
    const cluster = withNode();
    const initContainers = [
      { name: "first", image: "i" },
      { name: "second", image: "i" },
    ];
    create(cluster, { initContainers }, { "embedded.karpenter.sh/ready-seconds": "5" });
    const seen: string[] = [];
    const stop = cluster.of<Pod>("", "pods").subscribe(({ type, object: { status } }) => {
      const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
        ({ state }) => state?.waiting?.reason ?? Object.keys(state ?? {})[0],
      );
      const line =
        type === "DELETED" ? "gone" : `${status?.phase} ${states.join(" ")} ${conditions({ status } as Pod).Ready}`;
      if (seen.at(-1) !== line) seen.push(line);
    });
    await cluster.advance(20);
    cluster.of<Pod>("", "pods").delete(web(cluster)!);
    await cluster.advance(5);
    stop();
    assert.deepEqual(seen, [
      "Pending  undefined",
      "Pending PodInitializing PodInitializing PodInitializing False",
      "Pending running PodInitializing PodInitializing False",
      "Pending terminated running PodInitializing False",
      "Running terminated terminated running False",
      "Running terminated terminated running True",
      "gone",
    ]);
    cluster.stop();
  });

  it("end pods that are done, and start those again that should not be", async () => {
    const cluster = withNode();
    create(
      cluster,
      { restartPolicy: "OnFailure" },
      { "embedded.karpenter.sh/run-seconds": "5", "embedded.karpenter.sh/exit-code": "3" },
    );
    await cluster.advance(8);
    const [container] = web(cluster)?.status?.containerStatuses ?? [];
    assert.equal(container?.state?.waiting?.reason, "CrashLoopBackOff");
    assert.equal(container?.lastState?.terminated?.exitCode, 3);
    await cluster.advance(10);
    assert.equal(web(cluster)?.status?.containerStatuses?.[0]?.restartCount, 1);
    assert.equal(conditions(web(cluster)).Ready, "True");
    cluster.stop();
  });

  it("reject what does not fit", async () => {
    const cluster = withNode("2");
    const resources = { requests: { cpu: "3" } };
    create(cluster, { nodeName: "a", containers: [{ name: "c", image: "web", resources }] });
    await cluster.advance(2);
    const { phase, reason, message } = web(cluster)!.status!;
    assert.deepEqual([phase, reason], ["Failed", "OutOfcpu"]);
    assert.equal(
      message,
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
    );
    cluster.stop();
  });

  it("end a pod within its grace period, however long it would take", async () => {
    const cluster = withNode();
    create(cluster, { terminationGracePeriodSeconds: 7 }, { "embedded.karpenter.sh/termination-seconds": "60" });
    await cluster.advance(5);
    cluster.of<Pod>("", "pods").delete(web(cluster)!);
    await cluster.advance(6.9);
    assert.notEqual(web(cluster), undefined);
    await cluster.advance(0.2);
    assert.equal(web(cluster), undefined);
    cluster.stop();
  });

  it("hold pods that are not to end until they are let go", async () => {
    const cluster = withNode();
    create(cluster);
    await cluster.advance(5);
    const release = cluster.kubelets.holdPods(({ metadata }) => metadata?.name === "web");
    cluster.of<Pod>("", "pods").delete(web(cluster)!);
    await cluster.advance(100);
    assert.notEqual(web(cluster), undefined);
    release();
    await cluster.advance(2);
    assert.equal(web(cluster), undefined);
    cluster.stop();
  });

  it("leave a node unready for ever, or let it flap", async () => {
    const cluster = new TestCluster();
    cluster.kubelets.neverReady("a");
    cluster.node("a");
    const seen: string[] = [];
    const stop = cluster.of<Node>("", "nodes").subscribe(({ object }) => {
      const ready = object.status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "";
      if (ready !== "" && seen.at(-1) !== ready) seen.push(ready);
    });
    await cluster.advance(400);
    assert.deepEqual(seen, ["False"]);
    cluster.kubelets.flap("a", 60);
    await cluster.advance(200);
    assert.deepEqual(seen, ["False", "True", "False", "True", "False"]);
    stop();
    cluster.stop();
  });
});
