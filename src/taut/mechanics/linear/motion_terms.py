"""The equations of motion of a nodal plant at a state, dense: M a = force + G^T l, G a = bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.mechanics.linear.members import State
from taut.mechanics.operations.redundancy import jacobian_matrix
from taut.mechanics.terms.members import obstacle
from taut.mechanics.terms.springs import CRUSHED
from taut.numerics.packing import integers_of

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant


class MotionTerms(NamedTuple):
    """Over f coordinates that can move, and r constraints; what supports accelerate is taken into force and bias."""

    moving: np.ndarray  # (f,) their places among all coordinates
    mass: np.ndarray  # (f, f)
    rows: np.ndarray  # (r, f) G
    force: np.ndarray  # (f,) all but those of constraints
    bias: np.ndarray  # (r,)


def nodal_terms(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> MotionTerms:
    """(3 n,) each."""
    return terms_of_state(State(plant, q, v, time))


def terms_of_state(state: State) -> MotionTerms:
    plant, free, size = state.plant, state.tables["nodes"].free, state.size
    force = all_forces(state)
    whole_mass = state.matrix("momentum", size)
    state.tools["fill_jacobian"](state.pack, state.y)
    whole_rows = jacobian_matrix(state.tables).toarray()
    bias = np.zeros(plant.rows)
    state.tools["bias"](state.pack, state.time, state.y, bias)
    return MotionTerms(
        free,
        whole_mass[np.ix_(free, free)],
        whole_rows[:, free],
        (force - whole_mass @ state.known)[free],
        bias - whole_rows @ state.known,
    )


def all_forces(state: State) -> np.ndarray:
    """All forces but those of constraints, as a run has them."""
    out, plant = np.zeros(state.size), state.plant
    state.motion["forces"](state.pack, state.time, state.y, out)
    crushed = int(integers_of(state.pack, CRUSHED)[0])
    if crushed >= 0:
        told = obstacle(plant.given, crushed).replace("would next be pressed", "is pressed")
        raise OptionError(f"{told.replace('would next have', 'has')}; take a state that it can have")
    return out
