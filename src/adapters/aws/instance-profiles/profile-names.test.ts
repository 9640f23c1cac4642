import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { legacyProfileName, newProfileName, nodeClassPath, profileTags, roleNameOf } from "./profile-names.ts";

const scope = { clusterName: "prod", region: "us-west-2" };

describe("names of instance profiles", () => {
  it("are of the cluster, and never the same twice", () => {
    const first = newProfileName(scope, modelEc2NodeClass(), "1");
    assert.match(first, /^prod_\d{1,20}$/);
    assert.notEqual(first, newProfileName(scope, modelEc2NodeClass(), "2"));
  });

  it("were another way before profiles had paths", () => {
    assert.equal(legacyProfileName(scope, modelEc2NodeClass()), "prod_4067990795380418201");
    assert.equal(legacyProfileName({ ...scope, clusterName: "a b" }, modelEc2NodeClass()), undefined);
    assert.equal(legacyProfileName({ ...scope, clusterName: "x".repeat(110) }, modelEc2NodeClass()), undefined);
  });

  it("are below the path of their node class", () => {
    assert.equal(nodeClassPath(scope, { uid: "u" }), "/karpenter/us-west-2/prod/u/");
  });

  it("take a role without its path", () => {
    assert.equal(roleNameOf("teams/a/node"), "node");
    assert.equal(roleNameOf("node"), "node");
  });

  it("are tagged so that policies can tell whose they are, whatever the user's tags say", () => {
    const tags = new Map([
      ["team", "a"],
      ["eks:eks-cluster-name", "other"],
    ]);
    assert.deepEqual(profileTags(scope, modelEc2NodeClass({ spec: { tags } })), [
      { Key: "team", Value: "a" },
      { Key: "eks:eks-cluster-name", Value: "prod" },
      { Key: "kubernetes.io/cluster/prod", Value: "owned" },
      { Key: "karpenter.k8s.aws/ec2nodeclass", Value: "default" },
      { Key: "topology.kubernetes.io/region", Value: "us-west-2" },
    ]);
  });
});
