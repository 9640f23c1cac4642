import type { Field } from "../../../core/api/field.ts";
import { readRequirement } from "../../../core/api/read-requirement.ts";
import type { Ec2NodeClassStatus, StatusImage, StatusReservation } from "./ec2-node-class.ts";
import { textOf } from "./read-machine-parts.ts";

export function readStatus(status: Field): Ec2NodeClassStatus {
  return {
    subnets: status
      .at("subnets")
      .items()
      .map((subnet) => ({
        id: subnet.at("id").requiredText(),
        zone: subnet.at("zone").requiredText(),
        zoneID: textOf(subnet.at("zoneID")),
      })),
    securityGroups: status
      .at("securityGroups")
      .items()
      .map((group) => ({ id: group.at("id").requiredText(), name: textOf(group.at("name")) })),
    amis: status.at("amis").items().map(readImage),
    capacityReservations: status.at("capacityReservations").items().map(readReservation),
    instanceProfile: textOf(status.at("instanceProfile")),
  };
}

function readImage(image: Field): StatusImage {
  return {
    id: image.at("id").requiredText(),
    name: textOf(image.at("name")),
    deprecated: image.at("deprecated").flag(),
    requirements: image
      .at("requirements")
      .items()
      .flatMap((item) => readRequirement(item) ?? []),
  };
}

function readReservation(reservation: Field): StatusReservation {
  return {
    id: reservation.at("id").requiredText(),
    ownerID: reservation.at("ownerID").requiredText(),
    instanceType: reservation.at("instanceType").requiredText(),
    availabilityZone: reservation.at("availabilityZone").requiredText(),
    instanceMatchCriteria: reservation.at("instanceMatchCriteria").choice(["open", "targeted"]) ?? "targeted",
    reservationType: reservation.at("reservationType").choice(["default", "capacity-block"]) ?? "default",
    state: reservation.at("state").choice(["active", "expiring"]) ?? "active",
    interruptible: reservation.at("interruptible").flag(),
    endTime: reservation.at("endTime").time(),
  };
}
