"""The manipulator at rest and along Tables 5.8 and 5.9 (section 5.4). Each run is made once on a bench."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from taut.control.near_rigid import NearRigidControl, near_rigid_control
from taut.dynamics.signal_derivatives import curve_of
from taut.mechanics.trees.equations import TreeEquations
from taut.papers.bench import Task
from taut.papers.pulleys.controlled_runs import COARSE, STRESS, Controlled, begun, followed
from taut.structure.generators.pulleys import manipulator
from taut.structure.signals import SampledSignal

EFFECTOR = ("floatingJt.x", "floatingJt.y", "floatingJt.z")
STRUTS = ("B1-strutJt", "B2-strutJt", "B3-strutJt")
"""Free coordinates of the manipulator: the thesis chooses its own by an algorithm that it does not give."""

ROUND = (0.0, 5.0, 15.0, 20.0)
WAYS = {"z": (0.0, -0.5, 0.25, 0.0), "x": (0.0, -0.35, 0.35, 0.0)}
"""Tables 5.8 and 5.9 [m]: of z less h0, and of y, which the second calls x."""

RATE = 1000.0
"""[Hz] of decisions."""


@dataclass(frozen=True)
class Law:
    """How the manipulator is controlled, so that it comes to rest; printed are no cost, no upper bound, no feedback."""

    proportional: float = 100.0
    derivative: float = 20.0
    weight: float = 10.0
    damping: float = 10.0
    most: float = 3.0  # times eps_0
    free: tuple[str, ...] | None = STRUTS
    modulus: float = 1.0  # that the law knows, as a part of the machine's
    density: float = 1.0


PRINTED = Law(0.0, 0.0, 0.0, 0.0, math.inf)
MISMATCH = Law(modulus=0.9, density=1.1)
MODULUS, DENSITY = 2e9, 2.7e3
SETTLING = 5.0


def law_of(how: Law, way: str | None) -> NearRigidControl:
    """Along a way of WAYS, or at rest."""
    modulus = how.modulus * MODULUS
    known = TreeEquations(manipulator(youngs_modulus=modulus, density=how.density * DENSITY, prestress=STRESS))
    height = float(known.start()[0][known.position_names.index(EFFECTOR[2])])
    still = [SampledSignal((0.0, 1.0), (at, at), (0.0, 0.0)) for at in (0.0, 0.0, height)]
    if way is not None:
        base = height if way == "z" else 0.0
        moved = SampledSignal(ROUND, tuple(base + by for by in WAYS[way]), (0.0,) * 4)
        still[2 if way == "z" else 1] = moved
    strain = STRESS / modulus
    return near_rigid_control(
        known,
        EFFECTOR,
        curve_of(still),
        least_strain=strain,
        most_strain=how.most * strain,
        proportional=how.proportional,
        derivative=how.derivative,
        free_weight=how.weight,
        free_damping=how.damping,
        free=how.free,
    )


def settling_task() -> Task:
    """Fig. 5.12: from the printed posture, which no tensions of more than sigma_0 hold, to where it rests."""
    return Task("manipulator comes to rest", _settling)


def _settling() -> Controlled:
    return followed(manipulator(), law_of(Law(), None), SETTLING, step=COARSE, rate=RATE, every=2.0 * COARSE)


def manipulator_task(way: str, how: Law | None = None) -> Task:
    """Tables 5.8 and 5.9, from where it came to rest."""
    law = how or Law()
    return Task(f"manipulator along {way}: {law}", partial(_along_way, way, law), (settling_task(),))


def _along_way(way: str, how: Law, before: Controlled) -> Controlled:
    tree = begun(manipulator(), *before.end)
    return followed(tree, law_of(how, way), ROUND[-1], step=COARSE, rate=RATE, every=0.01)
