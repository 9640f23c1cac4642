import type * as ec2 from "@aws-sdk/client-ec2";
import { zoneLabel } from "../../../core/model/labels.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { type Candidate, type LaunchPlan, labelOf, minValuesRelaxedAnnotation } from "./plan-launch.ts";

/** One launch template, and the types that can be launched from it. */
export interface TemplateUse {
  readonly templateName: string;
  readonly imageId: string;
  readonly candidates: readonly Candidate[];
}

/** A request for one machine, without what differs between claims that ask for the same. */
export type FleetInput = Pick<
  ec2.CreateFleetCommandInput,
  | "Type"
  | "LaunchTemplateConfigs"
  | "Context"
  | "SpotOptions"
  | "OnDemandOptions"
  | "ReservedCapacityOptions"
  | "TargetCapacitySpecification"
>;

export interface FleetQuestion {
  readonly claim: NodeClaim;
  readonly nodeClass: Ec2NodeClass;
  readonly plan: LaunchPlan;
  readonly templates: readonly TemplateUse[];
  /** By zone. */
  readonly subnets: ReadonlyMap<string, string>;
}

/** On claims whose offerings were priced by an overlay: AWS does not know those prices, and is told the order. */
const priceOverlayAnnotation = "karpenter.sh/price-overlay-applied";

/** Undefined when there is no subnet in any zone where something could be had. */
export function makeFleetInput(question: FleetQuestion): FleetInput | undefined {
  const { claim, nodeClass, plan, templates, subnets } = question;
  const configs = templates.flatMap(({ templateName, imageId, candidates }) => {
    const overrides = candidates.flatMap((candidate) => overridesOf(candidate, imageId, subnets));
    if (overrides.length === 0) return [];
    const template = { LaunchTemplateName: templateName, Version: "$Latest" };
    return [{ LaunchTemplateSpecification: template, Overrides: overrides }];
  });
  if (configs.length === 0) return undefined;
  const { context } = nodeClass.spec;
  const isRelaxed = claim.annotations.get(minValuesRelaxedAnnotation) === "true";
  return {
    Type: "instant",
    LaunchTemplateConfigs: configs,
    TargetCapacitySpecification: {
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: targetTypeOf(plan),
    },
    ...(context === undefined || isRelaxed ? {} : { Context: context }),
    ...strategyOf(plan, claim.annotations.has(priceOverlayAnnotation)),
  };
}

/** Each zone once: partitions of a placement group are the same to a fleet. */
function overridesOf(
  { type, offerings }: Candidate,
  imageId: string,
  subnets: ReadonlyMap<string, string>,
): ec2.FleetLaunchTemplateOverridesRequest[] {
  const byZone = new Map<string, ec2.FleetLaunchTemplateOverridesRequest>();
  for (const offering of offerings) {
    const zone = labelOf(offering, zoneLabel);
    const subnet = subnets.get(zone);
    if (subnet === undefined || byZone.has(zone)) continue;
    byZone.set(zone, {
      InstanceType: type.name as ec2._InstanceType,
      SubnetId: subnet,
      ImageId: imageId,
      AvailabilityZone: zone,
      Priority: offering.price,
    });
  }
  return [...byZone.values()];
}

function targetTypeOf({ capacityType, reservationType, isInterruptible }: LaunchPlan): ec2.DefaultTargetCapacityType {
  if (capacityType !== "reserved") return capacityType;
  if (isInterruptible) return "reserved-capacity";
  return reservationType === "capacity-block" ? "capacity-block" : "on-demand";
}

function strategyOf(
  { capacityType, reservationType, isInterruptible }: LaunchPlan,
  hasOverlay: boolean,
): Partial<FleetInput> {
  if (capacityType === "spot") {
    return {
      SpotOptions: {
        AllocationStrategy: hasOverlay ? "capacity-optimized-prioritized" : "price-capacity-optimized",
      },
    };
  }
  if (isInterruptible) {
    return { ReservedCapacityOptions: { ReservationTypes: ["interruptible-capacity-reservation"] } };
  }
  if (capacityType === "reserved" && reservationType === "capacity-block") return {};
  return { OnDemandOptions: { AllocationStrategy: hasOverlay ? "prioritized" : "lowest-price" } };
}

/** How many addresses a machine may take in each zone: the fewest pods of what could be launched there. */
export function addressesByZone({ candidates }: LaunchPlan): ReadonlyMap<string, number> {
  const addresses = new Map<string, number>();
  for (const { type, offerings } of candidates) {
    const pods = type.capacity.get("pods") ?? 0;
    for (const offering of offerings) {
      const zone = labelOf(offering, zoneLabel);
      addresses.set(zone, Math.min(addresses.get(zone) ?? Number.POSITIVE_INFINITY, pods));
    }
  }
  return addresses;
}
