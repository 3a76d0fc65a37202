"""The report's own model, written out: point masses, springs, penalty contact and its friction switch, by RK4.

Independent of taut's mechanics, so that each can be held against the other. Eqs. (3) and (4): rods push and pull,
cables pull only, the ground pushes with k_n times the depth, and friction holds against whatever else pushes a node
along the ground while its speed is below a threshold.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.numerics.compiled import entry, kernel
from taut.structure.properties import bar_length, rest_length, stiffness
from taut.structure.structure import Structure

GRAVITY = 9.81

SLIP_SPEED = 1e-3
"""[m/s] below which the report's switch takes a node to stick; it gives no number."""


class Springs(NamedTuple):
    """All members of a structure: rods first, which push too."""

    ends: np.ndarray  # (m, 2)
    stiffness: np.ndarray  # (m,) [N/m]
    natural: np.ndarray  # (m,) [m]
    damping: np.ndarray  # (m,) [N s/m], while it is taut
    rods: int


class Soil(NamedTuple):
    """The ground: a plane through the origin. stiffness [N/m], damping [N s/m], friction, and the switch's speed."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    stiffness: float = 1e5
    damping: float = 50.0
    friction: float = 0.6
    slip_speed: float = SLIP_SPEED


class Motion(NamedTuple):
    """Samples at equal times; deepest: (T,) [m] into the ground, of any node in any step since the sample before."""

    time: np.ndarray
    places: np.ndarray
    velocities: np.ndarray
    deepest: np.ndarray


def springs_of(structure: Structure, rod_stiffness: float) -> Springs:
    """A structure's members; every rod so stiff [N/m], and as long without force as its cables let it be in balance."""
    index = {node: k for k, node in enumerate(structure.nodes)}
    bars, cables = list(structure.bars.values()), list(structure.cables.values())
    pushed = _pushed(structure)
    return Springs(
        np.array([[index[a] for a in one.nodes] for one in bars] + [[index[a] for a in one.route] for one in cables]),
        np.array([rod_stiffness] * len(bars) + [stiffness(structure, one) for one in cables], dtype=float),
        np.array(
            [bar_length(structure, one) + pushed / rod_stiffness for one in bars]
            + [rest_length(structure, one) for one in cables]
        ),
        np.array([0.0] * len(bars) + [one.damping for one in cables]),
        len(bars),
    )


def _pushed(structure: Structure) -> float:
    """[N] with which every strut of the six-strut robot pushes: sqrt(6) times the pull of a cable."""
    cable = next(iter(structure.cables.values()))
    a, b = (np.array(structure.nodes[node]) for node in cable.route)
    pull = (stiffness(structure, cable) or 0.0) * (float(np.linalg.norm(b - a)) - rest_length(structure, cable))
    return math.sqrt(6.0) * pull


def followed(
    places: np.ndarray,
    velocities: np.ndarray,
    mass: float,
    springs: Springs | None,
    soil: Soil | None,
    duration: float,
    step: float,
    samples: int = 100,
) -> Motion:
    """Point masses of `mass` [kg] each, from where they are, under gravity; soil None is free flight."""
    made = springs or Springs(np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0), 0)
    ground = soil or Soil(stiffness=0.0, damping=0.0, friction=0.0)
    steps = max(round(duration / step / samples), 1)
    state = np.concatenate([places.ravel(), velocities.ravel()]).astype(float)
    out = np.zeros((samples + 1, state.size))
    deepest = np.zeros(samples + 1)
    numbers = np.array([*ground.normal, *ground[1:], mass, GRAVITY])
    out[0] = state
    _follow(
        made.ends.astype(np.int64),
        *made[1:4],
        made.rods,
        numbers,
        state,
        step,
        steps,
        out,
        deepest,
        np.zeros((3, state.size)),
    )
    shape = (samples + 1, -1, 3)
    half = state.size // 2
    time = step * steps * np.arange(samples + 1)
    return Motion(time, out[:, :half].reshape(shape), out[:, half:].reshape(shape), deepest)


def energy(springs: Springs, soil: Soil | None, mass: float, motion: Motion) -> np.ndarray:
    """(T,) [J] kinetic, of weight, of springs and of the ground."""
    x, v = motion.places, motion.velocities
    lengths = np.linalg.norm(x[:, springs.ends[:, 1]] - x[:, springs.ends[:, 0]], axis=2)
    stretch = lengths - springs.natural
    stretch[:, springs.rods :] = np.maximum(stretch[:, springs.rods :], 0.0)
    total = 0.5 * mass * (v**2).sum(axis=(1, 2)) + mass * GRAVITY * x[:, :, 2].sum(axis=1)
    total = total + 0.5 * (springs.stiffness * stretch**2).sum(axis=1)
    if soil is not None:
        total = total + 0.5 * soil.stiffness * (np.minimum(x @ np.array(soil.normal), 0.0) ** 2).sum(axis=1)
    return np.asarray(total)


@entry
def _follow(
    ends: np.ndarray,
    stiff: np.ndarray,
    natural: np.ndarray,
    damping: np.ndarray,
    rods: int,
    numbers: np.ndarray,
    state: np.ndarray,
    h: float,
    steps: int,
    out: np.ndarray,
    deepest: np.ndarray,
    room: np.ndarray,
) -> None:
    """Classical RK4; numbers: normal, stiffness, damping, friction and slip speed of the ground, mass, gravity. room:
    (3, size)."""
    size = state.size
    rate, total, stage = room[0], room[1], room[2]
    for sample in range(1, out.shape[0]):
        for _ in range(steps):
            _rate(ends, stiff, natural, damping, rods, numbers, state, rate)
            for k in range(size):
                total[k] = rate[k]
            for part in range(3):
                share = 0.5 * h if part < 2 else h
                for k in range(size):
                    stage[k] = state[k] + share * rate[k]
                _rate(ends, stiff, natural, damping, rods, numbers, stage, rate)
                weight = 2.0 if part < 2 else 1.0
                for k in range(size):
                    total[k] += weight * rate[k]
            for k in range(size):
                state[k] += h / 6.0 * total[k]
            for i in range(0, size // 2, 3):
                gap = numbers[0] * state[i] + numbers[1] * state[i + 1] + numbers[2] * state[i + 2]
                deepest[sample] = max(deepest[sample], -gap)
        for k in range(size):
            out[sample, k] = state[k]


@kernel
def _rate(
    ends: np.ndarray,
    stiff: np.ndarray,
    natural: np.ndarray,
    damping: np.ndarray,
    rods: int,
    numbers: np.ndarray,
    y: np.ndarray,
    rate: np.ndarray,
) -> None:
    """Velocities, and accelerations by eq. (4)."""
    half = y.size // 2
    mass, gravity = numbers[7], numbers[8]
    for k in range(half):
        rate[k] = y[half + k]
        rate[half + k] = 0.0
    for i in range(2, half, 3):
        rate[half + i] = -mass * gravity
    for m in range(stiff.size):
        i, j = 3 * ends[m, 0], 3 * ends[m, 1]
        dx, dy, dz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        stretch = length - natural[m]
        if m >= rods and stretch <= 0.0:
            continue
        a, b = half + i, half + j
        growth = ((y[b] - y[a]) * dx + (y[b + 1] - y[a + 1]) * dy + (y[b + 2] - y[a + 2]) * dz) / length
        pull = stiff[m] * stretch + damping[m] * growth
        if m >= rods:
            pull = max(pull, 0.0)
        pull /= length
        rate[a] += pull * dx
        rate[a + 1] += pull * dy
        rate[a + 2] += pull * dz
        rate[b] -= pull * dx
        rate[b + 1] -= pull * dy
        rate[b + 2] -= pull * dz
    nx, ny, nz = numbers[0], numbers[1], numbers[2]
    for i in range(0, half, 3):
        gap = nx * y[i] + ny * y[i + 1] + nz * y[i + 2]
        if gap < 0.0:
            a = half + i
            speed = nx * y[a] + ny * y[a + 1] + nz * y[a + 2]
            push = max(-numbers[3] * gap - numbers[4] * speed, 0.0)
            tx, ty, tz = y[a] - speed * nx, y[a + 1] - speed * ny, y[a + 2] - speed * nz
            slip = math.sqrt(tx * tx + ty * ty + tz * tz)
            if slip >= numbers[6]:
                share = numbers[5] * push / slip
            else:  # what else acts along the ground is held, up to the cone
                along = nx * rate[a] + ny * rate[a + 1] + nz * rate[a + 2]
                tx, ty, tz = rate[a] - along * nx, rate[a + 1] - along * ny, rate[a + 2] - along * nz
                wanted = math.sqrt(tx * tx + ty * ty + tz * tz)
                share = min(1.0, numbers[5] * push / wanted) if wanted > 0.0 else 0.0
            rate[a] += push * nx - share * tx
            rate[a + 1] += push * ny - share * ty
            rate[a + 2] += push * nz - share * tz
    for k in range(half, y.size):
        rate[k] /= mass
