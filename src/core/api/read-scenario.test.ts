import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "./problem.ts";
import { instanceTypesFileOf, readScenario } from "./read-scenario.ts";

const spec = { containers: [{}] };
const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

describe("readScenario", () => {
  it("places every pod that has no node, whatever its conditions", () => {
    const { scenario, problems } = readScenario(
      {
        name: "small",
        nodePools: [
          { metadata: { name: "default" }, spec: { template: { spec: { nodeClassRef, requirements: [] } } } },
        ],
        pods: [
          { metadata: { name: "a" }, spec },
          { apiVersion: "v1", kind: "Pod", metadata: { name: "b" }, spec: { ...spec, nodeName: "n1" } },
          { metadata: { name: "c" }, spec, status: { phase: "Succeeded" } },
        ],
        objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }],
      },
      [],
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      [
        scenario?.name,
        scenario?.pendingPods,
        scenario?.snapshot.podsByNode.get("n1"),
        scenario?.snapshot.nodePools,
      ].map((value) => (typeof value === "object" ? value.map(({ name }) => name) : value)),
      ["small", ["a"], ["b"], ["default"]],
    );
  });

  it("keeps the scenario when single objects are wrong, and says which", () => {
    const { scenario, problems } = readScenario(
      { name: "x", nodePools: [{}], pods: [{}, { metadata: { name: "a" }, spec }] },
      [7],
    );
    assert.deepEqual(
      scenario?.pendingPods.map(({ name }) => name),
      ["a"],
    );
    assert.deepEqual(problems.map(describeProblem), [
      "InstanceType [0] must be an object.",
      "Pod without a name: metadata.name must be a non-empty string, but is missing.",
      "Pod without a name: spec.containers must have at least one container.",
      "NodePool without a name: metadata.name must be a non-empty string, but is missing.",
      "NodePool without a name: spec.template.spec.nodeClassRef.group must be a non-empty string, but is missing.",
      "NodePool without a name: spec.template.spec.nodeClassRef.kind must be a non-empty string, but is missing.",
      "NodePool without a name: spec.template.spec.nodeClassRef.name must be a non-empty string, but is missing.",
    ]);
  });

  it("has no scenario in a file that is none", () => {
    const answers = [7, { pods: "many" }].map((json) => {
      const { scenario, problems } = readScenario(json, []);
      return [scenario, problems.map(describeProblem)];
    });
    assert.deepEqual(answers, [
      [undefined, ["Scenario must be an object with a name, nodePools and pods."]],
      [undefined, ['Scenario: pods must be a list, found "many".']],
    ]);
  });
});

describe("instanceTypesFileOf", () => {
  it("finds the catalogue that a scenario names", () => {
    assert.deepEqual([{ instanceTypesFile: "a.json" }, {}, null].map(instanceTypesFileOf), ["a.json", "", ""]);
  });
});
