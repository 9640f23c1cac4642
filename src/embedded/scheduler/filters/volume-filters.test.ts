import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Volume } from "kubernetes-types/core/v1.js";
import type { CSINode } from "kubernetes-types/storage/v1.js";
import {
  cacheOf,
  claimOf,
  classOf,
  decide,
  inZone,
  nodeOf,
  podOf,
  refusalCounts,
  usesClaim,
  volumeOf,
  zoneKey,
} from "../sample-objects.ts";
import { feasibleNodes, Scheduler } from "../scheduler.ts";

const zonal = [nodeOf("a", { zone: "z1" }), nodeOf("b", { zone: "z2" })];
const pod = podOf("p", usesClaim("data"));
const driver = "csi.example.com";

describe("a claim that is bound", () => {
  const claim = claimOf("data", { volumeName: "v" });

  it("ties its pods to nodes that reach the volume", () => {
    const cache = cacheOf(...zonal, claim, volumeOf("v", inZone("z2")));
    assert.deepEqual(feasibleNodes(cache, pod), ["b"]);
    cache.remove(zonal[1]!);
    assert.deepEqual(refusalCounts(cache, pod), { "node(s) didn't match PersistentVolume's node affinity": 1 });
  });

  it("ties its pods to the zones in the volume's labels", () => {
    const labelled = (zones: string) => ({ ...volumeOf("v"), metadata: { name: "v", labels: { [zoneKey]: zones } } });
    assert.deepEqual(feasibleNodes(cacheOf(...zonal, claim, labelled("z2")), pod), ["b"]);
    assert.deepEqual(feasibleNodes(cacheOf(...zonal, claim, labelled("z1__z2")), pod).length, 2);
    assert.deepEqual(refusalCounts(cacheOf(...zonal, claim, labelled("z3")), pod), {
      "node(s) had no available volume zone": 2,
    });
    assert.deepEqual(feasibleNodes(cacheOf(nodeOf("unlabelled"), claim, labelled("z3")), pod), ["unlabelled"]);
  });

  it("refuses its pods when the volume is gone", () => {
    assert.equal(
      decide(cacheOf(...zonal, claim), pod),
      '0/2 nodes are available: persistentvolume "v" not found. not found',
    );
  });

  it("belongs to one pod at a time if it says so", () => {
    const exclusive = claimOf("data", { volumeName: "v", accessModes: ["ReadWriteOncePod"] });
    const cache = cacheOf(...zonal, exclusive, volumeOf("v"), podOf("there", { nodeName: "a", ...usesClaim("data") }));
    assert.deepEqual(refusalCounts(cache, pod), {
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod": 2,
    });
  });
});

describe("a claim that waits for its pod", () => {
  const waiting = claimOf("data", { storageClassName: "waiting" });

  it("gets a volume made wherever its class can make one", () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: zoneKey, values: ["z2"] }] }];
    const cache = cacheOf(...zonal, waiting, classOf("waiting", { allowedTopologies }));
    assert.deepEqual(new Scheduler(cache, () => 0).schedule(pod), {
      kind: "placed",
      node: "b",
      volumes: { bindings: [], provisions: [waiting] },
    });
  });

  it("takes the smallest volume that is there and large enough", () => {
    const volume = (name: string, storage: string) =>
      volumeOf(name, { ...inZone("z1"), storageClassName: "waiting", capacity: { storage } });
    const small = volume("small", "2Gi");
    const volumes = [volume("tiny", "1Mi"), volume("large", "5Gi"), small];
    const provisioner = "kubernetes.io/no-provisioner";
    const cache = cacheOf(...zonal, waiting, ...volumes, classOf("waiting", { provisioner }));
    assert.deepEqual(new Scheduler(cache, () => 0).schedule(pod), {
      kind: "placed",
      node: "a",
      volumes: { bindings: [{ claim: waiting, volume: small }], provisions: [] },
    });
    cache.remove(zonal[0]!);
    assert.deepEqual(refusalCounts(cache, pod), { "node(s) didn't find available persistent volumes to bind": 1 });
  });

  it("needs space where the driver says how much there is", () => {
    const csiDriver = { kind: "CSIDriver", metadata: { name: driver }, spec: { storageCapacity: true } };
    const capacity = (size: string) => ({
      kind: "CSIStorageCapacity",
      metadata: { name: "capacity", namespace: "default" },
      storageClassName: "waiting",
      nodeTopology: { matchLabels: { [zoneKey]: "z2" } },
      capacity: size,
    });
    const cache = cacheOf(...zonal, waiting, classOf("waiting"), csiDriver, capacity("1Gi"));
    assert.deepEqual(feasibleNodes(cache, pod), ["b"]);
    cache.set(capacity("1000M"));
    assert.deepEqual(refusalCounts(cache, pod), { "node(s) did not have enough free storage": 2 });
  });

  it("stays with the node that its volume is being made for", () => {
    const annotations = { "volume.kubernetes.io/selected-node": "b" };
    const selected = { ...waiting, metadata: { ...waiting.metadata, annotations } };
    assert.deepEqual(feasibleNodes(cacheOf(...zonal, selected, classOf("waiting")), pod), ["b"]);
  });
});

describe("a claim that cannot be used yet", () => {
  const message = (text: string) => `0/2 nodes are available: ${text}. not found`;

  it("is named when it does not exist", () => {
    assert.equal(decide(cacheOf(...zonal), pod), message('persistentvolumeclaim "data" not found'));
  });

  it("is waited for when its volume is found without the scheduler", () => {
    const cache = cacheOf(
      ...zonal,
      claimOf("data", { storageClassName: "now" }),
      classOf("now", { volumeBindingMode: "Immediate" }),
    );
    assert.equal(decide(cache, pod), message("pod has unbound immediate PersistentVolumeClaims"));
  });

  it("is waited for when the pod's ephemeral volume has none", () => {
    const ephemeral = podOf("p", { volumes: [{ name: "scratch", ephemeral: {} }] });
    const text = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"';
    assert.equal(decide(cacheOf(...zonal), ephemeral), message(text));
  });

  it("is useless when it is lost or being deleted", () => {
    const lost = { ...claimOf("data", { volumeName: "v" }), status: { phase: "Lost" } };
    const text = 'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"';
    assert.equal(decide(cacheOf(...zonal, lost), pod), message(text));
    const claim = claimOf("data");
    const leaving = { ...claim, metadata: { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    assert.equal(decide(cacheOf(...zonal, leaving), pod), message('persistentvolumeclaim "data" is being deleted'));
  });
});

describe("the number of volumes of a node", () => {
  const csiNode = (count: number): CSINode => ({
    kind: "CSINode",
    metadata: { name: "a" },
    spec: { drivers: [{ name: driver, nodeID: "a", allocatable: { count } }] },
  });
  const volume = (name: string) => volumeOf(name, { csi: { driver, volumeHandle: name } });
  const there = podOf("there", { nodeName: "a", ...usesClaim("other") });
  const objects = [nodeOf("a"), volume("v"), volume("w"), claimOf("data", { volumeName: "v" }), there];

  it("is limited by its driver", () => {
    const cache = cacheOf(...objects, claimOf("other", { volumeName: "w" }), csiNode(1));
    assert.deepEqual(refusalCounts(cache, pod), { "node(s) exceed max volume count": 1 });
    cache.set(csiNode(2));
    assert.deepEqual(feasibleNodes(cache, pod), ["a"]);
  });

  it("counts a volume that several pods use once", () => {
    const cache = cacheOf(...objects, claimOf("other", { volumeName: "v" }), csiNode(1));
    assert.deepEqual(feasibleNodes(cache, pod), ["a"]);
  });

  it("counts volumes that are still attached", () => {
    const attachment = {
      kind: "VolumeAttachment",
      metadata: { name: "left" },
      spec: { attacher: driver, nodeName: "a", source: { persistentVolumeName: "w" } },
    };
    const cache = cacheOf(...objects, csiNode(1), attachment);
    assert.deepEqual(refusalCounts(cache, pod), { "node(s) exceed max volume count": 1 });
  });
});

describe("a disk that a pod names itself", () => {
  const withDisk = (name: string, volume: Omit<Volume, "name">, nodeName?: string) =>
    podOf(name, { volumes: [{ name: "disk", ...volume }], ...(nodeName === undefined ? {} : { nodeName }) });

  it("is not shared on a node, except by readers", () => {
    const disk = { gcePersistentDisk: { pdName: "d" } };
    const readOnly = { gcePersistentDisk: { pdName: "d", readOnly: true } };
    const cache = cacheOf(...zonal, withDisk("there", readOnly, "a"));
    assert.deepEqual(feasibleNodes(cache, withDisk("p", disk)), ["b"]);
    assert.deepEqual(feasibleNodes(cache, withDisk("p", readOnly)).length, 2);
    assert.deepEqual(refusalCounts(cacheOf(zonal[0]!, withDisk("there", disk, "a")), withDisk("p", disk)), {
      "node(s) had no available disk": 1,
    });
  });

  for (const [kind, volume] of Object.entries({
    EBS: { awsElasticBlockStore: { volumeID: "v" } },
    iSCSI: { iscsi: { iqn: "i", lun: 0, targetPortal: "t" } },
    RBD: { rbd: { image: "i", monitors: ["m", "n"] } },
  })) {
    it(`may be of ${kind}`, () => {
      assert.deepEqual(feasibleNodes(cacheOf(...zonal, withDisk("there", volume, "a")), withDisk("p", volume)), ["b"]);
    });
  }
});
