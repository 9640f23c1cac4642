import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { openingOrder } from "../../src/controllers/provisioner/opening-order.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { modelClaim } from "../support/model-machine.ts";
import { modelPod, modelSpread } from "../support/model-pod.ts";

describe("the order in which nodes are opened", () => {
  let cluster: ClusterState;

  beforeEach(() => {
    cluster = new ClusterState();
  });

  /** A node of four cores and as many gibibytes. */
  function node(name: string): void {
    const allocatable = new Map([
      ["cpu", 4_000],
      ["memory", 4_000],
    ]);
    cluster.claims.put(name, modelClaim({ name, allocatable }));
  }

  /** One of those that must spread over zones; it takes half of a node. */
  function spreadingPod(): Pod {
    const requests = new Map([
      ["cpu", 2_000],
      ["memory", 2_000],
    ]);
    return modelPod("any", { nodeName: "", spec: { requests, topologySpread: [modelSpread()] } });
  }

  function pod(name: string, claimName: string, [cpu, memory]: readonly [number, number]): void {
    const requests = new Map([
      ["cpu", cpu],
      ["memory", memory],
    ]);
    cluster.pods.put(`default/${name}`, modelPod(name, { nodeName: "", spec: { requests } }));
    cluster.nominations.nominate(`uid-${name}`, claimName, 0);
  }

  /** As many as kube-scheduler comes to before all nodes are open, on a node of their own. */
  function olderPods(): void {
    node("old");
    for (let index = 0; index < 16; index++) pod(`old-${index}`, "old", [10, 10]);
  }

  it("begins with those of the oldest pods, however roomy they are", () => {
    for (const name of ["a", "b", "c"]) node(name);
    pod("1", "b", [1_000, 1_000]);
    pod("2", "a", [2_000, 2_000]);
    olderPods();
    pod("3", "c", [4_000, 4_000]);
    assert.deepEqual(openingOrder(cluster, ["a", "b", "c", "old"]), ["b", "a", "old", "c"]);
  });

  it("does not count pods that wait for none of them", () => {
    for (const name of ["a", "b"]) node(name);
    olderPods();
    pod("1", "b", [1_000, 1_000]);
    pod("2", "a", [4_000, 4_000]);
    assert.deepEqual(openingOrder(cluster, ["a", "b"]), ["b", "a"]);
  });

  it("is that of their oldest pods where all are full", () => {
    olderPods();
    for (const name of ["a", "b", "c"]) node(name);
    pod("1", "c", [2_000, 0]);
    pod("2", "a", [4_000, 0]);
    pod("3", "b", [4_000, 0]);
    pod("4", "c", [2_000, 0]);
    assert.deepEqual(openingOrder(cluster, ["a", "b", "c", "old"]), ["old", "c", "a", "b"]);
  });

  it("leaves those with room to spare for the end, the roomiest last", () => {
    olderPods();
    for (const name of ["a", "b", "c"]) node(name);
    pod("1", "a", [1_000, 1_000]);
    pod("2", "b", [3_000, 3_000]);
    pod("3", "c", [4_000, 100]);
    assert.deepEqual(openingOrder(cluster, ["a", "b", "c", "old"]), ["old", "c", "b", "a"]);
  });

  it("leaves those for the end where pods have to find room that they are not told of", () => {
    olderPods();
    for (const name of ["a", "b", "c"]) node(name);
    const web = spreadingPod();
    for (const [name, claimName] of [
      ["1", "a"],
      ["2", "a"],
      ["3", "b"],
    ] as const) {
      cluster.pods.put(`default/${name}`, { ...web, name, uid: `uid-${name}` });
      cluster.nominations.nominate(`uid-${name}`, claimName, 0);
    }
    pod("4", "b", [2_000, 2_000]);
    pod("5", "c", [1_000, 1_000]);
    assert.deepEqual(openingOrder(cluster, ["a", "b", "c", "old"]), ["old", "b", "c", "a"]);
  });

  it("begins with the smallest of those that are full, where next to nobody finds room", () => {
    olderPods();
    node("large");
    const allocatable = new Map([
      ["cpu", 2_000],
      ["memory", 2_000],
    ]);
    cluster.claims.put("small", modelClaim({ name: "small", allocatable }));
    pod("1", "large", [3_950, 0]);
    pod("2", "small", [1_950, 0]);
    assert.deepEqual(openingOrder(cluster, ["large", "small", "old"]), ["old", "small", "large"]);
  });

  it("takes a twentieth that is left for nothing", () => {
    olderPods();
    for (const name of ["a", "b"]) node(name);
    pod("1", "a", [3_900, 0]);
    pod("2", "b", [4_000, 0]);
    assert.deepEqual(openingOrder(cluster, ["b", "a", "old"]), ["old", "a", "b"]);
  });

  it("knows of claims that have gone, and of pods that have, as little as there is to know", () => {
    olderPods();
    node("a");
    node("b");
    pod("1", "b", [4_000, 4_000]);
    cluster.nominations.nominate("uid-gone", "a", 0);
    assert.deepEqual(openingOrder(cluster, ["a", "gone", "b", "old"]), ["old", "gone", "b", "a"]);
  });
});
