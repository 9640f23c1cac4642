import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archLabel } from "../../src/core/model/labels.ts";
import { daemonSet, instanceType, node, outcome, plan, pod, pool, type Wire } from "../support/builders.ts";

const port = (hostPort: number, rest: Wire = {}): Wire => ({
  containers: [{ ports: [{ containerPort: 80, hostPort, ...rest }] }],
});

function nodesFor(a: Wire, b: Wire): number {
  return plan([pool(), pod("a", a), pod("b", b)]).nodes.length;
}

describe("host ports", () => {
  it("keep pods apart that want the same one", () => {
    assert.equal(nodesFor(port(80), port(80)), 2);
  });

  it("do not keep pods apart that want different ones", () => {
    assert.equal(nodesFor(port(80), port(81)), 1);
  });

  it("of different protocols do not clash", () => {
    assert.equal(nodesFor(port(80), port(80, { protocol: "UDP" })), 1);
  });

  it("of different addresses do not clash", () => {
    assert.equal(nodesFor(port(80, { hostIP: "10.0.0.1" }), port(80, { hostIP: "10.0.0.2" })), 1);
  });

  it("of one address clash with those of every address", () => {
    assert.equal(nodesFor(port(80, { hostIP: "10.0.0.1" }), port(80)), 2);
  });

  it("of init containers do not count", () => {
    const init = { initContainers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] };
    assert.equal(nodesFor(init, init), 1);
  });

  it("that are taken on a node keep others off it", () => {
    const answer = plan([pool(), node("n1"), pod("old", { ...port(80), nodeName: "n1" }), pod("web", port(80))]);
    assert.deepEqual(outcome(answer), { launched: ["small: web"], placed: {}, refused: {} });
  });

  it("that are free on a node keep nobody off it", () => {
    const answer = plan([pool(), node("n1"), pod("old", { ...port(80), nodeName: "n1" }), pod("web", port(81))]);
    assert.deepEqual(outcome(answer).placed, { n1: ["web"] });
  });

  it("of a daemon keep others off every new node", () => {
    const answer = plan([pool(), daemonSet("agent", port(80)), pod("web", port(80))]);
    assert.deepEqual(outcome(answer), { launched: [], placed: {}, refused: { web: "no-fit" } });
  });

  it("of a daemon that runs on some types keep others off those", () => {
    const instanceTypes = [instanceType("amd", { price: 0.1 }), instanceType("arm", { price: 0.2, arch: "arm64" })];
    const daemon = daemonSet("agent", { ...port(80), nodeSelector: { [archLabel]: "amd64" } });
    const [planned] = plan([pool(), daemon, pod("web", port(80))], { instanceTypes }).nodes;
    assert.deepEqual(planned?.instanceTypes, ["arm"]);
  });

  it("of a daemon still to come keep others off a node that exists", () => {
    const answer = plan([node("n1"), daemonSet("agent", port(80)), pod("web", port(80))]);
    assert.deepEqual(outcome(answer).placed, {});
  });
});
