import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ControllerRevision, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import { TestCluster } from "./test-cluster.ts";

function statefulSet(more: object = {}): object {
  return {
    metadata: { name: "db", namespace: "default" },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "c", image: "db:1" }] } },
      ...more,
    },
  };
}

async function started(more: object = {}, seconds = 20): Promise<TestCluster> {
  const cluster = new TestCluster();
  cluster.node("a");
  cluster.create("apps", "statefulsets", statefulSet(more));
  await cluster.advance(seconds);
  return cluster;
}

const sets = (cluster: TestCluster) => cluster.of<StatefulSet>("apps", "statefulsets");
const db = (cluster: TestCluster) => sets(cluster).find("default/db")!;
const names = (cluster: TestCluster) => cluster.pods.map(({ metadata }) => metadata.name);

function change(cluster: TestCluster, more: object): void {
  sets(cluster).change(db(cluster), (current) => ({ ...current, spec: { ...current.spec, ...more } }));
}

function withImage(cluster: TestCluster, image: string): object {
  const { template } = db(cluster).spec!;
  return { template: { ...template, spec: { ...template.spec, containers: [{ name: "c", image }] } } };
}

describe("StatefulSetController", () => {
  it("starts pods one after the other", async () => {
    const cluster = await started({}, 0.5);
    assert.deepEqual(names(cluster), ["db-0"]);
    await cluster.advance(1);
    assert.deepEqual(names(cluster), ["db-0", "db-1"]);
    await cluster.advance(10);
    const [revision] = [...cluster.of<ControllerRevision>("apps", "controllerrevisions").list()];
    const { name } = revision!.metadata;
    assert.deepEqual(db(cluster).status, {
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: name,
      updateRevision: name,
      collisionCount: 0,
      availableReplicas: 3,
    });
    const { metadata, spec } = cluster.pods[1]!;
    assert.deepEqual(metadata.labels, {
      app: "db",
      "apps.kubernetes.io/pod-index": "1",
      "controller-revision-hash": name,
      "statefulset.kubernetes.io/pod-name": "db-1",
    });
    assert.deepEqual([spec?.hostname, spec?.subdomain], ["db-1", "db"]);
    cluster.stop();
  });

  it("starts all at once if it may", async () => {
    const cluster = await started({ podManagementPolicy: "Parallel" }, 0.5);
    assert.deepEqual(names(cluster), ["db-0", "db-1", "db-2"]);
    cluster.stop();
  });

  it("takes the highest number away first and keeps its claim", async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "1Gi" } } },
      },
    ];
    const cluster = new TestCluster();
    cluster.node("a");
    cluster.create("storage.k8s.io", "storageclasses", { metadata: { name: "fast" }, provisioner: "disk.example.com" });
    cluster.create("apps", "statefulsets", statefulSet({ volumeClaimTemplates }));
    await cluster.advance(20);
    change(cluster, { replicas: 1 });
    await cluster.advance(20);
    assert.deepEqual(names(cluster), ["db-0"]);
    const claims = [...cluster.of<PersistentVolumeClaim>("", "persistentvolumeclaims").list()];
    assert.deepEqual(
      claims.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`),
      ["data-db-0 Bound", "data-db-1 Bound", "data-db-2 Bound"],
    );
    cluster.stop();
  });

  it("updates from the highest number down to the partition, and back", async () => {
    const cluster = await started({ updateStrategy: { rollingUpdate: { partition: 1 } } });
    const images = () => cluster.pods.map(({ spec }) => spec?.containers[0]?.image);
    change(cluster, withImage(cluster, "db:2"));
    await cluster.advance(30);
    assert.deepEqual(images(), ["db:1", "db:2", "db:2"]);
    assert.notEqual(db(cluster).status?.currentRevision, db(cluster).status?.updateRevision);
    change(cluster, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } });
    await cluster.advance(30);
    assert.deepEqual(images(), ["db:2", "db:2", "db:2"]);
    assert.equal(db(cluster).status?.currentRevision, db(cluster).status?.updateRevision);
    change(cluster, withImage(cluster, "db:1"));
    await cluster.advance(30);
    assert.deepEqual(images(), ["db:1", "db:1", "db:1"]);
    const revisions = [...cluster.of<ControllerRevision>("apps", "controllerrevisions").list()];
    assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [2, 3]);
    cluster.stop();
  });
});
