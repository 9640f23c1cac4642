import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeGaps } from "./describe-gaps.ts";
import { describeFailure } from "./open-cluster.ts";

describe("a cluster that cannot be looked at", () => {
  it("is told of with the next step", () => {
    const server = "https://x";
    const forbidden = { status: 403, body: { message: 'nodes is forbidden: User "me" cannot list' } };
    const texts = [
      new Error("No whole answer to GET /api: getaddrinfo ENOTFOUND x"),
      forbidden,
      { status: 502, body: "" },
    ];
    assert.deepEqual(
      texts.map((what) => describeFailure(what, server)),
      [
        "Cannot reach the cluster at https://x: getaddrinfo ENOTFOUND x. See that it runs and that the kubeconfig is its own (kubectl cluster-info)",
        'The cluster at https://x does not let you look: nodes is forbidden: User "me" cannot list. You need get, list and watch on nodes and pods; on nodepools and nodeclaims too, to see what Karpenter makes of them',
        "The cluster at https://x answers with 502: HTTP 502. See that it is a Kubernetes API, and try again",
      ],
    );
  });

  it("is looked at without what it lacks or keeps to itself", () => {
    const gap = (plural: string, isForbidden: boolean) => ({ plural, isForbidden, message: "" });
    assert.deepEqual(
      describeGaps([
        gap("nodepools", false),
        gap("nodeclaims", false),
        gap("ec2nodeclasses", false),
        gap("csinodes", true),
      ]),
      [
        "this cluster does not know nodepools and nodeclaims: Karpenter's definitions are not installed",
        "you may not list csinodes, so they are left out",
      ],
    );
  });
});
