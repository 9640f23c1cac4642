import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import type { VolumeAttachment } from "kubernetes-types/storage/v1.js";
import { TestCluster } from "./test-cluster.ts";

function started(volumeBindingMode: string): TestCluster {
  const cluster = new TestCluster();
  cluster.node("a", { labels: { "topology.kubernetes.io/zone": "z1" } });
  cluster.create("storage.k8s.io", "storageclasses", {
    metadata: { name: "disk" },
    provisioner: "disk.example.com",
    volumeBindingMode,
  });
  claim(cluster, "disk");
  return cluster;
}

function claim(cluster: TestCluster, storageClassName: string): void {
  const resources = { requests: { storage: "5Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName, resources };
  cluster.create("", "persistentvolumeclaims", { metadata: { name: "data", namespace: "default" }, spec });
}

function usePod(cluster: TestCluster): void {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const spec = { containers: [{ name: "c", image: "x" }], volumes };
  cluster.create("", "pods", { metadata: { name: "user", namespace: "default" }, spec });
}

const claims = (cluster: TestCluster) => cluster.of<PersistentVolumeClaim>("", "persistentvolumeclaims");
const phaseOf = (cluster: TestCluster) => claims(cluster).find("default/data")?.status?.phase;
const volumes = (cluster: TestCluster) => [...cluster.of<PersistentVolume>("", "persistentvolumes").list()];
const attachments = (cluster: TestCluster) => [
  ...cluster.of<VolumeAttachment>("storage.k8s.io", "volumeattachments").list(),
];

describe("VolumeController", () => {
  it("makes a volume where the pod goes, attaches it, and takes all back in order", async () => {
    const cluster = started("WaitForFirstConsumer");
    await cluster.advance(5);
    assert.equal(phaseOf(cluster), "Pending");
    usePod(cluster);
    await cluster.advance(5);
    assert.equal(phaseOf(cluster), "Bound");
    const [volume] = volumes(cluster);
    assert.equal(volume?.status?.phase, "Bound");
    assert.deepEqual(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values, ["z1"]);
    assert.deepEqual(
      attachments(cluster).map(({ spec, status }) => [
        spec.nodeName,
        spec.source.persistentVolumeName,
        status?.attached,
      ]),
      [["a", volume?.metadata.name, true]],
    );
    const pods = cluster.of<Pod>("", "pods");
    assert.equal(pods.find("default/user")?.status?.phase, "Running");
    claims(cluster).delete(claims(cluster).find("default/data")!);
    await cluster.advance(5);
    assert.notEqual(claims(cluster).find("default/data")?.metadata.deletionTimestamp, undefined);
    pods.delete(pods.find("default/user")!);
    await cluster.advance(5);
    assert.deepEqual([phaseOf(cluster), volumes(cluster), attachments(cluster)], [undefined, [], []]);
    cluster.stop();
  });

  it("makes a volume at once for a class that does not wait", async () => {
    const cluster = started("Immediate");
    await cluster.advance(1);
    assert.equal(phaseOf(cluster), "Bound");
    cluster.stop();
  });

  it("binds the smallest volume that is large enough", async () => {
    const cluster = new TestCluster();
    for (const size of ["20Gi", "10Gi", "2Gi"]) {
      cluster.create("", "persistentvolumes", {
        metadata: { name: `volume-${size.toLowerCase()}` },
        spec: {
          capacity: { storage: size },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/data" },
          storageClassName: "manual",
        },
      });
    }
    claim(cluster, "manual");
    await cluster.advance(1);
    assert.equal(claims(cluster).find("default/data")?.spec?.volumeName, "volume-10gi");
    claims(cluster).delete(claims(cluster).find("default/data")!);
    await cluster.advance(1);
    const phases = volumes(cluster).map(({ metadata, status }) => `${metadata.name} ${status?.phase}`);
    assert.deepEqual(phases, ["volume-10gi Released", "volume-20gi Available", "volume-2gi Available"]);
    cluster.stop();
  });

  it("makes the claim of an ephemeral volume, which goes with its pod", async () => {
    const cluster = started("WaitForFirstConsumer");
    const spec = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "disk",
      resources: { requests: { storage: "1Gi" } },
    };
    const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }];
    cluster.create("", "pods", {
      metadata: { name: "user", namespace: "default" },
      spec: { containers: [{ name: "c", image: "x" }], volumes },
    });
    await cluster.advance(5);
    const pods = cluster.of<Pod>("", "pods");
    assert.equal(pods.find("default/user")?.status?.phase, "Running");
    assert.equal(claims(cluster).find("default/user-scratch")?.status?.phase, "Bound");
    pods.delete(pods.find("default/user")!);
    await cluster.advance(5);
    assert.equal(claims(cluster).find("default/user-scratch"), undefined);
    cluster.stop();
  });
});
