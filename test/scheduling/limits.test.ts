import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  capacityTypeLabel,
  initializedLabel,
  instanceTypeLabel,
  nodePoolLabel,
  zoneLabel,
} from "../../src/core/model/labels.ts";
import {
  defaultTypes,
  instanceType,
  node,
  outcome,
  plan,
  pod,
  pods,
  pool,
  reasons,
  type Wire,
} from "../support/builders.ts";

const limited = (limits: Record<string, string | number>): Wire => pool("default", { limits });
const ours = { [nodePoolLabel]: "default", [initializedLabel]: "true" };

describe("a pool's limits", () => {
  it("refuse a pod that needs more", () => {
    const answer = plan([limited({ cpu: 2 }), pod("web", { requests: { cpu: "2100m" } })]);
    assert.deepEqual(reasons(answer), { web: { default: "limit" } });
  });

  it("refuse a pod when nodes that exist have used them up", () => {
    const busy = [node("n1", { labels: ours }), pod("old", { nodeName: "n1", requests: { cpu: 4 } })];
    const answer = plan([limited({ cpu: 4 }), ...busy, pod("web")]);
    assert.deepEqual(reasons(answer), { web: { default: "limit" } });
  });

  it("do not keep pods from nodes that exist", () => {
    const answer = plan([limited({ cpu: 4 }), node("n1", { labels: ours }), pod("web")]);
    assert.deepEqual(outcome(answer), { launched: [], placed: { n1: ["web"] }, refused: {} });
  });

  it("do not count nodes of other pools or of none", () => {
    const others = [
      node("n1", { allocatable: { cpu: 8 } }),
      node("n2", { labels: { [nodePoolLabel]: "other" }, allocatable: { cpu: 8 } }),
    ];
    const answer = plan([limited({ cpu: 2 }), ...others, pod("web")]);
    assert.deepEqual(outcome(answer).launched, ["small: web"]);
  });

  it("let exactly one of two pods through when there is room for one", () => {
    const answer = plan([limited({ cpu: 3 }), ...pods(2, "web", { requests: { cpu: 2 } })]);
    assert.deepEqual(outcome(answer), { launched: ["small: web-1"], placed: {}, refused: { "web-2": "no-fit" } });
  });

  it("count what a node has, not what its pods ask for", () => {
    const answer = plan([limited({ cpu: 15 }), pod("web", { requests: { cpu: 9 } })]);
    assert.deepEqual(reasons(answer), { web: { default: "limit" } });
  });

  it("may choose a dearer type that takes less of them", () => {
    const instanceTypes = [instanceType("cheap", { cpu: 8, price: 0.1 }), instanceType("dear", { cpu: 2, price: 0.5 })];
    assert.deepEqual(outcome(plan([limited({ cpu: 2 }), pod("web")], { instanceTypes })).launched, ["dear: web"]);
  });

  it("may choose dearer types that let all pods through", () => {
    const instanceTypes = [
      instanceType("cheap", { cpu: 8, memory: "8Gi", price: 0.1 }),
      instanceType("dear", { cpu: 4, memory: "8Gi", price: 0.5 }),
    ];
    const waiting = pods(2, "web", { requests: { cpu: 1, memory: "8Gi" } });
    assert.deepEqual(outcome(plan([limited({ cpu: 8 }), ...waiting], { instanceTypes })), {
      launched: ["dear: web-1", "dear: web-2"],
      placed: {},
      refused: {},
    });
  });

  it("on nodes are exact within one plan", () => {
    const answer = plan([
      limited({ nodes: 2 }),
      node("n1", { labels: ours, allocatable: {} }),
      ...pods(3, "web", { requests: { cpu: 16 } }),
    ]);
    assert.deepEqual(outcome(answer), {
      launched: ["huge: web-1"],
      placed: {},
      refused: { "web-2": "no-fit", "web-3": "no-fit" },
    });
  });

  it("on nodes are met by buying larger ones", () => {
    const instanceTypes = [instanceType("small", { cpu: 2, price: 0.1 }), instanceType("large", { cpu: 8, price: 5 })];
    const answer = plan([limited({ nodes: 1 }), ...pods(4, "web", { requests: { cpu: 2 } })], { instanceTypes });
    assert.deepEqual(outcome(answer), { launched: ["large: web-1 web-2 web-3 web-4"], placed: {}, refused: {} });
  });

  it("on dollars an hour are exact within one plan", () => {
    const answer = plan([
      limited({ "karpenter.sh/hourly-price": "0.45" }),
      ...pods(3, "web", { requests: { cpu: 2 } }),
    ]);
    assert.deepEqual([answer.costPerHour <= 0.45, answer.refusals.length], [true, 1]);
  });

  it("on dollars count what nodes that exist cost", () => {
    const labels = { ...ours, [instanceTypeLabel]: "medium", [zoneLabel]: "zone-1", [capacityTypeLabel]: "on-demand" };
    const answer = plan([
      limited({ "karpenter.sh/hourly-price": "0.5" }),
      node("n1", { labels, allocatable: {} }),
      pod("web"),
    ]);
    assert.deepEqual(reasons(answer), { web: { default: "limit" } });
  });

  it("send pods to the next pool when they are reached", () => {
    const pools = [pool("first", { weight: 10, limits: { cpu: 4 } }), pool("second")];
    const answer = plan([...pools, ...pods(3, "web", { requests: { cpu: 4 } })]);
    const counts = answer.nodes.map(({ pool, pods }) => [pool.name, pods.length]);
    assert.deepEqual(counts.toSorted(), [
      ["first", 1],
      ["second", 2],
    ]);
  });

  it("hold for everything that may be launched in place of what was planned", () => {
    const answer = plan([limited({ cpu: 12 }), ...pods(2, "web", { requests: { cpu: 4 } })], {
      instanceTypes: [instanceType("four", { cpu: 4, price: 0.1 }), ...defaultTypes],
    });
    const capacity = new Map(
      [...defaultTypes, instanceType("four", { cpu: 4 })].map(({ name, capacity }) => [name, capacity.get("cpu")!]),
    );
    const most = answer.nodes.map(({ instanceTypes }) => Math.max(...instanceTypes.map((name) => capacity.get(name)!)));
    assert.ok(
      most.reduce((sum, cpu) => sum + cpu, 0) <= 12_000,
      JSON.stringify(answer.nodes.map(({ instanceTypes }) => instanceTypes)),
    );
  });
});

describe("when limits bind", () => {
  it("pods of high priority come first, however small", () => {
    const waiting = [pod("large", { requests: { cpu: 4 } }), pod("urgent", { requests: { cpu: 2 }, priority: 100 })];
    const answer = plan([limited({ cpu: 4 }), ...waiting]);
    assert.deepEqual(outcome(answer), { launched: ["small: urgent"], placed: {}, refused: { large: "no-fit" } });
  });

  it("pods of low priority take what is left on the nodes of the others", () => {
    const waiting = [pod("low", { requests: { cpu: 1 } }), pod("urgent", { requests: { cpu: 3 }, priority: 100 })];
    const answer = plan([limited({ cpu: 4 }), ...waiting]);
    assert.deepEqual(outcome(answer), { launched: ["medium: low urgent"], placed: {}, refused: {} });
  });

  it("pods of low priority on offer do not make a node dearer for the others", () => {
    const waiting = [pod("batch", { requests: { cpu: 1 }, priority: -10 }), pod("web", { requests: { cpu: 1 } })];
    assert.deepEqual(outcome(plan([limited({ nodes: 1 }), ...waiting])).launched, ["small: batch web"]);
  });

  it("a node for urgent pods is made larger for those that may have no other", () => {
    const waiting = [pod("low", { requests: { cpu: 2 } }), pod("urgent", { requests: { cpu: 2 }, priority: 100 })];
    const answer = plan([limited({ nodes: 1 }), ...waiting]);
    assert.deepEqual(outcome(answer), { launched: ["medium: low urgent"], placed: {}, refused: {} });
  });

  it("a node is made no larger than they allow", () => {
    const waiting = [pod("low", { requests: { cpu: 2 } }), pod("urgent", { requests: { cpu: 2 }, priority: 100 })];
    const answer = plan([limited({ nodes: 1, cpu: 3 }), ...waiting]);
    assert.deepEqual(outcome(answer), { launched: ["small: urgent"], placed: {}, refused: { low: "no-fit" } });
  });

  it("the oldest of equal pods come first", () => {
    const created = (name: string, second: number) =>
      pod(name, { requests: { cpu: 2 }, metadata: { creationTimestamp: `2026-01-01T00:00:0${second}Z` } });
    const answer = plan([limited({ cpu: 2 }), created("young", 2), created("old", 1)]);
    assert.deepEqual(outcome(answer), { launched: ["small: old"], placed: {}, refused: { young: "no-fit" } });
  });
});
