import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type * as ec2 from "@aws-sdk/client-ec2";
import type { InstanceType } from "../../../core/model/instance-type.ts";
import { makeRequirement } from "../../../core/model/requirements.ts";
import { describeMachine } from "./describe-machine.ts";
import { instanceIdOf, isGoing, readMachine } from "./machine.ts";

const instance: ec2.Instance = {
  InstanceId: "i-1",
  InstanceType: "m5.large",
  ImageId: "ami-1",
  SubnetId: "subnet-1",
  LaunchTime: new Date(1000),
  State: { Name: "running" },
  Placement: { AvailabilityZone: "us-west-2a", Tenancy: "default" },
  SecurityGroups: [{ GroupId: "sg-1" }],
  IamInstanceProfile: { Arn: "arn:aws:iam::1:instance-profile/karpenter/us-west-2/c/uid/c_1" },
  Tags: [
    { Key: "karpenter.sh/nodepool", Value: "default" },
    { Key: "karpenter.k8s.aws/ec2nodeclass", Value: "class" },
    { Key: "karpenter.k8s.aws/ec2nodeclass-hash", Value: "ts0:123" },
  ],
};

describe("a machine", () => {
  it("is read from what AWS says", () => {
    const machine = readMachine(instance, true);
    assert.equal(machine.providerId, "aws:///us-west-2a/i-1");
    assert.equal(machine.capacityType, "on-demand");
    assert.equal(machine.instanceProfile, "c_1");
    assert.equal(isGoing(machine), false);
    assert.equal(isGoing({ ...machine, state: "shutting-down" }), true);
  });

  it("is paid for as its launch asked", () => {
    const spot = readMachine({ ...instance, SpotInstanceRequestId: "sir-1" }, true);
    assert.equal(spot.capacityType, "spot");
    const isIn = { CapacityReservationId: "cr-1" };
    const open = readMachine({ ...instance, ...isIn }, true);
    assert.equal(open.capacityType, "on-demand");
    const meant = {
      ...instance,
      ...isIn,
      CapacityReservationSpecification: { CapacityReservationPreference: "capacity-reservations-only" as const },
    };
    assert.deepEqual(readMachine(meant, true).reservation, { id: "cr-1", type: "default", isInterruptible: false });
    assert.equal(readMachine(meant, false).capacityType, "on-demand");
    const block = readMachine({ ...meant, InstanceLifecycle: "capacity-block" }, true);
    assert.equal(block.reservation?.type, "capacity-block");
  });

  it("is named by the end of its provider id, whatever else somebody writes there", () => {
    assert.equal(instanceIdOf("aws:///us-west-2a/i-0123456789abcdef0"), "i-0123456789abcdef0");
    for (const other of ["", "kwok://node", "aws:///us-west-2a/", "aws:///a/b/i-1", "aws:///a/i-1;drop", "i-1"]) {
      assert.equal(instanceIdOf(other), undefined, other);
    }
  });
});

describe("what the cluster is told of a machine", () => {
  const type: InstanceType = {
    name: "m5.large",
    requirements: new Map([
      ["kubernetes.io/arch", makeRequirement("In", ["amd64"])],
      ["topology.kubernetes.io/zone", makeRequirement("In", ["us-west-2a", "us-west-2b"])],
      ["karpenter.k8s.aws/instance-gpu-name", makeRequirement("DoesNotExist", [])],
      ["karpenter.k8s.aws/capacity-reservation-id", makeRequirement("In", ["cr-1"])],
    ]),
    capacity: new Map([
      ["cpu", 2000],
      ["nvidia.com/gpu", 0],
      ["vpc.amazonaws.com/efa", 1],
    ]),
    allocatable: new Map([["cpu", 1930]]),
    offerings: [],
  };
  const context = { claimName: "claim", zoneId: "usw2-az1", type };

  it("has a label for all that is certain", () => {
    const { labels } = describeMachine(readMachine(instance, true), context);
    assert.deepEqual(Object.fromEntries([...labels].sort()), {
      "karpenter.k8s.aws/ec2nodeclass": "class",
      "karpenter.k8s.aws/instance-tenancy": "default",
      "karpenter.sh/capacity-type": "on-demand",
      "karpenter.sh/nodepool": "default",
      "kubernetes.io/arch": "amd64",
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.k8s.aws/zone-id": "usw2-az1",
      "topology.kubernetes.io/zone": "us-west-2a",
    });
  });

  it("has only what is there", () => {
    const machine = readMachine(instance, true);
    assert.deepEqual([...describeMachine(machine, context).capacity], [["cpu", 2000]]);
    const withEfa = describeMachine({ ...machine, efaInterfaces: 1 }, context);
    assert.equal(withEfa.capacity.get("vpc.amazonaws.com/efa"), 1);
  });

  it("says of which node class and with which profile it was launched", () => {
    const { annotations } = describeMachine(readMachine(instance, true), context);
    assert.equal(annotations.get("karpenter.k8s.aws/ec2nodeclass-hash"), "123");
    // As it was hashed then, whoever reads it.
    assert.equal(annotations.get("karpenter.k8s.aws/ec2nodeclass-hash-version"), "ts0");
    assert.equal(annotations.get("karpenter.k8s.aws/instance-profile-name"), "c_1");
  });

  it("is little when nobody sells it any more", () => {
    const told = describeMachine(readMachine(instance, true), { ...context, type: undefined });
    assert.equal(told.capacity.size, 0);
    assert.equal(told.labels.get("node.kubernetes.io/instance-type"), "m5.large");
  });
});
