import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isEphemeralTaint, type Taint, type Toleration, tolerates, untoleratedTaint } from "./taints.ts";

const dedicated: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };

function toleration(parts: Partial<Toleration>): Toleration {
  return { key: "dedicated", operator: "Equal", value: "gpu", effect: "NoSchedule", ...parts };
}

describe("a toleration", () => {
  const cases: [string, Partial<Toleration>, boolean][] = [
    ["with the same key, value and effect", {}, true],
    ["for another value", { value: "cpu" }, false],
    ["for another key", { key: "other" }, false],
    ["for another effect", { effect: "NoExecute" }, false],
    ["for every effect", { effect: "" }, true],
    ["for every value of the key", { operator: "Exists", value: "" }, true],
    ["for every value of another key", { operator: "Exists", key: "other", value: "" }, false],
    ["for everything", { operator: "Exists", key: "", value: "", effect: "" }, true],
    ["for everything with another effect", { operator: "Exists", key: "", value: "", effect: "NoExecute" }, false],
    ["above a number", { operator: "Gt", value: "1" }, false],
  ];
  for (const [what, parts, expected] of cases) {
    test(`${what} ${expected ? "tolerates" : "does not tolerate"} the taint`, () => {
      assert.equal(tolerates([toleration(parts)], dedicated), expected);
    });
  }

  const comparisons: [string, "Gt" | "Lt", string, boolean][] = [
    ["950", "Gt", "900", true],
    ["900", "Gt", "900", false],
    ["850", "Gt", "900", false],
    ["850", "Lt", "900", true],
    ["900", "Lt", "900", false],
    ["-5", "Lt", "0", true],
    ["9007199254740993", "Gt", "9007199254740992", true],
    ["9223372036854775808", "Gt", "1", false],
    ["gpu", "Gt", "1", false],
    ["5", "Gt", "some", false],
    ["5", "Gt", "", false],
    ["05", "Gt", "1", false],
    ["5.5", "Gt", "1", false],
  ];
  for (const [value, operator, threshold, expected] of comparisons) {
    test(`${operator} ${threshold} ${expected ? "tolerates" : "does not tolerate"} the value ${value}`, () => {
      const taint: Taint = { key: "dedicated", value, effect: "NoSchedule" };
      assert.equal(tolerates([toleration({ operator, value: threshold })], taint), expected);
    });
  }
});

describe("untoleratedTaint", () => {
  test("names the first taint that nothing tolerates, preferences included", () => {
    const preferred: Taint = { key: "slow", value: "", effect: "PreferNoSchedule" };
    assert.equal(untoleratedTaint([toleration({})], [dedicated, preferred]), preferred);
    assert.equal(untoleratedTaint([toleration({})], [dedicated]), undefined);
    assert.equal(untoleratedTaint([], []), undefined);
  });
});

describe("isEphemeralTaint", () => {
  const cases: [string, Taint["effect"], boolean][] = [
    ["node.kubernetes.io/not-ready", "NoSchedule", true],
    ["node.kubernetes.io/not-ready", "NoExecute", true],
    ["node.kubernetes.io/unreachable", "NoSchedule", true],
    ["node.kubernetes.io/unreachable", "NoExecute", false],
    ["node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule", true],
    ["karpenter.sh/unregistered", "NoExecute", true],
    ["karpenter.sh/unregistered", "NoSchedule", true],
    ["karpenter.sh/disrupted", "NoSchedule", false],
    ["readiness.k8s.io/network", "NoExecute", true],
    ["example.com/startup", "NoSchedule", false],
  ];
  for (const [key, effect, expected] of cases) {
    test(`${key}:${effect} ${expected ? "goes" : "does not go"} away by itself`, () => {
      assert.equal(isEphemeralTaint({ key, value: "anything", effect }), expected);
    });
  }
});
