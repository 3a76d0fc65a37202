"""Runs of the thesis's machines under near-rigid control: the single strut along Table 5.6, the manipulator at rest and
along Tables 5.8 and 5.9. Each is made once on a bench."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from taut.control.near_rigid import NearRigidControl, Slackening, near_rigid_control
from taut.control.over_actuation import Relaxed
from taut.dynamics.signal_derivatives import curve_of
from taut.dynamics.simulating import simulate
from taut.errors import OptionError
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.plant import tree_plant
from taut.papers.bench import Bench
from taut.reprs import brief
from taut.structure.corrections import Correction
from taut.structure.generators.pulleys import manipulator, single_strut
from taut.structure.signals import SampledSignal
from taut.structure.trees import Tree

STRESS = 2e7
"""sigma_0 [Pa]: of section 5.3, and assumed for the manipulator."""

VISCOSITY = 1e7
"""mu [Pa s]: of section 5.4, and assumed for the single strut."""

BAUMGARTE = Correction("baumgarte", gains=(100.0, 20.0))

STRUT = ("x-revoluteJt", "y-revoluteJt")
EFFECTOR = ("floatingJt.x", "floatingJt.y", "floatingJt.z")
STRUTS = ("B1-strutJt", "B2-strutJt", "B3-strutJt")
"""Free coordinates of the manipulator: the thesis chooses its own by an algorithm that it does not give."""

KNOTS = (0.0, 1.0, 3.0, 7.0, 9.0)
LEANING = ((0.0, 0.0, 0.0, math.pi / 4.0, 0.0), (0.0, 0.0, math.pi / 4.0, 0.0, 0.0))
"""Table 5.6: phi and psi [rad] at the knots, where both rest."""

COARSE, FINE = 1e-3, 1e-4
"""[s] steps of rk4: between knots, and the one on either side of a knot, where the thesis's step matters."""

ROUND = (0.0, 5.0, 15.0, 20.0)
WAYS = {"z": (0.0, -0.5, 0.25, 0.0), "x": (0.0, -0.35, 0.35, 0.0)}
"""Tables 5.8 and 5.9 [m]: of z less h0, and of y, which the second calls x."""


@dataclass(frozen=True)
class Controlled:
    """A run under a law: (T,) times, (T, d) outputs and what was wanted, (T, cables) strains, (T, m) torques."""

    time: np.ndarray
    output: np.ndarray
    wanted: np.ndarray
    strain: np.ndarray
    torque: np.ndarray
    speed: np.ndarray  # (T,) the largest velocity of any coordinate
    slackenings: tuple[Slackening, ...]
    relaxed: tuple[tuple[float, Relaxed], ...]
    status: str
    end: tuple[np.ndarray, np.ndarray]
    lost: float = math.inf  # [s]

    __repr__ = brief

    @property
    def error(self) -> np.ndarray:
        return np.asarray(self.output - self.wanted)

    @property
    def worst(self) -> np.ndarray:
        """(d,) the largest of every output's errors."""
        return np.asarray(np.abs(self.error).max(axis=0))


def begun(tree: Tree, q: np.ndarray, v: np.ndarray) -> Tree:
    """The same tree, which begins there."""
    values, rates = dict[str, tuple[float, ...]](), dict[str, tuple[float, ...]]()
    at = at_rate = 0
    for joint in tree.joints:
        size, rate_size = len(joint.positions), len(joint.velocities)
        values[joint.name] = tuple(q[at : at + size].tolist())
        rates[joint.name] = tuple(v[at_rate : at_rate + rate_size].tolist())
        at, at_rate = at + size, at_rate + rate_size
    return tree.with_start(values, rates)


LOST = 0.1
"""[m], [rad] of an output: the machine is lost, and from then on has no torques."""


class _UntilLost:
    """A law until an output is far off or nothing can be decided; afterwards no torques. lost: when [s]."""

    def __init__(self, law: NearRigidControl) -> None:
        self.law, self.lost = law, math.inf

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        nothing = np.zeros(len(self.law.equations.input_names))
        if t > self.lost:
            return nothing
        if float(np.abs(q[self.law.output_places] - self.law.wanted(t)[0]).max()) < LOST:
            try:
                return self.law(t, q, v)
            except OptionError:  # a posture in which the program is singular
                pass
        self.lost = t
        return nothing


def followed(
    tree: Tree, law: NearRigidControl, duration: float, *, step: float, rate: float | None, every: float
) -> Controlled:
    """By taut's own rk4 with the thesis's Baumgarte gains."""
    guarded = _UntilLost(law)
    plant = tree_plant(tree, controller=guarded, rate=rate)
    run = simulate(plant, duration, every=every, method="rk4", step=step, correction=BAUMGARTE, verify=False)
    if run.status.startswith("interrupted"):
        raise KeyboardInterrupt
    cables = len(plant.equations.cable_names)
    pairs = [plant.split(np.concatenate([x, r])) for x, r in zip(run.coordinate, run.coordinate_rate, strict=True)]
    return Controlled(
        run.time,
        np.array([q[law.output_places] for q, _ in pairs]),
        np.array([law.wanted(float(t))[0] for t in run.time]),
        run.element_output[:, :cables],
        run.element_output[:, 2 * cables :],
        np.array([float(np.abs(v).max()) for _, v in pairs]),
        law.slackenings,
        law.relaxed,
        run.status,
        pairs[-1],
        guarded.lost,
    )


def joined(parts: Sequence[Controlled], starts: Sequence[float]) -> Controlled:
    """Runs one after another as one; what starts a part was the end of the last."""
    kept = [slice(0 if k == 0 else 1, None) for k in range(len(parts))]
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name)[own] for part, own in zip(parts, kept, strict=True)])
        for name in ("output", "wanted", "strain", "torque", "speed")
    }
    return Controlled(
        time=np.concatenate([start + part.time[own] for part, own, start in zip(parts, kept, starts, strict=True)]),
        slackenings=tuple(one for part in parts for one in part.slackenings),
        relaxed=tuple(one for part in parts for one in part.relaxed),
        status=parts[-1].status,
        end=parts[-1].end,
        lost=min(start + part.lost for part, start in zip(parts, starts, strict=True)),
        **arrays,
    )


# --- the single strut


def strut_run(bench: Bench, modulus: float, side: str = "inside", **more: Any) -> Controlled:
    """Section 5.3: accelerations along Table 5.6 at every stage, without feedback.

    side: which second derivative the law takes at a knot, where it jumps: "inside" that of the piece a step lies in,
    "left" always what leads up to it, "right" always what follows. A step of rk4 that begins or ends with the wrong one
    gives the strut a speed of a sixth of the jump times the step, and nothing takes it away again.
    """
    told = "".join(f", {name} {value}" for name, value in more.items())
    return bench.once(f"single strut, E = {modulus:g} Pa, {side} of knots{told}", lambda: _leaning(modulus, side, more))


def _leaning(modulus: float, side: str, more: dict[str, Any]) -> Controlled:
    turned = tuple(math.pi + k * 2.0 * math.pi / 3.0 for k in range(3))  # branch 1 on -x
    given = {"viscosity": VISCOSITY, "law": "printed", "azimuths": turned, **more}
    tree = single_strut(youngs_modulus=modulus, strain=STRESS / modulus, **given)
    parts, starts = [], []
    for k, (begin, end) in enumerate(pairwise(KNOTS)):
        length = end - begin
        for first, duration, step in (
            (begin, FINE, FINE),
            (begin + FINE, length - 2.0 * FINE, (length - 2.0 * FINE) / round(length / COARSE)),
            (end - FINE, FINE, FINE),
        ):
            wanted = _along(k, first, first + duration, side)
            law = near_rigid_control(TreeEquations(tree), STRUT, wanted, least_strain=STRESS / modulus)
            parts.append(followed(tree, law, duration, step=step, rate=None, every=_sample(duration, step)))
            starts.append(first)
            tree = begun(tree, *parts[-1].end)
    return joined(parts, starts)


def _sample(duration: float, step: float) -> float:
    steps = round(duration / step)
    return step * next(k for k in (20, 10, 5, 2, 1) if steps % k == 0)


def _along(piece: int, first: float, last: float, side: str) -> Callable[[float], tuple[np.ndarray, ...]]:
    """Table 5.6 for a run that begins at `first`: the cubic of its piece, and at a knot the one of the side asked."""

    def curve(t: float) -> tuple[np.ndarray, ...]:
        chosen = piece
        if side == "left" and t == 0.0 and first == KNOTS[piece] and piece > 0:
            chosen = piece - 1
        if side == "right" and last == KNOTS[piece + 1] and first + t >= last - 1e-9 and piece + 2 < len(KNOTS):
            chosen = piece + 1
        return _cubic(chosen, first + t)

    return curve


def _cubic(piece: int, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Between two knots where both angles rest, and beyond."""
    width = KNOTS[piece + 1] - KNOTS[piece]
    s = (t - KNOTS[piece]) / width
    low = np.array([angle[piece] for angle in LEANING])
    climb = np.array([angle[piece + 1] for angle in LEANING]) - low
    return (
        low + climb * s * s * (3.0 - 2.0 * s),
        climb * 6.0 * s * (1.0 - s) / width,
        climb * (6.0 - 12.0 * s) / width**2,
    )


# --- the manipulator


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


def settled(bench: Bench, how: Law | None = None, duration: float = SETTLING) -> Controlled:
    """Fig. 5.12: from the printed posture, which no tensions of more than sigma_0 hold, to where it rests."""
    law = how or Law()
    return bench.once(
        f"manipulator comes to rest: {law}",
        lambda: followed(manipulator(), law_of(law, None), duration, step=COARSE, rate=1000.0, every=0.01),
    )


def manipulator_run(bench: Bench, way: str, how: Law | None = None, duration: float = ROUND[-1]) -> Controlled:
    """Tables 5.8 and 5.9, from where it came to rest."""
    law = how or Law()

    def make() -> Controlled:
        tree = begun(manipulator(), *settled(bench).end)
        return followed(tree, law_of(law, way), duration, step=COARSE, rate=1000.0, every=0.01)

    return bench.once(f"manipulator along {way}: {law}", make)
