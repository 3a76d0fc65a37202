"""What an implicit stage asks of a tree: how far it is from balance, and the matrix that mends it.

A stage has coordinates x = x0 + s x' and rates x' = x0' + s x'', with s a time and x0, x0' known. With E and b as in
`embedding.py`, K of the loops and f all forces, Newton's method solves

    r = s^2 [E^T (f + K^T l - M (E (x' - x0') / s + b)) + radial part]
    [ S   -(K E)^T ] [  dx  ]   [ r ]
    [ K E     0    ] [s^2 dl] = [ what residuals or their rates ask ]      S = -dr/dx where dx' = dx / s

S is a central difference of r, coordinate by coordinate, as for coordinates of joints
(`points/operations/implicit_stages.py`): so it has all that cables, dampers, controllers and changing inertia do, and
only the speed of convergence depends on it. M may be singular where loops say where things go, and so may S.

Quaternions have no rows here. Their radial part, which moves no body, is told to keep their length: s . s'' = -|s'|^2. A
stage drifts off the sphere to the order of the method, and the correction at the end of a step brings it back, while a
row with a multiplier of its own would cost implicit4 its fourth order.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.saddle import weight_of
from taut.mechanics.trees.tree_operations import Workspace, impossible, pushed, turned_rows, whole_mass_matrix
from taut.numerics.skew_saddle import factor, solve

APART = 1e-6
"""How far a coordinate is moved for its difference: bodies by this fraction of the plant's size at most, and their
speeds of a typical speed."""
BESIDE, LEAST = 0.1, 1e-4
"""Of the last change, how far a coordinate is moved where that is less, so that no kink of a cable's law lies between;
and how much less at most."""


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
    force += at.loop_jacobian.T @ d.stage.multiplier
    if not e.names:
        return s * s * (force - at.mass @ change), watts
    turn = on_sphere.matrix(e, x)
    out = (force - at.mass @ (turn @ change + on_sphere.velocity_bias(e, x, rate, v))) @ turn
    place, moving = x[e.quaternion], rate[e.quaternion]
    grows = np.einsum("ki,ki->k", place, change[e.quaternion]) + np.einsum("ki,ki->k", moving, moving)
    out[e.quaternion] -= d.plant.whole_mass * grows[:, None] * place
    return s * s * out, watts


def _differences(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float) -> np.ndarray:
    """S (coordinates, coordinates)."""
    far = APART * d.plant.size * min(1.0, s / d.plant.typical_time)
    far = max(min(far, BESIDE * d.stage.change), LEAST * far)
    probe, out = y.copy(), np.zeros((d.n, d.n))
    for k in range(d.n):
        there = y[k] + max(far / d.stage.reach[k], 1e-11 * abs(y[k]))
        apart, found = there - y[k], []  # what is left of it where coordinates are rounded
        for way in (-apart, apart):
            probe[k], probe[d.n + k] = y[k] + way, y[d.n + k] + way / s
            found.append(_unbalanced(d, t, probe, base, s)[0])
        out[:, k] = (found[0] - found[1]) / (2.0 * apart)
        probe[k], probe[d.n + k] = y[k], y[d.n + k]
    return out


# --- operations, as in taut.dynamics.operations


def factor_newton(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float) -> int:
    if not np.isfinite(y).all():
        return -1
    block = _differences(d, t, y, base, s)
    x, _, q, _ = d.split(y)
    rows, e = turned_rows(d, x, q), d.embedding
    sizes = weight_of(whole_mass_matrix(d, x, q), rows).diagonal().copy()
    sizes[e.quaternion] += d.plant.whole_mass * x[e.quaternion] ** 2
    found = factor(block, rows, sizes)
    if found is None:
        return -1
    d.stage.matrix = found
    return len(rows) - len(found.combined)


def newton_residual(d: Workspace, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """Turns of spans in y are brought along: which whole turn is meant hangs on them."""
    out[: d.n], watts = _unbalanced(d, t, y, base, s)
    if d.pushes.spans is not None:
        d.turned(y)[:] = d.turned(base) + s * d.pushes.spans.turning
    return watts


def solve_newton(d: Workspace, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
    loops = d.equations.rows
    direction[: d.n], multiplier = solve(d.stage.matrix, covector[: d.n], rates[:loops])
    if gain > 0.0:
        d.stage.change = float(np.abs(d.stage.reach * direction[: d.n]).max())
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
