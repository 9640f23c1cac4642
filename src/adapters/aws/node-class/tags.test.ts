import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tagProblem } from "./tags.ts";

describe("tagProblem", () => {
  it("finds nothing wrong with tags of one's own", () => {
    const own = ["Name", "team", "kubernetes.io/other", "kubernetes.io/cluster/", "karpenter.sh/discovery", ""];
    assert.equal(tagProblem(new Map(own.map((key) => [key, "a"]))), undefined);
  });

  for (const key of [
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
    "kubernetes.io/cluster/web-1_a",
  ]) {
    it(`refuses ${key}`, () => {
      assert.equal(
        tagProblem(
          new Map([
            ["team", "a"],
            [key, "b"],
          ]),
        ),
        `Karpenter sets the tags "${key}" itself: leave them out of spec.tags`,
      );
    });
  }

  it("refuses more than fit on a machine beside ours", () => {
    const tags = (count: number) => new Map(Array.from({ length: count }, (_, index) => [`tag-${index}`, ""]));
    assert.equal(tagProblem(tags(43)), undefined);
    assert.match(tagProblem(tags(44)) ?? "", /44 tags, and only 43 fit on a machine/);
  });
});
