"""What tests tell the overlay and ask it: POST /_ctl/NAME with JSON, answered with JSON."""

import base64
from typing import Any

from moto.core.utils import utcnow
from moto.ec2.models import ec2_backends
from moto.moto_api._internal.models import moto_api_backend
from moto.sqs.models import sqs_backends
from moto.ssm.models import Parameter, ssm_backends

from machines import after_end
from state import ACCOUNT, Fault, Pool, lock, state


def reset(_: Any) -> Any:
    with lock:
        state.reset()
        moto_api_backend.reset()


def pools(asked: list[dict[str, Any]]) -> Any:
    for pool in asked:
        code = pool.get("code", "InsufficientInstanceCapacity")
        kind = pool.get("instanceType", "*")
        state.pools.append(
            Pool(
                capacity_type=pool.get("capacityType", "*"),
                instance_type=kind,
                zone=pool.get("zone", "*"),
                code=code,
                message=pool.get("message", f"We currently do not have sufficient {kind} capacity in this zone."),
                capacity=int(pool.get("capacity", 0)),
            )
        )


def clear_pools(_: Any) -> Any:
    state.pools.clear()


def faults(asked: dict[str, Any]) -> Any:
    times = asked.get("times")
    capacity = float(asked.get("capacity", 0))
    fault = Fault(
        action=asked["action"],
        kind=asked["kind"],
        times=float("inf") if times is None else float(times),
        skip=int(asked.get("skip", 0)),
        code=asked.get("code", ""),
        message=asked.get("message", ""),
        status=int(asked.get("status", 400)),
        milliseconds=float(asked.get("milliseconds", 0)),
        capacity=capacity,
        refill=float(asked.get("refill", 0)),
        tokens=capacity,
    )
    with lock:
        state.faults.append(fault)


def clear_faults(_: Any) -> Any:
    state.faults.clear()


def calls(asked: dict[str, Any]) -> Any:
    with lock:
        action = asked.get("action")
        found = [call for call in state.calls if action is None or call["action"] == action]
        return {"calls": found, "forgotten": state.forgotten_calls}


def clear_calls(_: Any) -> Any:
    with lock:
        state.calls.clear()
        state.forgotten_calls = 0


def prices(asked: dict[str, Any]) -> Any:
    state.on_demand_prices.update(asked.get("onDemand", {}))
    state.without_prices.update(asked.get("without", []))
    for price in asked.get("spot", []):
        state.spot_prices[(price["instanceType"], price["zone"])] = float(price["price"])


def reservations(asked: list[dict[str, Any]]) -> Any:
    state.reservations[:] = asked


def current_reservations(_: Any) -> Any:
    return state.reservations


def placement_groups(asked: list[dict[str, Any]]) -> Any:
    state.placement_groups[:] = asked


def zonal_shifts(asked: list[dict[str, Any]]) -> Any:
    state.zonal_shifts[:] = asked


def statuses(asked: dict[str, Any]) -> Any:
    state.statuses.update(asked)


def timing(asked: dict[str, Any]) -> Any:
    state.pending_milliseconds = float(asked.get("pendingMilliseconds", state.pending_milliseconds))
    state.stopping_milliseconds = float(asked.get("stoppingMilliseconds", state.stopping_milliseconds))
    state.hidden_calls = int(asked.get("hiddenCalls", state.hidden_calls))


def parameters(asked: dict[str, Any]) -> Any:
    stored = ssm_backends[ACCOUNT][asked["region"]]._parameters
    for name, value in asked["values"].items():
        if value is None:
            stored.pop(name, None)
            continue
        stored[name] = [
            Parameter(
                account_id=ACCOUNT,
                name=name,
                value=value,
                parameter_type="String",
                description=None,
                allowed_pattern=None,
                keyid=None,
                last_modified_date=utcnow(),
                version=1,
                data_type="text",
            )
        ]


def instances(asked: dict[str, Any]) -> Any:
    """All of them, without a call that would be counted, delayed or refused."""
    state.apply_due_changes()
    with lock:
        return [_told(instance) for instance in ec2_backends[ACCOUNT][asked["region"]].all_instances()]


def end_instances(asked: dict[str, Any]) -> Any:
    """Takes machines away as AWS or a user would, behind the controller's back."""
    with lock:
        backend = ec2_backends[ACCOUNT][asked["region"]]
        for instance in backend.all_instances():
            if instance.id in asked["ids"] and instance.state not in ("shutting-down", "terminated"):
                instance.terminate()
                after_end(instance)


def pass_queue_time(asked: dict[str, Any]) -> Any:
    """For messages that a receiver has hidden; no other clock is moved."""
    with lock:
        for queue in sqs_backends[ACCOUNT][asked["region"]].queues.values():
            for message in queue._messages:
                message.visible_at -= float(asked["seconds"]) * 1000


def image(asked: dict[str, Any]) -> Any:
    """Changes what an image says of itself."""
    found = ec2_backends[ACCOUNT][asked["region"]].amis[asked["id"]]
    for name in ("state", "owner_id", "owner_alias", "creation_date", "deprecation_time"):
        if name in asked:
            setattr(found, name, asked[name])


def _told(instance: Any) -> dict[str, Any]:
    data = instance.user_data
    return {
        "id": instance.id,
        "state": instance.state,
        "instanceType": instance.instance_type,
        "zone": instance.placement.zone,
        "lifecycle": instance.lifecycle or "on-demand",
        "imageId": instance.image_id,
        "subnetId": instance.subnet_id,
        "securityGroupIds": [group.id for group in instance.security_groups],
        "privateDnsName": instance.private_dns_name if 0 in instance.nics else "",
        "privateIpAddress": instance.private_ip_address if 0 in instance.nics else "",
        "launchTime": instance.launch_time.isoformat(),
        "tags": {tag["key"]: tag["value"] for tag in instance.get_tags()},
        "userData": "" if data is None else base64.b64decode(str(data)).decode("utf-8", "replace"),
    }


routes = {
    "reset": reset,
    "pools": pools,
    "clear-pools": clear_pools,
    "faults": faults,
    "clear-faults": clear_faults,
    "calls": calls,
    "clear-calls": clear_calls,
    "prices": prices,
    "reservations": reservations,
    "current-reservations": current_reservations,
    "placement-groups": placement_groups,
    "zonal-shifts": zonal_shifts,
    "statuses": statuses,
    "timing": timing,
    "parameters": parameters,
    "instances": instances,
    "end-instances": end_instances,
    "image": image,
    "pass-queue-time": pass_queue_time,
}
