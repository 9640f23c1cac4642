import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instanceTypeLabel } from "../../src/core/model/labels.ts";
import {
  expression,
  instanceType,
  nodeAffinity,
  outcome,
  plan,
  pod,
  pool,
  reasons,
  type Wire,
} from "../support/builders.ts";

const atLeast = (minValues: number, key: string, operator: string, ...values: string[]): Wire => ({
  ...expression(key, operator, ...values),
  minValues,
});
const three = pool("default", { requirements: [atLeast(3, instanceTypeLabel, "Exists")] });
const bestEffort = { settings: { minValuesPolicy: "BestEffort" } } as const;
const generation = "example.com/generation";
const generations = ["3", "5", "6", "7"].map((value, index) =>
  instanceType(`gen-${value}`, { cpu: 4, price: index + 1, labels: { [generation]: value } }),
);

describe("minValues", () => {
  it("are met by a node that leaves so many types open", () => {
    const [planned] = plan([three, pod("web", { requests: { cpu: 4 } })]).nodes;
    assert.deepEqual(
      [planned?.instanceType, planned?.instanceTypes, planned?.isMinValuesRelaxed],
      ["medium", ["medium", "large", "huge"], false],
    );
  });

  it("refuse a pod that leaves too few types open", () => {
    assert.deepEqual(reasons(plan([three, pod("web", { requests: { cpu: 5 } })])), { web: { default: "min-values" } });
  });

  it("are lowered rather than leaving a pod without a node, under BestEffort", () => {
    const [planned] = plan([three, pod("web", { requests: { cpu: 5 } })], bestEffort).nodes;
    assert.deepEqual(
      [planned?.instanceType, planned?.instanceTypes, planned?.isMinValuesRelaxed],
      ["large", ["large", "huge"], true],
    );
  });

  it("are not lowered where they can be met, under BestEffort", () => {
    const [planned] = plan([three, pod("web")], bestEffort).nodes;
    assert.equal(planned?.isMinValuesRelaxed, false);
  });

  it("are lowered in the heavier pool rather than using the next", () => {
    const heavy = pool("heavy", { weight: 10, requirements: [atLeast(3, instanceTypeLabel, "Exists")] });
    const answer = plan([heavy, pool("light"), pod("web", { requests: { cpu: 5 } })], bestEffort);
    assert.deepEqual(
      answer.nodes.map(({ pool }) => pool.name),
      ["heavy"],
    );
  });

  it("send pods to the next pool when they are strict", () => {
    const heavy = pool("heavy", { weight: 10, requirements: [atLeast(3, instanceTypeLabel, "Exists")] });
    const answer = plan([heavy, pool("light"), pod("web", { requests: { cpu: 5 } })]);
    assert.deepEqual(
      answer.nodes.map(({ pool }) => pool.name),
      ["light"],
    );
  });

  it("keep pods off a node that would become too large to leave choice", () => {
    const answer = plan([three, pod("a", { requests: { cpu: 4 } }), pod("b", { requests: { cpu: 4 } })]);
    assert.deepEqual(outcome(answer).launched, ["medium: a", "medium: b"]);
  });

  it("count distinct values of any label that types have", () => {
    const ours = pool("default", { requirements: [atLeast(2, generation, "Gt", "4")] });
    const [planned] = plan([ours, pod("web")], { instanceTypes: generations }).nodes;
    assert.deepEqual(planned?.instanceTypes, ["gen-5", "gen-6", "gen-7"]);
  });

  it("refuse a pod when one value is left", () => {
    const ours = pool("default", { requirements: [atLeast(2, generation, "Gt", "6")] });
    assert.deepEqual(reasons(plan([ours, pod("web")], { instanceTypes: generations })), {
      web: { default: "min-values" },
    });
  });

  it("of two requirements on one label are the larger one", () => {
    const requirements = [atLeast(1, generation, "In", "3", "5", "6"), atLeast(2, generation, "NotIn", "3", "5")];
    const ours = pool("default", { requirements });
    assert.deepEqual(reasons(plan([ours, pod("web")], { instanceTypes: generations })), {
      web: { default: "min-values" },
    });
  });

  it("of two requirements on one label are met by what both leave", () => {
    const requirements = [atLeast(1, generation, "In", "3", "5", "6"), atLeast(2, generation, "NotIn", "3")];
    const [planned] = plan([pool("default", { requirements }), pod("web")], { instanceTypes: generations }).nodes;
    assert.deepEqual(planned?.instanceTypes, ["gen-5", "gen-6"]);
  });

  it("count only the types that a pod accepts", () => {
    const waiting = pod("web", { nodeSelector: { [instanceTypeLabel]: "small" } });
    assert.deepEqual(reasons(plan([three, waiting])), { web: { default: "min-values" } });
  });

  it("count the types that a pod accepts although another pod accepts fewer", () => {
    const picky = pod("picky", { nodeSelector: { [instanceTypeLabel]: "small" } });
    const answer = plan([three, pod("web"), picky]);
    assert.deepEqual(outcome(answer), { launched: ["small: web"], placed: {}, refused: { picky: "no-fit" } });
  });

  it("are lowered for a pod that accepts one type, under BestEffort", () => {
    const waiting = pod("web", { nodeSelector: { [instanceTypeLabel]: "small" } });
    const [planned] = plan([three, waiting], bestEffort).nodes;
    assert.deepEqual(
      [planned?.instanceTypes, planned?.isMinValuesRelaxed, planned?.requirements.get(instanceTypeLabel)?.minValues],
      [["small"], true, 1],
    );
  });

  it("keep pods apart that leave too little choice together", () => {
    const accepting = (name: string, ...types: string[]) =>
      pod(name, { affinity: nodeAffinity([expression(instanceTypeLabel, "In", ...types)]) });
    const two = pool("default", { requirements: [atLeast(2, instanceTypeLabel, "Exists")] });
    const answer = plan([two, accepting("a", "small", "medium"), accepting("b", "medium", "large")]);
    assert.deepEqual(outcome(answer), { launched: ["medium: b", "small: a"], placed: {}, refused: {} });
  });
});
