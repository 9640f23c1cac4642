import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { takeTurns } from "../../src/controllers/provisioner/take-turns.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { modelClaim, modelNode } from "../support/model-machine.ts";
import { modelPod, modelSpread } from "../support/model-pod.ts";

const zone = "topology.kubernetes.io/zone";

describe("taking turns", () => {
  let cluster: ClusterState;
  let claims: string[];

  beforeEach(() => {
    cluster = new ClusterState();
    claims = [];
  });

  function claim(name: string): void {
    cluster.claims.put(name, modelClaim({ name, providerId: `test://${name}` }));
    claims.push(name);
  }

  /** A node in the zone that its name begins with. */
  function node(name: string): void {
    claim(name);
    const labels = new Map([[zone, name.slice(0, 1)]]);
    cluster.nodes.put(name, modelNode({ name, providerId: `test://${name}`, labels }));
  }

  function kind(topologyKey = zone, isRequired = true): Pod {
    return modelPod("kind", { spec: { topologySpread: [modelSpread({ topologyKey, isRequired })] } });
  }

  function pods(like: Pod, ...claimNames: string[]): void {
    for (const [index, claimName] of claimNames.entries()) {
      const name = String(index + 1);
      cluster.pods.put(`default/${name}`, { ...like, name, uid: name, nodeName: "" });
      cluster.nominations.nominate(name, claimName, 0);
    }
  }

  const places = (...names: string[]): string => names.map((name) => cluster.nominations.claimOf(name)).join(" ");

  it("gives zones to pods one after the other, in the order of the pods", () => {
    for (const name of ["a1", "a2", "b1", "b2", "c1"]) node(name);
    pods(kind(), "a1", "a2", "b1", "b2", "c1");
    takeTurns(cluster, claims);
    assert.equal(places("1", "2", "3", "4", "5"), "a1 b1 c1 a2 b2");
  });

  it("gives every node one of them before another, so that those who share one come last", () => {
    for (const name of ["a1", "a2", "b1", "b2"]) node(name);
    pods(kind(), "a1", "a1", "a2", "b1", "b1", "b2");
    takeTurns(cluster, claims);
    assert.equal(places("1", "2", "3", "4", "5", "6"), "a1 b1 a2 b2 a1 b1");
  });

  it("begins with the zones that have fewest of them", () => {
    for (const name of ["a1", "a2", "b1", "b2"]) node(name);
    const like = kind();
    cluster.pods.put("default/old", { ...like, name: "old", uid: "old", nodeName: "a1" });
    pods(like, "a1", "a2", "b1", "b2");
    takeTurns(cluster, claims);
    assert.equal(places("1", "2", "3", "4"), "b1 a1 b2 a2");
  });

  it("leaves pods alone that need not spread, or over hosts only", () => {
    for (const name of ["a1", "a2", "b1"]) node(name);
    for (const like of [kind(zone, false), kind("kubernetes.io/hostname"), modelPod("plain")]) {
      pods(like, "a1", "a2", "b1");
      takeTurns(cluster, claims);
      assert.equal(places("1", "2", "3"), "a1 a2 b1");
    }
  });

  it("does not exchange pods of different kinds, nor the places of other claims", () => {
    for (const name of ["a1", "a2", "b1", "b2"]) node(name);
    const like = kind();
    pods(like, "a1", "a2", "b1", "b2");
    cluster.pods.put("default/3", { ...kind(), name: "3", uid: "3", nodeName: "" });
    takeTurns(cluster, ["a1", "a2", "b1"]);
    assert.equal(places("1", "2", "3", "4"), "a1 a2 b1 b2");
  });

  it("waits until the zones of all places are known", () => {
    for (const name of ["a1", "a2"]) node(name);
    claim("b1");
    pods(kind(), "a1", "a2", "b1");
    takeTurns(cluster, claims);
    assert.equal(places("1", "2", "3"), "a1 a2 b1");
  });
});
