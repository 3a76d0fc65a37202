"""The robot of the rolling report with a consistent set of numbers, of which it gives few; and its runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from taut.locomotion.gaits import SinusoidGait, random_members
from taut.papers.bench import Bench, Case
from taut.papers.rolling.penalty import GRAVITY, Motion, Soil, Springs, followed, springs_of
from taut.structure.generators.six_strut import six_strut_robot
from taut.structure.grounds import Ground, Plane
from taut.structure.scenario import Scenario
from taut.structure.structure import Structure

LENGTH, MASS, NODE_MASS = 0.6, 3.0, 0.25
STIFFNESS, PULL, ROD = 600.0, 40.0, 1e5
"""[N/m], [N] of cables; [N/m] of rods where they give way."""

FRICTION = 0.6
SLOPE = math.radians(10.0)
NORMAL = (math.sin(SLOPE), 0.0, math.cos(SLOPE))
DOWN_SLOPE = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])

STEP = 1e-3
"""[s] The report's."""


def robot(lift: float = 0.0, damping: float = 20.0) -> Structure:
    return six_strut_robot(LENGTH, mass=MASS, stiffness=STIFFNESS, pretension=PULL, damping=damping, lift=lift)


def springs(rod: float = ROD, damping: float = 20.0) -> Springs:
    return springs_of(robot(damping=damping), rod)


def moving(seed: int = 0, speed: float = 0.3) -> np.ndarray:
    """(12, 3) [m/s] velocities of nodes at random."""
    return speed * np.random.default_rng(seed).normal(size=(12, 3))


def dropped(bench: Bench, height: float, step: float, duration: float, samples: int = 300, rod: float = ROD) -> Motion:
    """By the report's model: the robot let go above its soil."""
    made = robot(height)
    return bench.once(
        f"penalty drop from {height:g} m, step {step:g} s, {duration:g} s, {samples} samples",
        lambda: followed(
            made.positions, np.zeros((12, 3)), NODE_MASS, springs(rod), Soil(), duration, step, samples=samples
        ),
    )


def on_slope(friction: float = FRICTION, speed: float = 0.0, lift: float = 0.0, duration: float = 5.0) -> Case:
    """By impulses: a mass of 1 kg on a slope of 10 deg, with a speed down it [m/s]."""
    start = tuple(map(float, lift * np.array(NORMAL)))
    return Case(
        f"rolling-slope-{friction:g}-{speed:g}-{lift:g}-{duration:g}",
        Structure({"a": (start[0], start[1], start[2])}, point_masses={"a": 1.0}, name="mass on a slope"),
        Scenario(
            gravity=(0.0, 0.0, -GRAVITY),
            ground=(Ground("slope", Plane(NORMAL), friction=friction),),
            velocities={"a": tuple(map(float, speed * DOWN_SLOPE))},  # type: ignore[dict-item]
            duration=duration,
            every=0.01,
            method="impulses",
            step=STEP,
        ),
    )


def on_floor(name: str, made: Structure, duration: float, **scenario: object) -> Case:
    """By impulses, on the flat."""
    told = Scenario(
        gravity=(0.0, 0.0, -GRAVITY),
        ground=(Ground("floor", friction=FRICTION),),
        duration=duration,
        every=0.02,
        method="impulses",
        step=STEP,
    )
    return Case(name, made, replace(told, **scenario))  # type: ignore[arg-type]


SHARE, STROKE, RATE = 0.2, 0.3, 1.0
"""Of members that move; delta of section 5.1; [Hz]. The report gives the first alone."""


def by_cables(seed: int) -> Case:
    """A fifth of the cables at random, as its code has it; the robot settles for a second."""
    made = robot(0.02)
    chosen = random_members(made, "cable:*", share=SHARE, seed=seed)
    return _driven(f"rolling-cables-{seed}", made, chosen, LENGTH * math.sqrt(6.0) / 4.0 - PULL / STIFFNESS, seed)


def by_struts(seed: int) -> Case:
    """All struts with phases at random, as section 5.1 has it."""
    made = robot(0.02)
    return _driven(f"rolling-struts-{seed}", made, tuple(f"bar:{name}" for name in made.bars), LENGTH, seed)


def _driven(name: str, made: Structure, members: tuple[str, ...], natural: float, seed: int) -> Case:
    """L = L0 (1 - delta/2 (1 + sin)), let in within a second: at once, as printed, it would jump by up to delta."""
    phases = tuple(np.random.default_rng(seed + 1000).uniform(0.0, 2.0 * math.pi, len(members)).tolist())
    half = -0.5 * STROKE * natural
    gait = SinusoidGait(members, half, RATE, phases, mean=half, start=1.0, over=1.0)
    drives = gait.drives(made)
    return on_floor(name, made, 10.0, drives=drives)
