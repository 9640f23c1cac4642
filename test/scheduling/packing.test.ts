import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archLabel, instanceTypeLabel, osLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { daemonSet, instanceType, offering, outcome, plan, pod, pods, pool } from "../support/builders.ts";

describe("packing", () => {
  it("buys the cheapest type that holds a lone pod and the daemons", () => {
    const answer = plan([
      pool(),
      daemonSet("agent", { requests: { cpu: "500m" } }),
      pod("web", { requests: { cpu: 2 } }),
    ]);
    assert.deepEqual(outcome(answer), { launched: ["medium: web"], placed: {}, refused: {} });
  });

  it("fills one node before it opens another", () => {
    const answer = plan([pool(), ...pods(4, "web", { requests: { cpu: 4 } })]);
    assert.deepEqual(outcome(answer).launched, ["huge: web-1 web-2 web-3 web-4"]);
  });

  it("puts no more pods on a node than it may run", () => {
    const instanceTypes = [instanceType("few", { cpu: 4, pods: 2 })];
    const answer = plan([pool(), ...pods(5, "web", { requests: { cpu: "1m" } })], { instanceTypes });
    assert.deepEqual(outcome(answer).launched, ["few: web-1 web-2", "few: web-3 web-4", "few: web-5"]);
  });

  it("counts daemon pods among those that a node may run", () => {
    const instanceTypes = [instanceType("few", { cpu: 4, pods: 2 })];
    const daemon = daemonSet("agent", { requests: {} });
    const answer = plan([pool(), daemon, ...pods(2, "web", { requests: {} })], { instanceTypes });
    assert.deepEqual(outcome(answer).launched, ["few: web-1", "few: web-2"]);
  });

  it("gives pods that ask for nothing a node", () => {
    assert.deepEqual(outcome(plan([pool(), pod("web", { requests: {} })])).launched, ["small: web"]);
  });

  it("is not disturbed by requests for zero of something", () => {
    const answer = plan([pool(), pod("web", { requests: { cpu: 1, "nvidia.com/gpu": 0, "example.com/none": "0" } })]);
    assert.deepEqual(outcome(answer), { launched: ["small: web"], placed: {}, refused: {} });
  });

  it("separates pods that select different architectures, systems, zones or types", () => {
    const instanceTypes = [
      instanceType("amd", { cpu: 16 }),
      instanceType("arm", { cpu: 16, arch: "arm64" }),
      instanceType("win", { cpu: 16, os: ["windows"] }),
    ];
    const select = (name: string, nodeSelector: Record<string, string>) => pod(name, { nodeSelector });
    const answer = plan(
      [
        pool(),
        select("amd", { [archLabel]: "amd64", [osLabel]: "linux", [zoneLabel]: "zone-1" }),
        select("arm", { [archLabel]: "arm64" }),
        select("windows", { [osLabel]: "windows" }),
        select("elsewhere", { [zoneLabel]: "zone-2", [osLabel]: "linux", [archLabel]: "amd64" }),
        select("typed", { [instanceTypeLabel]: "arm", [zoneLabel]: "zone-3" }),
      ],
      { instanceTypes },
    );
    const launched = answer.nodes.map(({ instanceType, zone, pods }) => [
      pods
        .map(({ name }) => name)
        .sort()
        .join(),
      instanceType,
      zone,
    ]);
    assert.deepEqual(launched.toSorted(), [
      ["amd", "amd", "zone-1"],
      ["arm,typed", "arm", "zone-3"],
      ["elsewhere", "amd", "zone-2"],
      ["windows", "win", "zone-1"],
    ]);
  });

  it("refuses a pod whose selectors no type meets together", () => {
    const instanceTypes = [instanceType("amd"), instanceType("arm", { arch: "arm64" })];
    const nodeSelector = { [archLabel]: "arm64", [instanceTypeLabel]: "amd" };
    assert.deepEqual(outcome(plan([pool(), pod("web", { nodeSelector })], { instanceTypes })).refused, {
      web: "no-fit",
    });
  });

  it("refuses a pod that asks for two things that no type has together", () => {
    const instanceTypes = [
      instanceType("red", { resources: { "amd.com/gpu": 1 } }),
      instanceType("green", { resources: { "nvidia.com/gpu": 1 } }),
    ];
    const answer = plan([pool(), pod("both", { requests: { "amd.com/gpu": 1, "nvidia.com/gpu": 1 } })], {
      instanceTypes,
    });
    assert.deepEqual(outcome(answer), { launched: [], placed: {}, refused: { both: "no-fit" } });
  });

  it("gives two pods what one type does not have together", () => {
    const instanceTypes = [
      instanceType("red", { resources: { "amd.com/gpu": 1 } }),
      instanceType("green", { resources: { "nvidia.com/gpu": 1 } }),
    ];
    const waiting = [pod("a", { requests: { "amd.com/gpu": 1 } }), pod("b", { requests: { "nvidia.com/gpu": 1 } })];
    const answer = plan([pool(), ...waiting], { instanceTypes });
    assert.deepEqual(outcome(answer), { launched: ["green: b", "red: a"], placed: {}, refused: {} });
  });

  it("does not buy what is sold out", () => {
    const instanceTypes = [
      instanceType("gone", { cpu: 4, offerings: [offering({ price: 0.1, available: false })] }),
      instanceType("there", { cpu: 4, offerings: [offering({ price: 0.2 })] }),
    ];
    assert.deepEqual(outcome(plan([pool(), pod("web")], { instanceTypes })).launched, ["there: web"]);
  });

  it("costs what its nodes cost together", () => {
    const { costPerHour, nodes } = plan([pool(), ...pods(3, "web", { requests: { cpu: 8 } })]);
    assert.equal(
      costPerHour,
      nodes.reduce((sum, { price }) => sum + price, 0),
    );
  });

  it("gives the same plan whatever the order of the pods", () => {
    const waiting = [
      ...pods(7, "web", { requests: { cpu: 3 } }),
      ...pods(9, "db", { requests: { cpu: 1, memory: "3Gi" } }),
    ];
    assert.deepEqual(outcome(plan([pool(), ...waiting])), outcome(plan([pool(), ...waiting.toReversed()])));
  });

  it("finds many tiny nodes dear when every node has a price of its own", () => {
    const instanceTypes = [
      instanceType("small", { cpu: 2, price: 0.19 }),
      instanceType("huge", { cpu: 16, price: 1.6 }),
    ];
    const objects = [pool(), ...pods(8, "web", { requests: { cpu: 2 } })];
    const typesAt = (pricePerNode: number) =>
      plan(objects, { instanceTypes, settings: { pricePerNode } }).nodes.map((node) => node.instanceType);
    assert.deepEqual([typesAt(0), typesAt(0.05)], [Array(8).fill("small"), ["huge"]]);
  });
});

describe("the price of a plan", () => {
  it("does not contain what every node is thought to cost", () => {
    assert.equal(plan([pool(), pod("web")], { settings: { pricePerNode: 3 } }).costPerHour, 0.2);
  });
});
