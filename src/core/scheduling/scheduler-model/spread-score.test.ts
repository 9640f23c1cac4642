import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cluster, defaultSettings, node, pod, type Wire } from "../../../../test/support/builders.ts";
import { hostnameLabel, zoneLabel } from "../../model/labels.ts";
import type { Pod } from "../../model/pod.ts";
import { screenPods } from "../screen-pods.ts";
import { World } from "../world.ts";
import { SpreadScore } from "./spread-score.ts";

const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

function inZone(name: string, zone: string): Wire {
  return node(name, { labels: { [zoneLabel]: zone, [hostnameLabel]: name } });
}

function ownedBy(app: string, kind = "ReplicaSet"): Wire {
  return { ownerReferences: [{ apiVersion: "apps/v1", kind, name: app, uid: `uid of ${app}`, controller: true }] };
}

interface Fields extends Wire {
  readonly labels?: Record<string, string>;
  readonly metadata?: Wire;
}

/** A pod of `web`. */
function web(name: string, fields: Fields = {}): Wire {
  return pod(name, { labels: { app: "web" }, metadata: ownedBy("web"), ...fields });
}

function prefers(topologyKey: string, labelSelector: Wire = { matchLabels: { app: "web" } }, rest: Wire = {}): Wire {
  return { topologyKey, maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway", labelSelector, ...rest };
}

interface Scene {
  readonly score: SpreadScore;
  readonly waiting: readonly Pod[];
  readonly names: readonly string[];
}

function sceneOf(...objects: readonly Wire[]): Scene {
  const { snapshot, pendingPods } = cluster(objects);
  const { classes } = screenPods(snapshot, pendingPods, defaultSettings);
  const { openNodes } = new World(snapshot, classes, defaultSettings);
  const score = new SpreadScore(openNodes, (name) => snapshot.podsByNode.get(name) ?? []);
  return { score, waiting: pendingPods, names: openNodes.map(({ existing }) => existing?.name ?? "") };
}

/** What every node gets, or those that take the pod. */
function scoresIn({ score, waiting, names }: Scene, among = names): Record<string, number> {
  const indexes = Int32Array.from(among, (name) => names.indexOf(name));
  const scores = new Float64Array(among.length);
  const [first] = waiting;
  assert.ok(first);
  score.addTo(scores, indexes, among.length, first);
  return Object.fromEntries(among.map((name, place) => [name, scores[place] ?? Number.NaN]));
}

const nodes = [inZone("a", "z1"), inZone("b", "z2"), inZone("c", "z2")];
/** Three pods of `web`. */
const crowd = (nodeName: string, fields: Fields = {}) =>
  Array.from({ length: 3 }, (_, index) => web(`${nodeName}-${index}`, { nodeName, ...fields }));

describe("the default spread", () => {
  it("prefers hosts and zones with fewer pods of the same owner, twice as much as other scores count", () => {
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...crowd("b"), web("new"))), { a: 200, b: 80, c: 146 });
  });

  it("counts neither pods of other owners nor those that are leaving", () => {
    const others = crowd("b", { metadata: ownedBy("other") });
    const leaving = crowd("c", { metadata: { ...ownedBy("web"), ...deleted } });
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...others, ...leaving, web("new"))), { a: 200, b: 200, c: 200 });
  });

  it("is only for pods of ReplicaSets, ReplicationControllers and StatefulSets", () => {
    const scores = ["ReplicaSet", "ReplicationController", "StatefulSet", "Job"].map((kind) => {
      const metadata = ownedBy("web", kind);
      return scoresIn(sceneOf(...nodes, ...crowd("b", { metadata }), web("new", { metadata }))).b;
    });
    assert.deepEqual(scores, [80, 80, 80, 0]);
    assert.deepEqual(scoresIn(sceneOf(...nodes, web("new", { metadata: {} }))), { a: 0, b: 0, c: 0 });
  });

  it("is not for pods that have a constraint of their own, even a required one", () => {
    const constraint = { ...prefers(zoneLabel), whenUnsatisfiable: "DoNotSchedule" };
    const waiting = web("new", { topologySpreadConstraints: [constraint] });
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...crowd("b"), waiting)), { a: 0, b: 0, c: 0 });
  });

  it("compares only the nodes that take the pod, but counts the pods on all", () => {
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...crowd("b"), web("new")), ["a", "c"]), { a: 200, c: 120 });
  });

  it("has nothing against a node for a zone that it does not name", () => {
    const scene = sceneOf(inZone("a", "z1"), node("b"), ...crowd("b"), web("new"));
    assert.deepEqual(scoresIn(scene), { a: 200, b: 200 });
  });
});

describe("a ScheduleAnyway constraint", () => {
  it("prefers domains with fewer of the pods that it selects, whoever owns them", () => {
    const waiting = web("new", { topologySpreadConstraints: [prefers(zoneLabel)] });
    const others = crowd("b", { metadata: ownedBy("other") });
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...others, waiting)), { a: 200, b: 0, c: 0 });
  });

  it("counts no pods of other namespaces, none that are leaving, and none for a selector that asks for nothing", () => {
    const elsewhere = crowd("b", { metadata: { namespace: "other" } });
    const leaving = crowd("c", { metadata: deleted });
    const [selecting, unselecting] = [prefers(zoneLabel), prefers(zoneLabel, {})];
    const all = { a: 200, b: 200, c: 200 };
    const waiting = (constraint: Wire) => web("new", { topologySpreadConstraints: [constraint] });
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...elsewhere, ...leaving, waiting(selecting))), all);
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...crowd("b"), waiting(unselecting))), all);
  });

  it("counts only pods that share the labels of matchLabelKeys", () => {
    const labels = (revision: string) => ({ labels: { app: "web", revision } });
    const constraint = prefers(zoneLabel, { matchLabels: { app: "web" } }, { matchLabelKeys: ["revision", "none"] });
    const waiting = web("new", { ...labels("2"), topologySpreadConstraints: [constraint] });
    const old = crowd("a", labels("1"));
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...old, ...crowd("b", labels("2")), waiting)), { a: 200, b: 0, c: 0 });
  });

  it("gives nothing to nodes without the label, and does not count their pods", () => {
    const constraints = [prefers(zoneLabel), prefers("rack")];
    const rack = (name: string, zone: string) => node(name, { labels: { [zoneLabel]: zone, rack: "r1" } });
    const waiting = web("new", { topologySpreadConstraints: constraints });
    const scene = sceneOf(rack("a", "z1"), rack("b", "z2"), inZone("c", "z2"), ...crowd("c"), waiting);
    assert.deepEqual(scoresIn(scene), { a: 200, b: 200, c: 0 });
  });

  it("counts for more the larger its maxSkew is, on every node that has the label", () => {
    const skewed = [prefers(zoneLabel, { matchLabels: { app: "web" } }, { maxSkew: 5 })];
    const waiting = web("new", { topologySpreadConstraints: skewed });
    assert.deepEqual(scoresIn(sceneOf(...nodes, ...crowd("b"), waiting)), { a: 200, b: 100, c: 100 });
  });
});

describe("pods that come", () => {
  const selecting = { topologySpreadConstraints: [prefers(zoneLabel)] };

  it("count from then on, until all is reset", () => {
    const all = { a: 200, b: 200, c: 200 };
    for (const { fields, expected } of [
      { fields: {}, expected: { a: 200, b: 132, c: 176 } },
      { fields: selecting, expected: { a: 200, b: 0, c: 0 } },
    ]) {
      const scene = sceneOf(...nodes, web("new", fields), web("newer", fields));
      const before = scoresIn(scene);
      scene.score.place(scene.waiting[1]!, scene.names.indexOf("b"));
      const between = scoresIn(scene);
      scene.score.reset();
      assert.deepEqual([before, between, scoresIn(scene)], [all, expected, all]);
    }
  });

  it("count for a constraint that is first asked for later", () => {
    const scene = sceneOf(...nodes, web("new", selecting), web("other", { metadata: ownedBy("other") }));
    const [, other] = scene.waiting;
    scene.score.place(other!, scene.names.indexOf("b"));
    assert.deepEqual(scoresIn(scene), { a: 200, b: 0, c: 0 });
    scene.score.reset();
    assert.deepEqual(scoresIn(scene), { a: 200, b: 200, c: 200 });
  });
});
