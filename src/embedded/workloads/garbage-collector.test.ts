import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigMap, Namespace } from "kubernetes-types/core/v1.js";
import { TestCluster } from "./test-cluster.ts";

/** A config map that belongs to others. */
function create(cluster: TestCluster, name: string, owners: readonly string[] = [], isBlocking = false): void {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: owner,
    uid: maps(cluster).find(`default/${owner}`)?.metadata.uid ?? "no-such-uid",
    ...(isBlocking ? { blockOwnerDeletion: true } : {}),
  }));
  cluster.create("", "configmaps", { metadata: { name, namespace: "default", ownerReferences } });
}

const maps = (cluster: TestCluster) => cluster.of<ConfigMap>("", "configmaps");
const names = (cluster: TestCluster) => [...maps(cluster).list("default")].map(({ metadata }) => metadata.name);

async function withFamily(isBlocking: boolean): Promise<TestCluster> {
  const cluster = new TestCluster();
  create(cluster, "grandparent");
  create(cluster, "other");
  create(cluster, "parent", ["grandparent"], isBlocking);
  create(cluster, "child", ["parent"], isBlocking);
  create(cluster, "shared", ["parent", "other"], isBlocking);
  await cluster.advance(1);
  return cluster;
}

describe("GarbageCollector", () => {
  it("deletes what belonged to nobody else, and lets others forget the owner", async () => {
    const cluster = await withFamily(false);
    maps(cluster).delete(maps(cluster).find("default/grandparent")!, { propagationPolicy: "Background" });
    await cluster.advance(1);
    assert.deepEqual(names(cluster), ["other", "shared"]);
    const references = maps(cluster).find("default/shared")!.metadata.ownerReferences;
    assert.deepEqual(
      references?.map(({ name }) => name),
      ["other"],
    );
    cluster.stop();
  });

  it("deletes the owner after what blocks it", async () => {
    const cluster = await withFamily(true);
    const gone: string[] = [];
    const stop = maps(cluster).subscribe(({ type, object }) => {
      if (type === "DELETED") gone.push(object.metadata.name);
    });
    maps(cluster).delete(maps(cluster).find("default/grandparent")!, { propagationPolicy: "Foreground" });
    await cluster.advance(1);
    stop();
    assert.deepEqual(gone, ["child", "parent", "grandparent"]);
    assert.deepEqual(names(cluster), ["other", "shared"]);
    cluster.stop();
  });

  it("deletes those that own each other", async () => {
    const cluster = new TestCluster();
    create(cluster, "first");
    create(cluster, "second", ["first"], true);
    const second = maps(cluster).find("default/second")!;
    const owner = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "second",
      uid: second.metadata.uid,
      blockOwnerDeletion: true,
    };
    const { api } = cluster.cluster;
    const definition = api.registry.builtIn("", "configmaps");
    const first = { definition, namespace: "default", name: "first" };
    api.patch(first, (current) => ({ ...current, metadata: { ...current.metadata, ownerReferences: [owner] } }));
    await cluster.advance(1);
    api.delete(first, { propagationPolicy: "Foreground" });
    await cluster.advance(5);
    assert.deepEqual(names(cluster), []);
    cluster.stop();
  });

  it("lets time pass while something waits for itself", async () => {
    const cluster = new TestCluster();
    create(cluster, "self");
    const { api } = cluster.cluster;
    const address = { definition: api.registry.builtIn("", "configmaps"), namespace: "default", name: "self" };
    const { uid } = api.get(address).metadata;
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "self", uid, blockOwnerDeletion: true };
    api.patch(address, (current) => ({ ...current, metadata: { ...current.metadata, ownerReferences: [owner] } }));
    api.delete(address, { propagationPolicy: "Foreground" });
    await cluster.advance(5);
    assert.deepEqual(names(cluster), ["self"]);
    cluster.stop();
  });

  it("leaves what an orphaning deletion leaves", async () => {
    const cluster = await withFamily(false);
    maps(cluster).delete(maps(cluster).find("default/parent")!, { propagationPolicy: "Orphan" });
    await cluster.advance(1);
    assert.deepEqual(names(cluster), ["child", "grandparent", "other", "shared"]);
    assert.equal(maps(cluster).find("default/child")!.metadata.ownerReferences, undefined);
    cluster.stop();
  });

  it("deletes what names an owner that never was or is another by now", async () => {
    const cluster = new TestCluster();
    create(cluster, "lost", ["nobody"]);
    await cluster.advance(1);
    assert.deepEqual(names(cluster), []);
    cluster.stop();
  });
});

describe("NamespaceController", () => {
  it("gives every namespace a service account, and takes all with a namespace that goes", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    cluster.create("", "namespaces", { metadata: { name: "shop" } });
    await cluster.advance(1);
    assert.notEqual(cluster.of("", "serviceaccounts").find("shop/default"), undefined);
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web" }] } };
    cluster.create("apps", "deployments", {
      metadata: { name: "web", namespace: "shop" },
      spec: { selector: { matchLabels: { app: "web" } }, template },
    });
    cluster.create("", "configmaps", { metadata: { name: "settings", namespace: "shop" } });
    await cluster.advance(5);
    const namespaces = cluster.of<Namespace>("", "namespaces");
    namespaces.delete(namespaces.find("shop")!);
    await cluster.advance(0.5);
    const { status } = namespaces.find("shop")!;
    assert.equal(status?.phase, "Terminating");
    assert.deepEqual(
      status?.conditions?.map(({ type, status: value }) => `${type} ${value}`),
      [
        "NamespaceDeletionDiscoveryFailure False",
        "NamespaceDeletionGroupVersionParsingFailure False",
        "NamespaceDeletionContentFailure False",
        "NamespaceContentRemaining True",
        "NamespaceFinalizersRemaining False",
      ],
    );
    await cluster.advance(10);
    assert.equal(namespaces.find("shop"), undefined);
    assert.deepEqual([...cluster.of("", "pods").list("shop"), ...cluster.of("apps", "replicasets").list("shop")], []);
    cluster.stop();
  });
});
