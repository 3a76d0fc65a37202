"""A plant's own tables at a state, and how tensions and lengths of its cables and compressible bars change there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.mechanics.kinds import Links
from taut.mechanics.signals import pieces_of
from taut.mechanics.spec import rows_of, terms_of
from taut.mechanics.tables import KNOWN, slot
from taut.mechanics.terms.routes import DENSITY, SPRING, TENSION
from taut.numerics.link_blocks import pattern
from taut.numerics.packing import reals_of, viewed
from taut.structure.pulleys import added_length, slopes_over

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant

HELD = ("rest_length", "force_density", "all_force_densities")
"""What stays as it is while nodes move: rest lengths; or the force densities of cables, which a control sets; or those
of compressible bars too, as in the paper's eq. (59)."""

AT_REST = 1e-9
"""A cable within this strain of its rest length counts as taut, and is named."""


class MemberSlopes(NamedTuple):
    """l springs by their laws, tension [N] and length; how these change with all 3 n coordinates and their rates.

    A slack cable, or one whose damper has just let it go slack, has no tension and no slope.
    """

    pulling: np.ndarray  # (l,) which take part
    at_rest: np.ndarray  # (l,) one-sided ones at their very rest length
    length: np.ndarray  # (l,)
    rate: np.ndarray  # (l,) of the length
    tension: np.ndarray  # (l,)
    along: np.ndarray  # (l, 3 n) of the length
    by_place: np.ndarray  # (l, 3 n) of the tension [N/m]
    by_speed: np.ndarray  # (l, 3 n) [N s/m]


class AngleSlopes(NamedTuple):
    """A free angle [rad], the torque on it [N m], and what of it changes with all 3 n coordinates."""

    value: float  # at most half a turn from where its spring is at rest
    torque: float
    stiffness: float  # [N m/rad]
    damping: float  # [N m s/rad]
    gradient: np.ndarray  # (3 n,) of the angle
    bent: np.ndarray  # (3 n,) of its rate


class Blocks(NamedTuple):
    """(m, 3, 3) values of links, by the first coordinates of their nodes."""

    first: np.ndarray
    second: np.ndarray
    values: np.ndarray
    one_way: bool


class State:
    """A plant's own tables at a state, with its signals in the right piece and cables at rest length taken as taut."""

    def __init__(self, plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> None:
        self.plant, self.time, self.y = plant, time, np.concatenate([q, v, [0.0], plant.internal])
        self.pack = plant.own_tables(metric="mass", gains=(0.0, 0.0))
        self.motion, self.tools, self.size = plant.operations(), plant.composition.tools, q.size
        self.motion["enter_piece"](self.pack, float(pieces_of(plant.breaks, np.array([time]))[0]))
        if plant.spec.imposed:
            self.motion["impose"](self.pack, time, self.y)
        self.known = reals_of(self.pack, KNOWN).copy()
        views = viewed(self.pack, {slot(name): table for name, table in plant.tables.items()})
        self.tables = {name: views[slot(name)] for name in plant.tables}
        springs = self.tables["springs"]
        self.along, self.length, self.rate, self.turning = self._geometry()
        off = np.abs(self.length - springs.rest_length)
        self.at_rest = np.isfinite(springs.least) & (off <= AT_REST * springs.rest_length)
        springs.least[self.at_rest] = -np.inf
        self.elastic = springs.stiffness * (self.length - springs.rest_length)
        if "routes" in plant.spec.terms:
            given = self.tables["routes"]
            commands = np.where(given.mode == TENSION, given.command, given.command * self.length[-given.mode.size :])
            self.elastic[-given.mode.size :][given.mode != SPRING] = commands[given.mode != SPRING]
            firm = np.where(given.mode == DENSITY, given.command, 0.0)
            springs.stiffness[-given.mode.size :][given.mode != SPRING] = firm[given.mode != SPRING]
        viscous = springs.damping * (self.rate - springs.rest_rate)
        self.pulling = ~np.isfinite(springs.least) | ((self.elastic > 0.0) & (self.elastic + viscous > 0.0))
        self.pulling &= ~self.at_rest | (viscous >= 0.0)  # there the elastic part is round-off of either sign
        self.tension = np.where(self.pulling, self.elastic + viscous, 0.0)
        for part in (springs.stiffness, springs.damping):
            part[~self.pulling] = 0.0  # what does not pull is not there

    def _geometry(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of every law: how its length changes with all coordinates (l, 3 n), the length, its rate, how that does."""
        springs, places, speeds = self.tables["springs"], self.y[: self.size], self.y[self.size : 2 * self.size]
        first, second, owner = springs.first, springs.second, np.arange(springs.first.size)
        if "routes" in self.plant.spec.terms:
            routes = self.tables["routes"]
            first = np.concatenate([first, routes.own[routes.first]])
            second = np.concatenate([second, routes.own[routes.second]])
            owner = np.concatenate([owner, owner.size + np.repeat(np.arange(routes.mode.size), np.diff(routes.start))])
        spans, moving = (self._between(first, second, part) for part in (places, speeds))
        lengths = np.linalg.norm(spans, axis=1)
        unit = spans / lengths[:, None]
        parting = np.sum(unit * moving, axis=1)
        across = (moving - parting[:, None] * unit) / lengths[:, None]
        count, axes = springs.stiffness.size, np.arange(3)
        slopes = []
        for vectors in (unit, across):
            slope = np.zeros((count, self.size))
            for end, sign in ((first, -1.0), (second, 1.0)):
                np.add.at(slope, (owner[:, None], end[:, None] + axes), sign * vectors)
            slopes.append(slope)
        length, rate = (np.bincount(owner, part, count) for part in (lengths, parting))
        if "routes" in self.plant.spec.terms:
            self._add_pulleys(springs.first.size, slopes, length, rate)
        return slopes[0], length, rate, slopes[1]

    def _add_pulleys(self, before: int, slopes: list[np.ndarray], length: np.ndarray, rate: np.ndarray) -> None:
        """What pulleys of a radius change of all these. before: how many laws come before those of routes."""
        routes, axes, step = self.tables["routes"], np.arange(3), 1e-30
        owner = before + np.repeat(np.arange(routes.mode.size), np.diff(routes.start))
        for s in np.flatnonzero(routes.radius > 0.0):
            nodes = routes.own[[routes.first[s], routes.second[s], routes.second[s + 1]]]
            at, moving = (self.y[first + nodes[:, None] + axes] for first in (0, self.size))
            law, r = owner[s], float(routes.radius[s])
            seen, passing = at[[0, 2]] - at[1], moving[[0, 2]] - moving[1]
            one, two = seen + 1j * step * passing
            turned = slopes_over(one, two, r)  # the rate of the slope is exact in one complex step
            length[law] += added_length(at[0], at[1], at[2], r)
            for slope, (a, b) in zip(slopes, (turned.real, turned.imag / step), strict=True):
                for node, part in zip(nodes, (a, -a - b, b), strict=True):
                    slope[law, node : node + 3] += part
            rate[law] += float(np.sum(turned.real * passing))

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

    def blocks(self, k: float, c: float) -> list[Blocks]:
        """k K + c C of every term."""
        terms = [term for term in terms_of(self.plant.spec) if term.links is not None and term.stiffness is not None]
        ends = [term.links(self.tables[term.name]) for term in terms if term.links is not None]
        out = np.zeros(9 * sum(first.size for first, _ in ends))
        self.tools["stiffness_blocks"](self.pack, self.time, self.y, k, c, out)
        return _split(out, ends, [term.one_way for term in terms])

    def row_blocks(self, multiplier: np.ndarray) -> list[Blocks]:
        ends = [kind.links(self.tables[kind.name]) for kind in rows_of(self.plant.spec)]
        out = np.zeros(9 * sum(first.size for first, _ in ends))
        self.tools["row_blocks"](self.pack, self.y, multiplier, np.zeros(multiplier.size), out)
        return _split(out, ends, [kind.one_way for kind in rows_of(self.plant.spec)])

    def assembled(self, blocks: list[Blocks]) -> np.ndarray:
        """The matrix over free coordinates: blocks added at both ends of a link, and taken away between them."""
        free = self.tables["nodes"].free
        unknown = np.full(self.size + 3, -1, dtype=np.int64)  # the ground is one node more
        unknown[free] = np.arange(free.size)
        whole = np.zeros((free.size, free.size))
        for first, second, values, one_way in blocks:
            second = np.where(second < 0, self.size, second)
            whole += pattern(first // 3, second // 3, unknown, free.size).matrix(values, one_way=one_way).toarray()
        return whole


def _split(numbers: np.ndarray, ends: list[Links], ways: list[bool]) -> list[Blocks]:
    cuts = np.cumsum([9 * first.size for first, _ in ends])[:-1]
    shares = [part.reshape(-1, 3, 3) for part in np.split(numbers, cuts)]
    return [Blocks(*pair, part, way) for pair, part, way in zip(ends, shares, ways, strict=True)]


def member_slopes(plant: Plant, q: np.ndarray, v: np.ndarray, time: float, held: str) -> MemberSlopes:
    """Of cables and compressible bars. held: one of HELD; dampers act in either case."""
    return slopes_of(State(plant, q, v, time), held)


def angle_slopes(plant: Plant, q: np.ndarray, v: np.ndarray, time: float) -> dict[str, AngleSlopes]:
    """Of free angles, by name."""
    free, found = plant.given.free_angles, dict[str, AngleSlopes]()
    if not free:
        return found
    state = State(plant, q, v, time)
    off, gradient, bent = np.zeros(len(free)), np.zeros((len(free), q.size)), np.zeros((len(free), q.size))
    state.tools["fill_angle_slopes"](state.pack, state.y, off, gradient, bent)
    table, speeds = state.tables["torques"], state.y[q.size : 2 * q.size]
    for k, angle in enumerate(free):
        stiffness, damping = float(table.stiffness[k]), float(table.damping[k])
        torque = float(table.command[k]) - stiffness * float(off[k]) - damping * float(gradient[k] @ speeds)
        value = float(table.rest[k] + off[k])
        found[angle.name] = AngleSlopes(value, torque, stiffness, damping, gradient[k], bent[k])
    return found


def slopes_of(state: State, held: str) -> MemberSlopes:
    """With what is held written into the tables of the state: a force density is a spring without rest length."""
    springs, given = state.tables["springs"], state.plant.given
    ruled = np.zeros(state.length.size, dtype=bool)
    own = [row for name, row in given.cable.items() if given.structure.cables[name].mode == "spring"]
    ruled[own], ruled[[*given.compressible_bar.values()]] = held != "rest_length", held == "all_force_densities"
    ruled &= state.pulling
    springs.stiffness[ruled], springs.rest_length[ruled] = (state.elastic / state.length)[ruled], 0.0
    return MemberSlopes(
        state.pulling,
        state.at_rest,
        state.length,
        state.rate,
        state.tension,
        state.along,
        springs.stiffness[:, None] * state.along + springs.damping[:, None] * state.turning,
        springs.damping[:, None] * state.along,
    )
