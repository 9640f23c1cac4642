import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "./problem.ts";
import { validateNodePool } from "./validate-node-pool.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

function verdictOn({ spec, template }: { spec?: object; template?: object }) {
  const { problems, warnings } = validateNodePool({
    metadata: { name: "default" },
    spec: { limits: { cpu: 10 }, template: { spec: { nodeClassRef, requirements: [], ...template } }, ...spec },
  });
  return { problems: problems.map(describeProblem), warnings: warnings.map(describeProblem) };
}

const fine = { problems: [], warnings: [] };
const capacityTypes = (values: string[], minValues?: number) => ({
  template: { requirements: [{ key: "karpenter.sh/capacity-type", operator: "In", values, minValues }] },
});

describe("validateNodePool", () => {
  it("has nothing to say about a sound pool", () => {
    assert.deepEqual(verdictOn({}), fine);
    assert.deepEqual(verdictOn(capacityTypes(["spot", "on-demand"], 2)), fine);
    const template = { expireAfter: "Never", terminationGracePeriod: "1m30s" };
    assert.deepEqual(verdictOn({ template, spec: { disruption: { consolidateAfter: "Never" } } }).problems, []);
  });

  it("warns of a pool that may spend without end, which a static one cannot", () => {
    const warning =
      "NodePool default: spec.limits is not set, so nothing bounds what the pool spends: set limits such as cpu, memory or nodes.";
    assert.deepEqual(verdictOn({ spec: { limits: undefined } }), { problems: [], warnings: [warning] });
    assert.deepEqual(verdictOn({ spec: { limits: {} } }), { problems: [], warnings: [warning] });
    assert.deepEqual(verdictOn({ spec: { limits: undefined, replicas: 3 } }), fine);
  });

  it("warns of a capacity type that does not exist beside one that does", () => {
    assert.deepEqual(verdictOn(capacityTypes(["spot", "bogus"])), {
      problems: [],
      warnings: [
        'NodePool default: spec.template.spec.requirements[0].values is partly ignored: use on-demand, spot, reserved, not "bogus".',
      ],
    });
  });

  it("refuses capacity types of which none, or too few, exist", () => {
    assert.deepEqual(verdictOn(capacityTypes(["bogus"])), {
      problems: [
        'NodePool default: spec.template.spec.requirements[0].values must include one of on-demand, spot, reserved, found "bogus".',
      ],
      warnings: [],
    });
    assert.deepEqual(verdictOn(capacityTypes(["spot", "bogus"], 2)).problems, [
      "NodePool default: spec.template.spec.requirements[0].minValues must be at most the number of values, 1, found 2.",
    ]);
  });

  it("refuses a taint that is there twice", () => {
    const taint = { key: "a", effect: "NoSchedule" };
    assert.deepEqual(verdictOn({ template: { taints: [taint], startupTaints: [taint] } }).problems, [
      "NodePool default: spec.template.spec.startupTaints must not repeat a:NoSchedule, in taints and startupTaints together.",
    ]);
  });

  it("refuses labels of ours, and values that no label can have", () => {
    const requirements = [
      { key: "a.karpenter.sh/b", operator: "Exists" },
      { key: "mykarpenter.sh/b", operator: "Exists" },
      { key: "team", operator: "In", values: ["-"] },
    ];
    assert.deepEqual(verdictOn({ template: { requirements } }).problems, [
      "NodePool default: spec.template.spec.requirements[0].key must not be a.karpenter.sh/b, which Karpenter sets itself.",
      'NodePool default: spec.template.spec.requirements[2].values[0] must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit, found "-".',
    ]);
  });

  it("refuses times that are none, for pools that no API server has seen", () => {
    const template = { expireAfter: "10d", terminationGracePeriod: "Never" };
    assert.deepEqual(verdictOn({ template, spec: { disruption: { consolidateAfter: "" } } }).problems, [
      'NodePool default: spec.disruption.consolidateAfter must be a duration such as "1h30m", found "".',
      'NodePool default: spec.template.spec.expireAfter must be a duration such as "1h30m", found "10d".',
      'NodePool default: spec.template.spec.terminationGracePeriod must be a duration such as "1h30m", or left out to wait for ever.',
    ]);
  });

  it("takes anything for a pool", () => {
    for (const wire of [undefined, 7, [], { spec: 7 }, { spec: { limits: [], template: { spec: [] } } }]) {
      assert.notDeepEqual(validateNodePool(wire).problems, []);
    }
  });
});
