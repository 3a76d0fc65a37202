"""The table of controllers: rates and delays in ticks of the fastest rate, and room for what they remember."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.imposed.commands import Input, inputs_of, numbers_of
from taut.mechanics.imposed.controllers import HEAD, KIND, Controllers, impose
from taut.mechanics.kinds import Given, Imposed
from taut.structure.controllers import Controller, LinearLaw
from taut.structure.drives import QUANTITIES, own_value
from taut.structure.sensing import WHOLE, base_rate, input_named, readings_of
from taut.structure.signals import Command

STEEPEST = 1.875
"""How much faster a smooth rise is in its middle than on average."""


class Plan(NamedTuple):
    """What follows from rates and delays."""

    rate: float  # [Hz]
    sensor_every: list[int]  # ticks
    sensor_lag: list[int]  # measurements
    every: list[int]  # ticks
    lag: list[int]  # ticks
    rest: list[float]  # [s]


def plan_of(given: Given, sources: list[list[int]]) -> Plan:
    """sources: which sensors each controller reads. A sensor without a rate measures when its controllers decide."""
    rate = base_rate(given.sensors, given.controllers)
    every = [round(rate / one.rate) if one.rate else 0 for one in given.controllers]
    seen: list[int] = []
    for s, sensor in enumerate(given.sensors):
        readers = [every[c] for c, read in enumerate(sources) if s in read and every[c]]
        seen.append(round(rate / sensor.rate) if sensor.rate else math.gcd(*readers))
    late = [round(sensor.delay * rate / k) if k else 0 for sensor, k in zip(given.sensors, seen, strict=True)]
    lag, rest = [], []
    for one in given.controllers:
        ticks = one.delay * rate
        whole = abs(ticks - round(ticks)) <= WHOLE * max(1.0, ticks)
        lag.append(round(ticks) if whole else math.floor(ticks))
        rest.append(0.0 if whole else one.delay - lag[-1] / rate)
    return Plan(rate, seen, late, every, lag, rest)


class _Room:
    """Places in the memory, and what stands there at the start."""

    def __init__(self) -> None:
        self.numbers: list[float] = []

    def take(self, numbers: list[float]) -> int:
        self.numbers += numbers
        return len(self.numbers) - len(numbers)


def commanded_by(given: Given, controller: Controller) -> list[str]:
    """The inputs it commands, by their whole names."""
    drives = [drive.name for drive in given.drives]
    return [input_named(name, given.load_names, drives) for name in controller.commands]


def least_command(given: Given, name: str) -> float:
    """The least that a command may be."""
    drive = next((drive for drive in given.drives if f"drive:{drive.name}" == name), None)
    if drive is None or not isinstance(drive.signal, Command) or not QUANTITIES[drive.quantity].least:
        return -math.inf
    driven = [one for one in given.driven if one.drive is drive]
    own = 0.0 if drive.to is not None else min(own_value(given.structure, one.kind, one.member) for one in driven)
    return -own if QUANTITIES[drive.quantity].least == "negative" else math.nextafter(-own, math.inf)


def fastest_command(given: Given, name: str) -> float:
    """How much a command may change per second by the speed limit of what it drives, on average over a period."""
    limit = next((d.speed_limit for d in given.drives if f"drive:{d.name}" == name and d.speed_limit), math.inf)
    return limit / (STEEPEST if given.holds.get(name) == "smooth" else 1.0)


def _matrices(law: LinearLaw) -> list[float]:
    sizes = [law.d.shape[1], len(law.a), law.d.shape[0]]
    parts = (law.measured_offset, law.command_offset, law.a, law.b, law.c, law.d)
    return [*map(float, sizes), *(float(x) for part in parts for x in np.ravel(np.asarray(part)))]


def _whole(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def tabulate(given: Given) -> Controllers:
    known = {sensor.name: k for k, sensor in enumerate(given.sensors)}
    sources = [
        [known[name] for name in readings_of(given.structure, given.sensors, one.measured, given.grounds)]
        for one in given.controllers
    ]
    plan, inputs, room = plan_of(given, sources), {one.name: one for one in inputs_of(given)}, _Room()
    room.take([0.0] * (HEAD + 2 * len(given.controllers)))
    rings = [room.take([0.0] * (lag + 1)) for lag in plan.sensor_lag]
    internal, places = _places(inputs)
    chosen = [commanded_by(given, one) for one in given.controllers]
    states, scratch, waiting, queue, numbers, data, lasts = [], [], [], [], [], list[float](), []
    for c, one in enumerate(given.controllers):
        count = len(chosen[c])
        scratch.append(room.take([0.0] * (len(sources[c]) + count + len(one.states))))
        queue.append(plan.lag[c] // plan.every[c] + 2 if plan.every[c] else 1)
        waiting.append(room.take([0.0] * (count * queue[-1])))
        lasts += [room.take([inputs[name].start]) for name in chosen[c]]
        numbers.append(len(data))
        data += _matrices(one.law) if isinstance(one.law, LinearLaw) else []
    states = [room.take([*one.states]) for one in given.controllers]
    flat = [name for names in chosen for name in names]
    bounds = {
        key: [x for one in given.controllers for x in one.bounds(key)] for key in ("lowest", "highest", "fastest")
    }
    periods = [k / plan.rate if k else math.inf for k, own in zip(plan.every, chosen, strict=True) for _ in own]
    speeds = [min(own, fastest_command(given, name)) for own, name in zip(bounds["fastest"], flat, strict=True)]
    return Controllers(
        rate=np.array([plan.rate or 1.0]),
        sensor_every=_whole(plan.sensor_every),
        sensor_lag=_whole(plan.sensor_lag),
        ring=_whole(rings),
        reading=_whole([sum(len(numbers_of(one)) for one in inputs.values())]),
        every=_whole(plan.every),
        lag=_whole(plan.lag),
        rest=np.array(plan.rest, dtype=float),
        queue=_whole(queue),
        law=_whole([0 if isinstance(one.law, LinearLaw) else -1 for one in given.controllers]),
        numbers=_whole(numbers),
        data=np.array(data, dtype=float),
        sources=_whole([s for read in sources for s in read]),
        source_start=np.cumsum([0, *map(len, sources)], dtype=np.int64),
        command_start=np.cumsum([0, *map(len, chosen)], dtype=np.int64),
        states=_whole([*states, len(room.numbers)]),
        scratch=_whole(scratch),
        waiting=_whole(waiting),
        target=_whole([internal[name] for name in flat]),
        place=_whole([places[name] for name in flat]),
        places=_whole([len(inputs[name].places) for name in flat]),
        lowest=np.array(bounds["lowest"], dtype=float),
        highest=np.array(bounds["highest"], dtype=float),
        step=np.array([speed * over for speed, over in zip(speeds, periods, strict=True)], dtype=float),
        floor=np.array([least_command(given, name) for name in flat], dtype=float),
        last=_whole(lasts),
        memory=np.array(room.numbers, dtype=float),
    )


def _places(inputs: dict[str, Input]) -> tuple[dict[str, int], dict[str, int]]:
    """Of every input its first internal state, and its first place in the table of commands."""
    internal, places, at, place = dict[str, int](), dict[str, int](), 0, 0
    for name, one in inputs.items():
        internal[name], places[name] = at, place
        at, place = at + len(numbers_of(one)), place + len(one.places)
    return internal, places


CONTROLLERS = Imposed(KIND, Controllers, tabulate, impose)
