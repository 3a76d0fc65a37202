"""A law that was designed on a linear model as a Controller of a run: which drives, loads and sensors its names mean.

Inputs of a model are differences from what acts at the state that it is about. What acts there is where a Command
starts, so commands are counted from that, whether a Drive is given as `to` or as `by`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError, SelectionError, suggestion
from taut.mechanics.plant import Plant
from taut.structure.controllers import Bound, Controller, LinearLaw, Sensor
from taut.structure.sensing import quantities_of
from taut.structure.signals import Command, Signal, parts_of

SAME = 1e-9
"""Rates and delays that differ by less of themselves are one."""


@dataclass(frozen=True)
class Timing:
    """When a law acts. rate: None at all times. hold, delay: None where the design does not know them.

    designed: on a sampled model, which knows them.
    """

    rate: float | None
    hold: str | None = None
    delay: float | None = None
    designed: bool = False

    def agreed(self, hold: str | None, delay: float | None) -> Timing:
        """With what is asked for, where that is no contradiction."""
        for word, known, asked in (("hold", self.hold, hold), ("delay", self.delay, delay)):
            if known is None or asked is None or _same(known, asked):
                continue
            told = f'"{known}"' if isinstance(known, str) else f"{known:g} s"
            raise OptionError(
                f"the law was designed for a {word} of {told}, and {asked!r} would be another loop; leave it out, or "
                f"design on taut.control.sampled(model, rate, {word}={asked!r})"
            )
        designed = self.hold is not None and self.delay is not None
        agreed = hold if self.hold is None else self.hold, delay if self.delay is None else self.delay
        return Timing(self.rate, *agreed, designed)


def rate_of(period: float) -> float:
    """The rate [Hz] of which this is the period [s]: the whole number, where it is one."""
    whole = float(round(1.0 / period))
    return whole if whole and 1.0 / whole == period else 1.0 / period


def controller_of(
    name: str,
    plant: Plant,
    law: LinearLaw,
    outputs: Sequence[str],
    inputs: Sequence[str],
    timing: Timing,
    *,
    sensors: Mapping[str, str] | None = None,
    state: tuple[float, ...] = (),
    lowest: Bound = -math.inf,
    highest: Bound = math.inf,
    fastest: Bound = math.inf,
) -> Controller:
    """The law with its outputs measured, and its inputs commanded from where they start."""
    found = [commanded(plant, one) for one in inputs]
    if timing.hold == "first" and timing.designed:
        _check_undamped(plant, [command for command, _ in found])
    start = np.array([start for _, start in found])
    return Controller(
        name,
        tuple(_measured(plant, one, timing, sensors or {}) for one in _known(outputs, sensors)),
        tuple(command for command, _ in found),
        replace(law, command_offset=law.command_offset + start),
        rate=timing.rate,
        delay=timing.delay or 0.0,
        hold=timing.hold or "zero",
        state=state,
        lowest=lowest,
        highest=highest,
        fastest=fastest,
    )


# --- what is commanded


def commanded(plant: Plant, name: str) -> tuple[str, float]:
    """The load or drive that an input of the linear model is, and where its Command starts."""
    given = plant.given
    acting: list[tuple[str, Signal]] = [
        (f"load:{own}", load.signal)
        for own, load in zip(given.load_names, given.loads, strict=True)
        if f"node:{load.node}.force.{load.axis}" == name
    ]
    for one in given.driven:
        if f"{one.kind}:{one.member}.{one.drive.quantity}" == name:
            together = [each.member for each in given.driven if each.drive is one.drive]
            if len(together) > 1:
                raise OptionError(
                    f'"{name}" is driven by "{one.drive.name}" together with {len(together) - 1} more members, and the '
                    "law commands each by itself; give every member a drive of its own"
                )
            acting.append((f"drive:{one.drive.name}", one.drive.signal))
    if not acting:
        raise OptionError(f'nothing of the plant drives "{name}"; {_remedy(name)}')
    parts = [(one, part.signal) for one, signal in acting for part in parts_of(signal)]
    starts = {one: part.start for one, part in parts if isinstance(part, Command)}
    if len(starts) != 1:
        what = " and ".join(f'"{one}"' for one in starts or [one for one, _ in acting])
        raise OptionError(
            f'{what} are commanded, and each is "{name}"; leave one Command there'
            if starts
            else f'{what}, which is "{name}", has a signal of its own; make it a Command to have it commanded'
        )
    return next(iter(starts.items()))


def _check_undamped(plant: Plant, commands: Sequence[str]) -> None:
    """A damper feels how fast its cable's rest length changes, which a model with rest lengths as inputs leaves out."""
    given, damping = plant.given, plant.tables["springs"].damping
    rows = {("cable", name): row for name, row in given.cable.items()}
    rows |= {("bar", name): row for name, row in given.compressible_bar.items()}
    for one in given.driven:
        row = rows.get((one.kind, one.member))
        wound = f"drive:{one.drive.name}" in commands and one.drive.quantity == "rest_length"
        if wound and row is not None and damping[row] > 0.0:
            raise OptionError(
                f'"drive:{one.drive.name}" winds the {one.kind} "{one.member}", whose damping feels how fast it is '
                "wound, and the model knows rest lengths only: exact where they go in steps. Sample it with hold = "
                '"zero", or take that damping away'
            )


def _remedy(name: str) -> str:
    thing, _, quantity = name.rpartition(".")
    if quantity.endswith("_acceleration"):
        plain = quantity.removesuffix("_acceleration")
        return f"it is a second rate, and drives command the {plain} itself: no Controller can follow this law"
    if ".force." in name:
        node, _, axis = name.removeprefix("node:").rpartition(".force.")
        return f'assemble it with a Load("{node}", "{axis}", Command())'
    return f'assemble it with a Drive(..., "{thing}", "{quantity}", by=Command())'


# --- what is measured


def _known(outputs: Sequence[str], sensors: Mapping[str, str] | None) -> Sequence[str]:
    for name in sensors or {}:
        if name not in outputs:
            hint = suggestion(name, list(outputs)) or f"; it measures {', '.join(outputs[:6])}"
            raise OptionError(f'the law does not measure "{name}"{hint}')
    return outputs


def _measured(plant: Plant, output: str, timing: Timing, chosen: Mapping[str, str]) -> str:
    """The sensor of an output: the one that is named, the plant's only one of it, or an exact one."""
    known = {sensor.name: sensor for sensor in plant.given.sensors}
    if output in chosen:
        name = chosen[output]
        if name not in known:
            raise OptionError(
                f'the plant has no sensor "{name}" for "{output}"{suggestion(name, list(known))}; assemble it with one'
            )
        shown = _shown(plant, known[name])
        if shown not in ("", output):
            raise OptionError(f'the sensor "{name}" measures "{shown}" and not "{output}"')
    else:
        fitting = [sensor.name for sensor in known.values() if _shown(plant, sensor) == output]
        if len(fitting) > 1:
            told = ", ".join(f'"{one}"' for one in fitting)
            raise OptionError(f'{told} all measure "{output}"; say which with sensors={{"{output}": ...}}')
        name = fitting[0] if fitting else output
    if name in known:
        _check_fresh(known[name], timing)
    else:
        _check_measurable(plant, output)
    return name


def _shown(plant: Plant, sensor: Sensor) -> str:
    """What a sensor measures, as outputs are called; nothing where that is an angle between any directions."""
    return (
        str(quantities_of(plant.structure, sensor.quantity, plant.grounds)[0])
        if isinstance(sensor.quantity, str)
        else ""
    )


def _check_fresh(sensor: Sensor, timing: Timing) -> None:
    """A law that was designed on a model takes readings for those of its own sample."""
    if not timing.designed:
        return
    if sensor.delay:
        raise OptionError(
            f'the sensor "{sensor.name}" is {sensor.delay:g} s late, and the law was designed for readings of its own '
            "sample; take that delay into the model (sampled(..., delay=...)) and out of the sensor"
        )
    if timing.rate and sensor.rate and sensor.rate < timing.rate * (1.0 - SAME):
        raise OptionError(
            f'the sensor "{sensor.name}" measures at {sensor.rate:g} Hz and the law was designed for fresh readings at '
            f"{timing.rate:g} Hz; design it for {sensor.rate:g} Hz"
        )


def _check_measurable(plant: Plant, output: str) -> None:
    try:
        found = [str(one) for one in quantities_of(plant.structure, output, plant.grounds)]
    except SelectionError as error:
        raise OptionError(f'no exact sensor measures "{output}": {error}') from None
    if found != [output]:
        raise OptionError(
            f'no exact sensor measures "{output}"; assemble the plant with a Sensor of it (an angle is measured by a '
            f'Sensor whose quantity is an Angle) and say sensors={{"{output}": its name}}'
        )


def _same(known: object, asked: object) -> bool:
    if isinstance(known, int | float) and isinstance(asked, int | float):
        return abs(known - asked) <= SAME * max(abs(known), abs(asked))
    return known == asked
