"""How the motion of a plant changes about a state: the first derivatives of its equations, dense.

    M(q) a = F(q, v, u) + G(q)^T l,   G a + d(G v)/dq v = 0

With a and l those of the state, a small change of it is followed by

    M da - G^T dl = -K dq - C dv + dF/du du,   G da = -d(G a)/dq dq - 2 d(G v)/dq dv - (third derivatives of residuals)

where K = -d(F + G^T l - M a)/dq, at constant l and a, and C = -dF/dv. (Hsu, Tadiparthi and Bhattacharya, section 2.5,
take M and G apart instead, and leave the change of tension with position out of K: their eq. (47).) K and C of terms
and rows are those of implicit steps, made exact; those of velocity terms are differences of eighth order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.errors import OptionError, listed, suggestion
from taut.mechanics.capabilities import check_linear
from taut.mechanics.imposed.called_functions import check_drives, value_of
from taut.mechanics.operations.redundancy import jacobian_matrix
from taut.mechanics.points.linearisation import Linearisation, solved
from taut.mechanics.signals import pieces_of
from taut.mechanics.spec import rows_of, terms_of
from taut.mechanics.tables import KNOWN, slot
from taut.mechanics.terms.springs import CRUSHED, Springs
from taut.numerics.dense_saddle import DenseSaddle, null_basis
from taut.numerics.differences import jacobian
from taut.numerics.link_blocks import pattern
from taut.numerics.packing import integers_of, reals_of, viewed

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant

HELD = ("rest_length", "force_density", "all_force_densities")
"""What stays as it is while nodes move: rest lengths; or the force densities of cables, which a control sets; or those
of compressible bars too, as in the paper's eq. (59)."""

AT_REST = 1e-9
"""A cable within this strain of its rest length counts as taut, and is named."""

DIFFERENCE = 1e-3
"""Of the mean member length: how far velocity terms and feedbacks are tried on either side."""


class MemberSlopes(NamedTuple):
    """m elastic members, tension t [N] and length; how t changes with the span from first to second node, and its rate.

    A slack cable, or one whose damper has just let it go slack, has no tension and no slope.
    """

    first: np.ndarray  # (m,) nodes
    second: np.ndarray  # (m,)
    pulling: np.ndarray  # (m,) which members take part
    at_rest: np.ndarray  # (m,) one-sided members at their very rest length
    length: np.ndarray  # (m,)
    rate: np.ndarray  # (m,) of the length
    unit: np.ndarray  # (m, 3)
    tension: np.ndarray  # (m,)
    by_span: np.ndarray  # (m, 3) [N/m]
    by_rate: np.ndarray  # (m, 3) [N s/m]


class _State:
    """A plant's own tables at a state, with its signals in the right piece and cables at rest length taken as taut."""

    def __init__(self, plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> None:
        self.plant, self.time, self.y = plant, time, np.concatenate([q, v, [0.0]])
        self.pack = plant.own_tables(metric="mass", gains=(0.0, 0.0))
        self.motion, self.tools, self.size = plant.operations(), plant.composition.tools, q.size
        self.motion["enter_piece"](self.pack, float(pieces_of(plant.breaks, np.array([time]))[0]))
        if plant.spec.imposed:
            self.motion["impose"](self.pack, time, self.y)
        self.known = reals_of(self.pack, KNOWN).copy()
        views = viewed(self.pack, {slot(name): table for name, table in plant.tables.items()})
        self.tables = {name: views[slot(name)] for name in plant.tables}
        springs = self.tables["springs"]
        span = self._between(springs.first, springs.second, self.y[: self.size])
        off = np.abs(np.linalg.norm(span, axis=1) - springs.rest_length)
        self.at_rest = np.isfinite(springs.least) & (off <= AT_REST * springs.rest_length)
        springs.least[self.at_rest] = -np.inf

    def _between(self, first: np.ndarray, second: np.ndarray, x: np.ndarray) -> np.ndarray:
        places = x.reshape(-1, 3)
        return np.asarray(places[second // 3] - places[first // 3])

    def matrix(self, operation: str, rows: int) -> np.ndarray:
        """(rows, 3 n) of an operation that is linear in a direction."""
        found, out, way = np.zeros((rows, self.size)), np.zeros(rows), np.zeros(self.size)
        for i in range(self.size):
            way[i] = 1.0
            self.tools.get(operation, self.motion.get(operation))(self.pack, self.y, way, out)
            found[:, i], way[i] = out, 0.0
        return found

    def blocks(self, k: float, c: float) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """k K + c C of every term: first and second nodes of its links, and (m, 3, 3) blocks."""
        terms = [term for term in terms_of(self.plant.spec) if term.links is not None and term.stiffness is not None]
        ends = [term.links(self.tables[term.name]) for term in terms if term.links is not None]
        out = np.zeros(9 * sum(first.size for first, _ in ends))
        self.tools["stiffness_blocks"](self.pack, self.time, self.y, k, c, out)
        return _split(out, ends)

    def row_blocks(self, multiplier: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        ends = [kind.links(self.tables[kind.name]) for kind in rows_of(self.plant.spec)]
        out = np.zeros(9 * sum(first.size for first, _ in ends))
        self.tools["row_blocks"](self.pack, self.y, multiplier, np.zeros(multiplier.size), out)
        return _split(out, ends)

    def assembled(self, blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> np.ndarray:
        """The matrix over free coordinates: blocks added at both ends of a link, and taken away between them."""
        free = self.tables["nodes"].free
        unknown = np.full(self.size + 3, -1, dtype=np.int64)  # the ground is one node more
        unknown[free] = np.arange(free.size)
        whole = np.zeros((free.size, free.size))
        for first, second, values in blocks:
            second = np.where(second < 0, self.size, second)
            whole += pattern(first // 3, second // 3, unknown, free.size).matrix(values).toarray()
        return whole


def _split(
    numbers: np.ndarray, ends: list[tuple[np.ndarray, np.ndarray]]
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    cuts = np.cumsum([9 * first.size for first, _ in ends])[:-1]
    shares = np.split(numbers, cuts)
    return [(first, second, part.reshape(-1, 3, 3)) for (first, second), part in zip(ends, shares, strict=True)]


def member_slopes(plant: Plant, q: np.ndarray, v: np.ndarray, time: float, held: str) -> MemberSlopes:
    """Of cables and compressible bars. held: one of HELD; dampers act in either case."""
    state = _State(plant, q, v, time)
    return _member_slopes(state, held)[0]


def _member_slopes(state: _State, held: str) -> tuple[MemberSlopes, np.ndarray]:
    """And (m, 3, 3) the stiffness of each with what is held."""
    springs, cables = state.tables["springs"], len(state.plant.structure.cables)
    (first, second, stiffness), (_, _, damping) = (state.blocks(k, 1.0 - k)[0] for k in (1.0, 0.0))
    spans, rates = (state._between(first, second, part) for part in (state.y[: state.size], state.y[state.size : -1]))
    length = np.linalg.norm(spans, axis=1)
    unit = spans / length[:, None]
    rate = np.sum(unit * rates, axis=1)
    elastic = springs.stiffness * (length - springs.rest_length)
    viscous = springs.damping * (rate - springs.rest_rate)
    pulling = ~np.isfinite(springs.least) | ((elastic > 0.0) & (elastic + viscous > 0.0))
    pulling &= ~state.at_rest | (viscous >= 0.0)  # there the elastic part is round-off of either sign
    stiffness, damping = (
        np.where(pulling[:, None, None], stiffness, 0.0),
        np.where(pulling[:, None, None], damping, 0.0),
    )
    ruled = np.zeros(length.size, dtype=bool)
    ruled[:cables], ruled[cables:] = held != "rest_length", held == "all_force_densities"
    softer = np.where(ruled & pulling, elastic / length - springs.stiffness, 0.0)
    stiffness = stiffness + softer[:, None, None] * unit[:, :, None] * unit[:, None, :]
    return MemberSlopes(
        first // 3,
        second // 3,
        pulling,
        state.at_rest,
        length,
        rate,
        unit,
        np.where(pulling, elastic + viscous, 0.0),
        np.einsum("mij,mi->mj", stiffness, unit),
        np.einsum("mij,mi->mj", damping, unit),
    ), stiffness


def nodal_linearisation(plant: Plant, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
    """Of a nodal plant at positions and velocities that its constraints allow, (3 n,) each."""
    if held not in HELD:
        raise OptionError(f'held = "{held}" is not one of {", ".join(HELD)}{suggestion(held, HELD)}')
    check_linear(plant.spec)
    check_drives(plant)
    state = _State(plant, q, v, time)
    free, tables, size = plant.tables["nodes"].free, state.tables, q.size
    force = _forces(state)
    members, member_stiffness = _member_slopes(state, held)
    whole_mass = state.matrix("momentum", size)
    state.tools["fill_jacobian"](state.pack, state.y)
    whole_rows, whole_rate = jacobian_matrix(tables).toarray(), state.matrix("jacobian_rate", plant.rows)
    bias = np.zeros(plant.rows)
    state.tools["bias"](state.pack, time, state.y, bias)
    mass, rows = whole_mass[np.ix_(free, free)], whole_rows[:, free]
    everywhere = state.known
    system, found = solved(mass, rows, (force - whole_mass @ everywhere)[free], bias - whole_rows @ everywhere)
    acceleration, multiplier = found[: free.size], found[free.size :]
    everywhere[free] = acceleration
    state.y[size : 2 * size], velocity = everywhere, state.y[size : 2 * size].copy()
    change = state.matrix("jacobian_rate", plant.rows)[:, free]
    state.y[size : 2 * size] = velocity
    blocks = [(members.first * 3, members.second * 3, member_stiffness), *state.blocks(1.0, 0.0)[1:]]
    stiffness = state.assembled([*blocks, *state.row_blocks(multiplier)])
    damping = state.assembled(state.blocks(0.0, 1.0))
    damping += tables["damping"].node[0] * np.eye(free.size)
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


def _inertial(state: _State, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of velocity terms less M(q) (a + alpha v), by places, speeds and natural lengths of members."""
    size, tables, y = state.size, state.tables, state.y
    length, period = tables["constants"].scale
    alpha, cylinders, springs = tables["damping"].mass[0], tables["cylinders"], tables["springs"]

    def left(places: np.ndarray, speeds: np.ndarray, carried: np.ndarray) -> np.ndarray:
        out, momentum = np.zeros(size), np.zeros(size)
        moved = np.concatenate([places, speeds, [0.0]])
        state.tools["velocity_force"](state.pack, moved, out)
        state.tools["momentum"](state.pack, moved, carried, momentum)
        return out - momentum

    q, v = y[:size].copy(), y[size : 2 * size].copy()
    felt = acceleration + alpha * v
    by_place = jacobian(lambda x: left(x, v, felt), q, DIFFERENCE * length)
    by_speed = jacobian(lambda x: left(q, x, 0.0 * felt), v, DIFFERENCE * length / period)
    natural = np.zeros((size, springs.first.size))
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
    springs: Springs = _State(plant, q, v, time).tables["springs"]
    return springs


class Arrived(NamedTuple):
    """(3 n,) each; accelerations of moved supports, zero elsewhere."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray


def supports_at(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> Arrived:
    """A state with moved supports where they are at a time."""
    state = _State(plant, q, v, time)
    return Arrived(state.y[: q.size], state.y[q.size : -1], state.known)


def _forces(state: _State) -> np.ndarray:
    """All forces but those of constraints, as a run has them."""
    out, plant = np.zeros(state.size), state.plant
    state.motion["forces"](state.pack, state.time, state.y, out)
    crushed = int(integers_of(state.pack, CRUSHED)[0])
    if crushed >= 0:
        told = plant.crushed_bar(crushed).replace("would next be pressed", "is pressed")
        raise OptionError(f"{told}; linearise about a state that it can have")
    return out


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


def _motion_notes(plant: Plant, time: float) -> tuple[str, ...]:
    moved = {"supports move": plant.moved, "drives run": plant.drive_names}
    return tuple(
        f"{what} ({listed(names)}): the model is that of the instant t = {time:g} s, as they move then"
        for what, names in moved.items()
        if names
    )


def _rest_notes(plant: Plant, members: MemberSlopes) -> tuple[str, ...]:
    names = list(plant.structure.cables)
    idle = [f'"{names[k]}"' for k in np.flatnonzero(members.at_rest)]
    if not idle:
        return ()
    return (f"at the very rest length, between slack and taut, and counted as taut: {listed(idle)}",)


def _rank_notes(plant: Plant, state: _State, system: DenseSaddle, rows: np.ndarray) -> tuple[str, ...]:
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
