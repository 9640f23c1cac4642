"""One machine of a fleet: what its template says of it, or why it cannot be had."""

import random
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES
from moto.ec2.utils import convert_tag_spec

from iam import find_profile, invalid_profile_message
from state import state

RUNNING = ("running", 16)
PENDING = ("pending", 0)


class Refusal(Exception):
    """A machine that cannot be had, which is an item of the answer."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def launch(backend: Any, offer: dict[str, Any], fleet_tags: dict[str, dict[str, str]], fleet_id: str) -> str:
    """Returns the id of the machine. Whoever calls it holds the lock."""
    data, subnet = offer["data"], offer["subnet"]
    instance_type, zone, capacity_type = offer["instance_type"], offer["zone"], offer["capacity_type"]
    if subnet is None:
        raise Refusal("InvalidSubnetID.NotFound", f"The subnet ID '{data.get('SubnetId')}' does not exist")
    image = _check_image(backend, data, instance_type)
    _check_offered(instance_type, zone)
    groups = _groups(backend, data)
    profile = _profile(data)
    if subnet.available_ip_address_count <= 0:
        raise Refusal(
            "InsufficientFreeAddressesInSubnet",
            f"Not enough free addresses in subnet {subnet.id} to satisfy the request",
        )
    for pool in state.pools:
        if not pool.covers(capacity_type, instance_type, zone):
            continue
        if pool.capacity <= 0:
            raise Refusal(pool.code, pool.message)
    reservation = _reservation(data, instance_type, zone, capacity_type)
    placement = _placement(data)
    for pool in state.pools:
        if pool.covers(capacity_type, instance_type, zone):
            pool.capacity -= 1
    template_tags = convert_tag_spec(data.get("TagSpecifications", []))
    tags = {kind: template_tags.get(kind, {}) | fleet_tags.get(kind, {}) for kind in ("instance", "volume")}
    tags["instance"] |= {
        "aws:ec2:fleet-id": fleet_id,
        "aws:ec2launchtemplate:id": offer["template"].template.id,
        "aws:ec2launchtemplate:version": str(offer["template"].number),
    }
    made = backend.run_instances(
        image_id=image.id,
        count=1,
        user_data=data.get("UserData"),
        security_group_names=[],
        security_group_ids=groups,
        instance_type=instance_type,
        is_instance_type_default=False,
        region_name=backend.region_name,
        subnet_id=subnet.id,
        key_name=data.get("KeyName"),
        metadata_options=data.get("MetadataOptions") or {},
        monitoring_state="enabled" if (data.get("Monitoring") or {}).get("Enabled") else "disabled",
        ebs_optimized=data.get("EbsOptimized", False),
        block_device_mappings=_devices(data),
        lifecycle="spot" if capacity_type == "spot" else None,
        tags=tags,
    ).instances[0]
    made.iam_instance_profile = profile
    made.placement.availability_zone_id = subnet.availability_zone_id
    made.placement.tenancy = (data.get("Placement") or {}).get("Tenancy", "default")
    for name, value in placement.items():
        setattr(made.placement, name, value)
    if capacity_type == "spot":
        made.spot_instance_request_id = f"sir-{random.randbytes(4).hex()}"
    if reservation is not None:
        made.capacity_reservation_id = reservation["CapacityReservationId"]
        made.capacity_reservation_specification = data.get("CapacityReservationSpecification")
    if state.pending_milliseconds > 0:
        made._state.name, made._state.code = PENDING
        state.change_later(made, *RUNNING, state.pending_milliseconds)
    if state.hidden_calls > 0:
        state.hidden[made.id] = state.hidden_calls
    return made.id


def _check_image(backend: Any, data: dict[str, Any], instance_type: str) -> Any:
    image = backend.amis.get(data.get("ImageId"))
    if image is None:
        raise Refusal("InvalidAMIID.NotFound", f"The image id '[{data.get('ImageId')}]' does not exist")
    facts = INSTANCE_TYPES.get(instance_type)
    if facts is None:
        raise Refusal("InvalidParameterValue", f"Invalid instance type {instance_type}")
    architectures = facts["ProcessorInfo"]["SupportedArchitectures"]
    if image.architecture and image.architecture not in architectures:
        raise Refusal(
            "InvalidParameterValue",
            f"The architecture '{architectures[0]}' of the specified instance type does not match the architecture "
            f"'{image.architecture}' of the specified AMI.",
        )
    return image


_offered = {
    (offering["InstanceType"], offering["Location"])
    for offerings in INSTANCE_TYPE_OFFERINGS["availability-zone"].values()
    for offering in offerings
}


def _check_offered(instance_type: str, zone: str) -> None:
    if (instance_type, zone) not in _offered:
        raise Refusal(
            "InvalidFleetConfiguration",
            f"Your requested instance type ({instance_type}) is not supported in your requested Availability Zone "
            f"({zone}).",
        )


def _groups(backend: Any, data: dict[str, Any]) -> list[str]:
    first = [nic for nic in data.get("NetworkInterfaces", []) if int(nic.get("DeviceIndex", 0)) == 0]
    groups = data.get("SecurityGroupIds") or [group for nic in first for group in nic.get("Groups", [])]
    for group in groups:
        if backend.get_security_group_from_id(group) is None:
            raise Refusal("InvalidGroup.NotFound", f"The security group '{group}' does not exist")
    return list(groups)


def _profile(data: dict[str, Any]) -> dict[str, str] | None:
    asked = data.get("IamInstanceProfile") or {}
    if not asked:
        return None
    profile = find_profile(asked)
    if profile is None:
        raise Refusal("InvalidParameterValue", invalid_profile_message(asked))
    return {"Arn": profile.arn, "Id": profile.id}


def _devices(data: dict[str, Any]) -> list[dict[str, Any]]:
    devices = [device for device in data.get("BlockDeviceMappings", []) if device.get("Ebs")]
    for device in devices:
        device["Ebs"].setdefault("VolumeSize", 20)
        device["Ebs"].setdefault("DeleteOnTermination", True)
    return devices or [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 20, "DeleteOnTermination": True}}]


def _reservation(data: dict[str, Any], instance_type: str, zone: str, capacity_type: str) -> dict[str, Any] | None:
    if capacity_type == "spot":
        return None
    asked = data.get("CapacityReservationSpecification") or {}
    preference = asked.get("CapacityReservationPreference", "open")
    wanted = (asked.get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    if preference == "none":
        return None
    fitting = [
        reservation
        for reservation in state.reservations
        if (
            reservation["CapacityReservationId"] == wanted
            if wanted
            else reservation.get("InstanceMatchCriteria", "open") == "open"
        )
        and reservation.get("InstanceType") == instance_type
        and reservation.get("AvailabilityZone") == zone
        and reservation.get("State", "active") == "active"
    ]
    for reservation in fitting:
        if reservation.get("AvailableInstanceCount", 0) > 0:
            reservation["AvailableInstanceCount"] -= 1
            return reservation
    if wanted or preference == "capacity-reservations-only":
        raise Refusal(
            "ReservationCapacityExceeded",
            f"The requested Capacity Reservation {wanted or ''} does not have sufficient {instance_type} capacity.",
        )
    return None


def _placement(data: dict[str, Any]) -> dict[str, Any]:
    asked = data.get("Placement") or {}
    name, group_id = asked.get("GroupName"), asked.get("GroupId")
    if not name and not group_id:
        return {}
    for group in state.placement_groups:
        if group.get("GroupName") != name and group.get("GroupId") != group_id:
            continue
        partitions = int(group.get("PartitionCount", 0))
        number = asked.get("PartitionNumber") or (random.randint(1, partitions) if partitions else None)
        found = {"group_name": group.get("GroupName"), "group_id": group.get("GroupId")}
        return found | ({"partition_number": int(number)} if number else {})
    raise Refusal("InvalidPlacementGroup.Unknown", f"The Placement Group '{name or group_id}' is unknown.")
