"""What algorithms ask of a `TreePlant`: the operations of `taut.dynamics.operations`, in Python around Pinocchio.

A state is y = [x, x', work, inputs that a controller holds, states of nodal terms, turns of spans]; x are positions
with quaternions (`embedding.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import OptionError, listed
from taut.mechanics.tables import Layout, state_layout
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.contact.tree_impulses import Striking
from taut.mechanics.trees.equations import TreeEquations, TreeTerms
from taut.mechanics.trees.events.tree_events import EVENTS, TreeEvents
from taut.mechanics.trees.implicit.stage import Stage
from taut.mechanics.trees.pushes import Pushes, pushed_by
from taut.mechanics.trees.saddle import Factored, accelerations, factor, solve, weight_of, without_inertia
from taut.mechanics.trees.spans.span_starts import begun

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant

ASTRAY = 0.3
"""[rad] by which a step may integrate the turns of a span wrongly: a way that turns fast within it may be missed, or
counted for more than it is, while positions are right."""

REFUSED = 1e12
"""An error that no step has."""

STEP = 1e-6
"""Of a coordinate, for slopes of the energy as differences; corrections along them are repeated until they hold."""


class Workspace:
    """A plant and the work of one run."""

    def __init__(self, plant: TreePlant, euclidean: bool, gains: tuple[float, float]) -> None:
        self.plant, self.euclidean, self.gains = plant, euclidean, gains
        self.equations = TreeEquations(plant.tree)
        self.embedding = plant.embedding
        self.pushes = Pushes(self.equations, plant.torques, plant.nodal, begun(plant, self.equations))
        self.n, self.inside = plant.coordinates, 0.0
        self.coming = np.zeros(plant.held_inputs)
        self._turned = 2 * self.n + 1 + plant.internal.size - 2 * len(plant.tree.spans)
        self.memory = np.zeros(1 if plant.ticks else 0)  # how often the controller has decided
        self.independence, self.stuck = 1.0, ""
        self.longest = np.zeros(self.equations.rows)  # of loop rows so far, squared, as `saddle.factor` has it
        self.metric: Factored
        self.striking: Striking
        if plant.nodal is not None and plant.nodal.plant.given.rigid_grounds:
            self.striking = Striking(plant.nodal.plant)
        self.events = TreeEvents(plant.slackening, plant.things)
        self.stage = Stage(plant.tree, plant.size, self.equations.rows)

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """x, x', and positions and velocities of the tree; spans are told how often they have turned."""
        x, rate = y[: self.n], y[self.n : 2 * self.n]
        if self.pushes.spans is not None:
            self.pushes.spans.turned = self.turned(y)
        return x, rate, *on_sphere.configuration_and_velocity(self.embedding, x, rate)

    def nodal_rates(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(nodes, 3) places and velocities of the nodal plant whose nodes stand on bodies, and states of its terms."""
        assert self.pushes.points is not None
        _, _, q, v = self.split(y)
        places, rates = self.equations.places_and_rates(q, v, self.pushes.points, len(self.plant.tree.wrenches))
        return places, rates, self.kept(y)

    def kept(self, y: np.ndarray) -> np.ndarray:
        """States of the nodal plant's terms."""
        return y[2 * self.n + 1 + self.coming.size : self._turned]

    def turned(self, y: np.ndarray) -> np.ndarray:
        """(2 spans,) how far ways between pulleys have turned since the start [rad]."""
        return y[self._turned : 2 * self.n + 1 + self.plant.internal.size]

    def true_turns(self, y: np.ndarray) -> np.ndarray:
        """(2 spans,) what positions say of them but for whole turns, and the state of these."""
        assert self.pushes.spans is not None
        return self.pushes.spans.followed(self.split(y)[2], self.turned(y))

    def inputs(self, t: float, y: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(inputs,) torques at driven joints: signals, and what a controller says, held or at every evaluation."""
        plant = self.plant
        u = self.pushes.torques(t, self.inside)
        if plant.controller is None:
            return u
        if plant.rate is not None:
            return u + y[2 * self.n + 1 : 2 * self.n + 1 + len(u)]
        return u + self.decided(t, q, v)

    def decided(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """What the controller says, held against what it has to be."""
        assert self.plant.controller is not None
        u = np.asarray(self.plant.controller(t, q.copy(), v.copy()), dtype=float)
        driven = [joint for joint in self.equations.tree.joints if joint.driven]
        if u.shape != (len(driven),) or not np.isfinite(u).all():
            told = [f'the {pushed_by(joint)[1]} at "{joint.name}"' for joint in driven]
            raise OptionError(
                f"the controller returned {u} of shape {u.shape} at t = {t:g} s; it must return {len(driven)} finite "
                f"{'number' if len(driven) == 1 else 'numbers'}: {listed(told, most=4)}"
            )
        return u


def impossible(d: Workspace, q: np.ndarray) -> str:
    """What cables cannot do; nothing where all is well."""
    return d.equations.unwound_wrong(q) or (d.pushes.spans.wrong(q) if d.pushes.spans is not None else "")


def motion(d: Workspace, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Accelerations of coordinates, multipliers of all rows and power."""
    x, rate, q, v = d.split(y)
    nothing = np.full(d.n, np.nan), np.full(d.plant.rows, np.nan), math.nan
    if not np.isfinite(y).all():
        return nothing
    if wrong := impossible(d, q):
        d.stuck = wrong
        return nothing
    at = d.equations._terms(q, v)
    force, watts = pushed(d, t, y, q, v, at)
    right = at.loop_bias
    if any(d.gains):
        right = right - d.gains[0] * (at.loop_jacobian @ v) - d.gains[1] * at.loop_error
    try:
        a, multiplier, firm = accelerations(at.mass, at.loop_jacobian, force, right, d.longest)
    except np.linalg.LinAlgError:
        d.stuck = str(without_inertia(weight_of(at.mass, at.loop_jacobian), d.equations.velocity_names))
        return nothing
    d.independence = min(d.independence, firm)
    whole = on_sphere.acceleration(d.embedding, x, rate, v, a, d.gains)
    return whole, np.concatenate([multiplier, np.zeros(len(d.embedding.names))]), watts


def pushed(
    d: Workspace, t: float, y: np.ndarray, q: np.ndarray, v: np.ndarray, at: TreeTerms
) -> tuple[np.ndarray, float]:
    """All generalised forces of the tree but those of loops, and the power of what is not conservative."""
    drive = d.equations.input_matrix @ d.inputs(t, y, q, v)
    force = at.torques - at.bias + drive
    watts = float(drive @ v) + d.equations.lost_power(q, v)
    if d.pushes.acts:
        more, power = d.pushes.at(t, d.inside, q, d.kept(y))
        return force + more, watts + power
    return force, watts


# --- operations, as in taut.dynamics.operations


def rate(d: Workspace, t: float, y: np.ndarray, out: np.ndarray) -> None:
    out[d.n : 2 * d.n], multiplier, out[2 * d.n] = motion(d, t, y)
    d.stage.last[:] = multiplier[: d.equations.rows]
    out[: d.n] = y[d.n : 2 * d.n]
    out[2 * d.n + 1 :] = 0.0
    kept, rates = d.kept(out), d.pushes.state_rates()
    kept[kept.size - rates.size :] = rates  # contact forces before them have none
    if d.pushes.spans is not None:
        d.turned(out)[:] = d.pushes.spans.turning


def forces(d: Workspace, t: float, y: np.ndarray, out: np.ndarray) -> float:
    _, _, q, v = d.split(y)
    force, watts = pushed(d, t, y, q, v, d.equations._terms(q, v))
    out[: d.n] = on_sphere.matrix(d.embedding, y[: d.n]).T @ force
    return watts


def power(d: Workspace, t: float, y: np.ndarray) -> float:
    _, _, q, v = d.split(y)
    return pushed(d, t, y, q, v, d.equations._terms(q, v))[1]


def drive_power(d: Workspace, t: float, y: np.ndarray) -> float:
    """Nothing is imposed."""
    return 0.0


def independence(d: Workspace) -> float:
    least, d.independence = d.independence, 1.0
    return least


def enter_piece(d: Workspace, inside: float) -> None:
    d.inside = inside
    d.pushes.enter_piece(inside)


def pass_break(d: Workspace, t: float, inside: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """What was decided is held from here on."""
    enter_piece(d, inside)
    y[2 * d.n + 1 : 2 * d.n + 1 + d.coming.size] = d.coming
    return filled


def decide(d: Workspace, t: float, y: np.ndarray) -> float:
    """Let the controller decide, and say when it does again."""
    plant = d.plant
    if plant.rate is None or not d.memory.size:
        return math.inf
    _, _, q, v = d.split(y)
    d.coming[:] = d.decided(t, q, v)
    d.memory[0] += 1.0
    return float(d.memory[0] / plant.rate)


def error_size(d: Workspace, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float, h: float) -> float:
    """Errors relative to the plant's size, the largest speed, and the energy such speeds mean; round-off not known."""
    n, plant = d.n, d.plant
    if d.pushes.spans is not None:
        off = np.maximum(np.abs(d.turned(trial) - d.true_turns(trial)), np.abs(d.turned(error)))
        if not off.max() < ASTRAY:
            return REFUSED
    speed = max(1e-3 * plant.size / plant.typical_time, np.abs(y[n : 2 * n]).max(), np.abs(trial[n : 2 * n]).max())
    works = plant.whole_mass * speed**2 + max(abs(y[2 * n]), abs(trial[2 * n]))
    worst = max(np.abs(error[:n]).max() / plant.size, np.abs(error[n : 2 * n]).max() / speed, abs(error[2 * n]) / works)
    return float(max(worst, d.pushes.state_error(d.kept(error))) / tolerance)


def residuals(d: Workspace, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    x, moving, q, v = d.split(y)
    loops, all_rows = d.equations.rows, d.plant.rows
    residual[:loops] = d.equations.loop_error(q)
    rate[:loops] = d.equations.loop_jacobian(q) @ v
    residual[loops:all_rows], rate[loops:all_rows] = on_sphere.sphere_residuals(d.embedding, x, moving)
    size = d.plant.size
    speed = max(size / d.plant.typical_time, float(np.abs(v).max(initial=0.0)))
    off, moves = np.abs(residual[:all_rows]).max(initial=0.0), np.abs(rate[:all_rows]).max(initial=0.0)
    return float(off / size), float(moves / speed)


def all_rows(d: Workspace, x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """G (rows, coordinates): of loops, then of quaternions."""
    rows = d.equations.loop_jacobian(q)
    if not d.embedding.names:
        return rows
    return np.concatenate([rows @ on_sphere.matrix(d.embedding, x), on_sphere.sphere_rows(d.embedding, x)])


def whole_mass_matrix(d: Workspace, x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """E^T M E (coordinates, coordinates)."""
    mass = d.equations.mass(q)
    if not d.embedding.names:
        return mass
    turn = on_sphere.matrix(d.embedding, x)
    return np.asarray(turn.T @ mass @ turn)


def prepare_projection(d: Workspace, y: np.ndarray) -> int:
    x, _, q, _ = d.split(y)
    rows = all_rows(d, x, q)
    weight = np.eye(d.n) if d.euclidean else weight_of(whole_mass_matrix(d, x, q), rows)
    try:
        d.metric = factor(weight, rows)
    except np.linalg.LinAlgError:
        return -1
    return 0 if d.metric.whole is None else d.metric.whole.dropped


def project(d: Workspace, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    direction[: d.n] = solve(d.metric, covector[: d.n], rates[: d.plant.rows])[0]


def bends(d: Workspace, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """(dG/dt) x' at a rate, of all rows: quadratic in it."""
    q, v = on_sphere.configuration(d.embedding, x), on_sphere.velocity(d.embedding, x, rate)
    at = d.equations._terms(q, v)
    if not d.embedding.names:
        return -at.loop_bias
    bias = on_sphere.velocity_bias(d.embedding, x, rate, v)
    turned = rate[d.embedding.quaternion]
    return np.concatenate([at.loop_jacobian @ bias - at.loop_bias, np.einsum("ki,ki->k", turned, turned)])


def jacobian_rate(d: Workspace, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    """d(G x')/dx along a direction: the quadratic form of (dG/dt) x', between the rate and the direction."""
    x, rate, way = y[: d.n], y[d.n : 2 * d.n], direction[: d.n]
    size = float(np.linalg.norm(way))
    if size == 0.0:
        rates[: d.plant.rows] = 0.0
        return
    scale = max(float(np.linalg.norm(rate)), 1e-3 * d.plant.size / d.plant.typical_time) / size
    both = bends(d, x, rate + scale * way) - bends(d, x, rate - scale * way)
    rates[: d.plant.rows] = both / (4.0 * scale)


def energies(d: Workspace, y: np.ndarray) -> tuple[float, float, float]:
    """Kinetic, elastic and of gravity."""
    _, _, q, v = d.split(y)
    kinetic, elastic, weight = d.equations.energies(q, v)
    if d.pushes.spans is not None:
        elastic += float(d.pushes.spans.energies(q).sum())
    if d.plant.nodal is not None and d.pushes.points is not None:
        places = d.equations.places(q, d.pushes.points)
        elastic += d.pushes.potential(places[len(d.plant.tree.wrenches) :], d.kept(y))
    return kinetic, elastic, weight


def energy(d: Workspace, y: np.ndarray) -> tuple[float, float]:
    kinetic, elastic, weight = energies(d, y)
    return kinetic + elastic + weight, kinetic + abs(elastic) + abs(weight) + abs(float(y[2 * d.n]))


def energy_gradient(d: Workspace, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    x, rate, q, _ = d.split(y)
    near = y.copy()
    for k in range(d.n):
        found = []
        for way in (STEP, -STEP):
            near[k] = x[k] + way
            found.append(energy(d, near)[0])
        near[k] = x[k]
        along_q[k] = (found[0] - found[1]) / (2.0 * STEP)
    along_v[: d.n] = whole_mass_matrix(d, x, q) @ rate
    return energy(d, y)


def keep_momentum(d: Workspace, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """No momentum is known to be kept."""


def note_contacts(d: Workspace, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    """A step is kept. There are no contacts; turns of spans are made exact, so that their errors do not add up."""
    if d.pushes.spans is not None:
        d.turned(trial)[:] = d.true_turns(trial)
    return filled


def layout(d: Workspace) -> Layout:
    return state_layout(d.n, d.coming.size, 0)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    operation.__name__: operation
    for operation in (
        *(layout, rate, forces, power, drive_power, independence, enter_piece, pass_break, decide, error_size),
        *(residuals, prepare_projection, project, jacobian_rate, energy, energy_gradient, keep_momentum),
        note_contacts,
        *EVENTS,
    )
}
