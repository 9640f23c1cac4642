import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initializedLabel, nodePoolLabel, registeredLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { node, nodeClaim, outcome, plan, pod, pods, pool, type Wire } from "../support/builders.ts";

const initialized = { [nodePoolLabel]: "default", [registeredLabel]: "true", [initializedLabel]: "true" };
const registered = { [nodePoolLabel]: "default", [registeredLabel]: "true" };
const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };

/** Where a pod of one processor goes. */
function home(...objects: readonly Wire[]): string {
  const { launched, placed, refused } = outcome(plan([pool(), ...objects, pod("web")]));
  assert.deepEqual(refused, {});
  return Object.keys(placed)[0] ?? `new ${launched.join()}`;
}

describe("a node on its way", () => {
  it("with room makes a new one unnecessary", () => {
    assert.equal(home(nodeClaim("n1")), "n1");
  });

  it("that has registered but does not run everything yet counts too", () => {
    assert.equal(home(node("n1", { labels: registered }), nodeClaim("n1")), "n1");
  });

  it("without room does not", () => {
    assert.equal(home(nodeClaim("n1", { allocatable: { cpu: "500m", pods: 9 } })), "new small: web");
  });

  it("that goes away again does not", () => {
    assert.equal(home(nodeClaim("n1", { metadata: deleting })), "new small: web");
  });

  it("comes after one that is ready", () => {
    assert.equal(home(nodeClaim("n1"), node("n2", { labels: initialized }), nodeClaim("n2")), "n2");
  });

  it("comes in the order of names among its kind", () => {
    assert.equal(home(nodeClaim("n2"), nodeClaim("n1")), "n1");
  });

  for (const taint of [
    { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
    { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
    { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" },
    { key: "karpenter.sh/unregistered", effect: "NoExecute" },
    { key: "readiness.k8s.io/network", effect: "NoSchedule" },
    { key: "example.com/starting", effect: "NoSchedule" },
  ]) {
    it(`is not blocked by ${taint.key}:${taint.effect}, which goes away`, () => {
      const claim = nodeClaim("n1", { startupTaints: [{ key: "example.com/starting", effect: "NoSchedule" }] });
      assert.equal(home(node("n1", { labels: registered, taints: [taint] }), claim), "n1");
    });
  }

  it("is blocked by a taint that stays", () => {
    const taints = [{ key: "example.com/team", effect: "NoSchedule" }];
    assert.equal(home(node("n1", { labels: registered, taints }), nodeClaim("n1")), "new small: web");
  });

  it("has what its claim promises of a device that the kubelet does not report yet", () => {
    const allocatable = { cpu: 4, pods: 9, "nvidia.com/gpu": 1 };
    const waiting = pod("train", { requests: { "nvidia.com/gpu": 1 } });
    const objects = [
      node("n1", { labels: registered, allocatable: { ...allocatable, "nvidia.com/gpu": 0 } }),
      nodeClaim("n1", { allocatable }),
      waiting,
    ];
    assert.deepEqual(outcome(plan(objects)).placed, { n1: ["train"] });
  });
});

describe("a node that is ready", () => {
  it("is blocked by a startup taint that is there again", () => {
    const taints = [{ key: "example.com/starting", effect: "NoSchedule" }];
    assert.equal(
      home(node("n1", { labels: initialized, taints }), nodeClaim("n1", { startupTaints: taints })),
      "new small: web",
    );
  });

  it("is blocked when it is not ready any more", () => {
    const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];
    assert.equal(home(node("n1", { labels: initialized, taints }), nodeClaim("n1")), "new small: web");
  });

  it("has no more of a device than the kubelet reports", () => {
    const allocatable = { cpu: 4, pods: 9, "nvidia.com/gpu": 1 };
    const ready = node("n1", { labels: initialized, allocatable: { ...allocatable, "nvidia.com/gpu": 0 } });
    const answer = plan([ready, nodeClaim("n1", { allocatable }), pod("train", { requests: { "nvidia.com/gpu": 1 } })]);
    assert.deepEqual(outcome(answer).refused, { train: "no-pools" });
  });

  it("comes in the order of names", () => {
    assert.equal(home(node("n2"), node("n1")), "n1");
  });

  it("has only the room that its pods leave", () => {
    assert.equal(home(node("n1"), ...pods(4, "busy", { nodeName: "n1" })), "new small: web");
  });

  it("has the room of pods that have ended", () => {
    assert.equal(home(node("n1"), ...pods(4, "done", { nodeName: "n1", status: { phase: "Succeeded" } })), "n1");
  });

  it("keeps the room of pods that are meant for it", () => {
    assert.equal(home(node("n1"), ...pods(4, "next", { status: { nominatedNodeName: "n1" } })), "new small: web");
  });

  it("takes nobody who needs what it has already given away twice", () => {
    const answer = plan([
      node("n1", { allocatable: { cpu: 1, pods: 9 } }),
      pod("big", { requests: { cpu: 2 }, nodeName: "n1" }),
      pod("web", { requests: { cpu: "1m" } }),
      pod("tiny", { requests: {} }),
    ]);
    assert.deepEqual(outcome(answer).placed, { n1: ["tiny"] });
  });
});

describe("a node of no pool", () => {
  it("takes pods", () => {
    assert.equal(home(node("n1")), "n1");
  });

  it("takes pods when there is no pool at all", () => {
    assert.deepEqual(outcome(plan([node("n1"), pod("web")])), { launched: [], placed: { n1: ["web"] }, refused: {} });
  });

  it("takes no pods that do not tolerate its taints, whatever they are", () => {
    const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];
    assert.equal(home(node("n1", { taints })), "new small: web");
  });

  it("takes pods that tolerate its taints", () => {
    const taints = [{ key: "team", value: "red", effect: "NoSchedule" }];
    const answer = plan([node("n1", { taints }), pod("web", { tolerations: [{ key: "team", value: "red" }] })]);
    assert.deepEqual(outcome(answer).placed, { n1: ["web"] });
  });

  it("takes no pods that want labels it lacks, not even those that every cloud has", () => {
    const answer = plan([node("n1"), pod("web", { nodeSelector: { [zoneLabel]: "zone-1" } })]);
    assert.deepEqual(outcome(answer).placed, {});
  });

  it("takes pods that select its labels", () => {
    const answer = plan([node("n1", { labels: { team: "red" } }), pod("web", { nodeSelector: { team: "red" } })]);
    assert.deepEqual(outcome(answer).placed, { n1: ["web"] });
  });

  it("takes no pods while it is cordoned", () => {
    const cordoned = { ...node("n1"), spec: { unschedulable: true } };
    assert.equal(home(cordoned), "new small: web");
  });

  it("that only asks to be avoided takes what fits nowhere else", () => {
    const taints = [{ key: "team", effect: "PreferNoSchedule" }];
    const answer = plan([node("n1", { taints }), pod("web")]);
    assert.deepEqual(outcome(answer), { launched: [], placed: { n1: ["web"] }, refused: {} });
  });
});

describe("a node that is being deleted", () => {
  it("is no capacity, and its pods need a home", () => {
    const gone = node("n1", { metadata: deleting });
    const answer = plan([pool(), gone, pod("moved", { nodeName: "n1" }), pod("web")]);
    assert.deepEqual(outcome(answer), { launched: ["small: moved web"], placed: {}, refused: {} });
  });

  it("keeps pods that must not be disturbed", () => {
    const metadata = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };
    const answer = plan([pool(), node("n1", { metadata: deleting }), pod("stays", { nodeName: "n1", metadata })]);
    assert.deepEqual(outcome(answer), { launched: [], placed: {}, refused: {} });
  });

  it("does not count against the limits of its pool", () => {
    const gone = node("n1", { labels: initialized, metadata: deleting });
    const answer = plan([pool("default", { limits: { nodes: 1 } }), gone, nodeClaim("n1"), pod("web")]);
    assert.deepEqual(outcome(answer).launched, ["small: web"]);
  });
});

describe("scarce room on nodes that exist", () => {
  it("goes to the pods of the highest priority", () => {
    const objects = [
      node("n1"),
      pod("large", { requests: { cpu: 4 } }),
      pod("urgent", { requests: { cpu: 1 }, priority: 10 }),
    ];
    assert.deepEqual(outcome(plan(objects)).placed, { n1: ["urgent"] });
  });
});
