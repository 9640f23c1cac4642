import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { TestCluster } from "./test-cluster.ts";

const containers = [{ name: "c", image: "web" }];

function replicaSet(replicas: number, podSpec: object = {}): object {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers, ...podSpec } };
  return {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
  };
}

function pod(name: string, more: object = {}): object {
  return { metadata: { name, namespace: "default", labels: { app: "web" }, ...more }, spec: { containers } };
}

const sets = (cluster: TestCluster) => cluster.of<ReplicaSet>("apps", "replicasets");
const pods = (cluster: TestCluster) => cluster.of<Pod>("", "pods");
const ownerOf = (object: Pod | undefined) => object?.metadata?.ownerReferences?.[0]?.name;

function scale(cluster: TestCluster, replicas: number): void {
  const set = sets(cluster).find("default/web")!;
  sets(cluster).change(set, (current) => ({ ...current, spec: { ...current.spec, replicas } }));
}

describe("ReplicaSetController", () => {
  it("adopts pods that match and makes only what is missing", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    cluster.create("", "pods", pod("foundling"));
    cluster.create("apps", "replicasets", replicaSet(2));
    await cluster.advance(5);
    assert.equal(cluster.pods.length, 2);
    assert.equal(ownerOf(pods(cluster).find("default/foundling")), "web");
    cluster.stop();
  });

  it("lets go of a pod that no longer matches and makes another", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    cluster.create("apps", "replicasets", replicaSet(1));
    await cluster.advance(5);
    const [first] = cluster.pods;
    pods(cluster).change(first!, (current) => ({
      ...current,
      metadata: { ...current.metadata, labels: { app: "debug" } },
    }));
    await cluster.advance(5);
    assert.equal(cluster.pods.length, 2);
    assert.equal(ownerOf(pods(cluster).current(first!)), undefined);
    cluster.stop();
  });

  it("takes away first what is missed least", async () => {
    const cluster = new TestCluster();
    cluster.node("a", { cpu: "1" });
    const cost = (value: string) => ({ annotations: { "controller.kubernetes.io/pod-deletion-cost": value } });
    cluster.create("", "pods", pod("dear", cost("100")));
    cluster.create("", "pods", pod("cheap", cost("-5")));
    cluster.create("", "pods", pod("plain"));
    cluster.create("apps", "replicasets", replicaSet(4, { nodeSelector: { nowhere: "true" } }));
    await cluster.advance(5);
    const left = (): string[] =>
      cluster.pods.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith("web-"));
    assert.equal(cluster.pods.length, 4);
    for (const [replicas, names] of [
      [3, ["cheap", "dear", "plain"]],
      [2, ["dear", "plain"]],
      [1, ["dear"]],
    ] as const) {
      scale(cluster, replicas);
      await cluster.advance(5);
      assert.deepEqual(left(), names);
      assert.equal(cluster.pods.length, replicas);
    }
    cluster.stop();
  });

  it("counts a pod as available when it has been ready long enough", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    const body = replicaSet(1) as { spec: object };
    cluster.create("apps", "replicasets", { ...body, spec: { ...body.spec, minReadySeconds: 10 } });
    await cluster.advance(5);
    assert.equal(sets(cluster).find("default/web")?.status?.availableReplicas, undefined);
    await cluster.advance(10);
    assert.equal(sets(cluster).find("default/web")?.status?.availableReplicas, 1);
    cluster.stop();
  });

  it("goes on in time when every pod is rejected", async () => {
    const cluster = new TestCluster();
    cluster.node("a", { cpu: "1" });
    const resources = { requests: { cpu: "2" } };
    cluster.create(
      "apps",
      "replicasets",
      replicaSet(1, { nodeName: "a", containers: [{ name: "c", image: "web", resources }] }),
    );
    await cluster.advance(10);
    assert.ok(cluster.pods.length > 5 && cluster.pods.length < 15);
    cluster.stop();
  });
});
