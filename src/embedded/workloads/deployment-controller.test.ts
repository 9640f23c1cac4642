import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.js";
import { TestCluster } from "./test-cluster.ts";

function deployment(more: object = {}, image = "nginx:1"): object {
  return {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
      ...more,
    },
  };
}

async function started(more: object = {}): Promise<TestCluster> {
  const cluster = new TestCluster();
  cluster.node("a");
  cluster.node("b");
  cluster.create("apps", "deployments", deployment(more));
  await cluster.advance(5);
  return cluster;
}

function web(cluster: TestCluster) {
  return cluster.of<Deployment>("apps", "deployments").find("default/web")!;
}

function setImage(cluster: TestCluster, image: string): void {
  cluster.of<Deployment>("apps", "deployments").change(web(cluster), (current) => {
    const template = { ...current.spec!.template, spec: { containers: [{ name: "c", image }] } };
    return { ...current, spec: { ...current.spec, template } };
  });
}

describe("DeploymentController", () => {
  it("brings a deployment up and says so in its status", async () => {
    const cluster = await started();
    const [set] = [...cluster.of<ReplicaSet>("apps", "replicasets").list()];
    const hash = set!.metadata.labels!["pod-template-hash"];
    const { metadata, status } = web(cluster);
    assert.deepEqual(metadata.annotations, { "deployment.kubernetes.io/revision": "1" });
    assert.deepEqual(status, {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
          lastUpdateTime: "2026-03-01T12:00:01Z",
          lastTransitionTime: "2026-03-01T12:00:01Z",
        },
        {
          type: "Progressing",
          status: "True",
          reason: "NewReplicaSetAvailable",
          message: `ReplicaSet "web-${hash}" has successfully progressed.`,
          lastUpdateTime: "2026-03-01T12:00:01Z",
          lastTransitionTime: "2026-03-01T12:00:00Z",
        },
      ],
    });
    assert.deepEqual(set!.metadata.annotations, {
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
      "deployment.kubernetes.io/revision": "1",
    });
    assert.deepEqual(set!.status, {
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    assert.deepEqual(cluster.eventsAbout("web"), [`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`]);
    cluster.stop();
  });

  it("rolls a new template out within its bounds and keeps the old set for an undo", async () => {
    const cluster = await started({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    const counts = new Set<number>();
    const stop = cluster.of("", "pods").subscribe(() => {
      const live = cluster.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      counts.add(live.length);
    });
    setImage(cluster, "nginx:2");
    await cluster.advance(20);
    stop();
    assert.deepEqual([...counts].sort(), [3, 4]);
    const sets = [...cluster.of<ReplicaSet>("apps", "replicasets").list()].sort(
      (a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion),
    );
    assert.deepEqual(sets.map(({ spec, status }) => [spec?.replicas, status?.replicas]).sort(), [
      [0, 0],
      [3, 3],
    ]);
    assert.equal(web(cluster).metadata.annotations?.["deployment.kubernetes.io/revision"], "2");
    assert.equal(web(cluster).status?.updatedReplicas, 3);
    setImage(cluster, "nginx:1");
    await cluster.advance(20);
    const again = [...cluster.of<ReplicaSet>("apps", "replicasets").list()].find(({ spec }) => spec?.replicas === 3);
    assert.equal(again?.metadata.annotations?.["deployment.kubernetes.io/revision"], "3");
    assert.equal(again?.metadata.annotations?.["deployment.kubernetes.io/revision-history"], "1");
    cluster.stop();
  });

  it("has no two templates running when it recreates", async () => {
    const cluster = await started({ strategy: { type: "Recreate" } });
    const mixtures = new Set<string>();
    const stop = cluster.of("", "pods").subscribe(() => {
      mixtures.add([...new Set(cluster.pods.map(({ spec }) => spec?.containers[0]?.image))].sort().join());
    });
    setImage(cluster, "nginx:2");
    await cluster.advance(20);
    stop();
    assert.deepEqual([...mixtures].sort(), ["", "nginx:1", "nginx:2"]);
    assert.equal(web(cluster).status?.availableReplicas, 3);
    cluster.stop();
  });

  it("scales, and is late when pods do not come", async () => {
    const cluster = await started();
    const scale = (replicas: number) =>
      cluster.of<Deployment>("apps", "deployments").change(web(cluster), (current) => ({
        ...current,
        spec: { ...current.spec, replicas },
      }));
    scale(5);
    await cluster.advance(5);
    assert.equal(web(cluster).status?.availableReplicas, 5);
    scale(1);
    await cluster.advance(5);
    assert.equal(cluster.pods.length, 1);
    for (const name of ["a", "b"]) cluster.kubelets.neverReady(name);
    setImage(cluster, "nginx:2");
    await cluster.advance(700);
    const progressing = web(cluster).status?.conditions?.find(({ type }) => type === "Progressing");
    assert.equal(progressing?.reason, "ProgressDeadlineExceeded");
    cluster.stop();
  });

  it("stands still while it is paused", async () => {
    const cluster = await started({ paused: true });
    assert.deepEqual(cluster.pods, []);
    assert.equal(
      web(cluster).status?.conditions?.find(({ type }) => type === "Progressing")?.reason,
      "DeploymentPaused",
    );
    cluster.of<Deployment>("apps", "deployments").change(web(cluster), (current) => {
      return { ...current, spec: { ...current.spec, paused: false } };
    });
    await cluster.advance(5);
    assert.equal(web(cluster).status?.availableReplicas, 3);
    cluster.stop();
  });

  it("takes its replica sets and pods along when it is deleted", async () => {
    const cluster = await started();
    cluster.of<Deployment>("apps", "deployments").delete(web(cluster));
    await cluster.advance(5);
    assert.deepEqual(cluster.pods, []);
    assert.deepEqual([...cluster.of("apps", "replicasets").list()], []);
    cluster.stop();
  });
});
