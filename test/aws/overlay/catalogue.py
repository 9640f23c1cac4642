"""What moto lacks of what AWS has to sell: images, types, prices, reservations, placement groups."""

from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.amis import Ami
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS
from moto.ec2.responses.amis import AmisResponse
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.spot_instances import SpotInstances

from pages import matches, page
from prices import spot_price
from state import state

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


def install() -> None:
    AmisResponse.register_image = register_image
    AmisResponse.describe_images = describe_images
    AmisResponse.enable_image_deprecation = enable_image_deprecation
    SpotInstances.describe_spot_price_history = describe_spot_price_history
    for answer in (
        describe_instance_types,
        describe_instance_type_offerings,
        describe_capacity_reservations,
        describe_placement_groups,
    ):
        setattr(InstanceResponse, answer.__name__, answer)
