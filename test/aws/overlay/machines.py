"""What moto lacks of machines that are there, of their templates and of their tags."""

import base64
import re
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError, InvalidInstanceIdError
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.launch_templates import LaunchTemplates
from moto.ec2.responses.tags import TagResponse
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE

from iam import check_profile
from pages import page
from state import lock, state

USER_DATA_LIMIT = 16384
STOPPING = ("shutting-down", 32)
TERMINATED = ("terminated", 48)

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
    TagResponse.create_tags = create_tags
    LaunchTemplates.create_launch_template = create_launch_template
    for answer in (describe_instances, describe_instance_status, terminate_instances, run_instances):
        setattr(InstanceResponse, answer.__name__, answer)
