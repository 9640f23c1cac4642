import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { PlacementGroup } from "../aws-parts.ts";
import { mapImages } from "../images/map-images.ts";
import type { Machine } from "../instances/machine.ts";
import { placementGroupIdLabel } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { isOfOldNodeClass } from "../node-class/node-class-hash.ts";

export type DriftReason =
  | ""
  | "NodeClassDrift"
  | "AMIDrift"
  | "SecurityGroupDrift"
  | "SubnetDrift"
  | "CapacityReservationDrift"
  | "PlacementGroupDrift";

export interface DriftQuestion {
  readonly claim: NodeClaim;
  readonly nodeClass: Ec2NodeClass;
  readonly machine: Machine;
  /** Undefined when nobody sells it any more. */
  readonly type: InstanceType | undefined;
  readonly placementGroup: PlacementGroup | "none" | "unknown";
}

/** The first reason why the machine is not as its node class would have it now. What is not known is no reason. */
export function judgeDrift(question: DriftQuestion): DriftReason {
  const { claim, nodeClass } = question;
  if (isOfOldNodeClass(claim, nodeClass)) return "NodeClassDrift";
  if (isOfOldImage(question)) return "AMIDrift";
  const { machine, placementGroup } = question;
  const { securityGroups, subnets, capacityReservations } = nodeClass.status;
  if (securityGroups.length > 0 && !areSame(idsOf(securityGroups), machine.securityGroupIds)) {
    return "SecurityGroupDrift";
  }
  if (subnets.length > 0 && !idsOf(subnets).includes(machine.subnetId)) return "SubnetDrift";
  if (machine.reservation !== undefined && !idsOf(capacityReservations).includes(machine.reservation.id)) {
    return "CapacityReservationDrift";
  }
  if (placementGroup === "unknown") return "";
  const groupId = placementGroup === "none" ? "" : placementGroup.id;
  return (claim.labels.get(placementGroupIdLabel) ?? "") === groupId ? "" : "PlacementGroupDrift";
}

function isOfOldImage({ claim, nodeClass, machine, type }: DriftQuestion): boolean {
  if (type === undefined || nodeClass.status.amis.length === 0) return false;
  const [image] = mapImages([type], nodeClass.status.amis).keys();
  // Without any image for the type, nothing could take the place of the machine.
  return image !== undefined && image !== (claim.imageId === "" ? machine.imageId : claim.imageId);
}

function idsOf(found: readonly { readonly id: string }[]): readonly string[] {
  return found.map(({ id }) => id);
}

function areSame(left: readonly string[], right: readonly string[]): boolean {
  const all = new Set(left);
  return all.size === new Set(right).size && right.every((id) => all.has(id));
}
