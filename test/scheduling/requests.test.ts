import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodePoolLabel } from "../../src/core/model/labels.ts";
import { defaultTypes, node, outcome, plan, pod, pods, pool, type Wire } from "../support/builders.ts";

const cpu = (amount: string | number): Wire => ({ resources: { requests: { cpu: amount } } });

describe("what a pod asks for", () => {
  const types = new Map<string, { spec: Wire; launched: string }>([
    ["its containers together", { spec: { containers: [cpu(2), cpu(3)] }, launched: "large: web" }],
    [
      "an init container that asks for more",
      { spec: { containers: [cpu(1)], initContainers: [cpu(5)] }, launched: "large: web" },
    ],
    [
      "an init container that asks for less",
      { spec: { containers: [cpu(2)], initContainers: [cpu(1)] }, launched: "small: web" },
    ],
    [
      "its sidecars beside its containers",
      {
        spec: { containers: [cpu(2)], initContainers: [{ ...cpu(1), restartPolicy: "Always" }] },
        launched: "medium: web",
      },
    ],
    [
      "an init container beside the sidecars before it",
      {
        spec: { containers: [cpu(1)], initContainers: [{ ...cpu(1), restartPolicy: "Always" }, cpu(4)] },
        launched: "large: web",
      },
    ],
    [
      "its own requests as a whole",
      { spec: { containers: [cpu(1)], resources: { requests: { cpu: 6 } } }, launched: "large: web" },
    ],
    [
      "the overhead of its runtime class",
      { spec: { containers: [cpu(2)], overhead: { cpu: "1m" } }, launched: "medium: web" },
    ],
  ]);
  for (const [what, { spec, launched }] of types) {
    it(`includes ${what}`, () => assert.deepEqual(outcome(plan([pool(), pod("web", spec)])).launched, [launched]));
  }
});

describe("another source of requests", () => {
  it("replaces what pods say", () => {
    const requestsFor = () =>
      new Map([
        ["cpu", 8000],
        ["pods", 1],
      ]);
    assert.deepEqual(outcome(plan([pool(), pod("web")], { settings: { requestsFor } })).launched, ["large: web"]);
  });

  it("may differ from pod to pod", () => {
    const requestsFor = ({ name }: { name: string }) => new Map([["cpu", name === "big-1" ? 16000 : 2000]]);
    const answer = plan([pool(), pod("big-1"), pod("small-1")], { settings: { requestsFor } });
    assert.deepEqual(outcome(answer).launched, ["huge: big-1", "small: small-1"]);
  });

  it("may differ from pool to pool", () => {
    const pools = [pool("lean", { weight: 10, limits: { cpu: 2 } }), pool("rich")];
    const requestsFor = (_: unknown, of: { name: string } | undefined) =>
      new Map([["cpu", of?.name === "lean" ? 1000 : 4000]]);
    const answer = plan([...pools, ...pods(3, "web")], { settings: { requestsFor } });
    const launched = answer.nodes.map(({ pool, instanceType, pods }) => [pool.name, instanceType, pods.length]);
    assert.deepEqual(launched, [
      ["lean", "small", 2],
      ["rich", "medium", 1],
    ]);
  });

  it("counts on nodes that exist, for the pool they are of", () => {
    const requestsFor = (_: unknown, of: { name: string } | undefined) =>
      new Map([["cpu", of?.name === "default" ? 2000 : 4000]]);
    const labels = { [nodePoolLabel]: "default" };
    const answer = plan([pool(), node("ours", { labels }), node("theirs"), ...pods(3, "web")], {
      settings: { requestsFor },
    });
    assert.deepEqual(outcome(answer).placed, { ours: ["web-1", "web-2"], theirs: ["web-3"] });
  });

  it("counts on the nodes of a static pool", () => {
    const requestsFor = (_: unknown, of: { name: string } | undefined) =>
      new Map([["cpu", of?.name === "fixed" ? 1000 : 4000]]);
    const labels = { [nodePoolLabel]: "fixed" };
    const answer = plan([pool(), pool("fixed", { replicas: 1 }), node("n1", { labels }), ...pods(4, "web")], {
      settings: { requestsFor },
    });
    assert.deepEqual(outcome(answer).placed, { n1: ["web-1", "web-2", "web-3", "web-4"] });
  });

  it("is what the planned node says it needs", () => {
    const requestsFor = () =>
      new Map([
        ["cpu", 3000],
        ["pods", 1],
      ]);
    const [planned] = plan([pool(), pod("web")], { instanceTypes: defaultTypes, settings: { requestsFor } }).nodes;
    assert.equal(planned?.requests.get("cpu"), 3000);
  });
});
