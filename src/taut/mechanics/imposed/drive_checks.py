"""What is wrong with drives that only their signals in time, or what a run can do, tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from taut.errors import Problem
from taut.mechanics.imposed.drives import TARGETS, signal_of
from taut.mechanics.signals import evaluated, tabulated
from taut.structure.drives import QUANTITIES, Driven, drive_problems, driven_members, own_value
from taut.structure.scenario import Drive, Sinusoid, Watch
from taut.structure.signals import parts_of
from taut.structure.structure import Structure

LOOKS = 4096
"""At so many times a signal is looked at between two breaks."""

WAVES = 16
"""Of the slowest wave, after the last break."""


def problems_of_drives(structure: Structure, drives: Sequence[Drive], watches: Sequence[Watch]) -> list[Problem]:
    """Every problem of drives; paths begin with their place among them."""
    found = [Problem(("drives", index, *p.path), p.message) for index, p in drive_problems(structure, drives)]
    if found:
        return found
    places = {drive.name: index for index, drive in enumerate(drives)}
    for driven in driven_members(structure, drives):
        path = ("drives", places[driven.drive.name])
        for problem in _one(structure, driven, watches):
            found.append(Problem((*path, *problem.path), problem.message))
    return found


def _one(structure: Structure, driven: Driven, watches: Sequence[Watch]) -> Iterator[Problem]:
    drive, kind, name = driven.drive, driven.kind, driven.member
    if (drive.quantity, kind) not in TARGETS:
        yield Problem(("quantity",), f'the {drive.quantity} of {kind} "{name}" cannot be driven in a run so far')
        return
    for watch in watches:
        chosen = [selector for selector in watch.cut if selector.startswith(f"{kind}:")]
        cut = {member for selector in chosen for member in structure.select(selector)}
        lasting = drive.quantity in ("tension", "force_density", "force") or (
            kind == "bar" and drive.quantity == "length"
        )
        if lasting and name in cut:
            what = drive.quantity.replace("_", " ")
            message = (
                f'{kind} "{name}" is to be cut by the event "{watch.name}"; a {kind} whose {what} is driven cannot be'
            )
            yield Problem(("member",), message)
    own = 0.0 if drive.to is not None else own_value(structure, kind, name)
    time, value = lowest(driven)
    least = own + value
    unit, bound = QUANTITIES[drive.quantity].unit, QUANTITIES[drive.quantity].least
    if bound and (least < 0.0 or (least == 0.0 and bound != "negative")):
        key = "to" if drive.to is not None else "by"
        message = f'drives the {drive.quantity} of {kind} "{name}" to {least:.6g} {unit} at t = {time:.6g} s'
        yield Problem((key,), f"{message}; it can never be {bound}")


def lowest(driven: Driven) -> tuple[float, float]:
    """When a signal is lowest, and what it is then; infinite where only a Python function knows."""
    signal = signal_of(driven)
    table = tabulated([signal])
    if table.functions:
        return 0.0, math.inf
    times = look_times(signal, table.breaks)
    values = evaluated(signal, times)[:, 0]
    at = int(np.argmin(values))
    return float(times[at]), float(values[at])


def fastest(driven: Driven, until: float) -> tuple[float, float]:
    """The largest speed that a drive asks for up to a time, and when; nothing where only a Python function knows."""
    signal = signal_of(driven)
    table = tabulated([signal])
    if table.functions:
        return 0.0, 0.0
    times = look_times(signal, table.breaks)
    times = times[times <= until]
    rates = np.abs(evaluated(signal, times)[:, 1])
    at = int(np.argmax(rates))
    return float(rates[at]), float(times[at])


def look_times(signal: object, breaks: Sequence[float]) -> np.ndarray:
    """Times at which a signal shows all it does: densely between breaks, then some waves and their crests."""
    waves = [part.signal for part in parts_of(signal) if isinstance(part.signal, Sinusoid)]  # type: ignore[arg-type]
    periods = [1.0 / abs(wave.frequency) for wave in waves if wave.frequency]
    begin = max(0.0, max(breaks, default=0.0))
    edges = np.unique([0.0, *(t for t in breaks if t > 0.0), begin + WAVES * max(periods, default=0.0)])
    between = [np.linspace(a, b, LOOKS, endpoint=False) for a, b in pairwise(edges)]
    crests = [
        (np.arange(4 * WAVES) * 0.5 * math.pi - wave.phase) / (2.0 * math.pi * wave.frequency)
        for wave in waves
        if wave.frequency
    ]
    times = np.concatenate([edges, *between, *crests])
    return np.unique(times[times >= 0.0])
