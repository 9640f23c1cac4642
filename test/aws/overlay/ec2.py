"""What moto lacks of EC2 apart from CreateFleet."""

import base64
import re
from fnmatch import fnmatchcase
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.ec2.exceptions import EC2ClientError, InvalidInstanceIdError
from moto.ec2.models.amis import Ami
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS
from moto.ec2.responses.amis import AmisResponse
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.launch_templates import LaunchTemplates
from moto.ec2.responses.spot_instances import SpotInstances
from moto.ec2.responses.tags import TagResponse
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE

from iam import check_profile
from prices import spot_price
from state import lock, state

USER_DATA_LIMIT = 16384
STOPPING = ("shutting-down", 32)
TERMINATED = ("terminated", 48)


def page(response: Any, items: list[Any], name: str) -> ActionResult:
    """As many as were asked for, and where to go on."""
    start = int(response.params.get("NextToken") or 0)
    size = int(response.params.get("MaxResults") or len(items) or 1)
    end = start + size
    return ActionResult({name: items[start:end], **({"NextToken": str(end)} if end < len(items) else {})})


def matches(item: dict[str, Any], filters: dict[str, list[str]], fields: dict[str, str]) -> bool:
    tags = {tag["Key"]: tag["Value"] for tag in item.get("Tags", [])}
    for name, patterns in filters.items():
        if name.startswith("tag:"):
            values = [tags[name[4:]]] if name[4:] in tags else []
        elif name == "tag-key":
            values = list(tags)
        elif name in fields:
            values = [str(item.get(fields[name], ""))]
        else:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")
        if not any(fnmatchcase(value, pattern) for value in values for pattern in patterns):
            return False
    return True


# Images


_register_image = AmisResponse.register_image


def register_image(self: Any) -> ActionResult:
    answer = _register_image(self)
    image = self.ec2_backend.amis[answer.result["ImageId"]]
    image.architecture = self.params.get("Architecture", "x86_64")
    image.virtualization_type = self.params.get("VirtualizationType", "hvm")
    image.root_device_name = self.params.get("RootDeviceName", "/dev/xvda")
    image.root_device_type = "ebs"
    image.hypervisor = "xen"
    for specification in self.params.get("TagSpecifications", []):
        image.add_tags({tag["Key"]: tag["Value"] for tag in specification.get("Tags", [])})
    return answer


def enable_image_deprecation(self: Any) -> ActionResult:
    self.error_on_dryrun()
    image = self.ec2_backend.amis.get(self.params["ImageId"])
    if image is None:
        raise EC2ClientError("InvalidAMIID.NotFound", f"The image id '[{self.params['ImageId']}]' does not exist")
    image.deprecation_time = self.params["DeprecateAt"]
    return ActionResult({"Return": True})


_describe_images = AmisResponse.describe_images


def describe_images(self: Any) -> ActionResult:
    """Those that are deprecated are left out unless somebody names them, owns them or asks for them."""
    answer = _describe_images(self)
    if self.params.get("IncludeDeprecated") or self.params.get("ImageIds"):
        return answer
    account = self.ec2_backend.account_id
    answer.result["Images"] = [
        image
        for image in answer.result["Images"]
        if image.owner_id == account or not _is_deprecated(image)
    ]
    return answer


def _is_deprecated(image: Ami) -> bool:
    time = getattr(image, "deprecation_time", None)
    return time is not None and time.replace(tzinfo=None) <= utcnow().replace(tzinfo=None)


# Instance types and prices


_describe_instance_types = InstanceResponse.describe_instance_types
_describe_offerings = InstanceResponse.describe_instance_type_offerings


def describe_instance_types(self: Any) -> ActionResult:
    self.error_on_dryrun()
    return page(self, _describe_instance_types(self).result["InstanceTypes"], "InstanceTypes")


def describe_instance_type_offerings(self: Any) -> ActionResult:
    self.error_on_dryrun()
    return page(self, _describe_offerings(self).result["InstanceTypeOfferings"], "InstanceTypeOfferings")


def describe_spot_price_history(self: Any) -> ActionResult:
    self.error_on_dryrun()
    types = set(self.params.get("InstanceTypes", []))
    descriptions = self.params.get("ProductDescriptions") or ["Linux/UNIX"]
    now = utcnow()
    history = [
        {
            "InstanceType": offering["InstanceType"],
            "AvailabilityZone": offering["Location"],
            "ProductDescription": descriptions[0],
            "SpotPrice": f"{price:.6f}",
            "Timestamp": now,
        }
        for offering in INSTANCE_TYPE_OFFERINGS["availability-zone"].get(self.region, [])
        if not types or offering["InstanceType"] in types
        if (price := spot_price(offering["InstanceType"], offering["Location"])) is not None
    ]
    return page(self, history, "SpotPriceHistory")


# Reservations and placement groups


def describe_capacity_reservations(self: Any) -> ActionResult:
    self.error_on_dryrun()
    ids = self.params.get("CapacityReservationIds", [])
    known = {reservation["CapacityReservationId"] for reservation in state.reservations}
    for missing in set(ids) - known:
        raise EC2ClientError(
            "InvalidCapacityReservationId.NotFound", f"The capacity reservation '{missing}' was not found."
        )
    fields = {
        "state": "State",
        "owner-id": "OwnerId",
        "instance-type": "InstanceType",
        "availability-zone": "AvailabilityZone",
        "instance-match-criteria": "InstanceMatchCriteria",
    }
    filters = self._filters_from_querystring()
    defaults = {"State": "active", "OwnerId": self.current_account, "InstanceMatchCriteria": "open"}
    found = [{**defaults, **reservation} for reservation in state.reservations]
    found = [r for r in found if (not ids or r["CapacityReservationId"] in ids) and matches(r, filters, fields)]
    return page(self, found, "CapacityReservations")


def describe_placement_groups(self: Any) -> ActionResult:
    self.error_on_dryrun()
    for key, name in (("GroupNames", "GroupName"), ("GroupIds", "GroupId")):
        known = {group.get(name) for group in state.placement_groups}
        for missing in set(self.params.get(key, [])) - known:
            raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The Placement Group '{missing}' is unknown.")
    fields = {"group-name": "GroupName", "strategy": "Strategy", "state": "State"}
    filters = self._filters_from_querystring()
    names, ids = self.params.get("GroupNames", []), self.params.get("GroupIds", [])
    found = [
        {"State": "available", **group}
        for group in state.placement_groups
        if (not names or group.get("GroupName") in names) and (not ids or group.get("GroupId") in ids)
    ]
    return ActionResult({"PlacementGroups": [group for group in found if matches(group, filters, fields)]})


# Instances


_describe_instances = InstanceResponse.describe_instances


def describe_instances(self: Any) -> ActionResult:
    with lock:
        hidden = set(state.hidden)
        for instance_id in hidden:
            state.hidden[instance_id] -= 1
        state.hidden = {i: left for i, left in state.hidden.items() if left > 0}
    for instance_id in self.params.get("InstanceIds", []):
        if instance_id in hidden:
            raise InvalidInstanceIdError(instance_id)
    answer = _describe_instances(self)
    answer.result["Reservations"] = [
        reservation
        for reservation in answer.result["Reservations"]
        if not any(instance.id in hidden for instance in reservation.instances)
    ]
    return answer


_terminate_instances = InstanceResponse.terminate_instances


def terminate_instances(self: Any) -> ActionResult:
    with lock:
        ids = self.params.get("InstanceIds", [])
        found = [i for i in self.ec2_backend.all_instances() if i.id in ids]
        ended = [instance for instance in found if instance.state in (STOPPING[0], TERMINATED[0])]
        answer = _terminate_instances(self)
        for instance in found:
            if instance not in ended:
                after_end(instance)
        return answer


def after_end(instance: Any) -> None:
    """A place in its reservation becomes free, and it may take its time to be gone."""
    for reservation in state.reservations:
        if reservation["CapacityReservationId"] == getattr(instance, "capacity_reservation_id", None):
            reservation["AvailableInstanceCount"] = reservation.get("AvailableInstanceCount", 0) + 1
    if state.stopping_milliseconds > 0:
        instance._state.name, instance._state.code = STOPPING
        state.change_later(instance, *TERMINATED, state.stopping_milliseconds)


def describe_instance_status(self: Any) -> ActionResult:
    self.error_on_dryrun()
    ids = self.params.get("InstanceIds", [])
    is_all = self.params.get("IncludeAllInstances")
    filters = self._filters_from_querystring()
    found = []
    for instance in self.ec2_backend.all_instances():
        if (ids and instance.id not in ids) or (not is_all and instance.state != "running"):
            continue
        told = state.statuses.get(instance.id, {})
        status = {
            "InstanceId": instance.id,
            "AvailabilityZone": instance.placement.zone,
            "InstanceState": {"Code": instance.state_code, "Name": instance.state},
            "InstanceStatus": told.get("InstanceStatus", _ok()),
            "SystemStatus": told.get("SystemStatus", _ok()),
            "Events": told.get("Events", []),
        }
        if _has_status(status, filters):
            found.append(status)
    return page(self, found, "InstanceStatuses")


def _ok() -> dict[str, Any]:
    return {"Status": "ok", "Details": [{"Name": "reachability", "Status": "passed"}]}


def _has_status(status: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    values = {
        "instance-status.status": [status["InstanceStatus"]["Status"]],
        "system-status.status": [status["SystemStatus"]["Status"]],
        "event.code": [event.get("Code") for event in status["Events"]],
        "instance-state-name": [status["InstanceState"]["Name"]],
        "availability-zone": [status["AvailabilityZone"]],
    }
    for name in filters:
        if name not in values:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")
    return all(set(values[name]) & set(wanted) for name, wanted in filters.items())


# User data


_create_launch_template = LaunchTemplates.create_launch_template
_run_instances = InstanceResponse.run_instances


def create_launch_template(self: Any) -> ActionResult:
    check_user_data((self.params.get("LaunchTemplateData") or {}).get("UserData"))
    return _create_launch_template(self)


def run_instances(self: Any) -> ActionResult:
    check_user_data(self.params.get("UserData"))
    template = self.params.get("LaunchTemplate")
    if template:
        self.ec2_backend._get_template_from_args(template)
    check_profile(self.params.get("IamInstanceProfile"))
    return _run_instances(self)


def check_user_data(text: Any) -> None:
    if text is None:
        return
    encoded = text if isinstance(text, bytes) else str(text).encode()
    if not re.fullmatch(rb"[A-Za-z0-9+/=\s]*", encoded):
        raise EC2ClientError("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.")
    if len(base64.b64decode(encoded)) > USER_DATA_LIMIT:
        raise EC2ClientError("InvalidParameterValue", f"User data is limited to {USER_DATA_LIMIT} bytes")


# Tags


_create_tags = TagResponse.create_tags


def create_tags(self: Any) -> ActionResult:
    known = {instance.id for instance in self.ec2_backend.all_instances()}
    for resource in self.params.get("Resources", []):
        if resource.startswith("i-") and resource not in known:
            raise InvalidInstanceIdError(resource)
    return _create_tags(self)


def get_tags(self: Any) -> list[dict[str, str]]:
    """moto looks through the tags of all resources each time."""
    prefix = self.id.partition("-")[0] if self.id else ""
    return [
        {"resource_id": self.id, "key": key, "value": value, "resource_type": EC2_PREFIX_TO_RESOURCE.get(prefix, "")}
        for key, value in list(self.ec2_backend.tags.get(self.id, {}).items())
    ]


def install() -> None:
    TaggedEC2Resource.get_tags = get_tags
    AmisResponse.register_image = register_image
    AmisResponse.describe_images = describe_images
    AmisResponse.enable_image_deprecation = enable_image_deprecation
    SpotInstances.describe_spot_price_history = describe_spot_price_history
    LaunchTemplates.create_launch_template = create_launch_template
    TagResponse.create_tags = create_tags
    for answer in (
        describe_instance_types,
        describe_instance_type_offerings,
        describe_capacity_reservations,
        describe_placement_groups,
        describe_instances,
        describe_instance_status,
        terminate_instances,
        run_instances,
    ):
        setattr(InstanceResponse, answer.__name__, answer)
