"""What tests have told the overlay, and what it remembers of the calls it has seen."""

import threading
import time
import zlib
from dataclasses import dataclass, field
from typing import Any

ACCOUNT = "123456789012"

#: Held while something that several calls share is read and changed.
lock = threading.RLock()

_CALLS_KEPT = 50_000


@dataclass
class Pool:
    """What a fleet meets in some offerings: an error, once `capacity` machines have been sold."""

    capacity_type: str
    instance_type: str
    zone: str
    code: str
    message: str
    capacity: int

    def covers(self, capacity_type: str, instance_type: str, zone: str) -> bool:
        pairs = (
            (self.capacity_type, capacity_type),
            (self.instance_type, instance_type),
            (self.zone, zone),
        )
        return all(wanted in ("*", found) for wanted, found in pairs)


@dataclass
class Fault:
    """What happens to calls of an action instead of, before or after what should happen."""

    action: str
    kind: str
    times: float
    skip: int = 0
    code: str = ""
    message: str = ""
    status: int = 400
    milliseconds: float = 0
    #: A bucket: how many calls it holds, and how many come back each second.
    capacity: float = 0
    refill: float = 0
    tokens: float = 0
    touched: float = field(default_factory=time.monotonic)


class State:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.pools: list[Pool] = []
        self.faults: list[Fault] = []
        self.calls: list[dict[str, Any]] = []
        self.forgotten_calls = 0
        self.on_demand_prices: dict[str, float] = {}
        self.spot_prices: dict[tuple[str, str], float] = {}
        self.without_prices: set[str] = set()
        self.reservations: list[dict[str, Any]] = []
        self.placement_groups: list[dict[str, Any]] = []
        self.statuses: dict[str, dict[str, Any]] = {}
        self.zonal_shifts: list[dict[str, Any]] = []
        #: Answers to CreateFleet by region and token.
        self.fleets: dict[tuple[str, str], tuple[str, Any]] = {}
        self.pending_milliseconds = 0.0
        self.stopping_milliseconds = 0.0
        self.hidden_calls = 0
        #: Instances that do not show up in the next so many descriptions.
        self.hidden: dict[str, int] = {}
        #: (when, instance, name, code) of changes that are still to come.
        self.changes: list[tuple[float, Any, str, int]] = []

    def remember(self, call: dict[str, Any]) -> None:
        with lock:
            if len(self.calls) >= _CALLS_KEPT:
                self.forgotten_calls += 1
                self.calls.pop(0)
            self.calls.append(call)

    def change_later(self, instance: Any, name: str, code: int, milliseconds: float) -> None:
        with lock:
            self.changes = [change for change in self.changes if change[1] is not instance]
            self.changes.append((time.monotonic() + milliseconds / 1000, instance, name, code))

    def apply_due_changes(self) -> None:
        with lock:
            now = time.monotonic()
            due = [change for change in self.changes if change[0] <= now]
            self.changes = [change for change in self.changes if change[0] > now]
            for _, instance, name, code in due:
                instance._state.name, instance._state.code = name, code


state = State()


def share_of(text: str) -> float:
    """The same number between 0 and 1 for the same text, always."""
    return (zlib.crc32(text.encode()) % 10_007) / 10_007
