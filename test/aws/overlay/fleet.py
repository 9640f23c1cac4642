"""CreateFleet of type instant, as machines are really sold: the cheapest first, with errors, and once per token."""

import json
import uuid
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses.fleets import Fleets
from moto.ec2.utils import convert_tag_spec

from launch import Refusal, launch
from prices import on_demand_price, spot_price
from state import lock, state


def create_fleet(self: Any) -> ActionResult:
    self.error_on_dryrun()
    token = self.params.get("ClientToken")
    wanted = json.dumps({k: v for k, v in self.params.items() if k != "ClientToken"}, sort_keys=True, default=str)
    with lock:
        if token is not None:
            known = state.fleets.get((self.region, token))
            if known is not None and known[0] != wanted:
                raise EC2ClientError(
                    "IdempotentParameterMismatch",
                    "The request uses the same client token as a previous, but non-identical request.",
                )
            if known is not None:
                return ActionResult(known[1])
        answer = _answer(self.ec2_backend, self.params)
        if token is not None:
            state.fleets[(self.region, token)] = (wanted, answer)
        return ActionResult(answer)


def _answer(backend: Any, params: dict[str, Any]) -> dict[str, Any]:
    if params.get("Type") != "instant":
        raise EC2ClientError("InvalidParameterValue", "This endpoint knows fleets of type instant only.")
    target = params.get("TargetCapacitySpecification") or {}
    capacity_type = target.get("DefaultTargetCapacityType", "on-demand")
    offers = sorted(_offers(backend, params, capacity_type), key=lambda offer: offer["rank"])
    tags = convert_tag_spec(params.get("TagSpecifications", []))
    fleet_id = f"fleet-{uuid.uuid4()}"
    errors: list[dict[str, Any]] = []
    instances: list[dict[str, Any]] = []
    missing = int(target.get("TotalTargetCapacity", 0))
    for offer in offers:
        ids: list[str] = []
        while missing > 0:
            try:
                ids.append(launch(backend, offer, tags, fleet_id))
            except Refusal as refusal:
                errors.append(
                    {
                        "LaunchTemplateAndOverrides": offer["echo"],
                        "Lifecycle": _lifecycle(capacity_type),
                        "ErrorCode": refusal.code,
                        "ErrorMessage": refusal.message,
                    }
                )
                break
            missing -= 1
        if ids:
            instances.append(
                {
                    "LaunchTemplateAndOverrides": offer["echo"],
                    "Lifecycle": _lifecycle(capacity_type),
                    "InstanceIds": ids,
                    "InstanceType": offer["instance_type"],
                }
            )
        if missing == 0:
            break
    return {"FleetId": fleet_id, "Errors": errors, "Instances": instances}


def _lifecycle(capacity_type: str) -> str:
    return "spot" if capacity_type == "spot" else "on-demand"


def _offers(backend: Any, params: dict[str, Any], capacity_type: str) -> list[dict[str, Any]]:
    options = params.get("SpotOptions" if capacity_type == "spot" else "OnDemandOptions") or {}
    is_prioritized = "prioritized" in options.get("AllocationStrategy", "")
    offers = []
    for config in params.get("LaunchTemplateConfigs", []):
        asked = config.get("LaunchTemplateSpecification") or {}
        if "LaunchTemplateId" in asked:
            template = backend.get_launch_template(template_id=asked["LaunchTemplateId"])
        else:
            template = backend.get_launch_template_by_name(name=asked.get("LaunchTemplateName"))
        version = template.get_version(asked.get("Version", "$Default"))
        specification = {
            "LaunchTemplateId": template.id,
            "LaunchTemplateName": template.name,
            "Version": str(version.number),
        }
        for override in config.get("Overrides") or [{}]:
            data = {**version.data, **override}
            instance_type = data.get("InstanceType", "")
            subnet = _subnet(backend, data)
            zone = subnet.availability_zone if subnet else override.get("AvailabilityZone", "")
            price = spot_price(instance_type, zone) if capacity_type == "spot" else on_demand_price(instance_type)
            rank = (float(override.get("Priority", 1e9)) if is_prioritized else 0, price or 1e9)
            offers.append(
                {
                    "capacity_type": capacity_type,
                    "instance_type": instance_type,
                    "zone": zone,
                    "subnet": subnet,
                    "data": data,
                    "template": version,
                    "rank": rank,
                    "echo": {
                        "LaunchTemplateSpecification": {
                            "LaunchTemplateId": template.id,
                            "Version": specification["Version"],
                        },
                        "Overrides": {"AvailabilityZone": zone, **override},
                    },
                }
            )
    return offers


def _subnet(backend: Any, data: dict[str, Any]) -> Any:
    subnet_id = data.get("SubnetId")
    for subnets in backend.subnets.values():
        if subnet_id in subnets:
            return subnets[subnet_id]
    return None


def install() -> None:
    Fleets.create_fleet = create_fleet
