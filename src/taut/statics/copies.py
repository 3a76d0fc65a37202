"""One structure built many times: equilibria of copies that differ a little in lengths, stiffness and supports.

The copies of a block are written side by side as one structure that hangs together nowhere, so that the laws of members
are those of every other statics question. All of them go from the equilibrium that they share:

1. by Newton's method with the tangent of that equilibrium, factored once (the chord method). Where it converges
   along every direction that the scatter sets off, I - K0^-1 K of the tangent K of the copy and the shared one K0 has
   no eigenvalue beyond one there: on the way from K0 to K none is singular, so it is as stable as the equilibrium;
2. those that come on too slowly by Newton's method with tangents of their own, without negative pivots in the end;
3. what is left, one by one, as `balance` does it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from taut.numerics.quasidefinite import factored
from taut.statics.elastic_members import lengths_at
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting
from taut.statics.linearised import Linearised
from taut.statics.slackening import AT_LENGTH, stepped

TOLERANCE = 1e-10
"""The residual that is allowed, against the largest force."""

SLOW = 0.7
"""Steps that shrink by less than this are too slow for a chord ..."""

PATIENCE = 4
NEWTON_PATIENCE = 8
"""... from so many of them on: the first ones may go far, and Newton's method has to find out what is slack."""

LIMIT = 100
NEWTON_LIMIT = 20
"""Steps of the chord method, and of Newton's; at SLOW, LIMIT steps are 15 digits."""


class Scattered(NamedTuple):
    """How k copies differ: what they are made with."""

    rest_length: np.ndarray  # (k, m) [m]
    stiffness: np.ndarray  # (k, m) over that of the shared structure
    anchors: np.ndarray  # (k, n, 3) where held coordinates are [m]

    def chosen(self, which: np.ndarray) -> Scattered:
        return Scattered(*(part[which] for part in self))


@dataclass(frozen=True)
class Balanced:
    """What became of k copies; NaN where one found no balance."""

    positions: np.ndarray  # (k, n, 3) [m]
    tension: np.ndarray  # (k, m) [N]
    converged: np.ndarray  # (k,)


class _State(NamedTuple):
    positions: np.ndarray  # (k, n, 3)
    multipliers: np.ndarray  # (k, r)

    def chosen(self, which: np.ndarray) -> _State:
        return _State(self.positions[which], self.multipliers[which])


class _Unbalance(NamedTuple):
    force: np.ndarray  # (k, f) [N]
    gap: np.ndarray  # (k, r) [m]


@dataclass(frozen=True)
class _Copies:
    """Copies of a structure as one: its equations and what is imposed on them."""

    one: EquilibriumEquations
    count: int
    problem: EquilibriumEquations
    setting: Setting

    def flat(self, state: _State) -> tuple[np.ndarray, np.ndarray]:
        """As the equations of all have them: multipliers of all held cables, then of all bars, then of all guides."""
        cuts = np.cumsum([self.one.held.size, self.one.rigid.size - self.one.held.size])
        parts = np.split(state.multipliers, cuts, axis=1)
        return state.positions.reshape(-1, 3), np.concatenate([part.ravel() for part in parts])

    def by_copy(self, rows: np.ndarray) -> np.ndarray:
        """(k, r) of what is ordered as multipliers are."""
        one = self.one
        sizes = [one.held.size, one.rigid.size - one.held.size, one.guide_values.size]
        parts = np.split(rows, np.cumsum([self.count * size for size in sizes[:2]]))
        shaped = [part.reshape(self.count, size) for part, size in zip(parts, sizes, strict=True)]
        return np.concatenate(shaped, axis=1)

    def unbalance(self, state: _State) -> _Unbalance:
        positions, multipliers = self.flat(state)
        force = self.problem.unbalance(positions, multipliers, self.setting)[self.problem.free]
        return _Unbalance(force.reshape(self.count, -1), self.by_copy(self.problem.residuals(positions, self.setting)))

    def tensions(self, state: _State) -> np.ndarray:
        """(k, m) [N]."""
        return self.problem.tensions(*self.flat(state), self.setting).reshape(self.count, -1)

    def goals(self, state: _State) -> np.ndarray:
        """(k,) residual to reach [N], as `newton.goal_of` has it for one."""
        force = np.abs(self.tensions(state)).max(axis=1, initial=np.abs(self.setting.external).max(initial=0.0))
        stiffest = self.problem.members_at(self.setting).stiffness.reshape(self.count, -1).max(axis=1, initial=0.0)
        reach = np.abs(state.positions).max(axis=(1, 2))
        return np.asarray(np.maximum(TOLERANCE * force, 32.0 * np.finfo(float).eps * stiffest * reach))

    def moved(self, state: _State, step: np.ndarray) -> _State:
        """step: (k, f + r)."""
        size = self.one.free.size
        places = state.positions.reshape(self.count, -1).copy()
        places[:, self.one.free] += step[:, :size]
        return _State(places.reshape(state.positions.shape), state.multipliers + step[:, size:])

    def holding(self, state: _State) -> np.ndarray:
        """(k,) whether every held cable pulls, and those that are slack are short enough."""
        one = self.one
        if not one.held.size:
            return np.ones(self.count, dtype=bool)
        loose, sided = one.slack[one.held], one.can_slacken[one.held]
        pulls = state.multipliers[:, : one.held.size] > 0.0
        lengths = lengths_at(self.problem.members, state.positions.reshape(-1, 3)).reshape(self.count, -1)[:, one.held]
        longest = self.setting.rest_length.reshape(self.count, -1)[:, one.held]
        fits = np.where(loose, lengths <= longest * (1.0 + AT_LENGTH), ~sided | pulls)
        return np.asarray(fits.all(axis=1))


def balanced_copies(view: Linearised, scattered: Scattered) -> Balanced:
    """Equilibria of copies of a structure that stands, each nearest to where it stands."""
    count, held = len(scattered.rest_length), view.problem.unknown < 0
    state = _State(np.tile(view.positions, (count, 1, 1)), np.tile(view.multipliers, (count, 1)))
    state.positions.reshape(count, -1)[:, held] = scattered.anchors.reshape(count, -1)[:, held]
    tension, converged = np.full((count, view.problem.network.members), np.nan), np.zeros(count, dtype=bool)
    left = np.arange(count)
    with np.errstate(all="ignore"):  # what strays is told by its size, and handed on
        for method in (_chords, _newton) if view.problem.elements is None else ():
            made = _copies(view, scattered.chosen(left))
            reached, good = method(view, made, scattered.chosen(left), state.chosen(left))
            good &= made.holding(reached)
            at, left = left[good], left[~good]
            state.positions[at], tension[at] = reached.positions[good], made.tensions(reached)[good]
            converged[at] = True
            if not left.size:
                break
        for k in left:
            state.positions[k], tension[k], converged[k] = _alone(view, scattered.chosen(np.array([k])))
    return Balanced(state.positions, tension, converged)


def _copies(view: Linearised, scattered: Scattered) -> _Copies:
    one, count = view.problem, len(scattered.rest_length)
    network, nodes, members = one.network, len(view.positions), one.network.members

    def shifted(numbers: np.ndarray, by: int) -> np.ndarray:
        return np.asarray((numbers + by * np.arange(count)[:, None]).ravel())

    def tiled(values: np.ndarray) -> np.ndarray:
        return np.tile(values, (count, *(1,) * (values.ndim - 1)))

    free = shifted(network.free, 3 * nodes)
    unknown = np.full(3 * nodes * count, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    first, second = shifted(network.first, nodes), shifted(network.second, nodes)
    guides = sp.csr_matrix(sp.kron(sp.eye(count), one.guides, format="csr"))
    ratio = scattered.stiffness.ravel()
    problem = replace(
        one,
        network=replace(
            network,
            positions=tiled(view.positions),
            first=first,
            second=second,
            owner=shifted(network.owner, members),
            unilateral=tiled(network.unilateral),
            free=free,
            guides=guides,
            external=tiled(view.setting.external),
        ),
        members=one.members._replace(
            first=first,
            second=second,
            stiffness=tiled(one.members.stiffness) * ratio,
            rest_length=scattered.rest_length.ravel(),
            one_sided=tiled(one.members.one_sided),
            owner=None if one.members.owner is None else shifted(one.members.owner, members),
        ),
        rigidity=tiled(one.rigidity) * ratio,
        modes=tiled(one.modes),
        rigid=np.concatenate([shifted(part, members) for part in np.split(one.rigid, [one.held.size])]),
        slack=tiled(one.slack),
        guides=guides,
        guide_values=tiled(one.guide_values),
        unknown=unknown,
        pattern=one.pattern.repeated(count, network.first.size),
    )
    setting = Setting(
        tiled(view.setting.external),
        scattered.rest_length.ravel(),
        scattered.anchors.reshape(-1, 3),
        tiled(view.setting.command),
    )
    return _Copies(one, count, problem, setting)


class _Watch:
    """Which copies have converged, to round-off, and which come on too slowly."""

    def __init__(self, count: int, patience: int) -> None:
        self.patience = patience
        self.steps: list[np.ndarray] = []
        self.done, self.lost = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)

    @property
    def left(self) -> np.ndarray:
        """Numbers of the copies to go on with."""
        return np.flatnonzero(~(self.done | self.lost))

    def take(self, at: np.ndarray, made: _Copies, state: _State, left_over: _Unbalance, step: np.ndarray) -> None:
        """Look at the next step of the copies `at`, which are all that `made` has."""
        reach = np.abs(state.positions).max(axis=(1, 2))
        lengths = np.zeros(self.done.size)
        lengths[at] = np.abs(step[:, : made.one.free.size]).max(axis=1, initial=0.0)
        self.steps.append(lengths)
        closed = np.abs(left_over.gap).max(axis=1, initial=0.0) <= 16.0 * np.finfo(float).eps * reach + 1e-14
        balanced = closed & (np.abs(left_over.force).max(axis=1, initial=0.0) <= made.goals(state))
        self.lost[at] |= ~np.isfinite(lengths[at])
        if len(self.steps) > 2:
            slower = lengths[at] >= SLOW**2 * self.steps[-3][at]  # where both are zero, too
            self.done[at] |= balanced & slower & ~self.lost[at]
            self.lost[at] |= slower & ~self.done[at] & (len(self.steps) > self.patience)


def _chords(view: Linearised, made: _Copies, scattered: Scattered, state: _State) -> tuple[_State, np.ndarray]:
    """With the tangent that all copies share."""
    watch, at = _Watch(made.count, PATIENCE), np.arange(made.count)
    for _ in range(LIMIT):
        here = state.chosen(at)
        left_over = made.unbalance(here)
        right = -np.concatenate(
            [left_over.force + view.factor.weight * (left_over.gap @ view.rows), left_over.gap], axis=1
        )
        step = view.factor.lu.solve(right.T).T
        watch.take(at, made, here, left_over, step)
        step[(watch.done | watch.lost)[at]] = 0.0
        moved = made.moved(here, step)
        state.positions[at], state.multipliers[at] = moved.positions, moved.multipliers
        if 2 * watch.left.size <= at.size:  # the others need not be looked at any more
            at = watch.left
            if not at.size:
                break
            made = _copies(view, scattered.chosen(at))
    return state, watch.done


def _newton(view: Linearised, made: _Copies, scattered: Scattered, state: _State) -> tuple[_State, np.ndarray]:
    """With tangents of their own, which have to be positive in the end."""
    problem, watch, every = made.problem, _Watch(made.count, NEWTON_PATIENCE), np.arange(made.count)
    size = made.count * made.one.free.size
    positive = np.zeros(made.count, dtype=bool)
    for _ in range(NEWTON_LIMIT):
        positions, multipliers = made.flat(state)
        matrix = problem.stiffness(positions, multipliers, made.setting)
        worked = factored(matrix, problem.free_rows(positions, made.setting))
        if not worked.pivots.size:
            return state, np.zeros(made.count, dtype=bool)
        negative = (worked.pivots[:size] < 0.0).reshape(made.count, -1).sum(axis=1)
        positive = negative + (made.by_copy(worked.pivots[size:]) < 0.0).sum(axis=1) == made.one.rows
        left_over = made.unbalance(state)
        gap = made.flat(_State(state.positions, left_over.gap))[1]
        right = -np.concatenate([left_over.force.ravel() + worked.weight * (worked.rows.T @ gap), gap])
        found = worked.lu.solve(right)
        step = np.concatenate([found[:size].reshape(made.count, -1), made.by_copy(found[size:])], axis=1)
        watch.take(every, made, state, left_over, step)
        step[watch.done | watch.lost] = 0.0
        state = made.moved(state, step)
        if not watch.left.size:
            break
    return state, watch.done & positive


def _alone(view: Linearised, scattered: Scattered) -> tuple[np.ndarray, np.ndarray, bool]:
    """One copy as `balance` does it, from where the shared structure stands."""
    problem, ratio = view.problem, scattered.stiffness[0]
    own = replace(
        problem,
        members=problem.members._replace(stiffness=problem.members.stiffness * ratio),
        rigidity=problem.rigidity * ratio,
        slack=np.zeros_like(problem.slack),
    )
    setting = view.setting._replace(rest_length=scattered.rest_length[0], anchors=scattered.anchors[0])
    options: dict[str, Any] = {"tolerance": TOLERANCE, "limit": 200, "solver": "direct"}
    found, _ = stepped(own, view.setting, setting, view.positions, **options)
    nothing = np.full(problem.network.members, np.nan)
    if not found.converged:
        return np.full_like(view.positions, np.nan), nothing, False
    return found.positions, own.slackened(found.multipliers).tensions(found.positions, found.multipliers, setting), True
