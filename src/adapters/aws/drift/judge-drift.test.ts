import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import { makeRequirement } from "../../../core/model/requirements.ts";
import type { Machine } from "../instances/machine.ts";
import type { Ec2NodeClassStatus } from "../node-class/ec2-node-class.ts";
import { type DriftQuestion, judgeDrift } from "./judge-drift.ts";

const arch = "kubernetes.io/arch";

describe("judgeDrift", () => {
  it("finds none where everything is as it would be launched now", () => {
    assert.equal(judgeDrift(question()), "");
  });

  it("finds another image, and none in one for other machines", () => {
    assert.equal(judgeDrift(question({ amis: [image("ami-2", "amd64"), image("ami-1", "arm64")] })), "AMIDrift");
    assert.equal(judgeDrift(question({ amis: [image("ami-2", "arm64"), image("ami-1", "amd64")] })), "");
  });

  it("finds other security groups, whatever their order", () => {
    assert.equal(judgeDrift(question({ securityGroups: groups("sg-2", "sg-1") })), "");
    assert.equal(judgeDrift(question({ securityGroups: groups("sg-1") })), "SecurityGroupDrift");
    assert.equal(judgeDrift(question({ securityGroups: groups("sg-1", "sg-3") })), "SecurityGroupDrift");
  });

  it("finds a subnet that is not selected any more", () => {
    assert.equal(judgeDrift(question({ subnets: [{ id: "subnet-2", zone: "a", zoneID: "z" }] })), "SubnetDrift");
  });

  it("finds a reservation that is not selected any more", () => {
    const reservation = { id: "cr-1", type: "default", isInterruptible: false } as const;
    const reserved = question();
    assert.equal(
      judgeDrift({ ...reserved, machine: { ...reserved.machine, reservation } }),
      "CapacityReservationDrift",
    );
  });

  it("finds another placement group", () => {
    const placementGroup = { id: "pg-1", name: "group", strategy: "cluster", partitions: 0 } as const;
    assert.equal(judgeDrift({ ...question(), placementGroup }), "PlacementGroupDrift");
    const labels = new Map([["karpenter.k8s.aws/placement-group-id", "pg-1"]]);
    assert.equal(judgeDrift({ ...question(), placementGroup, claim: claimWith({ labels }) }), "");
    assert.equal(judgeDrift({ ...question(), claim: claimWith({ labels }) }), "PlacementGroupDrift");
  });

  it("finds nothing in a placement group that is not known yet", () => {
    for (const labels of [new Map(), new Map([["karpenter.k8s.aws/placement-group-id", "pg-1"]])]) {
      assert.equal(judgeDrift({ ...question(), placementGroup: "unknown", claim: claimWith({ labels }) }), "");
    }
  });

  it("finds another node class first, where hashes can be compared", () => {
    const stamped = (hash: string, version: string) =>
      new Map([
        ["karpenter.k8s.aws/ec2nodeclass-hash", hash],
        ["karpenter.k8s.aws/ec2nodeclass-hash-version", version],
      ]);
    const asked = question({ amis: [image("ami-2", "amd64")] });
    const nodeClass = { ...asked.nodeClass, annotations: stamped("1", "ts1") };
    const judge = (annotations: ReadonlyMap<string, string>) =>
      judgeDrift({ ...asked, nodeClass, claim: claimWith({ annotations }) });
    assert.equal(judge(stamped("2", "ts1")), "NodeClassDrift");
    assert.equal(judge(stamped("2", "v6")), "AMIDrift");
  });

  it("takes what is not known for no reason", () => {
    const nothing = question({ amis: [], securityGroups: [], subnets: [] });
    assert.equal(judgeDrift({ ...nothing, type: undefined }), "");
    assert.equal(judgeDrift(question({ amis: [image("ami-2", "arm64")] })), "");
  });
});

function question(status: Partial<Ec2NodeClassStatus> = {}): DriftQuestion {
  return {
    claim: claimWith({}),
    nodeClass: modelEc2NodeClass({
      status: {
        amis: [image("ami-1", "amd64")],
        securityGroups: groups("sg-1", "sg-2"),
        subnets: [{ id: "subnet-1", zone: "a", zoneID: "z" }],
        ...status,
      },
    }),
    machine: { subnetId: "subnet-1", securityGroupIds: ["sg-1", "sg-2"], imageId: "ami-1" } as unknown as Machine,
    type: { requirements: new Map([[arch, makeRequirement("In", ["amd64"])]]) } as unknown as InstanceType,
    placementGroup: "none",
  };
}

function claimWith(fields: Partial<NodeClaim>): NodeClaim {
  return { labels: new Map(), annotations: new Map(), imageId: "ami-1", ...fields } as NodeClaim;
}

function image(id: string, value: string): Ec2NodeClassStatus["amis"][number] {
  const requirements = [{ key: arch, operator: "In", values: [value], minValues: undefined }] as const;
  return { id, name: id, deprecated: false, requirements };
}

function groups(...ids: readonly string[]): Ec2NodeClassStatus["securityGroups"] {
  return ids.map((id) => ({ id, name: id }));
}
