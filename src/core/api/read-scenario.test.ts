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
          { metadata: { name: "d" }, spec: { ...spec, schedulingGates: [{ name: "quota" }] } },
          { metadata: { name: "e" }, spec: { ...spec, schedulingGates: [] } },
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
      ["small", ["a", "e"], ["b"], ["default"]],
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

  it("takes for pods and pools what does not say that it is something else", () => {
    const metadata = { name: "x" };
    const { scenario, problems } = readScenario(
      {
        nodePools: [{ kind: "NodePool", metadata, spec: { template: { spec: { nodeClassRef } } } }, { kind: "Pod" }],
        pods: [
          { kind: "Pod", metadata: { name: "a" }, spec },
          { apiVersion: "v1", metadata: { name: "b" }, spec },
          { apiVersion: "v1", kind: "PodList", items: [{ metadata: { name: "c" }, spec }] },
          { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } },
          { apiVersion: "apps/v1", metadata },
          { kind: 7 },
          "d",
          null,
        ],
        objects: [[], {}, { apiVersion: "v1", kind: "Secret", metadata }],
      },
      [],
    );
    assert.deepEqual(
      [scenario?.pendingPods, scenario?.snapshot.nodePools].map((list) => list?.map(({ name }) => name)),
      [["a", "b", "c"], ["x"]],
    );
    assert.deepEqual(problems.map(describeProblem), [
      "Scenario: objects[0] must be an object with apiVersion and kind, found a list.",
      "Scenario: objects[1] must have a kind.",
      "Scenario: nodePools[1] must be a NodePool (karpenter.sh/v1), found Pod without a name.",
      "Scenario: pods[3] must be a Pod (v1), found Deployment shop/web (apps/v1).",
      'Scenario: pods[4] must be a Pod (v1), found apiVersion "apps/v1".',
      "Scenario: pods[5] must be a Pod (v1), found kind 7.",
      'Scenario: pods[6] must be a Pod (v1), found "d".',
      "Scenario: pods[7] must be a Pod (v1), but is missing.",
      "Secret x (v1) is not used in planning and was left out.",
    ]);
  });

  it("reads the constraints that the cluster gives to pods without any", () => {
    const zones = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" };
    const { scenario, problems } = readScenario({ defaultConstraints: [zones] }, []);
    assert.deepEqual(problems, []);
    assert.deepEqual(scenario?.defaultConstraints, [
      {
        topologyKey: "topology.kubernetes.io/zone",
        maxSkew: 1,
        minDomains: undefined,
        isRequired: false,
        selector: undefined,
        matchLabelKeys: [],
        honorsNodeAffinity: true,
        honorsNodeTaints: false,
      },
    ]);
  });

  it("uses none of the constraints when one of them is wrong, and says why", () => {
    const zones = { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" };
    const { scenario, problems } = readScenario(
      {
        defaultConstraints: [
          zones,
          zones,
          { ...zones, whenUnsatisfiable: "ScheduleAnyway", maxSkew: 0 },
          { topologyKey: "a b", whenUnsatisfiable: "Maybe" },
          { ...zones, topologyKey: "y", labelSelector: "x", matchLabelKeys: ["v"], maxSkews: 1 },
          "z",
        ],
      },
      [],
    );
    assert.deepEqual(scenario?.defaultConstraints, []);
    const because = "what each pod is counted with comes from its services and its owner";
    assert.deepEqual(
      problems.map(({ field, message }) => `${field} ${message}`),
      [
        "defaultConstraints[1] must not repeat z with DoNotSchedule",
        "defaultConstraints[2].maxSkew must be a whole number from 1 to 2147483647, found 0",
        "defaultConstraints[3].maxSkew must be a whole number greater than 0, but is missing",
        'defaultConstraints[3].whenUnsatisfiable must be one of DoNotSchedule, ScheduleAnyway, found "Maybe"',
        'defaultConstraints[3].topologyKey must be a label key such as topology.kubernetes.io/zone, found "a b"',
        `defaultConstraints[4].labelSelector must not be set: ${because}`,
        `defaultConstraints[4].matchLabelKeys must not be set: ${because}`,
        "defaultConstraints[4].maxSkews is not a field of a spread constraint",
        'defaultConstraints[5] must be an object, found "z"',
      ],
    );
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
