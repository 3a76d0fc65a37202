"""What a learner sees and what it is rewarded for: quantities by name, of all copies at once, by one kernel."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, suggestion
from taut.numerics.compiled import entry, inlined
from taut.numerics.hull_faces import mark_face_below
from taut.numerics.pointers import row_of, shifted, start_of

EVEN = 1e-9
"""How near the plane of a face a node belongs to it [m]."""

TOUCHING = 1e-4
"""[m] above a level floor below which a node counts as touching it."""

OBSERVATIONS = (
    "nodes",
    "velocities",
    "centre",
    "centre_velocity",
    "heights",
    "face",
    "touch",
    "commands",
    "clock",
)
"""Nodes about the centre of mass [m], their velocities [m/s], the centre and its velocity, heights [m], the nodes of
the face below, those on the floor, commands [m], sine and cosine of the clock."""

REWARDS = ("forward", "sideways", "way", "effort", "height")
"""The way of the centre of mass along x in the step, across it, along the floor, the change of all commands, all in
[m]; and how high the centre is [m]."""

NODES, VELOCITIES, CENTRE, CENTRE_VELOCITY, HEIGHTS, FACE, TOUCH, COMMANDS, CLOCK = range(len(OBSERVATIONS))
FORWARD, SIDEWAYS, WAY, EFFORT, HEIGHT = range(len(REWARDS))


class Copies(NamedTuple):
    """N copies of a robot with n nodes and m actuators, now; and what was before the last step."""

    states: np.ndarray  # (N, state), positions and velocities of nodes first
    commands: np.ndarray  # (N, m) [m] changes of length
    commands_before: np.ndarray  # (N, m)
    phase: np.ndarray  # (N,) [rad] of the clock
    centre: np.ndarray  # (N, 3) of mass [m]; filled
    centre_before: np.ndarray  # (N, 3)


class Asked(NamedTuple):
    """What is looked for, and room to look."""

    observations: np.ndarray  # (o,) their numbers
    rewards: np.ndarray  # (r,)
    prices: np.ndarray  # (r,) weights of the rewards
    shares: np.ndarray  # (n,) of the nodes in the mass
    about: np.ndarray  # (3 n,) nodes about the centre, work space
    marks: np.ndarray  # (n,) those of the face below, work space


def check_names(what: str, names: Sequence[str], known: Collection[str]) -> None:
    """Raises OptionError on a name that is none, and where there are none at all."""
    if not names:
        raise OptionError(f"{what}: name at least one of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise OptionError(f'{what}: "{name}" is none{suggestion(name, known)}; there are {", ".join(known)}')


def asked_for(observations: Sequence[str], rewards: Mapping[str, float], shares: np.ndarray) -> Asked:
    """By the names of a task."""
    return Asked(
        np.array([OBSERVATIONS.index(name) for name in observations], dtype=np.int64),
        np.array([REWARDS.index(name) for name in rewards], dtype=np.int64),
        np.array([*rewards.values()], dtype=float),
        shares,
        np.zeros(3 * shares.size),
        np.zeros(shares.size, dtype=np.int64),
    )


def observed_size(observations: Sequence[str], nodes: int, actuators: int) -> int:
    """How many numbers one copy shows."""
    sizes = (3 * nodes, 3 * nodes, 3, 3, nodes, nodes, nodes, actuators, 2)
    return sum(sizes[OBSERVATIONS.index(name)] for name in observations)


@inlined
def _mean(values: np.ndarray, shares: np.ndarray, count: int) -> tuple[float, float, float]:
    x, y, z = 0.0, 0.0, 0.0
    for m in range(count):
        x += shares[m] * values[3 * m]
        y += shares[m] * values[3 * m + 1]
        z += shares[m] * values[3 * m + 2]
    return x, y, z


@entry
def look_at(copies: Copies, asked: Asked, seen: np.ndarray, rewards: np.ndarray) -> None:
    """Fill what is seen of all copies (N, k), their rewards (N,), and where their centres of mass are."""
    count = asked.shares.size
    for k in range(copies.states.shape[0]):
        out, q = row_of(seen, k), start_of(row_of(copies.states, k))
        v = shifted(q, 3 * count)
        x, y, z = _mean(q, start_of(asked.shares), count)
        copies.centre[k, 0], copies.centre[k, 1], copies.centre[k, 2] = x, y, z
        for m in range(count):
            asked.about[3 * m] = q[3 * m] - x
            asked.about[3 * m + 1] = q[3 * m + 1] - y
            asked.about[3 * m + 2] = q[3 * m + 2] - z
        at = 0
        for o in range(asked.observations.size):
            name = asked.observations[o]
            if name == NODES:
                for i in range(3 * count):
                    out[at + i] = asked.about[i]
                at += 3 * count
            elif name == VELOCITIES:
                for i in range(3 * count):
                    out[at + i] = v[i]
                at += 3 * count
            elif name == CENTRE:
                out[at], out[at + 1], out[at + 2] = x, y, z
                at += 3
            elif name == CENTRE_VELOCITY:
                out[at], out[at + 1], out[at + 2] = _mean(v, start_of(asked.shares), count)
                at += 3
            elif name in (HEIGHTS, TOUCH):
                for m in range(count):
                    height = q[3 * m + 2]
                    out[at + m] = height if name == HEIGHTS else 1.0 if height < TOUCHING else 0.0
                at += count
            elif name == FACE:
                mark_face_below(start_of(asked.about), count, EVEN, start_of(asked.marks))
                for m in range(count):
                    out[at + m] = asked.marks[m]
                at += count
            elif name == COMMANDS:
                for m in range(copies.commands.shape[1]):
                    out[at + m] = copies.commands[k, m]
                at += copies.commands.shape[1]
            elif name == CLOCK:
                out[at], out[at + 1] = math.sin(copies.phase[k]), math.cos(copies.phase[k])
                at += 2
        rewards[k] = _reward(copies, asked, k)


@inlined
def _reward(copies: Copies, asked: Asked, k: int) -> float:
    """The sum of weight times quantity."""
    total = 0.0
    along = copies.centre[k, 0] - copies.centre_before[k, 0]
    across = copies.centre[k, 1] - copies.centre_before[k, 1]
    for r in range(asked.rewards.size):
        name, value = asked.rewards[r], 0.0
        if name == FORWARD:
            value = along
        elif name == SIDEWAYS:
            value = abs(across)
        elif name == WAY:
            value = math.sqrt(along * along + across * across)
        elif name == EFFORT:
            for m in range(copies.commands.shape[1]):
                value += abs(copies.commands[k, m] - copies.commands_before[k, m])
        elif name == HEIGHT:
            value = copies.centre[k, 2]
        total += asked.prices[r] * value
    return total
