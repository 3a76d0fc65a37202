"""Controllers: at their times they read sensors, decide, and have their commands act after a delay.

All rates go into one base rate, whose ticks come at k / rate. At a tick the sensors measure that are due, then the
controllers decide that are due; a command that was decided acts `delay` later, at a tick or between two. The loop lands
on every such time (`dynamics/time_loop.py`). A law is a C function by its address, be it a Python function or compiled
by numba (`law_addresses.py`), or a LinearLaw, whose matrices are here.

`controller_tables.py` makes the table. What controllers remember, ticks, measurements on their way, states, commands on
their way, stands in one part, `memory`, which a checkpoint keeps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.imposed.commands import commands_in
from taut.mechanics.imposed.drives import STANDS, drives_in
from taut.mechanics.imposed.sensors import SENSORS, exact, measured, sensors_in
from taut.mechanics.operations.motion import multipliers_of
from taut.mechanics.parts import impose as impose_all
from taut.mechanics.signals import TOGETHER, ZERO_ORDER
from taut.mechanics.tables import command_count, coordinate_count, layout_of, part_of, slot
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, reader, reals_at, size_of
from taut.numerics.pointers import call_at, shifted, start_of

KIND = "controllers"

TICKED, FAILED, REASON, WHICH, WHEN, HEAD = range(6)
"""Places in the memory: ticks so far, the controller that failed (1, 2, ...), why, which of its commands, when; of each
controller, how many commands it has decided and how many of them have acted."""

RAISED, DONE, WRONG_SHAPE, NOT_FINITE, BELOW = range(5)
"""What a law returns, the first three, and why a controller failed. A compiled law that raises returns nothing, 0."""


class Controllers(NamedTuple):
    """c controllers of s sensors and u commands."""

    rate: Reals  # (1,) base rate [Hz]
    sensor_every: Integers  # (s,) ticks between measurements, zero where nobody has it measured
    sensor_lag: Integers  # (s,) measurements by which it is late
    ring: Integers  # (s,) where in the memory its last measurements stand
    reading: Integers  # (1,) where readings begin among the internal states
    every: Integers  # (c,) ticks between decisions; zero where it acts at every evaluation
    lag: Integers  # (c,) ticks until a command acts
    rest: Reals  # (c,) and how much longer [s]
    queue: Integers  # (c,) how many commands can be on their way
    law: Integers  # (c,) the address of a function, zero for a LinearLaw, -1 until a run says where the function is
    numbers: Integers  # (c,) where the matrices of a LinearLaw begin in `data`
    data: Reals
    sources: Integers  # which sensors each reads, one after another
    source_start: Integers  # (c + 1,)
    command_start: Integers  # (c + 1,) which of the commands below it decides
    states: Integers  # (c + 1,) where its states begin in the memory
    scratch: Integers  # (c,) where in the memory what it reads is gathered, and behind it what it returns
    waiting: Integers  # (c,) where its commands on their way stand
    target: Integers  # (u,) a command's first internal state
    place: Integers  # (u,) its first place in the table of commands
    places: Integers  # (u,) and how many it has
    lowest: Reals  # (u,)
    highest: Reals  # (u,)
    step: Reals  # (u,) the largest change from one decision to the next
    floor: Reals  # (u,) what it must not be, or fall below
    last: Integers  # (u,) where in the memory the last decision stands
    memory: Reals


controllers_in = reader(Controllers, slot(KIND))
CONTROLLED = part_of(KIND, Controllers, "every")
MEMORY = part_of(KIND, Controllers, "memory")
ADDRESS = part_of(KIND, Controllers, "law")
SAMPLED = part_of(KIND, Controllers, "sensor_every")


@kernel
def _linear(data: np.ndarray, y: np.ndarray, z: np.ndarray, out: np.ndarray, spare: np.ndarray) -> int:
    """command = offset + c z + d y, z = a z + b y; data: sizes, offsets and a, b, c, d by rows."""
    many, states, few = int(data[0]), int(data[1]), int(data[2])
    zero, offset = shifted(data, 3), shifted(data, 3 + many)
    a = shifted(offset, few)
    b = shifted(a, states * states)
    c = shifted(b, states * many)
    d = shifted(c, few * states)
    for i in range(few):
        total = offset[i]
        for k in range(states):
            total += c[i * states + k] * z[k]
        for k in range(many):
            total += d[i * many + k] * (y[k] - zero[k])
        out[i] = total
    for i in range(states):
        total = 0.0
        for k in range(states):
            total += a[i * states + k] * z[k]
        for k in range(many):
            total += b[i * many + k] * (y[k] - zero[k])
        spare[i] = total
    for i in range(states):
        z[i] = spare[i]
    return DONE


@kernel
def _law(p: Pack, c: int, t: float) -> bool:
    """Let a controller decide by what is gathered, and cut its commands off at their limits; False where it failed."""
    own = controllers_in(p)
    memory, first, count = own.memory, own.command_start[c], own.command_start[c + 1] - own.command_start[c]
    many = own.source_start[c + 1] - own.source_start[c]
    y, z = shifted(memory, own.scratch[c]), shifted(memory, own.states[c])
    out = shifted(y, many)
    states, ended = own.states[c + 1] - own.states[c], DONE
    if own.law[c] == 0:
        ended = _linear(shifted(own.data, own.numbers[c]), y, z, out, shifted(out, count))
    else:
        ended = call_at(own.law[c], t, y, many, z, states, out, count)
    for k in range(count):
        u = first + k
        if ended == DONE and not abs(out[k]) < math.inf:
            ended, memory[WHICH] = NOT_FINITE, k
        if ended == DONE:
            out[k] = min(max(out[k], own.lowest[u]), own.highest[u])
            if out[k] < own.floor[u]:
                ended, memory[WHICH] = BELOW, k
    if ended != DONE:
        memory[FAILED], memory[REASON], memory[WHEN] = c + 1, ended, t
    return ended == DONE


@inlined
def _acts_at(own: Controllers, c: int, number: int) -> float:
    """When the command of this number acts [s]."""
    return (number * own.every[c] + own.lag[c]) / own.rate[0] + own.rest[c]


@inlined
def _due(tick: int, every: int) -> bool:
    """Mostly all things have one rate, and no division is needed."""
    return every == 1 or (every > 1 and tick % every == 0)


@kernel
def _tick(p: Pack, t: float, y: np.ndarray) -> bool:
    """Measure, and decide; False where a controller failed. What time decides stands in the tables already."""
    own, coming = controllers_in(p), shifted(commands_in(p).coming, controllers_in(p).reading[0])
    memory = own.memory
    tick = int(memory[TICKED])
    memory[TICKED] += 1.0
    if sensors_in(p).dynamic[0] == 1:
        multipliers_of(p, t, y)
    for s in range(size_of(p, SENSORS)):
        every, room = own.sensor_every[s], own.sensor_lag[s] + 1
        if not _due(tick, every):
            continue
        number, ring = tick if every == 1 else tick // every, shifted(memory, own.ring[s])
        coming[s] = measured(p, s, number, t, y)
        if room > 1:  # what is seen is older
            if number == 0:
                for k in range(room):  # nothing older is known
                    ring[k] = coming[s]
            ring[number % room] = coming[s]
            coming[s] = ring[(number + 1) % room]
    for c in range(size_of(p, CONTROLLED)):
        if not _due(tick, own.every[c]):
            continue
        first, begin = own.command_start[c], own.source_start[c]
        many, count = own.source_start[c + 1] - begin, own.command_start[c + 1] - first
        gathered = shifted(memory, own.scratch[c])
        for k in range(many):
            gathered[k] = coming[own.sources[begin + k]]
        if not _law(p, c, t):
            return False
        decided = int(memory[HEAD + 2 * c])
        waiting = shifted(memory, own.waiting[c] + count * (decided % own.queue[c]))
        for k in range(count):
            u = first + k
            before, value = memory[own.last[u]], gathered[many + k]
            value = min(max(value, before - own.step[u]), before + own.step[u])
            memory[own.last[u]] = value
            waiting[k] = value
        memory[HEAD + 2 * c] += 1.0
    return True


@entry
def decide(p: Pack, t: float, y: np.ndarray) -> float:
    """Let the sensors and controllers that are due do their part; returns when the next is due, -1 where one failed."""
    own, coming, commands = controllers_in(p), commands_in(p).coming, commands_in(p)
    memory, near = own.memory, t + TOGETHER * max(1.0, abs(t))
    if memory[TICKED] / own.rate[0] <= near and not _tick(p, t, start_of(y)):
        return -1.0
    due = memory[TICKED] / own.rate[0]
    for c in range(size_of(p, CONTROLLED)):
        if own.every[c] == 0:
            continue
        first, count = own.command_start[c], own.command_start[c + 1] - own.command_start[c]
        while memory[HEAD + 2 * c + 1] < memory[HEAD + 2 * c]:
            acted = int(memory[HEAD + 2 * c + 1])
            time = _acts_at(own, c, acted)
            if time > near:
                due = min(due, time)
                break
            waiting = shifted(memory, own.waiting[c] + count * (acted % own.queue[c]))
            for k in range(count):
                at = own.target[first + k]
                if commands.hold[own.place[first + k]] != ZERO_ORDER:
                    coming[at + 1], coming[at + 2], coming[at + 3] = coming[at], t, own.every[c] / own.rate[0]
                coming[at] = waiting[k]
            memory[HEAD + 2 * c + 1] += 1.0
    return due


@entry
def sense(p: Pack, number: int, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """Fill what all sensors show at a state, of which one that is due measures now; number: of those without a rate."""
    own, state, sampled = controllers_in(p), start_of(y), size_of(p, SAMPLED) > 0
    reading = layout_of(coordinate_count(p), 0, 0).internal + command_count(p) - size_of(p, SENSORS)
    if sensors_in(p).dynamic[0] == 1:
        multipliers_of(p, t, state)
    else:
        impose_all(p, t, state)
    for s in range(size_of(p, SENSORS)):
        if not sampled or own.sensor_every[s] == 0:
            out[s] = measured(p, s, number, t, state)
            continue
        tick, every, room = int(own.memory[TICKED]), own.sensor_every[s], own.sensor_lag[s] + 1
        due = tick / own.rate[0] <= t + TOGETHER * max(1.0, abs(t)) and tick % every == 0
        if not due:
            out[s] = state[reading + s]
        elif room == 1 or tick == 0:
            out[s] = measured(p, s, tick // every, t, state)
        else:
            out[s] = own.memory[own.ring[s] + (tick // every + 1) % room]


@kernel
def _act(p: Pack, c: int, t: float, y: np.ndarray) -> None:
    """What a controller decides here and now, written where the signals read it."""
    own, commands = controllers_in(p), commands_in(p)
    first, begin = own.command_start[c], own.source_start[c]
    many = own.source_start[c + 1] - begin
    gathered = shifted(own.memory, own.scratch[c])
    for k in range(many):
        gathered[k] = exact(p, own.sources[begin + k], t, y)
    if not _law(p, c, t):
        for k in range(own.command_start[c + 1] - first):
            gathered[many + k] = math.nan
    elif own.memory[FAILED] == c + 1 and t > own.memory[WHEN]:
        own.memory[FAILED] = 0.0  # it failed in a step that was not kept
    for u in range(first, own.command_start[c + 1]):
        for k in range(own.place[u], own.place[u] + own.places[u]):
            reals_at(p, commands.part[k])[commands.place[k]] = gathered[many + u - first]
    if size_of(p, STANDS) > 0:
        drives_in(p).stands[0] = math.nan


@inlined
def impose(p: Pack, t: float, y: np.ndarray) -> None:
    """Let controllers without a rate act."""
    for c in range(size_of(p, CONTROLLED)):
        if controllers_in(p).every[c] == 0 and controllers_in(p).law[c] >= 0:
            _act(p, c, t, y)
