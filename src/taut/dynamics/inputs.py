"""Inputs of a simulation that is stepped: which loads and drives, in which order, and what they may be set to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, SelectionError
from taut.mechanics.assemble import with_commands
from taut.mechanics.imposed.commands import inputs_of, numbers_of
from taut.mechanics.imposed.controller_tables import STEEPEST, commanded_by, least_command
from taut.mechanics.plant import Plant
from taut.structure.controllers import HOLDS, Sensor
from taut.structure.drives import QUANTITIES
from taut.structure.sensing import input_named
from taut.structure.signals import Command, Constant, Signal


class One(NamedTuple):
    """An input: where its numbers are among the internal states, how it is held, and its limits."""

    at: int
    hold: str
    least: float
    least_told: str
    fastest: float
    unit: str


class Inputs:
    """What can be set, in order."""

    def __init__(self, names: Sequence[str], ones: Sequence[One]) -> None:
        self.names, self._ones = tuple(names), tuple(ones)
        self._places = {name: k for k, name in enumerate(names)}
        self._loads = [name[5:] for name in names if name.startswith("load:")]
        self._drives = [name[6:] for name in names if name.startswith("drive:")]
        self._at = np.array([one.at for one in ones], dtype=int)
        self._least = np.array([one.least for one in ones])
        self._bounded = bool((self._least > -math.inf).any())
        self._slow = any(one.fastest < math.inf for one in ones)
        self._ramps = np.array([one.hold != "zero" for one in ones], dtype=bool)
        self._led = bool(self._ramps.any())
        self._steep = np.array([STEEPEST if one.hold == "smooth" else 1.0 for one in ones])
        self._fastest = np.array([one.fastest for one in ones])

    @property
    def at(self) -> np.ndarray:
        """Where the number of each stands among internal states."""
        return self._at

    @property
    def smooth(self) -> bool:
        """Whether none of them jumps, in itself or in its rate."""
        return all(one.hold == "smooth" for one in self._ones)

    def set_many(self, coming: np.ndarray, values: np.ndarray, now: np.ndarray, dt: float, who: np.ndarray) -> None:
        """Write inputs (N, m) of those variants that go on, each at its own time; raises where they make no sense."""
        rows = slice(None) if who.size == len(coming) else who[:, None]
        given, before = values[who], coming[rows, self._at]
        wrong = ~np.isfinite(given)
        if self._bounded:
            wrong |= given < self._least
        if self._slow:
            wrong |= np.abs(given - before) / dt * self._steep > self._fastest * (1.0 + 1e-9)
        if wrong.any():
            k = int(who[np.argwhere(wrong)[0][0]])
            try:
                self.set(coming[k].copy(), values[k], float(now[k]), dt)
            except OptionError as error:
                raise OptionError(f"variant {k}: {error}") from None
        led = self._at[self._ramps]
        if led.size:
            coming[rows, led + 1], coming[rows, led + 2] = before[:, self._ramps], now[who][:, None]
            coming[rows, led + 3] = dt
        coming[rows, self._at] = given

    def named(self, coming: np.ndarray) -> dict[str, float]:
        """What every input is."""
        return {name: float(coming[one.at]) for name, one in zip(self.names, self._ones, strict=True)}

    def set(
        self,
        coming: np.ndarray,
        given: Mapping[str, float] | Sequence[float] | np.ndarray | None,
        now: float,
        dt: float,
    ) -> None:
        """Write inputs for a step of a length [s] from a time on; raises OptionError where they make no sense."""
        if given is None:
            values = coming[self._at]
        elif isinstance(given, Mapping):
            values = coming[self._at]
            for name, value in given.items():
                values[self._place(name)] = value
        else:
            values = np.asarray(given, dtype=float)
            if values.shape != self._at.shape:
                order = ", ".join(self.names[:6]) + (", ..." if len(self.names) > 6 else "")
                raise OptionError(
                    f"inputs of shape {values.shape} do not fit: give ({len(self.names)},), in the order {order}"
                )
        if not np.isfinite(values).all():
            worst = int(np.argmin(np.isfinite(values)))
            raise OptionError(
                f'the input "{self.names[worst]}" is {values[worst]} at t = {now:.6g} s; it must be finite'
            )
        if self._slow or (self._bounded and (values < self._least).any()):
            before = coming[self._at]
            for name, one, value, last in zip(self.names, self._ones, values, before, strict=True):
                self._check(name, one, float(value), float(last), now, dt)
        if self._led:
            for one in self._ones:
                if one.hold != "zero":
                    coming[one.at + 1 : one.at + 4] = coming[one.at], now, dt
        coming[self._at] = values

    def _place(self, name: str) -> int:
        if name in self._places:
            return self._places[name]
        try:
            return self._places[input_named(name, self._loads, self._drives)]
        except SelectionError as error:
            raise OptionError(f"{error}; inputs are loads and drives whose signals are numbers or Commands") from None

    @staticmethod
    def _check(name: str, one: One, value: float, last: float, now: float, dt: float) -> None:
        if value < one.least:
            raise OptionError(f'the input "{name}" of {value:g} {one.unit} at t = {now:.6g} s {one.least_told}')
        speed = abs(value - last) / dt * (STEEPEST if one.hold == "smooth" else 1.0)
        if speed > one.fastest * (1.0 + 1e-9):
            raise OptionError(
                f'the input "{name}" goes from {last:g} to {value:g} {one.unit} in {dt:g} s at t = {now:.6g} s, '
                f"{speed:.4g} {one.unit}/s; its speed limit is {one.fastest:g} {one.unit}/s"
            )


def inputs_for(plant: Plant, hold: str | None, sensors: Sequence[Sensor]) -> tuple[Plant, Inputs]:
    """The plant with its inputs commanded and with these sensors, and the inputs."""
    if hold is not None and hold not in HOLDS:
        raise OptionError(f'hold "{hold}" is not one of {", ".join(HOLDS)}')
    given = plant.given
    taken = {name for one in given.controllers for name in commanded_by(given, one)}
    signals = {f"load:{name}": load.signal for name, load in zip(given.load_names, given.loads, strict=True)}
    signals |= {f"drive:{drive.name}": drive.signal for drive in given.drives}
    quantity = {f"drive:{drive.name}": drive.quantity for drive in given.drives}
    free = {
        name: value
        for name, signal in signals.items()
        if name not in taken and (value := _constant(signal)) is not None
    }
    holds = {}
    for name in signals:
        smooth = name in quantity and QUANTITIES[quantity[name]].smooth
        if smooth and hold not in (None, "smooth"):
            raise OptionError(
                f'"{name}" drives a {quantity[name]}, which cannot jump; leave the hold out, or say smooth'
            )
        if name not in taken:
            holds[name] = hold or ("smooth" if smooth else "zero")
    plant = with_commands(plant, free, holds, sensors)
    given, names, ones, place = plant.given, list[str](), list[One](), 0
    limits = {f"drive:{drive.name}": drive.speed_limit or math.inf for drive in given.drives}
    for one in inputs_of(given):
        if one.name not in taken:
            least = least_command(given, one.name)
            driven = quantity.get(one.name, "")
            unit = QUANTITIES[driven].unit if driven else "N"
            bound = QUANTITIES[driven].least if driven else ""
            told = f"drives the {driven} to {bound}, which it can never be"
            names.append(one.name)
            ones.append(One(place, one.hold, least, told, limits.get(one.name, math.inf), unit))
        place += len(numbers_of(one))
    return plant, Inputs(names, ones)


def _constant(signal: Signal) -> float | None:
    """The value of a signal that is a number, or of one that is commanded by itself."""
    if isinstance(signal, int | float):
        return float(signal)
    if isinstance(signal, Constant):
        return signal.value
    return signal.start if isinstance(signal, Command) else None
