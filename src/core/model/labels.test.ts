import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  isLabelValue,
  isQualifiedName,
  isRestrictedLabel,
  normalizeLabelKey,
  restrictedLabelDomains,
  wellKnownLabels,
} from "./labels.ts";

test("old names stand for the stable ones", () => {
  const old = [
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/instance-type",
    "topology.ebs.csi.aws.com/zone",
    "example.com/team",
  ];
  assert.deepEqual(old.map(normalizeLabelKey), [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/zone",
    "example.com/team",
  ]);
});

describe("isRestrictedLabel", () => {
  const cases: [string, boolean][] = [
    ["karpenter.sh/capacity-type", false],
    ["karpenter.sh/nodepool", false],
    ["karpenter.sh/anything", true],
    ["a.b.karpenter.sh/anything", true],
    ["my-karpenter.sh/anything", false],
    ["karpenter.sh", false],
    ["karpenter.sh.example.com/x", false],
    ["kubernetes.io/hostname", true],
    ["topology.kubernetes.io/zone", false],
    ["example.com/team", false],
    ["team", false],
  ];
  for (const [key, expected] of cases) {
    test(`${key} is ${expected ? "" : "not "}restricted`, () => assert.equal(isRestrictedLabel(key), expected));
  }

  test("a provider's domain is restricted but for its well-known labels", () => {
    const wellKnown = new Set([...wellKnownLabels, "cloud.example/family"]);
    const domains = new Set([...restrictedLabelDomains, "cloud.example"]);
    const keys = ["cloud.example/family", "cloud.example/other", "karpenter.sh/other"];
    assert.deepEqual(
      keys.map((key) => isRestrictedLabel(key, wellKnown, domains)),
      [false, true, true],
    );
  });
});

describe("isQualifiedName", () => {
  const longDomain = `${"a.".repeat(126)}a`;
  const good = ["a", "A", "a-b_c.d", "example.com/a", "x-1.example.com/A.b", "1", "a".repeat(63), `${longDomain}/a`];
  const prefixes = ["/a", "a/", "a/b/c", "Example.com/a", "-a.com/b", "a..b/c", "a_b/c", `${longDomain}b/a`];
  const names = ["", "-a", "a-", ".a", "a b", "ä", "a\n", "a".repeat(64)];
  for (const key of good) test(`${key} is one`, () => assert.equal(isQualifiedName(key), true));
  for (const key of [...prefixes, ...names]) {
    test(`${JSON.stringify(key)} is not one`, () => assert.equal(isQualifiedName(key), false));
  }
});

describe("isLabelValue", () => {
  for (const value of ["", "a", "1.5", "A_b-c", "a".repeat(63)]) {
    test(`${JSON.stringify(value)} is one`, () => assert.equal(isLabelValue(value), true));
  }
  for (const value of ["-a", "a.", "a/b", "a b", "a".repeat(64)]) {
    test(`${JSON.stringify(value)} is not one`, () => assert.equal(isLabelValue(value), false));
  }
});
