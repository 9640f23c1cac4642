import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { podInfoOf } from "../pod-info.ts";
import { cacheOf, crowd, near, nodeOf, podOf, zoneKey } from "../sample-objects.ts";
import type { ClusterObject } from "../scheduler-cache.ts";
import { scoreNodes } from "./score-nodes.ts";

/** What one scorer gives each node, by name; undefined when it has no opinion. */
function scores(name: string, pod: Pod, ...objects: ClusterObject[]): Record<string, number> | undefined {
  const cache = cacheOf(...objects);
  const given = scoreNodes({ cache, pod: podInfoOf(pod) }, cache.nodes).get(name);
  if (given === undefined) return undefined;
  return Object.fromEntries(cache.nodes.map((node, position) => [node.name, given[position] ?? Number.NaN]));
}

describe("TaintToleration", () => {
  it("counts the taints that would rather not have the pod", () => {
    const taint = (key: string) => ({ key, effect: "PreferNoSchedule" });
    const two = nodeOf("two", { spec: { taints: [taint("k"), taint("l")] } });
    const one = nodeOf("one", { spec: { taints: [taint("k")] } });
    assert.deepEqual(scores("TaintToleration", podOf("p"), two, one, nodeOf("none")), { two: 0, one: 150, none: 300 });
    const tolerant = podOf("p", { tolerations: [{ key: "k", operator: "Exists" }] });
    assert.deepEqual(scores("TaintToleration", tolerant, two, one), { two: 0, one: 300 });
  });
});

describe("NodeAffinity", () => {
  it("adds up the weights of what the node offers", () => {
    const preference = (zone: string) => ({ matchExpressions: [{ key: zoneKey, operator: "In", values: [zone] }] });
    const preferredDuringSchedulingIgnoredDuringExecution = [
      { weight: 80, preference: preference("z1") },
      { weight: 20, preference: preference("z2") },
    ];
    const pod = podOf("p", { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } });
    const nodes = [nodeOf("a", { zone: "z1" }), nodeOf("b", { zone: "z2" }), nodeOf("c")];
    assert.deepEqual(scores("NodeAffinity", pod, ...nodes), { a: 200, b: 50, c: 0 });
    assert.equal(scores("NodeAffinity", podOf("p"), ...nodes), undefined);
  });
});

describe("NodeResourcesFit", () => {
  it("prefers the emptier node", () => {
    const there = podOf("there", { nodeName: "a", requests: { cpu: "2", memory: "4Gi" } });
    const pod = podOf("p", { requests: { cpu: "1", memory: "2Gi" } });
    assert.deepEqual(scores("NodeResourcesFit", pod, nodeOf("a"), nodeOf("b"), there), { a: 25, b: 75 });
  });

  it("takes a container that asks for nothing to need 100m and 200Mi", () => {
    const nodes = [nodeOf("a", { allocatable: { cpu: "1", memory: "1000Mi" } }), nodeOf("b")];
    assert.deepEqual(scores("NodeResourcesFit", podOf("p"), ...nodes), { a: 85, b: 97 });
  });
});

describe("NodeResourcesBalancedAllocation", () => {
  it("prefers the node that becomes more even", () => {
    const there = podOf("there", { nodeName: "a", requests: { cpu: "2" } });
    const pod = podOf("p", { requests: { memory: "4Gi" } });
    const name = "NodeResourcesBalancedAllocation";
    assert.deepEqual(scores(name, pod, nodeOf("a"), nodeOf("b"), there), { a: 87, b: 62 });
    assert.equal(scores(name, podOf("p"), nodeOf("a"), nodeOf("b")), undefined);
  });
});

describe("PodTopologySpread", () => {
  const nodes = [nodeOf("a", { zone: "z1" }), nodeOf("b", { zone: "z2" }), nodeOf("c", { zone: "z2" })];

  it("prefers the domain with fewer pods", () => {
    const constraint = {
      topologyKey: zoneKey,
      whenUnsatisfiable: "ScheduleAnyway",
      maxSkew: 1,
      labelSelector: { matchLabels: { app: "web" } },
    };
    const pod = podOf("p", { labels: { app: "web" }, topologySpreadConstraints: [constraint] });
    const unlabelled = nodeOf("d");
    assert.deepEqual(scores("PodTopologySpread", pod, ...nodes, unlabelled, ...crowd(2, "a")), {
      a: 0,
      b: 200,
      c: 200,
      d: 0,
    });
  });

  it("spreads what a ReplicaSet or Service selects over nodes and zones, though nobody asked", () => {
    const owner = {
      kind: "ReplicaSet",
      metadata: { name: "web", namespace: "default" },
      spec: { selector: { matchLabels: { app: "web" } } },
    };
    const service = {
      kind: "Service",
      metadata: { name: "web", namespace: "default" },
      spec: { selector: { app: "web" } },
    };
    const expected = { a: 200, b: 80, c: 146 };
    const pods = crowd(3, "b");
    const owned = podOf("p", { labels: { app: "web" }, owner: "web" });
    assert.deepEqual(scores("PodTopologySpread", owned, ...nodes, ...pods, owner), expected);
    assert.deepEqual(
      scores("PodTopologySpread", podOf("p", { labels: { app: "web" } }), ...nodes, ...pods, service),
      expected,
    );
    assert.equal(scores("PodTopologySpread", owned, ...nodes, ...pods), undefined);
  });
});

describe("InterPodAffinity", () => {
  const nodes = [nodeOf("a", { zone: "z1" }), nodeOf("b", { zone: "z2" }), nodeOf("c")];
  const preferring = (kind: "podAffinity" | "podAntiAffinity") => {
    const podAffinityTerm = { topologyKey: zoneKey, labelSelector: { matchLabels: { app: "web" } } };
    return {
      affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm }] } },
    };
  };

  it("adds up what the pod prefers", () => {
    const there = crowd(1, "a");
    assert.deepEqual(scores("InterPodAffinity", podOf("p", preferring("podAffinity")), ...nodes, ...there), {
      a: 200,
      b: 0,
      c: 0,
    });
    assert.deepEqual(scores("InterPodAffinity", podOf("p", preferring("podAntiAffinity")), ...nodes, ...there), {
      a: 0,
      b: 200,
      c: 200,
    });
  });

  it("adds up what those who are there prefer, and require", () => {
    const pod = podOf("p", { labels: { app: "web" } });
    const wisher = podOf("wisher", { nodeName: "a", ...preferring("podAffinity") });
    const needer = podOf("needer", { nodeName: "b", affinity: near("web", zoneKey) });
    assert.deepEqual(scores("InterPodAffinity", pod, ...nodes, wisher, needer), { a: 200, b: 20, c: 0 });
    assert.equal(scores("InterPodAffinity", pod, ...nodes), undefined);
  });
});

describe("ImageLocality", () => {
  it("prefers a node that has the image, the more so the larger it is and the more nodes have it", () => {
    const images = [{ names: ["image:latest"], sizeBytes: 1000 * 1024 * 1024 }];
    assert.deepEqual(scores("ImageLocality", podOf("p"), nodeOf("a", { images }), nodeOf("b")), { a: 48, b: 0 });
    assert.deepEqual(scores("ImageLocality", podOf("p"), nodeOf("a", { images }), nodeOf("b", { images })), {
      a: 100,
      b: 100,
    });
  });
});
