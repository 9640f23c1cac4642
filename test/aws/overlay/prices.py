"""Prices of machines: what a test has set, or what follows from size, kind and zone."""

from moto.ec2.models.instance_types import INSTANCE_TYPES

from state import share_of, state


def on_demand_price(instance_type: str) -> float | None:
    if instance_type in state.without_prices:
        return None
    return state.on_demand_prices.get(instance_type) or _reckoned(instance_type)


def spot_price(instance_type: str, zone: str) -> float | None:
    given = state.spot_prices.get((instance_type, zone))
    if given is not None:
        return given
    on_demand = on_demand_price(instance_type)
    if on_demand is None:
        return None
    return round(on_demand * (0.3 + 0.3 * share_of(f"{instance_type}/{zone}")), 6)


_known: dict[str, float] = {}


def _reckoned(instance_type: str) -> float | None:
    """Plausible, different for different types, and the same each time."""
    if instance_type not in _known:
        facts = INSTANCE_TYPES.get(instance_type)
        if facts is None:
            return None
        vcpus = facts["VCpuInfo"]["DefaultVCpus"]
        gibibytes = facts["MemoryInfo"]["SizeInMiB"] / 1024
        gpus = sum(gpu.get("Count", 1) for gpu in (facts.get("GpuInfo") or {}).get("Gpus", []))
        is_arm = "arm64" in facts["ProcessorInfo"]["SupportedArchitectures"]
        price = (0.03 * vcpus + 0.004 * gibibytes) * (0.8 if is_arm else 1) + 0.9 * gpus
        _known[instance_type] = round(price * (0.95 + 0.1 * share_of(instance_type)), 6)
    return _known[instance_type]
