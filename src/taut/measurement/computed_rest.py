"""States at rest as parameters have them: nodes and forces, and their exact derivatives.

The equilibrium is followed from the one of nearby parameters by Newton's method. Its derivatives are those of the
implicit function theorem (`taut.statics.sensitivities`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from taut.measurement.observations import AtRest, Readings
from taut.measurement.parametrised import Parametrised
from taut.measurement.unknowns import Key, own_value
from taut.numerics.quasidefinite import Solver, factored
from taut.numerics.small_saddle import small_saddle
from taut.reprs import brief
from taut.statics.balancing import equilibrium_of, refuse_adrift
from taut.statics.elastic_members import lengths_of, spans_of
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting
from taut.statics.linearised import Linearised
from taut.statics.load_case import imposed
from taut.statics.network import Force
from taut.statics.newton import SINGULAR, Settled, closed, goal_of, moved, restored
from taut.statics.sensitivities import by_members, response
from taut.statics.slackening import stepped
from taut.structure import properties

CLOSE = 6
"""Newton steps from a nearby equilibrium; where they do not do, it is sought from the drawn shape."""

NEAR = 0.2
"""Of a segment's length: how far its ends may have moved apart in an equilibrium that is not sought from afar."""

SMALL = 60
"""Unknowns and rows up to which dense systems are faster."""

TIGHT = 1e-13
"""The residual against the largest force: derivatives of what is computed are to be good to eight digits."""


@dataclass(frozen=True)
class RestModel:
    """A state at rest as a function of parameters."""

    of: Parametrised
    observation: AtRest
    readings: Readings
    label: str

    __repr__ = brief

    @property
    def problem(self) -> EquilibriumEquations:
        return self.of.equations

    @cached_property
    def _own(self) -> Setting:
        """What the case imposes on the structure as it was given."""
        setting = imposed(self.problem, self.observation.case)
        refuse_adrift(self.problem.network, setting.external)
        return setting

    @cached_property
    def _per_rest_length(self) -> np.ndarray:
        """(m,) how much of a change of rest length the case leaves: it may wind cables to a length, or warm them."""
        rest = self.problem.members.rest_length
        doubled = replace(self.problem, members=self.problem.members._replace(rest_length=2.0 * rest))
        safe = np.where(rest == 0.0, 1.0, rest)
        other = imposed(doubled, self.observation.case)
        return np.asarray((other.rest_length - self._own.rest_length) / safe)

    @cached_property
    def _pulls(self) -> dict[Key, np.ndarray]:
        """(n, 3) [N/kg] of every mass that a parameter decides."""
        structure, pulls = self.of.structure, {}
        index = {name: k for k, name in enumerate(structure.nodes)}
        vector = _vector(self.observation.case.gravity)
        for key in {key for one in self.of.parameters for key in one.keys if key[2] == "mass"}:
            kind, name, _ = key
            if kind == "node":
                shares = {name: 1.0}
            elif kind == "bar":
                shares = dict.fromkeys(structure.bars[name].nodes, 0.5)
            else:
                shares = properties.lumped_mass(structure, replace(structure.cables[name], mass=1.0))
            pulls[key] = np.zeros((len(index), 3))
            for node, share in shares.items():
                pulls[key][index[node]] += share * vector
        return pulls

    def at(self, given: np.ndarray) -> tuple[EquilibriumEquations, Setting]:
        """The equations of the state with these parameters."""
        problem, own = self.problem, self._own
        members = problem.members
        rest, stiffness, rigidity = members.rest_length.copy(), members.stiffness.copy(), problem.rigidity.copy()
        external = own.external.copy()
        values = self.of.values(given)
        for key, value in values.items():
            member = self._member.get(key[:2])
            if member is not None and key[2] in ("rest_length", "length"):
                rest[member] = value
            elif member is not None and key[2] == "stiffness":
                known = np.isnan(rigidity[member])
                (stiffness if known else rigidity)[member] = value
            elif key in self._pulls:
                external += (value - self._mass[key]) * self._pulls[key]
        setting = own._replace(
            external=external,
            rest_length=own.rest_length + self._per_rest_length * (rest - problem.members.rest_length),
        )
        stiffness = np.where(np.isnan(rigidity), stiffness, rigidity / np.where(rest == 0.0, 1.0, rest))
        members = members._replace(rest_length=rest, stiffness=stiffness)
        return replace(problem, members=members, rigidity=rigidity), setting

    @cached_property
    def _member(self) -> dict[tuple[str, str], int]:
        names = [("cable", name) for name in self.of.structure.cables] + [
            ("bar", name) for name in self.of.structure.bars
        ]
        return {name: k for k, name in enumerate(names)}

    @cached_property
    def _mass(self) -> dict[Key, float]:
        """What each mass that a parameter decides is in the structure as it was given [kg]."""
        return {key: own_value(self.of.structure, *key) for key in self._pulls}

    def stand(self, given: np.ndarray, near: Standing | None) -> Standing | None:
        """The equilibrium with these parameters; None where there is none to be found."""
        problem, setting = self.at(given)
        drawn, found = self.problem.network.positions, None
        if not problem.can_slacken.any():  # which of them hold is for a search from afar to find
            if near is not None:
                found = _followed(problem, setting, near.towards(given), near.multipliers)
            else:
                found = _followed(problem, setting, *restored(problem, setting, problem.placed(drawn, setting)))
                found = found if found and _is_near(problem, drawn, found.positions) else None
        if found is None:
            found, _ = stepped(problem, self._unloaded(setting), setting, drawn)
            if not found.converged:
                return None
        return Standing(self, given, problem.slackened(found.multipliers), setting, found)

    def refusal(self, given: np.ndarray) -> str:
        """Why the state does not stand with these parameters."""
        problem, setting = self.at(given)
        found, count = stepped(problem, self._unloaded(setting), setting, self.problem.network.positions)
        told = equilibrium_of(problem, setting, found, iterations=count).status
        return f"{self.label} with the start values: {told}"

    def _unloaded(self, setting: Setting) -> Setting:
        return setting._replace(external=np.zeros_like(setting.external))


@dataclass(frozen=True)
class Standing:
    """A state at rest with given parameters."""

    model: RestModel
    given: np.ndarray
    problem: EquilibriumEquations
    setting: Setting
    found: Settled

    __repr__ = brief

    @property
    def multipliers(self) -> np.ndarray:
        return self.found.multipliers

    @cached_property
    def view(self) -> Linearised:
        there = replace(self.problem, network=replace(self.problem.network, positions=self.found.positions))
        return Linearised(there, self.setting, self.found.multipliers)

    @property
    def _factor(self) -> Solver:
        """Of the tangent; raises where the structure can move freely."""
        if _is_small(self.problem):
            found = small_saddle(self.view.stiffness, self.view.rows)
            if found.weakest > SINGULAR and not self.view.free_motions.shape[1]:
                return found
        return self.view.factor

    @cached_property
    def forces(self) -> np.ndarray:
        """(m,) [N]."""
        return self.problem.tensions(self.found.positions, self.found.multipliers, self.setting)

    @cached_property
    def computed(self) -> np.ndarray:
        """(q,) what was measured, as computed."""
        return self.model.readings.picked(self.found.positions[None], self.forces[None])

    @cached_property
    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """(p, n, 3), (p, m) how nodes and forces change with the parameters."""
        model, count = self.model, self.given.size
        problem = self.problem
        rest, stiffness = np.zeros((problem.network.members, count)), np.zeros((problem.network.members, count))
        external = np.zeros((self.found.positions.size, count))
        lengths = self.setting.rest_length
        for key, slope in model.of.slopes(self.given).items():
            member = model._member.get(key[:2])
            if member is not None and key[2] in ("rest_length", "length"):
                rest[member] = model._per_rest_length[member] * slope
            elif member is not None and key[2] == "stiffness":
                known = np.isnan(problem.rigidity[member])
                stiffness[member] = slope if known else slope / lengths[member]
            elif key in model._pulls:
                external += np.outer(model._pulls[key], slope)
        change = by_members(self.view, rest, stiffness)._replace(external=external)
        found = response(self.view, change, self._factor)
        return found.nodes.T.reshape(count, -1, 3), found.force.T

    @cached_property
    def jacobian(self) -> np.ndarray:
        """(q, p) of `computed`."""
        nodes, forces = self.slopes
        return self.model.readings.picked(nodes[:, None], forces[:, None]).T

    def towards(self, given: np.ndarray) -> np.ndarray:
        """(n, 3) where the nodes are with nearby parameters, to first order."""
        if "slopes" not in self.__dict__:  # not worth its price for a start alone
            return self.found.positions
        return np.asarray(self.found.positions + np.tensordot(given - self.given, self.slopes[0], axes=1))

    def equilibrium(self) -> Equilibrium:
        return equilibrium_of(self.problem, self.setting, self.found, iterations=len(self.found.history))

    @property
    def slack(self) -> list[str]:
        """Cables without tension."""
        idle = np.flatnonzero(self.forces[: self.problem.network.cables] <= 0.0)
        return [self.problem.network.names[k] for k in idle]


def _followed(
    problem: EquilibriumEquations, setting: Setting, positions: np.ndarray, multipliers: np.ndarray
) -> Settled | None:
    """A stable equilibrium by plain Newton steps from close by; None where they lead to none."""
    places, history, factoring = (
        problem.placed(positions, setting),
        [],
        small_saddle if _is_small(problem) else factored,
    )
    for _ in range(CLOSE + 1):
        left = problem.unbalance(places, multipliers, setting)[problem.free]
        residual = float(np.abs(left).max(initial=0.0))
        history.append(residual)
        goal = goal_of(problem, places, problem.tensions(places, multipliers, setting), setting, TIGHT)
        if residual <= goal and closed(problem, setting, places):
            worst = int(problem.free[np.argmax(np.abs(left))]) if left.size else 0
            return Settled(places, multipliers, residual, goal, True, worst, np.array(history))
        worked = factoring(problem.stiffness(places, multipliers, setting), problem.free_rows(places, setting))
        if worked.negative != 0 or not np.isfinite(residual):
            return None
        step, change = worked.solve(-left, -problem.residuals(places, setting))
        places, multipliers = moved(problem, places, step), multipliers + change
    return None


def _is_near(problem: EquilibriumEquations, before: np.ndarray, after: np.ndarray) -> bool:
    """Whether no segment turned or stretched by much: then no other equilibrium lies between."""
    spans, others = (spans_of(problem.members, places) for places in (before, after))
    return bool((lengths_of(others - spans) <= NEAR * lengths_of(spans)).all())


def _is_small(problem: EquilibriumEquations) -> bool:
    return bool(problem.free.size + problem.rows <= SMALL)


def _vector(gravity: float | Force) -> np.ndarray:
    return np.array((0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity, dtype=float)
