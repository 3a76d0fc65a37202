"""Controllers that decide at their times, by what sensors measure at nodes that follow generalised coordinates."""

from __future__ import annotations

import numpy as np

from taut.mechanics.imposed.controllers import decide
from taut.mechanics.imposed.sensors import sensors_in
from taut.mechanics.operations.motion import multipliers_of
from taut.mechanics.points.generalised_motion import accelerate, stand
from taut.mechanics.points.generalised_tables import BEGIN, generalised_in
from taut.mechanics.points.joints import generalised_count
from taut.mechanics.tables import coordinate_count, internal_count, work_in
from taut.numerics.array_views import array_at
from taut.numerics.compiled import entry, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


@kernel
def found_already(p: Pack, t: float, y: np.ndarray) -> None:
    """In the place of `multipliers_of`: `decide_by` has found accelerations and multipliers."""


@kernel
def _accelerate_nodes(p: Pack, t: float, y: np.ndarray) -> None:
    """What nodes do under joints and all that acts on coordinates, which nodes alone know nothing of."""
    made, n, acceleration = generalised_in(p), coordinate_count(p), work_in(p).acceleration
    accelerate(p, t, y, made.speeds)
    for i in range(n):
        acceleration[i] = made.bias[i]
    for k in range(generalised_count(p)):
        for i in range(n):
            acceleration[i] += made.column[k * n + i] * made.speeds[k]


@entry
def decide_by(p: Pack, t: float, y: np.ndarray) -> float:
    """Let controllers decide by what sensors measure at the nodes."""
    if sensors_in(p).dynamic[0] == 1:
        _accelerate_nodes(p, t, start_of(y))
    s = stand(p, start_of(y), BEGIN)
    return decide(p, t, array_at(s, 2 * coordinate_count(p) + 1 + internal_count(p)))


INSTEAD = {multipliers_of: found_already}
"""What stands in the place of what nodal plants have."""
