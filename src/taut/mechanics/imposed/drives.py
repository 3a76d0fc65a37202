"""Drives: signals that decide rest lengths, the lengths of bars, and whatever else a table holds a column for.

Every driven number is written, with its rates, into columns of the table whose kernels read it; `TARGETS` says which.
Winding a spring of tension T and stiffness k(r), rest length r, does the work

    power = -T r' + k'(r) (l - r)^2 r' / 2

with T whole, its damper's part too: that sees l' - r'. Where the stiffness is E A / r, k' = -k / r, and damping in
proportion to it changes too. The power of driven rows follows from their multipliers (`operations/motion.py`), and
terms that are commanded return their own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taut.mechanics.imposed.support_curves import spans
from taut.mechanics.kinds import Given, Imposed
from taut.mechanics.rows.angles import Angles
from taut.mechanics.rows.driven_bars import DrivenBars, driven_bar_count, driven_bars_in
from taut.mechanics.rows.held_lengths import HeldLengths
from taut.mechanics.signals import Tabulated, signal_at, tabulated
from taut.mechanics.tables import constants_in, part_of, slot
from taut.mechanics.terms.routes import Routes
from taut.mechanics.terms.slackening import slackening_in
from taut.mechanics.terms.springs import Springs, member_state, springs_in
from taut.mechanics.terms.torques import Torques
from taut.numerics.compiled import inlined, kernel
from taut.numerics.curves import three_point_slopes
from taut.numerics.lanes import one, some, where
from taut.numerics.packing import Integers, Pack, Reals, counter, reader, reals_at
from taut.structure import signals
from taut.structure.drives import QUANTITIES, Driven, own_value
from taut.structure.properties import following_rigidity
from taut.structure.scenario import SampledSignal, Signal, SignalSum, SmoothStart

KIND = "drives"


class Target(NamedTuple):
    """Where a quantity is written, and with which sign: a table, and its columns for the value and its rates."""

    name: str
    table: type
    value: str
    rate: str = ""
    acceleration: str = ""
    sign: float = 1.0


TARGETS = {
    ("rest_length", "cable"): Target("springs", Springs, "rest_length", "rest_rate"),
    ("rest_length", "bar"): Target("springs", Springs, "rest_length", "rest_rate"),
    ("length", "bar"): Target("driven_bars", DrivenBars, "length", "rate", "acceleration"),
    ("length", "cable"): Target("held_lengths", HeldLengths, "held", "rate", "acceleration"),
    ("tension", "cable"): Target("routes", Routes, "command"),
    ("force_density", "cable"): Target("routes", Routes, "command"),
    ("force", "bar"): Target("routes", Routes, "command", sign=-1.0),
    ("torque", "angle"): Target("torques", Torques, "command"),
    ("angle", "angle"): Target("angles", Angles, "angle", "rate", "acceleration"),
}
"""(quantity, kind of member) -> where it is written. What is not here cannot be driven in a run."""


WINDS, COMMANDS = 1, 2


class Drives(NamedTuple):
    """d driven numbers. Parts are places in the pack's directory, -1 where nobody asks for a rate."""

    row: Integers  # (d,) in those parts
    value: Integers  # (d,) the part that holds it
    rate: Integers  # (d,)
    acceleration: Integers  # (d,)
    winds: Integers  # (d,) WINDS where it is the rest length of a spring, COMMANDS where the force of a route
    own: Reals  # (d,) what its signal counts from
    sign: Reals  # (d,) with which it is written: a push is a tension below zero
    rigidity: Reals  # (d,) E A [N] of a spring whose stiffness follows from it, else 0
    drag: Reals  # (d,) its own damping [N s/m]
    lag: Reals  # (d,) and that in proportion to its stiffness [s]
    kind: Integers  # (d,)
    start: Integers  # (d,) where the signal's numbers begin in `data`
    data: Reals
    steady: Integers  # (1,) 1 where time and commands alone change what is driven: no Python functions
    stands: Reals  # (2,) the time at which it was written last, NaN where commands are others, and the piece [s]


drives_in = reader(Drives, slot(KIND))
drive_count = counter(part_of(KIND, Drives, "row"))
DRIVE_DATA = part_of(KIND, Drives, "data")
STANDS = part_of(KIND, Drives, "stands")


@kernel
def impose(p: Pack, t: float, y: np.ndarray) -> None:
    """Write every driven number and its rates."""
    drives, bars, inside = drives_in(p), driven_bars_in(p), one(constants_in(p).piece[0])
    # A step asks for the same time again and again, and sines are dear.
    if drives.steady[0] == 1 and one(drives.stands[0]) == t and one(drives.stands[1]) == inside:
        return
    drives.stands[0], drives.stands[1] = t, inside
    for k in range(drive_count(p)):
        value, rate, acceleration = signal_at(drives.kind[k], drives.data, drives.start[k], t, inside)
        value, row = value + drives.own[k], drives.row[k]
        reals_at(p, drives.value[k])[row] = drives.sign[k] * value
        if drives.rate[k] >= 0:
            reals_at(p, drives.rate[k])[row] = rate
        if drives.acceleration[k] >= 0:
            reals_at(p, drives.acceleration[k])[row] = acceleration
        follows = drives.rigidity[k] > 0.0
        if some(follows):
            # What a cable is given when it tightens; one that is slack or cut keeps its zero.
            springs, given = springs_in(p), slackening_in(p)
            firm = drives.rigidity[k] / value
            drag = drives.drag[k] + drives.lag[k] * firm
            given.stiffness[row] = where(follows, firm, given.stiffness[row])
            given.damping[row] = where(follows, drag, given.damping[row])
            pulls = follows & (abs(springs.stiffness[row]) > 0.0)
            springs.stiffness[row] = where(pulls, firm, springs.stiffness[row])
            springs.damping[row] = where(pulls, drag, springs.damping[row])
    for k in range(driven_bar_count(p)):
        bars.per_length[k] = 1.0 / bars.length[k]


@inlined
def winding_power(p: Pack, k: int, y: np.ndarray) -> float:
    """Of one drive of a rest length [W]."""
    drives, springs = drives_in(p), springs_in(p)
    row = drives.row[k]
    length, _, elastic, viscous = member_state(p, row, y, springs.damps[0])
    rest = springs.rest_length[row]
    softer = where(drives.rigidity[k] > 0.0, 0.5 * elastic * (length - rest) / rest, 0.0)
    return -(elastic + viscous + softer) * springs.rest_rate[row]


@inlined
def power(p: Pack, t: float, y: np.ndarray) -> float:
    drives, total = drives_in(p), 0.0
    for k in range(drive_count(p)):
        if drives.winds[k] == WINDS:
            total += winding_power(p, k, y)
    return total


def tabulated_drives(given: Given) -> Tabulated:
    """The signals of all driven members, one each."""
    return tabulated([signal_of(driven) for driven in given.driven])


def signal_of(driven: Driven) -> Signal:
    """A table without slopes begins and ends at rest, where its rate may not jump."""
    signal = driven.drive.signal
    return at_rest(signal) if QUANTITIES[driven.drive.quantity].smooth else signal


def at_rest(signal: Signal) -> Signal:
    if isinstance(signal, SignalSum):
        return SignalSum(tuple(map(at_rest, signal.signals)))
    if isinstance(signal, SmoothStart):
        return replace(signal, signal=at_rest(signal.signal))
    if not isinstance(signal, SampledSignal) or signal.slopes is not None:
        return signal
    slopes = three_point_slopes(np.array(signal.times), np.array(signal.values))
    slopes[[0, -1]] = 0.0
    return replace(signal, slopes=tuple(slopes.tolist()))


def tabulate(given: Given) -> Drives:
    structure, table = given.structure, tabulated_drives(given)
    rows, parts, winds, own, rigidity, drag, signs = [], [], [], [], [], [], []
    for driven in given.driven:
        drive, kind, name = driven.drive, driven.kind, driven.member
        target = TARGETS[drive.quantity, kind]
        rows.append(given.driven_row(driven))
        columns = (target.value, target.rate, target.acceleration)
        parts.append([part_of(target.name, target.table, column) if column else -1 for column in columns])
        winding = drive.quantity == "rest_length"
        winds.append(WINDS if winding else COMMANDS if target.name == "routes" else 0)
        own.append(0.0 if drive.to is not None else own_value(structure, kind, name))
        member = structure.bars.get(name) if kind == "bar" else structure.cables.get(name)
        rigidity.append(following_rigidity(member) if winding and member is not None else 0.0)
        signs.append(target.sign)
        drag.append(0.0 if member is None else member.damping)
    value, rate, acceleration = np.array(parts, dtype=np.int64).reshape(-1, 3).T.copy()
    return Drives(
        row=np.array(rows, dtype=np.int64),
        value=value,
        rate=rate,
        acceleration=acceleration,
        winds=np.array(winds, dtype=np.int64),
        own=np.array(own, dtype=float),
        sign=np.array(signs, dtype=float),
        rigidity=np.array(rigidity, dtype=float),
        drag=np.array(drag, dtype=float),
        lag=np.full(len(drag), given.damping.stiffness),
        kind=table.kind,
        start=table.start,
        data=table.data,
        steady=np.array([not table.functions], dtype=np.int64),
        stands=np.full(2, np.nan),
    )


def breaks(given: Given) -> list[float]:
    parts = [part for driven in given.driven for part in signals.parts_of(driven.drive.signal)]
    return [*tabulated_drives(given).breaks, *(time for part in parts for time in spans(part))]


def shortest_period(given: Given) -> float:
    """[s] of all waves."""
    return min((signals.shortest_period(driven.drive.signal) for driven in given.driven), default=math.inf)


DRIVES = Imposed(KIND, Drives, tabulate, impose, power, breaks=breaks, shortest_period=shortest_period, lanes=True)
