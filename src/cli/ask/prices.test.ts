import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadInstanceTypes } from "../../adapters/kwok/load-instance-types.ts";
import { createPriceFinder } from "./prices.ts";

const labels = (capacityType: string, zone: string, more: Record<string, string> = {}) =>
  new Map(
    Object.entries({
      "node.kubernetes.io/instance-type": "m5.large",
      "karpenter.sh/capacity-type": capacityType,
      "topology.kubernetes.io/zone": zone,
      ...more,
    }),
  );
const machine = "aws:///us-east-1a/i-1";

describe("the price of a node", () => {
  it("is what the node says, before everything else", () => {
    const told = labels("spot", "us-east-1a", { "eks-node-viewer/instance-price": "0.031" });
    assert.equal(createPriceFinder([])(told, machine), 0.031);
  });

  it("is what the catalogue asks", () => {
    const find = createPriceFinder(loadInstanceTypes({ builtIn: "aws" }));
    assert.equal(find(labels("on-demand", "us-west-2a"), ""), 0.102);
  });

  it("is the list price of AWS, on demand, in a region whose list is built in", () => {
    assert.equal(createPriceFinder([])(labels("on-demand", "us-east-1a"), machine), 0.096);
    const group = labels("", "us-east-1a");
    group.delete("karpenter.sh/capacity-type");
    group.set("eks.amazonaws.com/capacityType", "ON_DEMAND");
    assert.equal(createPriceFinder([])(group, machine), 0.096);
  });

  it("is not known otherwise, and never guessed", () => {
    const find = createPriceFinder([]);
    const unknown = [
      find(labels("spot", "us-east-1a"), machine),
      find(labels("on-demand", "eu-west-1a"), "aws:///eu-west-1a/i-1"),
      find(labels("on-demand", "cn-north-1a"), "aws:///cn-north-1a/i-1"),
      find(labels("on-demand", "us-east-1a"), "gce:///x"),
      find(labels("on-demand", "us-east-1a", { "node.kubernetes.io/instance-type": "m5.larg" }), machine),
      find(labels("on-demand", "us-east-1a", { "eks-node-viewer/instance-price": "cheap" }), "kwok://x"),
    ];
    assert.deepEqual(new Set(unknown), new Set([undefined]));
  });
});
