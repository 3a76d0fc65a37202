"""`bounded_inverse_dynamics`: the least forces of actuators for a motion, within bounds: tensions that only pull.

Where there are more actuators than freedoms, many forces give the same motion. Constraints are taken out by a null
space Z of theirs, G Z = 0, so that at every sample

    Z^T B u = Z^T (M a - force)

is what the least |u|^2 within the bounds has to satisfy (`over_actuation.py`); forces of constraints follow from u.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from taut.control.actuators import AnyPlant, acting, actuators_of
from taut.control.motion_forces import InverseDynamics, check_untorn, motion_of
from taut.control.over_actuation import Bounds, bounds_of, least_inputs
from taut.control.port_names import Ports
from taut.numerics.subspaces import null_space
from taut.type_checks import checked_arguments


@checked_arguments
def bounded_inverse_dynamics(
    plant: AnyPlant,
    time: np.ndarray,
    positions: np.ndarray,
    velocities: np.ndarray | None = None,
    accelerations: np.ndarray | None = None,
    *,
    actuators: Ports = None,
    lowest: Bounds = 0.0,
    highest: Bounds = np.inf,
    way: str = "direct",
) -> InverseDynamics:
    """The least efforts of actuators along a motion, as `inverse_dynamics` has it, each within its bounds.

    lowest, highest: of efforts in all [N], [N m]; one number, or one for each actuator. 0 and inf are those of cables,
        which pull and do not push.
    `relaxed` of the result tells where no efforts within the bounds give the motion: which, when, and by how much.
    """
    times, q, v, a = motion_of(plant, time, positions, velocities, accelerations)
    chosen = actuators_of(plant, actuators)
    names = tuple(one.name for one in chosen)
    low, high = bounds_of(lowest, highest, len(chosen))
    effort, multiplier = np.zeros((times.size, len(chosen))), np.zeros((times.size, plant.rows))
    unbalanced, relaxed = np.zeros(times.size), []
    for k, t in enumerate(times):
        check_untorn(plant, float(t), q[k], v[k])
        found = acting(plant, float(t), q[k], v[k], chosen)
        terms = found.terms
        needed = terms.mass @ a[k][terms.moving] - terms.force
        push, present, kept = found.push.copy(), found.present.copy(), np.ones(terms.rows.shape[0], dtype=bool)
        for j, one in enumerate(chosen):
            if one.row >= 0:  # what is held is pushed by its own constraint
                push[:, j], present[j], kept[one.row] = one.sign * terms.rows[one.row], 0.0, False
        free = null_space(sp.csr_matrix(terms.rows[kept]))
        # In the measure of M^-1, as where there are no bounds.
        lower = np.linalg.cholesky(free.T @ terms.mass @ free)
        left, right = np.linalg.solve(lower, free.T @ push), np.linalg.solve(lower, free.T @ (needed + push @ present))
        best = least_inputs(left, right, lowest=low, highest=high, names=names, way=way)
        effort[k], unbalanced[k] = best.inputs, best.unbalanced
        relaxed += [(float(t), one) for one in best.relaxed]
        rest = needed - push @ (best.inputs - present)
        multiplier[k, kept] = np.linalg.lstsq(terms.rows[kept].T, rest, rcond=1e-12)[0]
        for j, one in enumerate(chosen):
            if one.row >= 0:
                multiplier[k, one.row] = one.sign * effort[k, j]
    return InverseDynamics(times, names, effort, multiplier, unbalanced, tuple(relaxed))
