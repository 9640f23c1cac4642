import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ControllerRevision, DaemonSet } from "kubernetes-types/apps/v1.js";
import { TestCluster } from "./test-cluster.ts";

function daemonSet(more: object = {}): object {
  return {
    metadata: { name: "agent", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { containers: [{ name: "c", image: "agent:1" }], nodeSelector: { pool: "a" } },
      },
      ...more,
    },
  };
}

async function started(more: object = {}): Promise<TestCluster> {
  const cluster = new TestCluster();
  for (const name of ["a1", "a2", "a3"]) cluster.node(name, { labels: { pool: "a" } });
  cluster.node("b1", { labels: { pool: "b" } });
  cluster.create("apps", "daemonsets", daemonSet(more));
  await cluster.advance(5);
  return cluster;
}

const sets = (cluster: TestCluster) => cluster.of<DaemonSet>("apps", "daemonsets");
const agent = (cluster: TestCluster) => sets(cluster).find("default/agent")!;

function setImage(cluster: TestCluster, image: string): void {
  sets(cluster).change(agent(cluster), (current) => {
    const { template } = current.spec!;
    const podSpec = { ...template.spec, containers: [{ name: "c", image }] };
    return { ...current, spec: { ...current.spec, template: { ...template, spec: podSpec } } };
  });
}

describe("DaemonSetController", () => {
  it("puts one pod on every node that is meant, also on one that comes later", async () => {
    const cluster = await started();
    const nodes = () => cluster.pods.map(({ spec }) => spec?.nodeName).sort();
    assert.deepEqual(nodes(), ["a1", "a2", "a3"]);
    cluster.node("a4", { labels: { pool: "a" } });
    await cluster.advance(5);
    assert.deepEqual(nodes(), ["a1", "a2", "a3", "a4"]);
    assert.deepEqual(agent(cluster).status, {
      currentNumberScheduled: 4,
      numberMisscheduled: 0,
      desiredNumberScheduled: 4,
      numberReady: 4,
      observedGeneration: 1,
      updatedNumberScheduled: 4,
      numberAvailable: 4,
    });
    cluster.stop();
  });

  it("binds pods by the name of the node and lets them tolerate nodes in trouble", async () => {
    const cluster = await started();
    const { spec, metadata } = cluster.pods[0]!;
    assert.deepEqual(spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [spec?.nodeName] }] }],
    });
    assert.deepEqual(
      spec?.tolerations?.map(({ key, effect }) => `${key}:${effect}`),
      [
        "node.kubernetes.io/not-ready:NoExecute",
        "node.kubernetes.io/unreachable:NoExecute",
        "node.kubernetes.io/disk-pressure:NoSchedule",
        "node.kubernetes.io/memory-pressure:NoSchedule",
        "node.kubernetes.io/pid-pressure:NoSchedule",
        "node.kubernetes.io/unschedulable:NoSchedule",
      ],
    );
    const [revision] = [...cluster.of<ControllerRevision>("apps", "controllerrevisions").list()];
    assert.equal(
      metadata.labels?.["controller-revision-hash"],
      revision?.metadata.labels?.["controller-revision-hash"],
    );
    cluster.stop();
  });

  it("replaces pods one by one, and goes back to the revision it had", async () => {
    const cluster = await started();
    const counts = new Set<number>();
    const stop = cluster.of("", "pods").subscribe(() => {
      counts.add(cluster.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
    });
    setImage(cluster, "agent:2");
    await cluster.advance(30);
    assert.deepEqual([...counts].sort(), [2, 3]);
    assert.equal(agent(cluster).status?.updatedNumberScheduled, 3);
    setImage(cluster, "agent:1");
    await cluster.advance(30);
    stop();
    const revisions = [...cluster.of<ControllerRevision>("apps", "controllerrevisions").list()];
    assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [2, 3]);
    assert.ok(cluster.pods.every(({ spec }) => spec?.containers[0]?.image === "agent:1"));
    cluster.stop();
  });

  it("surges a new pod onto a node before the old one goes", async () => {
    const cluster = await started({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    const counts = new Set<number>();
    const stop = cluster.of("", "pods").subscribe(() => {
      counts.add(cluster.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
    });
    setImage(cluster, "agent:2");
    await cluster.advance(30);
    stop();
    assert.deepEqual([...counts].sort(), [3, 4]);
    assert.ok(cluster.pods.every(({ spec }) => spec?.containers[0]?.image === "agent:2"));
    cluster.stop();
  });

  it("leaves a node that is no longer meant", async () => {
    const cluster = await started();
    const nodes = cluster.of<object>("", "nodes");
    const node = nodes.find("a1")!;
    nodes.change(node, (current) => ({ ...current, metadata: { ...current.metadata, labels: { pool: "b" } } }));
    await cluster.advance(5);
    assert.deepEqual(cluster.pods.map(({ spec }) => spec?.nodeName).sort(), ["a2", "a3"]);
    cluster.stop();
  });
});
