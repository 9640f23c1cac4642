import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import { makeRequirement } from "../../../core/model/requirements.ts";
import { addressesByZone, makeFleetInput } from "./fleet-request.ts";
import type { LaunchPlan } from "./plan-launch.ts";

describe("a request for a fleet", () => {
  it("names each type once in each zone that has a subnet", () => {
    const input = make({ capacityType: "on-demand" });
    assert.deepEqual(input?.LaunchTemplateConfigs, [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: "template", Version: "$Latest" },
        Overrides: [
          { InstanceType: "m5.large", SubnetId: "subnet-a", ImageId: "ami-1", AvailabilityZone: "a", Priority: 0.1 },
        ],
      },
    ]);
    assert.deepEqual(input?.TargetCapacitySpecification, {
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: "on-demand",
    });
    assert.deepEqual(input?.OnDemandOptions, { AllocationStrategy: "lowest-price" });
  });

  it("is none without a subnet", () => {
    assert.equal(make({ capacityType: "on-demand" }, { subnets: new Map() }), undefined);
  });

  it("says how to choose, which prices of our own change", () => {
    const overlay = { annotations: new Map([["karpenter.sh/price-overlay-applied", "true"]]) };
    const strategies = [
      make({ capacityType: "spot" })?.SpotOptions,
      make({ capacityType: "spot" }, { claim: overlay })?.SpotOptions,
      make({ capacityType: "on-demand" }, { claim: overlay })?.OnDemandOptions,
    ].map((options) => options?.AllocationStrategy);
    assert.deepEqual(strategies, ["price-capacity-optimized", "capacity-optimized-prioritized", "prioritized"]);
  });

  it("asks for reserved capacity in the way of its kind", () => {
    const plain = make({ capacityType: "reserved" });
    assert.equal(plain?.TargetCapacitySpecification?.DefaultTargetCapacityType, "on-demand");
    const block = make({ capacityType: "reserved", reservationType: "capacity-block" });
    assert.equal(block?.TargetCapacitySpecification?.DefaultTargetCapacityType, "capacity-block");
    assert.equal(block?.OnDemandOptions, undefined);
    const interruptible = make({ capacityType: "reserved", isInterruptible: true });
    assert.equal(interruptible?.TargetCapacitySpecification?.DefaultTargetCapacityType, "reserved-capacity");
    assert.deepEqual(interruptible?.ReservedCapacityOptions, {
      ReservationTypes: ["interruptible-capacity-reservation"],
    });
  });

  it("passes on the context, unless the claim is no longer what was asked for", () => {
    const nodeClass = modelEc2NodeClass({ spec: { context: "fleet" } });
    assert.equal(make({ capacityType: "spot" }, { nodeClass })?.Context, "fleet");
    const relaxed = { annotations: new Map([["karpenter.sh/nodeclaim-min-values-relaxed", "true"]]) };
    assert.equal(make({ capacityType: "spot" }, { nodeClass, claim: relaxed })?.Context, undefined);
  });

  it("reckons with as many addresses as the smallest machine may use", () => {
    const plan = planOf({ capacityType: "spot" });
    assert.deepEqual(
      [...addressesByZone(plan)],
      [
        ["a", 29],
        ["b", 29],
      ],
    );
  });
});

interface Changes {
  readonly claim?: Partial<NodeClaim>;
  readonly nodeClass?: ReturnType<typeof modelEc2NodeClass>;
  readonly subnets?: ReadonlyMap<string, string>;
}

function make(fields: Partial<LaunchPlan>, { claim, nodeClass, subnets }: Changes = {}) {
  const plan = planOf(fields);
  return makeFleetInput({
    claim: { annotations: new Map(), ...claim } as NodeClaim,
    nodeClass: nodeClass ?? modelEc2NodeClass(),
    plan,
    templates: [{ templateName: "template", imageId: "ami-1", candidates: plan.candidates }],
    subnets: subnets ?? new Map([["a", "subnet-a"]]),
  });
}

function planOf(fields: Partial<LaunchPlan>): LaunchPlan {
  const offer = (zone: string) =>
    ({
      requirements: new Map([["topology.kubernetes.io/zone", makeRequirement("In", [zone])]]),
      price: 0.1,
    }) as unknown as Offering;
  const type = { name: "m5.large", capacity: new Map([["pods", 29]]) } as unknown as InstanceType;
  return {
    capacityType: "on-demand",
    tenancy: "default",
    reservationType: "default",
    isInterruptible: false,
    isSpotForgone: false,
    // Partitions of one zone look like this.
    candidates: [{ type, offerings: [offer("a"), offer("a"), offer("b")] }],
    ...fields,
  };
}
