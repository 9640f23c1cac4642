import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../problem.ts";
import { convertManifests } from "./convert-manifests.ts";

/** As a shell has it. */
const braced = (name: string) => `$\{${name}}`;

const provisioner = {
  apiVersion: "karpenter.sh/v1alpha5",
  kind: "Provisioner",
  metadata: { name: "a" },
  spec: {
    provider: {
      instanceProfile: `KarpenterNodeInstanceProfile-${braced("CLUSTER_NAME")}`,
      subnetSelector: { "karpenter.sh/discovery": "$CLUSTER_NAME" },
      securityGroupSelector: { "karpenter.sh/discovery": "<cluster-name>" },
      userData: `echo ${braced("HOME")}`,
    },
  },
};

describe("placeholders of articles", () => {
  it("are filled in where they are for the name of the cluster", () => {
    const { objects, problems } = convertManifests([provisioner], { clusterName: "$&demo" });
    const { spec } = objects[0] as { spec: Record<string, unknown> };
    assert.deepEqual(problems, []);
    assert.deepEqual(
      [spec.instanceProfile, spec.subnetSelectorTerms, spec.securityGroupSelectorTerms, spec.userData],
      [
        "KarpenterNodeInstanceProfile-$&demo",
        [{ tags: { "karpenter.sh/discovery": "$&demo" } }],
        [{ tags: { "karpenter.sh/discovery": "$&demo" } }],
        `echo ${braced("HOME")}`,
      ],
    );
  });

  it("are problems where nobody knows what they stand for", () => {
    const { objects, problems } = convertManifests([provisioner], { clusterName: undefined });
    assert.deepEqual(objects, []);
    assert.deepEqual(problems.map(describeProblem), [
      `Provisioner a: spec.provider.instanceProfile must not hold the placeholder "${braced("CLUSTER_NAME")}": write what it stands for.`,
    ]);
  });
});
