"""`near_rigid_control`: a machine whose cables stretch a little is moved as if they did not.

    y'' = wanted'' - derivative (y' - wanted') - proportional (y - wanted)       of outputs y = H q

At a state the tree's accelerations are a = Y [k; y''; 0; f''], with Y = [K; H; S; F]^-1: loops K, outputs H, strains S
that are taken for constant, and coordinates F of which nothing is wanted, chosen such that this has an inverse. Along
all but the loops, the columns G of Y, the equations of motion are

    G^T B u - G^T A dq - G^T M G_f f'' = G^T (M a_0 + c - tau)

with a_0 for f'' = 0, and the torques A dq of strains that change by dq; the least inputs u with strains within bounds
are the answer (`over_actuation.py`; Lieskovsky, sections 3.2 and 5.4). A cable that is slack is taken for one about to
be taut, so that it is pulled in; it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack, qr

from taut.control.over_actuation import STRESS, Bounds, Relaxed, bounds_of, solved_inputs
from taut.dynamics.signal_derivatives import Curve
from taut.errors import OptionError, suggestion
from taut.mechanics.trees.equations import TreeEquations
from taut.numerics.quadratic_programs import Program
from taut.reprs import brief, counted, titled
from taut.type_checks import checked_arguments

SOUND = 0.02
"""Free coordinates are chosen anew where motions that nothing else decides show in them by less than this."""

SLOPES = ("secant", "tangent")

SMALL_PULL = STRESS * np.pi * 1e-6
"""[N] 10 MPa in a cable of 1 mm radius: strains are counted in those that it makes, whatever the stiffness E A."""


@dataclass(frozen=True)
class Decision:
    """What was decided at one instant.

    inputs: (m,) [N m]. strain_changes: (cables,) that are expected. free_accelerations: of the coordinates `free`.
    relaxed: bounds that nothing kept. slack: cables without tension. unbalanced: as of `LeastInputs`.
    """

    inputs: np.ndarray
    strain_changes: np.ndarray
    free_accelerations: np.ndarray
    free: tuple[str, ...]
    relaxed: tuple[Relaxed, ...]
    slack: tuple[str, ...]
    unbalanced: float

    __repr__ = brief


class Slackening(NamedTuple):
    """A cable that was without tension at decisions, from `start` to before `end` [s]; inf where it stayed so."""

    cable: str
    start: float
    end: float = np.inf

    def __str__(self) -> str:
        back = "and stayed so" if np.isinf(self.end) else f"and taut again at {self.end:.4g} s"
        return f'"{self.cable}" was slack at {self.start:.4g} s {back}'


class NearRigidControl:
    """A law: called with (t, q, v) it returns torques, as the `controller` of `tree_plant` does; `decide` tells more.

    While it is called, in order of time, it keeps which coordinates are free, `slackenings` of cables, and in `relaxed`
    where each bound that nothing kept was exceeded most, with the time. Torques that are not within their bounds then
    are cut off there. `reset` forgets all of it.
    """

    def __init__(
        self,
        equations: TreeEquations,
        outputs: Sequence[str],
        wanted: Curve,
        gains: tuple[float, float],
        torques: tuple[np.ndarray, np.ndarray],
        strains: tuple[np.ndarray, np.ndarray],
        damped: tuple[float, float],
        slope: str,
        way: str,
        free: Sequence[str],
    ) -> None:
        self.equations, self.wanted, self.gains, self.way = equations, wanted, gains, way
        self.torque_bounds, self.damped, self.slope = torques, damped, slope
        names = equations.velocity_names
        self._rates = np.array([names.index(one) for one in outputs], dtype=np.intp)
        self.output_places = np.array([equations.position_names.index(one) for one in outputs], dtype=np.intp)
        self._strains = equations.cables.second_rate
        m, s = len(equations.input_names), self._strains.size
        f = equations.nv - equations.rows - self._rates.size - s
        away = np.full(f, np.inf)
        self._names = (
            *(f'torque of "{name}"' for name in equations.input_names),
            *(f'strain of "{name}"' for name in equations.cables.names),
        )
        self._unit = np.concatenate([np.ones(m), SMALL_PULL / equations.cables.stiffness, np.ones(f)])
        self._cost = np.diag(np.concatenate([np.ones(m), np.zeros(s), np.full(f, damped[0])]))
        self._low = np.concatenate([torques[0], strains[0], -away])
        self._high = np.concatenate([torques[1], strains[1], away])
        self._fixed = np.zeros((self._rates.size + self._strains.size, equations.nv))
        self._fixed[np.arange(len(self._fixed)), np.concatenate([self._rates, self._strains])] = 1.0
        self._candidates = np.array([names.index(one) for one in free], dtype=np.intp)
        self.reset()

    def __repr__(self) -> str:
        outputs, cables = counted(self._rates.size, "output"), counted(self._strains.size, "cable")
        return titled("NearRigidControl", self.equations.tree.name, outputs, cables)

    def reset(self) -> None:
        """For another run."""
        self._free: np.ndarray | None = None
        self._now = -np.inf
        self._slack: dict[str, int] = {}
        self._worst: dict[tuple[str, bool], tuple[float, Relaxed]] = {}
        self.slackenings: tuple[Slackening, ...] = ()

    @property
    def relaxed(self) -> tuple[tuple[float, Relaxed], ...]:
        return tuple(self._worst.values())

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        decision = self.decide(t, q, v)
        if t > self._now:  # and not once more for outputs
            self._now = t
            self._note(t, decision)
        return np.asarray(np.clip(decision.inputs, *self.torque_bounds))

    def _note(self, t: float, decision: Decision) -> None:
        for name in self._slack.keys() - set(decision.slack):
            place = self._slack.pop(name)
            ended = self.slackenings[place]._replace(end=t)
            self.slackenings = (*self.slackenings[:place], ended, *self.slackenings[place + 1 :])
        for name in decision.slack:
            if name not in self._slack:
                self._slack[name] = len(self.slackenings)
                self.slackenings = (*self.slackenings, Slackening(name, t))
        for one in decision.relaxed:
            key = (one.name, one.by > 0.0)
            if key not in self._worst or abs(one.by) > abs(self._worst[key][1].by):
                self._worst[key] = (t, one)

    def decide(self, t: float, q: np.ndarray, v: np.ndarray) -> Decision:
        """Torques for a state that is known exactly."""
        equations, cables = self.equations, self.equations.cables
        at = equations.terms(q, v)
        to, to_rate, to_second = self.wanted(t)
        proportional, derivative = self.gains
        second = to_second - derivative * (v[self._rates] - to_rate) - proportional * (q[self.output_places] - to)
        inverse, chosen = self._inverse(at.loop_jacobian)
        rows, d, s = at.loop_jacobian.shape[0], self._rates.size, self._strains.size
        start = inverse[:, :rows] @ at.loop_bias + inverse[:, rows : rows + d] @ second
        ways = inverse[:, rows:]
        needed = ways.T @ (at.mass @ start + at.bias - at.torques)
        strain = np.maximum(q[cables.second], 0.0)
        slack = tuple(name for name, one in zip(cables.names, q[cables.second], strict=True) if not one > 0.0)
        m, n = self.equations.input_matrix.shape[1], ways.shape[1]
        low, high, slope = self._low.copy(), self._high.copy(), np.zeros(self._unit.size)
        low[m : m + s] -= strain
        high[m : m + s] -= strain
        slope[m + s :] = self.damped[0] * self.damped[1] * v[chosen]
        table = np.empty((n, m + s + chosen.size))
        table[:, :m] = ways.T @ equations.input_matrix
        table[:, m : m + s] = -(ways.T @ self.stretching(q))
        table[:, m + s :] = -(ways.T @ (at.mass @ inverse[:, rows + d + s :]))
        program = Program(self._cost, slope, table, needed, low, high, self._unit)
        found = solved_inputs(program, m, s, self._names, self.way)
        here = {name: float(one) for name, one in zip(self._names[m:], strain, strict=True)}
        relaxed = tuple(one._replace(bound=one.bound + here.get(one.name, 0.0)) for one in found.relaxed)
        called = tuple(equations.velocity_names[k] for k in chosen)
        changes, free = found.strain_changes, found.free_accelerations
        return Decision(found.inputs, changes, free, called, relaxed, slack, found.unbalanced)

    def stretching(self, q: np.ndarray) -> np.ndarray:
        """A (nv, cables): torques against the motion for a unit of strain, of slack cables those they will have."""
        cables, strain = self.equations.cables, np.maximum(q[self.equations.cables.second], 0.0)
        found, column = np.zeros((self.equations.nv, strain.size)), np.arange(strain.size)
        share = np.where(cables.consistent == 0.0, 2.0 if self.slope == "tangent" else 1.0, 1.0)
        found[cables.angle_rate, column] = share * cables.stiffness * cables.radius * strain
        found[cables.second_rate, column] = cables.stiffness * cables.radius * q[cables.angle]
        return found

    def _inverse(self, loops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Y, and the places of free coordinates, which are those of before while they are sound."""
        n, known = self.equations.nv, len(loops) + len(self._fixed)
        whole = np.zeros((n, n))
        whole[: len(loops)], whole[len(loops) : known] = loops, self._fixed
        for _ in range(2):
            chosen = self._chosen(whole[:known]) if self._free is None else self._free
            whole[known:] = 0.0
            whole[np.arange(known, n), chosen] = 1.0
            factors, pivots, failed = lapack.dgetrf(whole)
            if not failed:
                inverse, _ = lapack.dgetri(factors, pivots)
                # Free motions of unit size in their coordinates: large anywhere else means they hardly show there.
                if np.abs(inverse[:, known:]).max(initial=0.0) < 1.0 / SOUND:
                    self._free = chosen
                    return np.asarray(inverse), chosen
            self._free = None
        raise OptionError(
            "outputs, strains and loops do not decide the machine's motion here: the matrix over them has no sound "
            "inverse; look for a singular posture, or follow other outputs"
        )

    def _chosen(self, decided: np.ndarray) -> np.ndarray:
        """Coordinates in which motions that nothing decides show best."""
        rank_short = self.equations.nv - len(decided)
        if not rank_short:
            return np.zeros(0, dtype=np.intp)
        motions = np.linalg.svd(decided)[2][len(decided) :]
        _, order = qr(motions[:, self._candidates], mode="r", pivoting=True)
        return np.sort(self._candidates[order[:rank_short]]).astype(np.intp)


@checked_arguments
def near_rigid_control(
    equations: TreeEquations,
    outputs: Sequence[str],
    wanted: Any,
    *,
    least_strain: Bounds,
    most_strain: Bounds = np.inf,
    lowest: Bounds = -np.inf,
    highest: Bounds = np.inf,
    proportional: float = 0.0,
    derivative: float = 0.0,
    free_weight: float = 0.0,
    free_damping: float = 0.0,
    free: Sequence[str] | None = None,
    slope: str = "secant",
    way: str = "direct",
) -> NearRigidControl:
    """A law that moves outputs of a machine with cables on pulleys along what is wanted of them.

    equations: the model that the law knows, which may be another than the machine itself; its cables have strains as
        coordinates. Wrenches, what acts in loop joints, and cables between two pulleys it does not know.
    outputs: names of velocities whose positions have the same names. wanted: t -> values, rates and second rates, as
        of `curve_of`.
    least_strain, most_strain: that cables are to keep. lowest, highest: of torques [N m].
    proportional [1/s^2], derivative [1/s]: of outputs. free_weight, free_damping: see FreeAccelerations; without them
        what is not wanted moves by itself. free: names of velocities of which as many as are needed are chosen for it;
        by default all but those of cables and motors.
    slope: of elastic torques by strain; "secant" as printed in (3.2.2), or "tangent" (of energy-consistent cables both
        are the same).
    """
    cables = equations.cables
    if not cables.names or not cables.compliant.all() or not np.all(cables.by.T == (1.0, 0.0, 1.0)):
        raise OptionError('the law needs cables that have strains as coordinates; make the model with variant="strain"')
    if slope not in SLOPES:
        raise OptionError(f'slope = "{slope}" is none; there are {" and ".join(SLOPES)}')
    for name in outputs:
        if name not in equations.velocity_names or name not in equations.position_names:
            known = [one for one in equations.velocity_names if one in equations.position_names]
            raise OptionError(f'"{name}" is no coordinate that can be followed{suggestion(name, known)}')
    freedoms = equations.nv - equations.rows
    if len(outputs) > freedoms - len(cables.names):
        raise OptionError(
            f"{len(outputs)} outputs are more than the {freedoms - len(cables.names)} freedoms that strains leave; "
            "follow fewer"
        )
    candidates = _candidates(equations) if free is None else tuple(free)
    for name in candidates:
        if name not in equations.velocity_names:
            hint = suggestion(name, equations.velocity_names)
            raise OptionError(f'free: the machine has no velocity "{name}"{hint}')
    spare = freedoms - len(cables.names) - len(outputs)
    if len(set(candidates)) < spare:
        raise OptionError(f"free: outputs and strains leave {spare} coordinates free; name as many, or more")
    inputs, strains = len(equations.input_names), len(cables.names)
    return NearRigidControl(
        equations,
        outputs,
        wanted,
        (proportional, derivative),
        bounds_of(lowest, highest, inputs),
        bounds_of(least_strain, most_strain, strains, ("least_strain", "most_strain")),
        (free_weight, free_damping),
        slope,
        way,
        candidates,
    )


def _candidates(equations: TreeEquations) -> tuple[str, ...]:
    """Coordinates that may be free: no cable's and no motor's. These go many times as far as bodies do, so that they
    would be chosen first, and the manipulator never came to rest where they were."""
    geared = {name for joint in equations.tree.joints if joint.cable or joint.driven for name in joint.velocities}
    return tuple(name for name in equations.velocity_names if name not in geared)
