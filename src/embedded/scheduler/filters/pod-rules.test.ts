import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TopologySpreadConstraint } from "kubernetes-types/core/v1.js";
import { apart, cacheOf, crowd, hostnameKey, near, nodeOf, podOf, refusalCounts, zoneKey } from "../sample-objects.ts";
import { feasibleNodes } from "../scheduler.ts";

const web = { app: "web" };
const zonal = [nodeOf("a", { zone: "z1" }), nodeOf("b", { zone: "z2" }), nodeOf("c", { zone: "z2" })];

describe("topology spread", () => {
  const spread = (rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
    topologyKey: zoneKey,
    whenUnsatisfiable: "DoNotSchedule",
    maxSkew: 1,
    labelSelector: { matchLabels: web },
    ...rest,
  });
  const pod = (...topologySpreadConstraints: TopologySpreadConstraint[]) =>
    podOf("p", { labels: web, topologySpreadConstraints });

  it("keeps the fullest domain within the skew of the emptiest", () => {
    const cache = cacheOf(...zonal, ...crowd(1, "a"));
    assert.deepEqual(feasibleNodes(cache, pod(spread())).sort(), ["b", "c"]);
    assert.deepEqual(feasibleNodes(cache, pod(spread({ maxSkew: 2 }))).sort(), ["a", "b", "c"]);
  });

  it("does not count pods that are leaving or live in another namespace", () => {
    const [there] = crowd(1, "a");
    const leaving = { ...there, metadata: { ...there?.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const foreign = podOf("foreign", { namespace: "other", labels: web, nodeName: "a" });
    assert.deepEqual(feasibleNodes(cacheOf(...zonal, leaving, foreign), pod(spread())).sort(), ["a", "b", "c"]);
  });

  it("holds every domain to none while there are too few", () => {
    const cache = cacheOf(...zonal, ...crowd(1, "a"), ...crowd(1, "b"));
    assert.deepEqual(feasibleNodes(cache, pod(spread())).length, 3);
    assert.deepEqual(refusalCounts(cache, pod(spread({ minDomains: 3 }))), {
      "node(s) didn't match pod topology spread constraints": 3,
    });
  });

  it("refuses a node without the label", () => {
    assert.deepEqual(refusalCounts(cacheOf(nodeOf("a")), pod(spread())), {
      "node(s) didn't match pod topology spread constraints (missing required label)": 1,
    });
  });

  it("leaves out domains of nodes that the pod's affinity rules out, unless told otherwise", () => {
    const cache = cacheOf(...zonal, ...crowd(1, "b"));
    const only = (policy: string) => ({
      ...podOf("p", {
        labels: web,
        nodeSelector: { [zoneKey]: "z2" },
        topologySpreadConstraints: [spread({ nodeAffinityPolicy: policy })],
      }),
    });
    assert.deepEqual(feasibleNodes(cache, only("Honor")).sort(), ["b", "c"]);
    assert.deepEqual(feasibleNodes(cache, only("Ignore")), []);
  });

  it("leaves out domains of tainted nodes if told so", () => {
    const tainted = nodeOf("t", { zone: "z3", spec: { taints: [{ key: "k", effect: "NoSchedule" }] } });
    const cache = cacheOf(...zonal, tainted, ...crowd(1, "a"), ...crowd(1, "b"));
    assert.deepEqual(feasibleNodes(cache, pod(spread())), []);
    assert.deepEqual(feasibleNodes(cache, pod(spread({ nodeTaintsPolicy: "Honor" }))).sort(), ["a", "b", "c"]);
  });

  it("tells apart pods by the labels that it is to compare", () => {
    const cache = cacheOf(...zonal, ...crowd(1, "a", { app: "web", version: "1" }));
    const next = {
      ...pod(spread({ matchLabelKeys: ["version"] })),
      metadata: { name: "p", namespace: "default", labels: { app: "web", version: "2" } },
    };
    assert.deepEqual(feasibleNodes(cache, next).length, 3);
  });
});

describe("affinity between pods", () => {
  it("wants a domain where such a pod is", () => {
    const cache = cacheOf(...zonal, ...crowd(1, "b"));
    assert.deepEqual(feasibleNodes(cache, podOf("p", { affinity: near("web", zoneKey) })).sort(), ["b", "c"]);
    assert.deepEqual(refusalCounts(cache, podOf("p", { affinity: near("db", zoneKey) })), {
      "node(s) didn't match pod affinity rules": 3,
    });
  });

  it("lets the first of a kind that wants its like go anywhere with the label", () => {
    const cache = cacheOf(...zonal, nodeOf("d"));
    const pod = podOf("p", { labels: web, affinity: near("web", zoneKey) });
    assert.deepEqual(feasibleNodes(cache, pod).sort(), ["a", "b", "c"]);
  });

  it("shuns a domain where such a pod is", () => {
    const cache = cacheOf(...zonal, ...crowd(1, "b"));
    assert.deepEqual(feasibleNodes(cache, podOf("p", { affinity: apart("web", zoneKey) })), ["a"]);
    assert.deepEqual(feasibleNodes(cache, podOf("p", { affinity: apart("web", hostnameKey) })).sort(), ["a", "c"]);
  });

  it("respects what pods that are there already shun", () => {
    const cache = cacheOf(...zonal, podOf("there", { nodeName: "b", affinity: apart("web", zoneKey) }));
    assert.deepEqual(feasibleNodes(cache, podOf("p", { labels: web })), ["a"]);
    assert.deepEqual(
      refusalCounts(
        cacheOf(...zonal.slice(1), podOf("there", { nodeName: "b", affinity: apart("web", zoneKey) })),
        podOf("p", { labels: web }),
      ),
      {
        "node(s) didn't satisfy existing pods anti-affinity rules": 2,
      },
    );
  });

  it("looks into namespaces by name or by their labels", () => {
    const namespace = { kind: "Namespace", metadata: { name: "other", labels: { team: "one" } } };
    const there = podOf("there", { namespace: "other", labels: web, nodeName: "b" });
    const term = { topologyKey: hostnameKey, labelSelector: { matchLabels: web } };
    const wanting = (rest: object) =>
      podOf("p", {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, ...rest }] } },
      });
    const cache = cacheOf(...zonal, namespace, there);
    const selectors = [
      {},
      { namespaces: ["other"] },
      { namespaceSelector: { matchLabels: { team: "one" } } },
      { namespaceSelector: {} },
    ];
    assert.deepEqual(
      selectors.map((selector) => feasibleNodes(cache, wanting(selector))),
      [[], ["b"], ["b"], ["b"]],
    );
  });

  it("tells apart pods by labels that must match or differ", () => {
    const cache = cacheOf(nodeOf("a"), ...crowd(1, "a", { app: "web", version: "1" }));
    const shunning = (keys: object) =>
      podOf("p", {
        labels: { app: "web", version: "2" },
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: hostnameKey, labelSelector: { matchLabels: web }, ...keys },
            ],
          },
        },
      });
    assert.deepEqual(feasibleNodes(cache, shunning({ matchLabelKeys: ["version"] })), ["a"]);
    assert.deepEqual(feasibleNodes(cache, shunning({ mismatchLabelKeys: ["version"] })), []);
  });
});
