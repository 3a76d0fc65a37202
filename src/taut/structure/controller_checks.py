"""Every problem of sensors and controllers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from taut.errors import Problem, SelectionError, listed, suggestion
from taut.structure.angles import Angle
from taut.structure.controllers import HOLDS, Controller, LinearLaw, Sensor
from taut.structure.drives import QUANTITIES, members_of
from taut.structure.grounds import Ground
from taut.structure.magnitudes import size_problem
from taut.structure.ports import Port
from taut.structure.scenario import Drive, Load
from taut.structure.sensing import (
    CONTACT,
    WHOLE,
    base_rate,
    input_named,
    load_names,
    quantities_of,
    readings_of,
    untouched,
)
from taut.structure.signals import Command, parts_of
from taut.structure.structure import Structure

LONGEST_DELAY = 1e6
"""Periods; all that is on its way is kept."""


def problems_of_control(
    structure: Structure,
    sensors: Sequence[Sensor],
    controllers: Sequence[Controller],
    loads: Sequence[Load],
    drives: Sequence[Drive],
    grounds: Sequence[Ground] = (),
) -> list[Problem]:
    """Every problem of sensors and controllers."""
    rate, found = base_rate(sensors, controllers), list[Problem]()
    for kind, names in (("sensors", [one.name for one in sensors]), ("controllers", [one.name for one in controllers])):
        for k, name in enumerate(names):
            if not name:
                found.append(Problem((kind, k), "needs a name"))
            elif names[:k].count(name):
                found.append(Problem((kind, name), f'another of the {kind} is called "{name}" too; rename one'))
    for sensor in sensors:
        faults = _of_sensor(structure, grounds, sensor, rate)
        found += [Problem(("sensors", sensor.name, *p.path), p.message) for p in faults]
    taken: dict[str, str] = {}
    for one in controllers:
        wrong = [
            *_of_controller(structure, grounds, sensors, drives, one, rate),
            *_of_commands(one, loads, drives, taken),
        ]
        found += [Problem(("controllers", one.name, *problem.path), problem.message) for problem in wrong]
    return found


def _of_sensor(structure: Structure, grounds: Sequence[Ground], sensor: Sensor, rate: float) -> Iterator[Problem]:
    if isinstance(sensor.quantity, str):
        try:
            several = quantities_of(structure, sensor.quantity, grounds)
            yield from (Problem(("quantity",), why) for one in several if (why := untouched(structure, grounds, one)))
            if len(several) > 1:
                named = listed([str(one) for one in several], most=3)
                message = f'"{sensor.quantity}" is {len(several)} numbers, {named}; a sensor measures one: name it'
                yield Problem(("quantity",), message)
        except SelectionError as error:
            yield Problem(("quantity",), str(error))
    else:
        yield from (Problem(("quantity", *p.path), p.message) for p in _of_angle(structure, sensor.quantity))
    for key in ("noise", "resolution", "delay"):
        if not getattr(sensor, key) >= 0.0 or not math.isfinite(getattr(sensor, key)):
            yield Problem((key,), f"{getattr(sensor, key)} must be zero or more, and finite")
    if wrong := size_problem(sensor.bias):
        yield Problem(("bias",), wrong)
    yield from _of_rate(sensor.rate, rate)
    if sensor.delay and sensor.rate:
        periods = sensor.delay * sensor.rate
        if periods > LONGEST_DELAY:
            yield Problem(("delay",), _too_late(sensor.delay, sensor.rate))
        elif abs(periods - round(periods)) > WHOLE * max(1.0, periods):
            message = (
                f"{sensor.delay:g} s is {periods:.6g} times the time between measurements; take a whole number of them"
            )
            yield Problem(("delay",), message)
    elif sensor.delay:
        yield Problem(("delay",), "needs a rate, by which measurements are kept")


def _of_angle(structure: Structure, angle: Angle) -> Iterator[Problem]:
    named = replace(angle, name="measured")
    for problem in replace(structure, angles={**structure.angles, "measured": named}).check():
        if problem.path[:2] == ("angles", "measured"):
            yield Problem(problem.path[2:], problem.message)


def _too_late(delay: float, rate: float) -> str:
    return f"{delay:g} s is {delay * rate:.3g} periods at {rate:g} Hz; at most {LONGEST_DELAY:g} are kept on their way"


def _of_rate(given: float | None, rate: float) -> Iterator[Problem]:
    if given is None:
        return
    if not (given > 0.0 and math.isfinite(given)):
        yield Problem(("rate",), f"{given} Hz must be a finite number more than zero")
    elif rate:
        ratio = rate / given
        if abs(ratio - round(ratio)) > WHOLE * ratio:
            message = f"{given:g} Hz does not go into the fastest rate, {rate:g} Hz: that is {ratio:.6g} times as fast"
            nearest = rate / max(round(ratio), 1)
            yield Problem(("rate",), f"{message}; take {nearest:.6g} Hz, or another of which it is a multiple")


def _of_controller(
    structure: Structure,
    grounds: Sequence[Ground],
    sensors: Sequence[Sensor],
    drives: Sequence[Drive],
    one: Controller,
    rate: float,
) -> Iterator[Problem]:
    readings: list[str] = []
    unknown = False
    for k, text in enumerate(one.measured):
        try:
            readings += readings_of(structure, sensors, [text], grounds)
            if text not in {sensor.name for sensor in sensors}:
                ports = quantities_of(structure, text, grounds)
                yield from (Problem(("measured", k), why) for p in ports if (why := untouched(structure, grounds, p)))
        except SelectionError as error:
            unknown = True
            hint = suggestion(text, [sensor.name for sensor in sensors])
            yield Problem(("measured", k), f"{error}{hint}")
    count = len(readings)
    if one.rate is None:
        yield from _not_at_once(structure, grounds, sensors, drives, readings)
    yield from _of_rate(one.rate, rate)
    if not (one.delay >= 0.0 and math.isfinite(one.delay)):
        yield Problem(("delay",), f"{one.delay} s must be zero or more, and finite")
    elif one.delay * (one.rate or 0.0) > LONGEST_DELAY:
        yield Problem(("delay",), _too_late(one.delay, one.rate or 0.0))
    if one.hold not in HOLDS:
        yield Problem(("hold",), f'"{one.hold}" is not one of {", ".join(HOLDS)}{suggestion(one.hold, HOLDS)}')
    if one.rate is None and (one.delay or one.hold != "zero" or one.states or one.fastest != math.inf):
        yield Problem(
            ("rate",), "without a rate it acts at every evaluation, without delay, hold, state or limited speed"
        )
    if one.deadline is not None and not one.deadline > 0.0:
        yield Problem(("deadline",), f"{one.deadline} s must be more than zero")
    for key in ("lowest", "highest", "fastest"):
        given = getattr(one, key)
        if not isinstance(given, int | float) and len(given) != len(one.commands):
            yield Problem((key,), f"has {len(given)} numbers for {len(one.commands)} commands; give one, or one each")
        elif any(math.isnan(value) or (key == "fastest" and not value > 0.0) for value in one.bounds(key)):
            yield Problem((key,), f"{given} makes no sense as a limit")
    lows, highs = one.bounds("lowest"), one.bounds("highest")
    if len(lows) == len(highs) and any(low > high for low, high in zip(lows, highs, strict=True)):
        yield Problem(("lowest",), "is above `highest`: no command fits")
    if isinstance(one.law, LinearLaw) and not unknown:
        shape = (len(one.commands), count)
        if one.law.d.shape != shape:
            yield Problem(
                ("law",),
                f"has {one.law.d.shape[1]} measured and {one.law.d.shape[0]} commanded numbers, "
                f"but the controller has {count} and {len(one.commands)}",
            )
        elif one.state and len(one.state) != len(one.law.a):
            yield Problem(("state",), f"has {len(one.state)} numbers, but the law has {len(one.law.a)}")


LATER = ("acceleration", "specific_force", "torque")
"""Quantities that follow from what is commanded at the same instant."""


def _not_at_once(
    structure: Structure,
    grounds: Sequence[Ground],
    sensors: Sequence[Sensor],
    drives: Sequence[Drive],
    readings: Sequence[str],
) -> Iterator[Problem]:
    """What a controller without a rate cannot measure."""
    known = {sensor.name: sensor for sensor in sensors}
    driven = {f"{kind}:{name}" for drive in drives for kind, names in [_driven(structure, drive)] for name in names}
    for k, name in enumerate(readings):
        sensor = known.get(name, Sensor(name, name))
        if sensor != Sensor(sensor.name, sensor.quantity):
            message = f'"{name}" has a rate, a delay or faults, and the controller reads at every evaluation'
            yield Problem(("measured", k), f"{message}; give the controller a rate")
        if not isinstance(sensor.quantity, str):
            continue
        for one in _known_quantities(structure, grounds, sensor.quantity):
            if one.quantity in CONTACT:
                message = f'the {one.quantity} of {one.kind} "{one.name}" is found once a step'
                yield Problem(("measured", k), f"{message}; give the controller a rate")
            rigid = one.kind == "bar" and structure.bars[one.name].law == "rigid"
            held = one.kind == "cable" and structure.cables[one.name].mode == "length"
            wound = f"{one.kind}:{one.name}" in driven
            if one.quantity in LATER or (one.quantity == "tension" and (rigid or held or wound)):
                message = (
                    f'the {one.quantity} of {one.kind} "{one.name}" follows from what is commanded at that instant'
                )
                yield Problem(("measured", k), f"{message}; give the controller a rate")


def _driven(structure: Structure, drive: Drive) -> tuple[str, tuple[str, ...]]:
    """What a drive drives; nothing where it names nothing, which is told with the drive."""
    try:
        return members_of(structure, drive)
    except SelectionError:
        return "", ()


def _known_quantities(structure: Structure, grounds: Sequence[Ground], text: str) -> list[Port]:
    """None where a sensor names nothing, which is told with the sensor."""
    try:
        return quantities_of(structure, text, grounds)
    except SelectionError:
        return []


def _of_commands(
    one: Controller, loads: Sequence[Load], drives: Sequence[Drive], taken: dict[str, str]
) -> Iterator[Problem]:
    names = load_names(loads)
    signals = {f"load:{name}": load.signal for name, load in zip(names, loads, strict=True)}
    signals |= {f"drive:{drive.name}": drive.signal for drive in drives}
    quantity = {f"drive:{drive.name}": drive.quantity for drive in drives}
    if not one.commands:
        yield Problem(("commands",), "commands nothing; name a load or a drive")
    for k, text in enumerate(one.commands):
        try:
            name = input_named(text, names, [drive.name for drive in drives])
        except SelectionError as error:
            yield Problem(("commands", k), str(error))
            continue
        if not any(isinstance(part.signal, Command) for part in parts_of(signals[name])):
            yield Problem(("commands", k), f'"{name}" has a signal of its own; make it a Command (`command` in files)')
        if name in taken:
            yield Problem(("commands", k), f'"{name}" is commanded by "{taken[name]}" already')
        taken[name] = one.name
        driven = quantity.get(name, "")
        if driven in QUANTITIES and QUANTITIES[driven].smooth and one.hold != "smooth":
            yield Problem(
                ("hold",),
                f'"{name}" drives {"an" if driven == "angle" else "a"} {driven}, which cannot jump; say hold: smooth',
            )
        elif driven == "rest_length" and one.rate is None:
            message = f'"{name}" drives a rest length, whose rate is not known at every evaluation; give it a rate'
            yield Problem(("rate",), message)
