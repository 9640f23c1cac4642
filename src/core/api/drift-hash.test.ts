import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition } from "../model/condition.ts";
import { isOfOldTemplate, nodePoolHash, nodePoolHashAnnotations, restampClaim } from "./drift-hash.ts";

interface Parts {
  readonly spec?: object;
  readonly template?: object;
  readonly templateMetadata?: object;
}

const taints = [
  { key: "a", value: "1", effect: "NoSchedule" },
  { key: "b", effect: "NoExecute" },
];

function pool({ spec, template, templateMetadata }: Parts = {}): unknown {
  return {
    metadata: { name: "default" },
    spec: {
      template: {
        metadata: { labels: { team: "a", tier: "b" }, annotations: { note: "x" }, ...templateMetadata },
        spec: {
          nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
          requirements: [],
          taints,
          startupTaints: taints,
          expireAfter: "720h",
          terminationGracePeriod: "1h",
          ...template,
        },
      },
      ...spec,
    },
  };
}

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

describe("nodePoolHash", () => {
  const same: [string, Parts][] = [
    ["requirements", { template: { requirements: [{ key: "a", operator: "Exists" }] } }],
    ["limits", { spec: { limits: { cpu: "1" } } }],
    ["weight", { spec: { weight: 3 } }],
    ["replicas", { spec: { replicas: 3 } }],
    ["disruption", { spec: { disruption: { consolidateAfter: "Never", budgets: [] } } }],
    ["the order of taints", { template: { taints: taints.toReversed(), startupTaints: taints.toReversed() } }],
    ["the order of labels", { templateMetadata: { labels: { tier: "b", team: "a" } } }],
    ["how a duration is written", { template: { expireAfter: "43200m", terminationGracePeriod: "3600s" } }],
    ["an empty value of a taint", { template: { taints: [taints[0], { ...taints[1], value: "" }] } }],
  ];
  for (const [what, parts] of same) {
    it(`is the same whatever ${what} may be`, () => {
      assert.equal(nodePoolHash(pool(parts)), nodePoolHash(pool()));
    });
  }

  const others: [string, Parts][] = [
    ["labels", { templateMetadata: { labels: { team: "b", tier: "b" } } }],
    ["no labels", { templateMetadata: { labels: {} } }],
    ["annotations", { templateMetadata: { annotations: { note: "y" } } }],
    ["taints", { template: { taints: [taints[0]] } }],
    ["the value of a taint", { template: { taints: [{ ...taints[0], value: "2" }, taints[1]] } }],
    ["startup taints", { template: { startupTaints: [] } }],
    ["the group of the node class", { template: { nodeClassRef: { ...nodeClassRef, group: "other" } } }],
    ["the kind of the node class", { template: { nodeClassRef: { ...nodeClassRef, kind: "Other" } } }],
    ["the name of the node class", { template: { nodeClassRef: { ...nodeClassRef, name: "other" } } }],
    ["expireAfter", { template: { expireAfter: "Never" } }],
    ["expireAfter of nothing", { template: { expireAfter: "0s" } }],
    ["terminationGracePeriod", { template: { terminationGracePeriod: "2h" } }],
    ["no terminationGracePeriod", { template: { terminationGracePeriod: undefined } }],
  ];
  for (const [what, parts] of others) {
    it(`is another with other ${what}`, () => {
      assert.notEqual(nodePoolHash(pool(parts)), nodePoolHash(pool()));
    });
  }

  it("tells all of these apart", () => {
    const hashes = others.map(([, parts]) => nodePoolHash(pool(parts)));
    assert.equal(new Set(hashes).size, others.length);
  });

  it("stays what it is from one release to the next: with another, all nodes would drift", () => {
    assert.equal(nodePoolHash(pool()), "5901790789102002274");
  });

  it("takes anything for a pool", () => {
    for (const wire of [undefined, 7, [], {}, { spec: { template: { metadata: { labels: 3 } } } }]) {
      assert.match(nodePoolHash(wire), /^\d+$/);
    }
  });
});

describe("restampClaim", () => {
  const drifted: Condition = {
    type: "Drifted",
    status: "True",
    reason: "NodePoolDrifted",
    message: "",
    lastTransitionTime: 0,
    observedGeneration: 1,
  };
  const claim = (version: string | undefined, conditions: readonly Condition[] = []) => {
    const stamp = version === undefined ? [] : [["karpenter.sh/nodepool-hash-version", version] as const];
    return { annotations: new Map([["karpenter.sh/nodepool-hash", "1"], ...stamp]), conditions };
  };

  it("gives a claim with a hash of another making the hash of its pool", () => {
    assert.deepEqual(restampClaim(claim("v3"), "2"), nodePoolHashAnnotations("2"));
    assert.deepEqual(restampClaim(claim(undefined), "2"), nodePoolHashAnnotations("2"));
  });

  it("leaves a drifted claim the hash that it drifted with", () => {
    assert.deepEqual(restampClaim(claim("v3", [drifted]), "2"), { "karpenter.sh/nodepool-hash-version": "ts1" });
  });

  it("leaves a claim alone whose hash is of our making", () => {
    assert.equal(restampClaim(claim("ts1"), "2"), undefined);
  });
});

describe("isOfOldTemplate", () => {
  const stamped = (hash: string | undefined, version: string | undefined) => ({
    annotations: new Map(
      Object.entries({ "karpenter.sh/nodepool-hash": hash, "karpenter.sh/nodepool-hash-version": version }).flatMap(
        ([key, value]) => (value === undefined ? [] : [[key, value] as const]),
      ),
    ),
  });
  const ours = { ...stamped("1", "ts1"), hash: "2" };

  it("compares the hash of a claim with what the pool says now", () => {
    assert.deepEqual(
      [isOfOldTemplate(stamped("1", "ts1"), ours), isOfOldTemplate(stamped("2", "ts1"), ours)],
      [true, false],
    );
  });

  it("cannot tell of a pool that does not bear our hash", () => {
    assert.equal(isOfOldTemplate(stamped("1", "v3"), { ...stamped("1", "v3"), hash: "2" }), undefined);
    assert.equal(isOfOldTemplate(stamped("1", "ts1"), { ...stamped(undefined, undefined), hash: "2" }), undefined);
  });

  it("takes no offence at a claim without a hash of ours", () => {
    for (const claim of [stamped("1", "v3"), stamped("1", undefined), stamped(undefined, "ts1")]) {
      assert.equal(isOfOldTemplate(claim, ours), false);
    }
  });
});
