"""Linear model predictive control beside near-rigid control on both machines, as the thesis wishes.

The linear model is that of small motions about the posture in which a run begins, sampled at 100 Hz; its inputs are the
motors' torques, its outputs what is wanted, the strains, which are to stay above half of eps_0, and rates of what is
left free, with a cost on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from taut.control.linearising import linearise
from taut.control.near_rigid import NearRigidControl, Slackening, near_rigid_control
from taut.control.over_actuation import Relaxed
from taut.control.predictive import predictive_control
from taut.control.sampling import sampled
from taut.dynamics.signal_derivatives import Curve
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.plant import tree_plant
from taut.papers.bench import Task
from taut.papers.pulleys.controlled_runs import COARSE, STRESS, Controlled, Follower, begun, followed
from taut.papers.pulleys.manipulator_cases import EFFECTOR, STRUTS, Law, law_of, settling_task
from taut.papers.pulleys.strut_cases import STRUT, still_torques, strut_of
from taut.structure.generators.pulleys import manipulator
from taut.structure.trees import Tree

RATE = 100.0
"""[Hz] of predictive decisions: the slowest that sees the cables' frequencies; near-rigid ones are at 1 kHz."""

HORIZON = 15
MODULUS = 2e9
"""[Pa] of the cables, of both machines."""

OUTPUT_WEIGHT, FREE_WEIGHT = 1e6, 1.0
"""Of (m or rad)^2, and of (rad/s)^2 of what is left free, beside 1 of (N m)^2."""

LAWS = ("near-rigid", "predictive")
SIZES = {"strut": (0.05, np.pi / 4.0), "manipulator": (0.02, 0.35)}
"""[rad] of psi, and [m] of y: a small motion, and the thesis's."""

WHILE = {"strut": 2.0, "manipulator": 3.0}
"""[s] in which it goes there; a second more it stays."""


class Predicting:
    """Torques by `predictive_control` about a posture at rest; called with (t, q, v) as the controller of a tree."""

    slackenings: tuple[Slackening, ...] = ()

    def __init__(
        self, tree: Tree, outputs: Sequence[str], free: Sequence[str], wanted: Curve, held: np.ndarray
    ) -> None:
        self.equations, self.wanted, self.held = TreeEquations(tree), wanted, held
        names = self.equations.position_names
        self.output_places = np.array([names.index(one) for one in outputs], dtype=np.intp)
        motors, cables = self.equations.input_names, self.equations.cables
        still = tree_plant(tree, torques=dict(zip(motors, held.tolist(), strict=True)))
        strains = [names[k] for k in cables.second]
        shown = [*outputs, *strains, *(f"{one}.velocity" for one in free)]
        model = sampled(linearise(still, inputs=list(motors), outputs=shown), RATE)
        weights = np.repeat([OUTPUT_WEIGHT, 0.0, FREE_WEIGHT], [len(outputs), len(strains), len(free)])
        least = 0.5 * STRESS / MODULUS
        start, named = self.equations.start()[0], model.outputs[len(outputs) : len(outputs) + len(strains)]
        bounds = {one: (least - float(start[k]), np.inf) for one, k in zip(named, cables.second, strict=True)}
        self.law = predictive_control(
            model, horizon=HORIZON, input_cost=1.0, output_cost=np.diag(weights), output_bounds=bounds
        )
        self.embedding, self.start = still.embedding, self.equations.start()[0][self.output_places]
        self.told: list[Relaxed] = []

    @property
    def relaxed(self) -> tuple[tuple[float, Relaxed], ...]:
        return tuple((0.0, one) for one in self.told)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        model = self.law.model
        x = model.reading @ (np.concatenate([q, on_sphere.rates_of(self.embedding, q, v)]) - model.about)
        goal = np.zeros((HORIZON, len(model.outputs)))
        goal[:, : self.start.size] = [self.wanted(t + (k + 1) / RATE)[0] - self.start for k in range(HORIZON)]
        found = self.law.decide(x, goal)
        if found.relaxed and not self.told:
            self.told = [*found.relaxed]
        return np.asarray(self.held + found.command)


def compared_task(machine: str, law: str, size: float) -> Task:
    """Runs of a machine by a law: to a lean of psi, or a shift of y, of that size and to rest there."""
    name = f"{machine} to {size:.3g} by {law} control"
    if machine == "strut":
        return Task(name, partial(_strut, law, size))
    return Task(name, partial(_manipulator, law, size), (settling_task(),))


def _smooth(start: np.ndarray, place: int, size: float, over: float) -> Curve:
    """A cubic from rest to rest, with no jump at its end that a law could not see coming."""

    def curve(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s = min(max(t / over, 0.0), 1.0)
        way = np.zeros(start.size)
        way[place] = size
        inside = float(0.0 <= t <= over)
        return (
            start + way * s * s * (3.0 - 2.0 * s),
            inside * way * 6.0 * s * (1.0 - s) / over,
            inside * way * (6.0 - 12.0 * s) / over**2,
        )

    return curve


def _strut(law: str, size: float) -> Controlled:
    tree = strut_of(MODULUS)
    wanted = _smooth(np.zeros(2), 1, size, WHILE["strut"])
    near: NearRigidControl = near_rigid_control(
        TreeEquations(tree), STRUT, wanted, least_strain=STRESS / MODULUS, proportional=100.0, derivative=20.0
    )
    held = still_torques(MODULUS)
    return _run("strut", tree, law, near, lambda: Predicting(tree, STRUT, (), wanted, held))


def _manipulator(law: str, size: float, before: Controlled) -> Controlled:
    q, v = before.end
    tree = begun(manipulator(), q, np.zeros(v.size))
    near = law_of(Law(), None)
    held = near(0.0, q, np.zeros(v.size))
    near.reset()
    start = np.array([q[k] for k in near.output_places])
    wanted = _smooth(start, 1, size, WHILE["manipulator"])
    near.wanted = wanted
    return _run("manipulator", tree, law, near, lambda: Predicting(tree, EFFECTOR, STRUTS, wanted, held))


def _run(
    machine: str, tree: Tree, law: str, near: NearRigidControl, predicting: Callable[[], Predicting]
) -> Controlled:
    follower: Follower = near if law == "near-rigid" else predicting()
    rate = 1000.0 if law == "near-rigid" else RATE
    return followed(tree, follower, WHILE[machine] + 1.0, step=COARSE, rate=rate, every=0.01)
