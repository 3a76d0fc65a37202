"""How the motion of a plant changes about a state: the first derivatives of its equations, dense.

    M(q) a = F(q, v, u) + G(q)^T l,   G a + d(G v)/dq v = 0

With a and l those of the state, a small change of it is followed by

    M da - G^T dl = -K dq - C dv + dF/du du,   G da = -d(G a + d(G v)/dq v)/dq dq - 2 d(G v)/dq dv

where K = -d(F + G^T l - M a)/dq, at constant l and a, and C = -dF/dv. (Hsu, Tadiparthi and Bhattacharya, section 2.5,
take M and G apart instead, and leave the change of tension with position out of K: their eq. (47).) K and C of terms
and rows are those of implicit steps, made exact; those of velocity terms are differences of eighth order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.errors import OptionError, listed, suggestion
from taut.mechanics.capabilities import LINEAR, check, check_linear, features_of
from taut.mechanics.grounds.compliances import touching_nodes
from taut.mechanics.imposed.called_functions import check_drives, value_of
from taut.mechanics.linear.members import HELD, MemberSlopes, State, slopes_of
from taut.mechanics.linear.motion_terms import terms_of_state
from taut.mechanics.operations.observation import PUSHES
from taut.mechanics.points.linearisation import Linearisation, solved
from taut.mechanics.rows.held_lengths import SLACK, TAUT
from taut.mechanics.spec import rows_of
from taut.mechanics.terms.contacts import OPEN, SLIDING
from taut.mechanics.terms.springs import Springs
from taut.numerics.dense_saddle import DenseSaddle, null_basis
from taut.numerics.differences import jacobian
from taut.structure.signals import Command, Constant

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant

DIFFERENCE = 1e-3
"""Of the mean member length: how far velocity terms and feedbacks are tried on either side."""


def nodal_linearisation(plant: Plant, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
    """Of a nodal plant at positions and velocities that its constraints allow, (3 n,) each."""
    if held not in HELD:
        raise OptionError(f'held = "{held}" is not one of {", ".join(HELD)}{suggestion(held, HELD)}')
    check_linear(plant.spec)
    check(LINEAR, features_of(plant))
    check_drives(plant)
    state = State(plant, q, v, time)
    tables, size = state.tables, q.size
    free, mass, rows, force, bias = terms_of_state(state)
    touched = _contact_notes(state)
    members = slopes_of(state, held)
    whole_rate = state.matrix("jacobian_rate", plant.rows)
    everywhere = state.known
    system, found = solved(mass, rows, force, bias)
    acceleration, multiplier = found[: free.size], found[free.size :]
    everywhere[free] = acceleration
    state.y[size : 2 * size], velocity = everywhere, state.y[size : 2 * size].copy()
    change = state.matrix("jacobian_rate", plant.rows)[:, free]
    state.y[size : 2 * size] = velocity
    change -= _bias_slopes(state, rows)[:, free]
    stiffness = state.assembled([*state.blocks(1.0, 0.0), *state.row_blocks(multiplier)])
    damping = state.assembled(state.blocks(0.0, 1.0))
    damping += np.diag(tables["damping"].node[free])
    damping += tables["damping"].mass[0] * mass
    by_natural = np.zeros((free.size, members.length.size))
    if tables["cylinders"].first.size:
        by_place, by_speed, natural = _inertial(state, everywhere)
        stiffness, damping = stiffness - by_place[np.ix_(free, free)], damping - by_speed[np.ix_(free, free)]
        by_natural = natural[free]
    if plant.feedbacks:
        by_place, by_speed = feedback_slopes(plant, state.y[:size], velocity, time)
        stiffness, damping = stiffness - by_place[:, free], damping - by_speed[:, free]
    notes = (
        *_motion_notes(plant, time),
        *_rest_notes(plant, members),
        *_pushing_notes(state, multiplier, force),
        *touched,
        *_rank_notes(plant, state, system, rows),
    )
    return Linearisation(
        free,
        mass,
        rows,
        system,
        acceleration,
        multiplier,
        stiffness,
        damping,
        whole_rate[:, free],
        change,
        by_natural,
        notes,
    )


def _bias_slopes(state: State, rows: np.ndarray) -> np.ndarray:
    """(r, 3 n) how -d(G v)/dq v changes with places: third derivatives of residuals, where these have any."""
    size, y = state.size, state.y
    if all(kind.quadratic for kind in rows_of(state.plant.spec)) or not np.any(y[size : 2 * size]):
        return np.zeros((len(rows), size))
    if "held_lengths" in state.tables:  # a row that is there stays, also where its cable is a little too short
        held = state.tables["held_lengths"]
        there = np.any(rows[held.row[0] + np.arange(held.active.size)], axis=1)
        held.active[:] = np.where(there, TAUT, SLACK)

    def bias(places: np.ndarray) -> np.ndarray:
        out = np.zeros(len(rows))
        state.tools["bias"](state.pack, state.time, np.concatenate([places, y[size:]]), out)
        return out

    return jacobian(bias, y[:size].copy(), DIFFERENCE * state.plant.typical_length)


def _inertial(state: State, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of velocity terms less M(q) (a + alpha v), by places, speeds and natural lengths of members."""
    size, tables, y = state.size, state.tables, state.y
    length, period = tables["constants"].scale
    alpha, cylinders, springs = tables["damping"].mass[0], tables["cylinders"], tables["springs"]

    def left(places: np.ndarray, speeds: np.ndarray, carried: np.ndarray) -> np.ndarray:
        out, momentum = np.zeros(size), np.zeros(size)
        moved = np.concatenate([places, speeds, y[2 * size :]])
        state.tools["velocity_force"](state.pack, moved, out)
        state.tools["momentum"](state.pack, moved, carried, momentum)
        return out - momentum

    q, v = y[:size].copy(), y[size : 2 * size].copy()
    felt = acceleration + alpha * v
    by_place = jacobian(lambda x: left(x, v, felt), q, DIFFERENCE * length)
    by_speed = jacobian(lambda x: left(q, x, 0.0 * felt), v, DIFFERENCE * length / period)
    natural = np.zeros((size, springs.stiffness.size))
    given, excess = cylinders.length.copy(), cylinders.excess.copy()
    # The mass and the radius without force stay: e goes with the square of their ratio to the length.
    cables = springs.first.size - springs.shortest.size
    for m in range(cylinders.first.size):

        def by_length(x: np.ndarray, m: int = m) -> np.ndarray:
            cylinders.length[m], cylinders.excess[m] = x[0], excess[m] * (given[m] / x[0]) ** 2
            return left(q, v, felt)

        natural[:, cables + cylinders.bar[m]] = jacobian(by_length, given[m : m + 1], 0.01 * given[m])[:, 0]
        cylinders.length[m], cylinders.excess[m] = given[m], excess[m]
    return by_place, by_speed, natural


def springs_at(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> Springs:
    """The table of springs with what is driven as it is at a time."""
    springs: Springs = State(plant, q, v, time).tables["springs"]
    return springs


class Arrived(NamedTuple):
    """(3 n,) each; accelerations of moved supports, zero elsewhere."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray


def supports_at(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> Arrived:
    """A state with moved supports where they are at a time."""
    state = State(plant, q, v, time)
    return Arrived(state.y[: q.size], state.y[q.size : 2 * q.size], state.known)


def feedback_slopes(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    """(f, 3 n) each: how loads that answer to the motion change with positions and velocities."""
    free, loads = plant.tables["nodes"].free, plant.tables["loads"]

    def pushes(state: np.ndarray) -> np.ndarray:
        out, (nodes, velocities) = np.zeros(q.size), state.reshape(2, -1, 3)
        for called in plant.feedbacks:
            value = value_of(plant, called, time, nodes, velocities, drives=False)
            out[loads.coordinate[called.signal]] += called.share(time) * value
        return np.asarray(out[free])

    step = DIFFERENCE * plant.typical_length
    by_place = jacobian(lambda x: pushes(np.concatenate([x, v])), q, step)
    by_speed = jacobian(lambda x: pushes(np.concatenate([q, x])), v, step / plant.typical_time)
    return by_place, by_speed


def _contact_notes(state: State) -> tuple[str, ...]:
    """Which contacts with grounds that give way are closed, after `_forces`; raises OptionError where one slides."""
    if "compliances" not in state.plant.spec.terms:
        return ()
    found, table = touching_nodes(state.plant.given), state.tables["compliances"]
    sliding = [one for one, doing, law in zip(found, table.doing, table.law, strict=True) if doing == SLIDING and law]
    if sliding:
        raise OptionError(
            f'{sliding[0].what} slides on the ground "{sliding[0].ground.name}", and a linear model is of what sticks; '
            "linearise about a state at rest"
        )
    closed = [f'"{one.name}"' for one, doing in zip(found, table.doing, strict=True) if doing != OPEN]
    return (f"contacts count as they are here, unbent and sticking: {listed(closed) if closed else 'none is closed'}",)


def _motion_notes(plant: Plant, time: float) -> tuple[str, ...]:
    still = Command | Constant | int | float  # a command stays until someone decides
    run = [driven.label for driven in plant.given.driven if not isinstance(driven.drive.signal, still)]
    moved = {"supports move": plant.moved, "drives run": run}
    return tuple(
        f"{what} ({listed(names)}): the model is that of the instant t = {time:g} s, as they move then"
        for what, names in moved.items()
        if names
    )


def _rest_notes(plant: Plant, members: MemberSlopes) -> tuple[str, ...]:
    idle = [f'"{name}"' for name, row in plant.given.cable.items() if members.at_rest[row]]
    if not idle:
        return ()
    return (f"at the very rest length, between slack and taut, and counted as taut: {listed(idle)}",)


def _pushing_notes(state: State, multiplier: np.ndarray, force: np.ndarray) -> tuple[str, ...]:
    """Held cables that would have to push: a run lets them go at once."""
    if "held_lengths" not in state.tables:
        return ()
    first, round_off = int(state.tables["held_lengths"].row[0]), PUSHES * np.abs(force).max(initial=0.0)
    cables = enumerate(state.plant.given.held_cables, first)
    names = [f'"{cable.name}"' for row, cable in cables if multiplier[row] > round_off]
    if not names:
        return ()
    return (f"would push here, so that a run lets go of it, and counted as a rod: {listed(names)}",)


def _rank_notes(plant: Plant, state: State, system: DenseSaddle, rows: np.ndarray) -> tuple[str, ...]:
    """Constraints that depend on one another here; a worse thing where they do so only here."""
    if not system.dropped:
        return ()
    idle = np.linalg.svd(rows)[0][:, rows.shape[0] - system.dropped :]
    basis, names = null_basis(system), plant.constraint_names
    among = [names[k] for k in np.flatnonzero(np.abs(idle).max(axis=1) > 1e-9)]
    some = listed(among, most=8)
    # A dependence that lasts costs nothing along the motions that are left: 0 = T^T d(n^T G)/dq T.
    bent = [np.abs(basis.T @ state.assembled(state.row_blocks(null)) @ basis).max(initial=0.0) for null in idle.T]
    only_here = max(bent) > 1e-9 * np.abs(basis).max(initial=0.0) ** 2
    more = (
        "; they do so only at this very shape, where the motion may branch and the linear model depends on forces that "
        "nothing determines (the smallest are taken)"
        if only_here
        else ""
    )
    count = f"{system.dropped} constraint{'s depend' if system.dropped > 1 else ' depends'}"
    return (f"{count} on others, among {some}{more}",)
