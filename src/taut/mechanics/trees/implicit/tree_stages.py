"""What an implicit stage asks of a tree: how far it is from balance, and the matrix that mends it.

A stage has coordinates x = x0 + s x' and rates x' = x0' + s x'', with s a time and x0, x0' known. Newton's method moves
by u, dx = T u and dx' = dx / s: velocities of the tree times a time, and of every quaternion how it grows. With E and b
as in `embedding.py`, K of the loops and f all forces, it solves

    r = s^2 [f + K^T l - M (E (x' - x0') / s + b)],   and of quaternions   r = -s^2 (s . s'' + |s'|^2)
    [ S   -K^T ] [   u   ]   [ r ]
    [ K     0  ] [s^2 dl ] = [ what residuals or their rates ask ]      S = -dr/du

S is a central difference of r, direction by direction, as for coordinates of joints
(`points/operations/implicit_stages.py`): so it has all that cables, dampers, controllers and changing inertia do, and
only the speed of convergence depends on it. M may be singular where loops say where things go, and so may S. T is that
of the present state, since a matrix by axes of bodies stays good while these turn: by quaternions a slender rod, whose
moments are a hundred to one, converged with 0.03 where it turned by 1e-3 rad from one stage to the next.

Quaternions have no rows here. The second equation keeps their length, which moves no body. A stage drifts off the
sphere to the order of the method, and the correction at the end of a step brings it back.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.saddle import weight_of
from taut.mechanics.trees.tree_operations import Workspace, impossible, pushed
from taut.numerics.skew_saddle import factor, solve

APART = 1e-6
"""How far bodies are moved for a difference: by this fraction of the plant's size at most, and their speeds of a
typical speed."""
BESIDE, LEAST = 0.1, 1e-4
"""Of the last change, how far they are moved where that is less, so that no kink of a cable's law lies between; and
how much less at most."""


def _unbalanced(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float) -> tuple[np.ndarray, float]:
    """r at a state, with x0' from `base`, and the power of what is not conservative."""
    if not np.isfinite(y).all():
        return np.full(d.n, math.nan), math.nan
    x, rate, q, v = d.split(y)
    if wrong := impossible(d, q):
        d.stuck = wrong
        return np.full(d.n, math.nan), math.nan
    at, e = d.equations._terms(q, v), d.embedding
    d.pushes.enter_stage(s)
    force, watts = pushed(d, t, y, q, v, at)
    d.pushes.enter_stage(0.0)
    change = (rate - base[d.n : 2 * d.n]) / s
    moved = on_sphere.velocity(e, x, change) + on_sphere.velocity_bias(e, x, rate, v)
    force = force + at.loop_jacobian.T @ d.stage.multiplier - at.mass @ moved
    return s * s * on_sphere.by_frame(e, force, -on_sphere.growth_bias(e, x, rate, change)), watts


def _differences(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float) -> np.ndarray:
    """S (coordinates, coordinates)."""
    far = APART * d.plant.size * min(1.0, s / d.plant.typical_time)
    far = max(min(far, BESIDE * d.stage.change), LEAST * far)
    probe, out, frame = y.copy(), np.zeros((d.n, d.n)), on_sphere.frame(d.embedding, y[: d.n])
    for k, along in enumerate(frame.T):
        apart = max(far / d.stage.reach[k], 1e-11 * float(np.abs(along) @ np.abs(y[: d.n])))
        found, parted = [], 0.0
        for way in (-apart, apart):
            there = y[: d.n] + way * along
            shift = there - y[: d.n]  # what is left of it where coordinates are rounded
            probe[: d.n], probe[d.n : 2 * d.n] = there, y[d.n : 2 * d.n] + shift / s
            found.append(_unbalanced(d, t, probe, base, s)[0])
            parted += abs(float(shift @ along))
        out[:, k] = (found[0] - found[1]) / (parted / float(along @ along))
    return out


# --- operations, as in taut.dynamics.operations


def factor_newton(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float) -> int:
    if not np.isfinite(y).all():
        return -1
    block, e = _differences(d, t, y, base, s), d.embedding
    q = on_sphere.configuration(e, y[: d.n])
    mass, rows = d.equations.mass(q), d.equations.loop_jacobian(q)
    sizes = on_sphere.by_frame(e, weight_of(mass, rows).diagonal(), np.ones(len(e.names)))
    found = factor(block, on_sphere.by_frame(e, rows, np.zeros((len(rows), len(e.names)))), sizes)
    if found is None:
        return -1
    d.stage.matrix = found
    return len(rows) - len(found.combined)


def newton_residual(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """out = r; turns of spans in y are brought along, since which whole turn is meant hangs on them."""
    out[: d.n], watts = _unbalanced(d, t, y, base, s)
    d.stage.frame = on_sphere.frame(d.embedding, y[: d.n])
    if d.pushes.spans is not None:
        d.turned(y)[:] = d.turned(base) + s * d.pushes.spans.turning
    return watts


def solve_newton(d: Workspace, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
    moved, multiplier = solve(d.stage.matrix, covector[: d.n], rates[: d.equations.rows])
    direction[: d.n] = d.stage.frame @ moved
    if gain > 0.0:
        d.stage.change = float(np.abs(d.stage.reach * moved).max())
        d.stage.multiplier += gain * multiplier


def finish_states(d: Workspace, s: float, y: np.ndarray, rates: np.ndarray) -> None:
    found = d.pushes.state_rates()
    if found.size:
        d.kept(y)[-found.size :] += s * found
        d.kept(rates)[-found.size :] = found
    if d.pushes.spans is not None:
        d.turned(rates)[:] = d.pushes.spans.turning


def keep_multipliers(d: Workspace) -> None:
    d.stage.first[:] = d.stage.last


def recall_multipliers(d: Workspace) -> None:
    d.stage.multiplier[:] = d.stage.first
    d.stage.change = math.inf


STAGES = {
    operation.__name__: operation
    for operation in (factor_newton, newton_residual, solve_newton, finish_states, keep_multipliers, recall_multipliers)
}
"""What implicit steps ask beside motion."""
