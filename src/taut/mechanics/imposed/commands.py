"""Commands: what controllers, or whoever steps a simulation, decide of loads and drives.

A command is part of the state, as one of its internal numbers, so that every state says by itself what acts on it:
samples, checkpoints and outputs need nothing beside it. Before each evaluation it is copied to where its signal reads
it. A new one is written beside the state first (`coming`) and let in by the break at which it begins to act, where the
jump does its work (`operations/events.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.imposed.drives import DRIVE_DATA, STANDS, drives_in, tabulated_drives
from taut.mechanics.kinds import Given, Imposed
from taut.mechanics.signals import COMMANDED, FIRST_ORDER, SMOOTH, ZERO_ORDER, tabulated
from taut.mechanics.tables import command_count, coordinate_count, layout_of, part_of, slot
from taut.mechanics.terms.loads import LOAD_DATA
from taut.numerics.compiled import inlined, kernel
from taut.numerics.lanes import every
from taut.numerics.packing import Integers, Pack, Reals, reader, reals_at, size_of
from taut.numerics.pointers import shifted
from taut.structure.controllers import HOLDS

KIND = "commands"

ORDERS = dict(zip(HOLDS, (ZERO_ORDER, FIRST_ORDER, SMOOTH), strict=True))

RAMPED = COMMANDED - 1
"""Internal numbers of a command that does not act at once: what it goes to, comes from, since when, over how long."""


class Commands(NamedTuple):
    """Commands, each in c places at most, and i internal numbers of the state."""

    coming: Reals  # (i,) what the internal numbers become at the next break
    first: Integers  # (c,) where a command's numbers begin among them
    hold: Integers  # (c,) ZERO_ORDER has one number, others RAMPED of them
    part: Integers  # (c,) the data of loads or of drives
    place: Integers  # (c,) there


commands_in = reader(Commands, slot(KIND))
COMING = part_of(KIND, Commands, "coming")
PLACES = part_of(KIND, Commands, "first")


class Input(NamedTuple):
    """A command of a load or a drive; a drive of several members is one input."""

    name: str  # "load:push", "drive:winch"
    hold: str
    start: float
    places: tuple[tuple[int, int], ...]  # parts and places of its signals


def inputs_of(given: Given) -> tuple[Input, ...]:
    """Everything that is commanded, loads first."""
    found: dict[str, Input] = {}
    names = [f"load:{name}" for name in given.load_names]
    for part, table, labels in (
        (LOAD_DATA, tabulated([load.signal for load in given.loads]), names),
        (DRIVE_DATA, tabulated_drives(given), [f"drive:{driven.drive.name}" for driven in given.driven]),
    ):
        for command in table.commands:
            name, place = labels[command.signal], (part, command.place)
            known = found.get(name)
            places = (*known.places, place) if known else (place,)
            found[name] = Input(name, given.holds.get(name, "zero"), command.start, places)
    return tuple(found.values())


def numbers_of(one: Input) -> list[float]:
    """Of an input at the start."""
    return [one.start] if one.hold == "zero" else [one.start, one.start, 0.0, 0.0]


def tabulate(given: Given) -> Commands:
    numbers: list[float] = []
    firsts, holds, places = [], [], []
    for one in inputs_of(given):
        for place in one.places:
            firsts.append(len(numbers))
            holds.append(ORDERS[one.hold])
            places.append(place)
        numbers += numbers_of(one)
    parts, at = np.array(places, dtype=np.int64).reshape(-1, 2).T.copy()
    return Commands(
        np.array([*numbers, *np.zeros(len(given.sensors))]),
        np.array(firsts, dtype=np.int64),
        np.array(holds, dtype=np.int64),
        parts,
        at,
    )


@inlined
def impose(p: Pack, t: float, y: np.ndarray) -> None:
    """Copy every command to where its signal reads it, where it is not what stands there already."""
    commands, begin, same = commands_in(p), layout_of(coordinate_count(p), 0, 0).internal, True
    for k in range(size_of(p, PLACES)):
        data, at = shifted(reals_at(p, commands.part[k]), commands.place[k]), begin + commands.first[k]
        same = same and every(data[0] == y[at])
        if commands.hold[k] != ZERO_ORDER:
            for m in range(1, RAMPED):
                same = same and every(data[m] == y[at + m])
            same = same and every(data[RAMPED] == float(commands.hold[k]))
    if not same:
        _copy(p, y)


@kernel
def _copy(p: Pack, y: np.ndarray) -> None:
    commands, begin = commands_in(p), layout_of(coordinate_count(p), 0, 0).internal
    for k in range(size_of(p, PLACES)):
        data, at = shifted(reals_at(p, commands.part[k]), commands.place[k]), begin + commands.first[k]
        data[0] = y[at]
        if commands.hold[k] != ZERO_ORDER:
            for m in range(1, RAMPED):
                data[m] = y[at + m]
            data[RAMPED] = float(commands.hold[k])
    if size_of(p, STANDS) > 0:
        drives_in(p).stands[0] = np.nan  # what is driven is not what these say


@inlined
def let_in(p: Pack, y: np.ndarray) -> None:
    """Let what was decided become part of the state."""
    coming, begin = commands_in(p).coming, layout_of(coordinate_count(p), 0, 0).internal
    for k in range(command_count(p)):
        y[begin + k] = coming[k]


COMMANDS = Imposed(KIND, Commands, tabulate, impose, lanes=True)
