"""How the motion of a plant changes about a state: the first derivatives of its equations, dense.

    M(q) a = F(q, v, u) + G(q)^T l,   G a + d(G v)/dq v = 0

With a and l those of the state, a small change of it is followed by

    M da - G^T dl = -K dq - C dv + dF/du du,   G da = -d(G a)/dq dq - 2 d(G v)/dq dv - (third derivatives of gaps)

where K = -d(F + G^T l - M a)/dq, at constant l and a, and C = -dF/dv. (Hsu, Tadiparthi and Bhattacharya, section 2.5,
take M and G apart instead, and leave the change of tension with position out of K: their eq. (47).)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.mechanics.crushing import CRUSHED_LENGTH
from taut.mechanics.redundancy import constraint_rows
from taut.mechanics.signals import pieces_of
from taut.mechanics.tables import CRUSHED, MOVED, Moved, Nodal
from taut.mechanics.tangent import Members, lengths_of, pattern, spans_of, taut, tensions
from taut.mechanics.thick_slopes import thickness_slopes
from taut.numerics.dense_saddle import DenseSaddle, decompose, null_basis, solve
from taut.numerics.differences import jacobian
from taut.numerics.packing import Pack, integers_of, reals_of

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant

HELD = ("rest_length", "force_density", "all_force_densities")
"""What stays as it is while nodes move: rest lengths; or the force densities of cables, which a control sets; or those
of compressible bars too, as in the paper's eq. (59)."""

AT_REST = 1e-9
"""A cable within this strain of its rest length counts as taut, and is named."""

FED_STEP = 1e-3
"""Of the mean member length: how far feedbacks are tried on either side."""


class Slopes(NamedTuple):
    """f coordinates that can move, r constraints. stiffness, damping, bending, turning: K, C, d(G v)/dq, d(G a)/dq."""

    moving: np.ndarray  # (f,) their places among all coordinates
    mass: np.ndarray  # (f, f)
    rows: np.ndarray  # (r, f) G
    system: DenseSaddle
    acceleration: np.ndarray  # (f,)
    multiplier: np.ndarray  # (r,)
    stiffness: np.ndarray  # (f, f)
    damping: np.ndarray  # (f, f)
    bending: np.ndarray  # (r, f)
    turning: np.ndarray  # (r, f)
    swelling: np.ndarray  # (f, m) force by the natural length of each elastic member as its thickness follows [N/m]
    notes: tuple[str, ...] = ()


class MemberSlopes(NamedTuple):
    """m elastic members, tension t [N] and length; how t changes with the span from first to second node, and its rate.

    A slack cable, or one whose damper has just let it go slack, has no tension and no slope.
    """

    first: np.ndarray  # (m,) nodes
    second: np.ndarray  # (m,)
    pulling: np.ndarray  # (m,) which members take part
    at_rest: np.ndarray  # (m,) one-sided members at their very rest length
    length: np.ndarray  # (m,)
    stretching: np.ndarray  # (m,) its rate
    unit: np.ndarray  # (m, 3)
    tension: np.ndarray  # (m,)
    by_span: np.ndarray  # (m, 3) [N/m]
    by_rate: np.ndarray  # (m, 3) [N s/m]


def own_cables(tables: Nodal) -> int:
    """How many members of the table of cables are cables; compressible bars follow them."""
    return int(tables.cables.stiffness.size - np.count_nonzero(tables.bars.per_length == 0.0))


def member_slopes(tables: Nodal, q: np.ndarray, v: np.ndarray, held: str) -> MemberSlopes:
    """Of the members in the table of cables. held: one of HELD; dampers act in either case, bars stay springs."""
    cables = tables.cables
    members = Members(
        cables.first // 3, cables.second // 3, cables.stiffness, cables.rest_length, np.isfinite(cables.least)
    )
    spans, rates = spans_of(members, q.reshape(-1, 3)), spans_of(members, v.reshape(-1, 3))
    lengths = lengths_of(spans)
    unit = spans / lengths[:, None]
    elastic = tensions(members, lengths)
    at_rest = members.one_sided & (np.abs(lengths - members.rest_length) <= AT_REST * members.rest_length)
    stretching = np.sum(unit * rates, axis=1)
    pulling = taut(members, lengths) | at_rest
    viscous = np.where(pulling, cables.damping * stretching, 0.0)
    pulling &= ~members.one_sided | (elastic + viscous >= 0.0)
    ruled = np.zeros(lengths.size, dtype=bool)
    ruled[: own_cables(tables)] = held != "rest_length"
    ruled[own_cables(tables) :] = held == "all_force_densities"
    along = np.where(ruled, elastic / lengths, members.stiffness)
    across = rates - stretching[:, None] * unit
    by_span = along[:, None] * unit + (cables.damping / lengths)[:, None] * across
    here = pulling[:, None]
    return MemberSlopes(
        members.first,
        members.second,
        pulling,
        at_rest,
        lengths,
        stretching,
        unit,
        np.where(pulling, elastic + viscous, 0.0),
        np.where(here, by_span, 0.0),
        np.where(here, cables.damping[:, None] * unit, 0.0),
    )


def solved(mass: np.ndarray, rows: np.ndarray, force: np.ndarray, bent: np.ndarray) -> tuple[DenseSaddle, np.ndarray]:
    """The system [M G^T; G 0], decomposed, and [a, l] with G a = -bent."""
    try:
        system = decompose(mass, rows)
    except np.linalg.LinAlgError:
        message = "leave a motion without inertia, so it has no linear model; give every node that moves a mass"
        raise ModelError([Problem(("point_masses",), message)]) from None
    return system, np.concatenate(solve(system, force, -bent))


def nodal_slopes(plant: Plant, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Slopes:
    """Of a nodal plant at positions and velocities that its constraints allow, (3 n,) each."""
    if held not in HELD:
        raise OptionError(f'held = "{held}" is not one of {", ".join(HELD)}{suggestion(held, HELD)}')
    tables, free = plant.tables, plant.tables.nodes.free
    constants = tables.constants
    thick = thickness_slopes(tables, q, v)
    thin_mass = _thin_mass(tables)
    whole_mass = thin_mass + _whole_matrix(tables, thick.first, thick.second, thick.inertia)
    mass = whole_mass[np.ix_(free, free)]
    whole_rows, whole_bending = _rows(tables, q), _rows(tables, v)
    rigid = plant.rows - tables.guides.value.size
    whole_bending[rigid:] = 0.0
    rows, bending = whole_rows[:, free], whole_bending[:, free]
    everywhere = supports_at(plant, q, v, time).acceleration
    force = _forces(plant, q, v, time) + thick.force - whole_mass @ everywhere
    system, found = solved(mass, rows, force[free], whole_bending @ v + whole_rows @ everywhere)
    acceleration, multiplier = found[: free.size], found[free.size :]
    everywhere[free] = acceleration
    turning = _rows(tables, everywhere)[:, free]
    turning[rigid:] = 0.0
    members = member_slopes(tables, q, v, held)
    unit, density = members.unit, members.tension / members.length
    across = density[:, None, None] * (np.eye(3) - unit[:, :, None] * unit[:, None, :])
    stiffness = _matrix(tables, members.first, members.second, unit[:, :, None] * members.by_span[:, None, :] + across)
    damping = _matrix(tables, members.first, members.second, unit[:, :, None] * members.by_rate[:, None, :])
    stiffness += _bent_bars(tables, -multiplier[:rigid])
    stiffness += _matrix(tables, thick.first, thick.second, thick.stiffness(everywhere))
    damping += _matrix(tables, thick.first, thick.second, thick.damping)
    damping += constants.mass_damping[0] * thin_mass[np.ix_(free, free)] + constants.node_damping[0] * np.eye(free.size)
    if plant.feedbacks:
        by_place, by_speed = _fed_back(plant, q, v, time)
        stiffness -= by_place
        damping -= by_speed
    swelling = np.zeros((free.size, members.length.size))
    bars = own_cables(tables) + tables.thick.bar - rigid  # the rows in which thick bars are springs
    swelling[:, bars] = thick.by_natural(everywhere)[:, free].T
    notes = (*_motion_notes(plant, time), *_rest_notes(plant, members), *_rank_notes(plant, system, rows))
    return Slopes(
        free, mass, rows, system, acceleration, multiplier, stiffness, damping, bending, turning, swelling, notes
    )


class Arrived(NamedTuple):
    """(3 n,) each; accelerations of moved supports, zero elsewhere."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray


def supports_at(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> Arrived:
    """A state with moved supports where they are at a time."""
    y, known = np.concatenate([q, v, [0.0]]), np.zeros(q.size)
    if plant.motions:
        verbs, own = _at(plant, time)
        verbs["arrive"](own, time, y)
        known[:] = reals_of(own, MOVED + Moved._fields.index("acceleration"))
    return Arrived(y[: q.size], y[q.size : -1], known)


def _at(plant: Plant, time: float) -> tuple[dict[str, Callable[..., Any]], Pack]:
    """Verbs, and tables of which signals are in the piece of this time."""
    verbs, own = plant.verbs(), plant.own_tables(metric="mass", gains=(0.0, 0.0))
    verbs["enter"](own, float(pieces_of(plant.breaks, np.array([time]))[0]))
    return verbs, own


def _forces(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> np.ndarray:
    """All forces but those of constraints, as a run has them."""
    (verbs, own), out = _at(plant, time), np.zeros(q.size)
    verbs["forces"](own, time, np.concatenate([q, v, [0.0]]), out)
    crushed = int(integers_of(own, CRUSHED)[0])
    if crushed >= 0:
        raise OptionError(
            f'bar "{list(plant.structure.bars)[crushed]}" is pressed to less than {CRUSHED_LENGTH:.0%} of its length '
            "without force, where it is no bar any more; linearise about a state that it can have"
        )
    return out


def _fed_back(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    """How loads that answer to the motion change with positions and velocities."""
    free, (size, period) = plant.tables.nodes.free, plant.tables.constants.scale

    def pushes(state: np.ndarray) -> np.ndarray:
        out, (nodes, velocities) = np.zeros(q.size), state.reshape(2, -1, 3)
        for index, feedback in plant.feedbacks.items():
            out[plant.tables.signals.coordinate[index]] += feedback.law(time, nodes, velocities)
        return np.asarray(out[free])

    by_place = jacobian(lambda x: pushes(np.concatenate([x, v])), q, FED_STEP * size)
    by_speed = jacobian(lambda x: pushes(np.concatenate([q, x])), v, FED_STEP * size / period)
    return by_place[:, free], by_speed[:, free]


def _rows(tables: Nodal, along: np.ndarray) -> np.ndarray:
    """Rows of G with the bars' vectors those of `along`: positions for G itself, v for d(G v)/dq of bars."""
    return np.asarray(constraint_rows(tables, along).toarray())


def _thin_mass(tables: Nodal) -> np.ndarray:
    """The mass matrix over all coordinates, without what thickness adds."""
    bars, nodes = tables.bars, tables.nodes
    whole = np.diag(nodes.mass)
    for axis in range(3):
        np.add.at(whole, (bars.first + axis, bars.second + axis), bars.coupling)
        np.add.at(whole, (bars.second + axis, bars.first + axis), bars.coupling)
    return whole


def _matrix(tables: Nodal, first: np.ndarray, second: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    free = tables.nodes.free
    unknown = np.full(tables.nodes.mass.size, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    return np.asarray(pattern(first, second, unknown, free.size).matrix(blocks).toarray(), dtype=float)


def _whole_matrix(tables: Nodal, first: np.ndarray, second: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """The same over all coordinates, held ones too."""
    every = np.arange(tables.nodes.mass.size)
    return np.asarray(pattern(first, second, every, every.size).matrix(blocks).toarray(), dtype=float)


def _bent_bars(tables: Nodal, pulls: np.ndarray) -> np.ndarray:
    """What bars that keep their length add to the stiffness, by the tension in each: t / l across and along."""
    bars, count = tables.bars, pulls.size
    blocks = (pulls * bars.per_length[:count])[:, None, None] * np.eye(3)
    return _matrix(tables, bars.first[:count] // 3, bars.second[:count] // 3, blocks)


def _motion_notes(plant: Plant, time: float) -> tuple[str, ...]:
    if not plant.motions:
        return ()
    some = ", ".join(plant.moved[:4]) + (f" and {len(plant.moved) - 4} more" if len(plant.moved) > 4 else "")
    return (f"supports move ({some}): the model is that of the instant t = {time:g} s, as they move then",)


def _rest_notes(plant: Plant, members: MemberSlopes) -> tuple[str, ...]:
    names = list(plant.structure.cables)
    idle = [f'"{names[k]}"' for k in np.flatnonzero(members.at_rest)]
    if not idle:
        return ()
    some = ", ".join(idle[:4]) + (f" and {len(idle) - 4} more" if len(idle) > 4 else "")
    return (f"at the very rest length, between slack and taut, and counted as taut: {some}",)


def _rank_notes(plant: Plant, system: DenseSaddle, rows: np.ndarray) -> tuple[str, ...]:
    """Constraints that depend on one another here; a worse thing where they do so only here."""
    if not system.dropped:
        return ()
    rigid = plant.rows - plant.tables.guides.value.size
    idle = np.linalg.svd(rows)[0][:, rows.shape[0] - system.dropped :]
    basis, names = null_basis(system), plant.constraint_names
    among = [names[k] for k in np.flatnonzero(np.abs(idle).max(axis=1) > 1e-9)]
    some = ", ".join(among[:8]) + (f" and {len(among) - 8} more" if len(among) > 8 else "")
    # A dependence that lasts costs nothing along the motions that are left: 0 = T^T d(n^T G)/dq T.
    bent = [np.abs(basis.T @ _bent_bars(plant.tables, null) @ basis).max(initial=0.0) for null in idle[:rigid].T]
    only_here = max(bent) > 1e-9 * np.abs(basis).max(initial=0.0) ** 2
    more = (
        "; they do so only at this very shape, where the motion may branch and the linear model hangs on forces that "
        "nothing determines (the smallest are taken)"
        if only_here
        else ""
    )
    count = f"{system.dropped} constraint{'s depend' if system.dropped > 1 else ' depends'}"
    return (f"{count} on others, among {some}{more}",)
