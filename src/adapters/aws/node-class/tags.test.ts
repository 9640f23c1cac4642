import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { restrictedTagProblem } from "./tags.ts";

describe("restrictedTagProblem", () => {
  it("finds nothing wrong with tags of one's own", () => {
    const own = ["Name", "team", "kubernetes.io/other", "kubernetes.io/cluster/", "karpenter.sh/discovery", ""];
    assert.equal(restrictedTagProblem(new Map(own.map((key) => [key, "a"]))), undefined);
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
        restrictedTagProblem(
          new Map([
            ["team", "a"],
            [key, "b"],
          ]),
        ),
        `Karpenter sets the tags "${key}" itself: leave them out of spec.tags`,
      );
    });
  }
});
