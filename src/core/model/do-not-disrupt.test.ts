import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { holdAnnotationOf, holdOf, holdOfNode } from "./do-not-disrupt.ts";

const pod = (annotations: Readonly<Record<string, string>>, startedAt?: number) =>
  holdOf({ annotations: new Map(Object.entries(annotations)), startedAt });

describe("the hold of a pod", () => {
  it("is for ever, until a time that counts from its start, or none", () => {
    const held = (value: string, startedAt?: number) => pod({ "karpenter.sh/do-not-disrupt": value }, startedAt);
    assert.deepEqual(pod({}), { kind: "none" });
    assert.deepEqual(
      ["true", "false", "0s"].map((value) => held(value).kind),
      ["forever", "none", "none"],
    );
    assert.deepEqual(held("1m", 5_000), { kind: "until", time: 65_000 });
    assert.deepEqual(held("1m"), { kind: "until", time: undefined });
    assert.deepEqual(held("yes"), { kind: "invalid", value: "yes" });
  });

  it("goes by the name of before v0.32 too, with the value that counted then", () => {
    const held = (value: string) => pod({ "karpenter.sh/do-not-evict": value });
    assert.deepEqual(
      ["true", "false", "1h", "yes"].map((value) => held(value).kind),
      ["forever", "none", "none", "none"],
    );
  });

  it("is what the name of today says where both are there", () => {
    const both = { "karpenter.sh/do-not-evict": "true", "karpenter.sh/do-not-disrupt": "false" };
    assert.deepEqual(pod(both), { kind: "none" });
    const nameOf = (annotations: object) => holdAnnotationOf({ annotations: new Map(Object.entries(annotations)) });
    assert.deepEqual(
      [nameOf(both), nameOf({ "karpenter.sh/do-not-evict": "true" })],
      ["karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-evict"],
    );
  });
});

describe("the hold of a node", () => {
  it("goes by the name of today and that of before v0.32, and not by that of pods", () => {
    const held = (annotation: string, value = "true") => holdOfNode({ annotations: new Map([[annotation, value]]) });
    assert.deepEqual(
      [
        held("karpenter.sh/do-not-disrupt"),
        held("karpenter.sh/do-not-consolidate"),
        held("karpenter.sh/do-not-consolidate", "1h"),
        held("karpenter.sh/do-not-evict"),
      ],
      ["karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-consolidate", undefined, undefined],
    );
  });
});
