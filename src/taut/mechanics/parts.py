"""What a nodal plant is composed of: the operations are written against these kernels, which do nothing.

`taut.mechanics.compose` puts the kernels of a plant's own terms, rows, inertia, imposed quantities and system in their
places. `p` is the plant's pack, y a state as a pointer; `out` is added to unless said otherwise.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.tables import work_in
from taut.numerics.compiled import inlined
from taut.numerics.packing import Pack

# --- terms: what acts on nodes


@inlined
def applied_force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """Add all forces but those of constraints; returns the power of what is not conservative."""
    return 0.0


@inlined
def conservative_force(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    """Add minus the gradient of the potential energy; returns what `potential` does."""
    return 0.0, 0.0, 0.0


@inlined
def potential(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    """Elastic and gravity's energy [J], and the sum of squared forces, which bounds the round-off of the energy."""
    return 0.0, 0.0, 0.0


@inlined
def load_power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of the loads, which do not depend on the state."""
    return 0.0


@inlined
def term_stiffness(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    """Fill the 3 x 3 blocks k K + c C of all links, nine numbers each; returns how many numbers.

    K = -d(force)/dq, C = -d(force)/dv. pushing: what is left of a stiffness that compression makes negative.
    exact: 1 with, 0 without what is not symmetric.
    """
    return 0


@inlined
def give_state_rates(p: Pack, rates: np.ndarray) -> None:
    """Fill the rates of the states of terms in the rate of a state, as the last evaluation of forces left them."""


@inlined
def state_error(p: Pack, error: np.ndarray) -> float:
    """The largest error of a state of a term, as a fraction of its size."""
    return 0.0


@inlined
def set_stage(p: Pack, s: float) -> None:
    """Say that states of terms are those of a stage of an implicit step of this time [s]; zero ends it."""


@inlined
def accept_step(p: Pack) -> None:
    """A step is kept: nothing that was tried on the way counts any more."""


# --- what can happen to terms at an instant, source after source


@inlined
def event_count(p: Pack) -> int:
    """How many events there are, those that are watched left out."""
    return 0


@inlined
def event_margin(p: Pack, e: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    """How far event e is from happening in units of round-off, negative when it is overdue; its rate, and 1 where that
    is known."""
    return np.inf, 0.0, 1


@inlined
def event_clear(p: Pack, e: int, state: int, y: np.ndarray, h: float) -> bool:
    """Whether a quick look shows that event e did not happen in a step of h that ends at y."""
    return True


@inlined
def event_happen(p: Pack, e: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    """Let event e happen; returns what it does from then on, 1 if that is to be told, and what is left to do."""
    return state, 0, 0


@inlined
def event_put(p: Pack, e: int, state: int) -> None:
    """Write what e does into its table; AS_GIVEN is its own law, which is right at any state and needs no event."""


@inlined
def event_begin(p: Pack, e: int, y: np.ndarray) -> int:
    """What e does at a state."""
    return 0


@inlined
def keep_laws(p: Pack) -> None:
    """Keep the laws as given, before a run writes into them."""


@inlined
def cut_held(p: Pack, k: int) -> None:
    """Cut a cable that is held at its length."""


@inlined
def free_torque(p: Pack, k: int, y: np.ndarray) -> float:
    """Torque [N m] of an angle that is free."""
    return 0.0


@inlined
def held_tension(p: Pack, k: int, y: np.ndarray) -> float:
    """Tension [N] of a cable that is held at its length."""
    return 0.0


# --- rows: constraints


@inlined
def row_residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    """Fill the residuals [m] of all constraints and their rates [m/s]; returns how many."""
    return 0


@inlined
def row_values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    """Fill the entries of G; returns how many."""
    return 0


@inlined
def row_bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    """Fill what G a must be: -(dG/dt) v and what time adds; returns how many."""
    return 0


@inlined
def row_jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    """Fill d(G v)/dq . direction; returns how many."""
    return 0


@inlined
def row_stiffness(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    """Fill the blocks of -k sum(multiplier d2(residual)/dq2) of all links; returns how many rows and how many numbers.

    brace: (r,) a stiffness added along every row, raised by what compression takes away; none where it is zero.
    """
    return 0, 0


@inlined
def row_power(p: Pack, y: np.ndarray, multiplier: np.ndarray) -> float:
    """Power of the rows that time moves."""
    return 0.0


@inlined
def find_multipliers(p: Pack, t: float, y: np.ndarray) -> None:
    """Fill the multipliers of a state, where the power of rows is asked for without an acceleration."""


# --- inertia


@inlined
def carry(p: Pack, y: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """out = M(q) v at the positions of y."""


@inlined
def kinetic(p: Pack, y: np.ndarray) -> float:
    """Kinetic energy [J]."""
    return 0.0


@inlined
def add_velocity_force(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    """Add dT/dq - (dM/dt) v, where the mass matrix changes."""


@inlined
def add_kinetic_gradient(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    """Add dT/dq, where the mass matrix changes."""


@inlined
def carry_change(p: Pack, y: np.ndarray, shift: np.ndarray, out: np.ndarray) -> None:
    """Add (dM/dq shift) v, where the mass matrix changes."""


@inlined
def turning_masses(
    p: Pack, y: np.ndarray, cx: float, cy: float, cz: float
) -> tuple[float, float, float, float, float, float]:
    """Sums xx, yy, zz, xy, yz, zx of mass times coordinates from a centre: the inertia of the whole against turning."""
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@inlined
def fill_inertia(p: Pack, y: np.ndarray, values: np.ndarray) -> None:
    """Write what changes of M into the values of the saddle."""


@inlined
def inertia_blocks(p: Pack, y: np.ndarray, k: float, out: np.ndarray) -> int:
    """Fill the 3 x 3 blocks of k times what changes of M, by links; returns how many numbers."""
    return 0


@inlined
def keep_momentum_of(p: Pack, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """Take out of a change of velocities what would change the momentum of a structure that nothing holds."""


# --- what time decides


@inlined
def impose(p: Pack, t: float, y: np.ndarray) -> None:
    """Write what time decides into the tables, into the state where it is part of it, and what it accelerates."""


@inlined
def let_in(p: Pack, y: np.ndarray) -> None:
    """Let what was decided of commands become part of the state."""


@inlined
def imposed_power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of what is imposed on terms and rows; that of moved supports comes from their reactions."""
    return 0.0


@inlined
def right_side(p: Pack, y: np.ndarray) -> np.ndarray:
    """The right-hand side of the equations of motion: the applied force, less what imposed accelerations need."""
    return work_in(p).force


@inlined
def give_known(p: Pack, y: np.ndarray, acceleration: np.ndarray) -> float:
    """Put imposed accelerations into those found; returns the power of the reactions where they act."""
    return 0.0


@inlined
def moved_power(p: Pack, y: np.ndarray, factor: float, reaction: np.ndarray) -> float:
    """Power of factor times the reactions at held coordinates that move."""
    return 0.0


# --- the linear system


@inlined
def prepare_system(p: Pack, metric: int, y: np.ndarray) -> int:
    """Make the system ready at these positions; returns its dependent rows, -1 if it fails. metric: 0, or METRIC."""
    return 0


@inlined
def solve_system(
    p: Pack, metric: int, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    """W x = force + G^T l, G x = rates with what was prepared; the right-hand sides are left as they are."""


@inlined
def solve_motion(
    p: Pack, y: np.ndarray, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    """Both at once for accelerations; NaN where it fails."""


@inlined
def weakest_pivot(p: Pack) -> float:
    """How independent the rows were at worst since the last call."""
    return 1.0


# --- outputs


@inlined
def observe_terms(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    """Fill what terms from outside show; returns how many numbers."""
    return 0


# --- contact


@inlined
def fill_response(p: Pack, first: int) -> None:
    """Fill what impulses at closed contacts, from an entry on, do to velocities (`contact/responses.py`)."""


@inlined
def push_response(p: Pack, a: int, pn: float, p1: float, p2: float, v: np.ndarray) -> None:
    """Add to velocities what an impulse at a closed contact does, in its frame."""


@inlined
def body_of(p: Pack, c: int) -> int:
    """A number by which what a contact belongs to is told from what its impulses do not move."""
    return 0


@inlined
def meet_rows(p: Pack, h: float, y: np.ndarray) -> float:
    """Bring the end of a move of h back onto the constraints along the directions that were prepared, and velocities
    with it; returns the longest way along a coordinate [m], negative where that fails."""
    return 0.0


@inlined
def meet_row_rates(p: Pack, y: np.ndarray) -> None:
    """Take out of velocities what would change the constraints."""


@inlined
def respond(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """x = what a force does to velocities, with constraints or without."""
