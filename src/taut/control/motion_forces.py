"""`inverse_dynamics`: the forces that actuators need for a motion that is given.

    M a = force + B u + G^T l        of a motion q(t), q'(t), q''(t)

is solved for u and l at every sample, by least squares in the measure of M^-1. A motion has as many coordinates as the
plant; where there are fewer actuators than freedoms most motions are impossible, and what no actuator and no constraint
can give is told. Where a few coordinates are imposed and others follow, simulate it with drives: the torques are in the
run (`angle_torque`, `bar_force`, `cable_tension`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline

from taut.control.actuators import AnyPlant, acting, actuators_of
from taut.control.over_actuation import Relaxed
from taut.control.port_names import Ports
from taut.errors import ModelError, OptionError, Problem
from taut.mechanics.plant import Plant
from taut.mechanics.signals import pieces_of
from taut.reprs import brief
from taut.structure.signals import SampledSignal
from taut.type_checks import checked_arguments

TORN = 1e-6
"""Of the plant's typical length: how far a motion may be off a constraint."""

DEGREE = 5
"""Of the spline through positions whose rates are not given."""


@dataclass(frozen=True)
class InverseDynamics:
    """Forces over T samples.

    actuators: names; effort: of each, in all, with what it has in the plant already [N], [N m]; of a node's force and
        of a coordinate's only what is to be added.
    multiplier: of the plant's constraints, in their order.
    unbalanced: what is left that neither gives, as a part of what the motion needs (by M^-1): 0 where it is possible.
    relaxed: times and bounds that nothing kept, of `bounded_inverse_dynamics`.
    """

    time: np.ndarray  # (T,)
    actuators: tuple[str, ...]
    effort: np.ndarray  # (T, m)
    multiplier: np.ndarray  # (T, r)
    unbalanced: np.ndarray  # (T,)
    relaxed: tuple[tuple[float, Relaxed], ...] = ()

    __repr__ = brief

    def signal(self, name: str) -> SampledSignal:
        """The effort of an actuator as the signal of a load or of a drive: a curve through the samples."""
        if name not in self.actuators:
            raise OptionError(f'no actuator "{name}"; there are {", ".join(self.actuators)}')
        values = self.effort[:, self.actuators.index(name)]
        return SampledSignal(tuple(self.time.tolist()), tuple(values.tolist()))


@checked_arguments
def inverse_dynamics(
    plant: AnyPlant,
    time: np.ndarray,
    positions: np.ndarray,
    velocities: np.ndarray | None = None,
    accelerations: np.ndarray | None = None,
    *,
    actuators: Ports = None,
) -> InverseDynamics:
    """The forces of actuators along a motion.

    plant: from `assemble` or `in_coordinates`, or a LagrangianPlant; its drives count at the samples' times.
    positions: (T, n, 3) of nodes, or (T, m) of coordinates. velocities, accelerations: the same; None takes those of a
        spline of fifth order through the positions, or of the velocities.
    actuators: names, as "angle:knee.torque", "cable:c1.tension", "bar:b1.tension", "node:top.force.z",
        "coordinate:hip.force" or "drive:motor"; by default all that the plant drives.
    Raises ModelError where the motion tears a constraint: which, when and by how much.
    """
    times, q, v, a = motion_of(plant, time, positions, velocities, accelerations)
    chosen = actuators_of(plant, actuators)
    effort, multiplier = np.zeros((times.size, len(chosen))), np.zeros((times.size, plant.rows))
    unbalanced = np.zeros(times.size)
    for k, t in enumerate(times):
        check_untorn(plant, float(t), q[k], v[k])
        found = acting(plant, float(t), q[k], v[k], chosen)
        terms, moving = found.terms, found.terms.moving
        needed = terms.mass @ a[k][moving] - terms.force
        given = [j for j, one in enumerate(chosen) if one.row < 0]
        columns = np.column_stack([found.push[:, given], terms.rows.T])
        lower = np.linalg.cholesky(terms.mass)
        left, right = np.linalg.solve(lower, columns), np.linalg.solve(lower, needed)
        answer = np.linalg.lstsq(left, right, rcond=1e-12)[0]
        multiplier[k] = answer[len(given) :]
        effort[k, given] = found.present[given] + answer[: len(given)]
        for j, one in enumerate(chosen):
            if one.row >= 0:
                effort[k, j] = one.sign * multiplier[k, one.row]
        size = max(float(np.linalg.norm(right)), float(np.linalg.norm(np.linalg.solve(lower, terms.force))), 1e-300)
        unbalanced[k] = float(np.linalg.norm(left @ answer - right)) / size
    return InverseDynamics(times, tuple(one.name for one in chosen), effort, multiplier, unbalanced)


def motion_of(
    plant: AnyPlant,
    time: np.ndarray,
    positions: np.ndarray,
    velocities: np.ndarray | None,
    accelerations: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, and a motion's coordinates, rates and second rates, (T, m) each; what is not given by a spline."""
    times = np.asarray(time, dtype=float)
    if times.ndim != 1 or not np.all(np.isfinite(times)) or np.any(np.diff(times) < 0.0):
        raise OptionError(f"time of shape {times.shape} must be finite numbers, none less than the one before [s]")
    shape = (times.size, plant.coordinates)
    q = _flat("positions", positions, shape, plant)
    v = _rates(times, q, 1) if velocities is None else _flat("velocities", velocities, shape, plant)
    if accelerations is not None:
        return times, q, v, _flat("accelerations", accelerations, shape, plant)
    return times, q, v, _rates(times, q, 2) if velocities is None else _rates(times, v, 1)


def _flat(what: str, values: np.ndarray, shape: tuple[int, int], plant: AnyPlant) -> np.ndarray:
    found = np.asarray(values, dtype=float)
    wanted = (shape[0], shape[1] // 3, 3) if isinstance(plant, Plant) else shape
    if found.shape != wanted:
        raise OptionError(f"{what} of shape {found.shape} do not fit: give {wanted}")
    if not np.all(np.isfinite(found)):
        raise OptionError(f"{what} must be finite numbers")
    return found.reshape(shape)


def _rates(time: np.ndarray, values: np.ndarray, order: int) -> np.ndarray:
    if time.size <= DEGREE or np.any(np.diff(time) <= 0.0):
        raise OptionError(
            f"{time.size} samples make no spline for rates that are not given; give more than {DEGREE}, at times that "
            "grow, or give velocities and accelerations"
        )
    return np.asarray(make_interp_spline(time, values, DEGREE).derivative(order)(time))


def check_untorn(plant: AnyPlant, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Raises ModelError where a constraint is not kept."""
    tables, operations = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.operations()
    y = np.concatenate([q, v, [0.0], plant.internal])
    residual, rate = np.zeros(plant.rows), np.zeros(plant.rows)
    operations["enter_piece"](tables, float(pieces_of(plant.breaks, np.array([t]))[0]))
    if "impose" in operations:
        operations["impose"](tables, t, y)
    operations["residuals"](tables, y, residual, rate)
    worst = int(np.argmax(np.abs(residual))) if residual.size else 0
    if residual.size and abs(residual[worst]) > TORN * plant.typical_length:
        message = (
            f"the motion tears {plant.constraint_names[worst]} at t = {t:g} s: it is {abs(residual[worst]):.3g} off "
            "what it keeps [m, rad]; give a motion that keeps it, or drive it along"
        )
        raise ModelError([Problem((), message)])
