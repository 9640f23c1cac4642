import type * as ec2 from "@aws-sdk/client-ec2";
import { zoneLabel } from "../../../core/model/labels.ts";
import type { Metrics } from "../../../ports/telemetry.ts";
import type { ReservationCounts, Subnets, UnavailableOfferings } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { classifyFailure, isCapacityShortage, isSpotForbidden, type LaunchFailure } from "./classify-failure.ts";
import { type LaunchPlan, labelOf } from "./plan-launch.ts";

/** Why one offering could not be had; what AWS does not say is "". */
export interface OfferingFailure extends LaunchFailure {
  readonly typeName: string;
  readonly zone: string;
  readonly subnetId: string;
}

export interface FailureBooks {
  readonly unavailable: UnavailableOfferings;
  readonly reservations: ReservationCounts;
  readonly subnets: Subnets;
  readonly metrics: Metrics;
}

export interface FailureContext {
  readonly nodeClass: Ec2NodeClass;
  readonly plan: LaunchPlan;
  /** "" for none. */
  readonly placementGroup: string;
}

export function readFailures(errors: readonly ec2.CreateFleetError[]): readonly OfferingFailure[] {
  return errors.map(({ ErrorCode = "", ErrorMessage = "", LaunchTemplateAndOverrides }) => {
    const { InstanceType = "", AvailabilityZone = "", SubnetId = "" } = LaunchTemplateAndOverrides?.Overrides ?? {};
    return {
      code: ErrorCode,
      message: ErrorMessage,
      typeName: InstanceType,
      zone: AvailabilityZone,
      subnetId: SubnetId,
    };
  });
}

/** Remembers what could not be had, so that nobody asks for it again right away. */
export function foldFailures(
  failures: readonly OfferingFailure[],
  { nodeClass, plan, placementGroup }: FailureContext,
  { unavailable, reservations, subnets, metrics }: FailureBooks,
): void {
  const { capacityType } = plan;
  for (const failure of failures) {
    const { code, typeName, zone, subnetId } = failure;
    const zoneId = nodeClass.status.subnets.find((subnet) => subnet.zone === zone)?.zoneID ?? "";
    metrics.add("cloudprovider_instance_launch_failures_total", {
      zone,
      zone_id: zoneId,
      capacity_type: capacityType,
      reason: classifyFailure(failure),
    });
    if (code === "InsufficientFreeAddressesInSubnet" && subnetId !== "") {
      subnets.markFull(subnetId);
      unavailable.markSubnet(subnetId, code);
    }
    if (isSpotForbidden(failure)) unavailable.markCapacityType("spot", code);
    if (!isCapacityShortage(failure) || typeName === "" || zone === "") continue;
    if (capacityType === "reserved") {
      for (const id of reservationsOf(plan, failure)) reservations.markUnavailable(id);
    } else {
      for (const instanceType of isGroupFull(failure, placementGroup) ? plan.candidates.map(nameOf) : [typeName]) {
        unavailable.mark({ capacityType, instanceType, zone, placementGroup }, code);
      }
    }
  }
}

function nameOf({ type }: LaunchPlan["candidates"][number]): string {
  return type.name;
}

/** A spread group takes so many machines in a zone, whatever they are. */
function isGroupFull({ message }: OfferingFailure, placementGroup: string): boolean {
  return placementGroup !== "" && /limit of .*instances/i.test(message);
}

/** A launch names at most one reservation for a type in a zone. */
function reservationsOf({ candidates }: LaunchPlan, { typeName, zone }: OfferingFailure): readonly string[] {
  return candidates
    .filter(({ type }) => type.name === typeName)
    .flatMap(({ offerings }) => offerings.filter((offering) => labelOf(offering, zoneLabel) === zone))
    .flatMap(({ reservationId }) => (reservationId === undefined ? [] : [reservationId]));
}
