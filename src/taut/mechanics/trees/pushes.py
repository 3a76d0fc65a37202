"""What acts on a tree beside its own cables: torques at driven joints, wrenches on bodies, torques of loop joints, and
the forces of a nodal plant whose nodes are points of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.mechanics.compose import composed_with
from taut.mechanics.parts import set_stage
from taut.mechanics.plant import Plant
from taut.mechanics.signals import CONSTANT, fill_values, function_value, tabulated
from taut.mechanics.tables import TermStates, part_of
from taut.mechanics.trees.contact.response_tables import contact_pack
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.loops import loop_axis, moving
from taut.mechanics.trees.spans.span_cables import Spans
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack, reals_of
from taut.structure.signals import Constant, Feedback, Signal
from taut.structure.trees import LoopJoint, Tree, TreeJoint

NOWHERE = np.zeros((0, 3))
"""The nodes of a tree, to functions of time."""

STATE_RATES, STATE_SIZES = (part_of("term_states", TermStates, name) for name in ("rate", "size"))


class Signals:
    """Numbers that time decides, evaluated one by one; constants cost nothing.

    owners, quantities: whose each is, and what with its unit, for a Python function that returns no number.
    """

    def __init__(self, signals: Sequence[Signal | float], owners: Sequence[str], quantities: Sequence[str]) -> None:
        self._owners, self._quantities = owners, quantities
        self._table = tabulated([Constant(s) if isinstance(s, int | float) else s for s in signals])
        self._now = np.array([self._table.data[at] for at in self._table.start], dtype=float)
        self._still = not (self._table.kind != CONSTANT).any()
        if wrong := [called.function for called in self._table.functions if isinstance(called.function, Feedback)]:
            raise OptionError(f"{wrong[0]!r} of nodes does not go with a tree; give a controller instead")

    @property
    def breaks(self) -> list[float]:
        return self._table.breaks

    def at(self, t: float, inside: float) -> np.ndarray:
        """All of them at a time; inside: a time in the current smooth piece."""
        table = self._table
        for called in table.functions:
            owner, quantity = self._owners[called.signal], self._quantities[called.signal]
            table.data[called.place] = function_value(owner, quantity, called.function, t, NOWHERE, NOWHERE)
        if not self._still:
            fill_values(table.kind, table.data, table.start, t, inside, self._now)
        return self._now


def pushed_by(joint: TreeJoint | LoopJoint) -> tuple[str, str]:
    """What acts along the one coordinate of a joint, without its unit and with it."""
    return ("force", "force [N]") if joint.kind == "prismatic" else ("torque", "torque [N m]")


def dampers_of(tree: Tree) -> list[str]:
    """What damps in it, in words."""
    joints = [j for j in tree.joints if j.damping > 0.0 or (j.cable is not None and j.cable.damping > 0.0)]
    found = [f'joint "{joint.name}"' for joint in joints]
    found += [f'loop "{loop.name}"' for loop in tree.loops if loop.damping > 0.0]
    return found + [f'span "{span.name}"' for span in tree.spans if span.damping > 0.0]


@entry
def states_of_a_stage(p: Pack, s: float) -> None:
    """A part, as Python calls it."""
    set_stage(p, s)


class Nodal(NamedTuple):
    """A nodal plant whose nodes stand on bodies."""

    plant: Plant
    bodies: tuple[str, ...]  # of every node
    places: tuple[tuple[float, float, float], ...]  # of every node in its body

    def tables(self, mass: float) -> Pack:
        """Of one run; mass: of all bodies [kg]."""
        if self.plant.given.rigid_grounds:
            return contact_pack(self.plant, mass)
        return self.plant.own_tables(metric="mass", gains=(0.0, 0.0))


def works_by_itself(equations: TreeEquations, nodal: Nodal | None) -> bool:
    """Whether something of a tree works beside torques that are given and what damps."""
    tree, cables = equations.tree, equations.cables
    return bool(
        tree.wrenches
        or any(loop.torque != 0.0 for loop in tree.loops)
        or (cables.compliant & (cables.consistent == 0.0)).any()
        or (nodal is not None and nodal.plant.works)
    )


class Pushes:
    """All of it, for one run: holds the tables of signals and of the nodal plant."""

    def __init__(
        self,
        equations: TreeEquations,
        torques: Mapping[str, Signal | float],
        nodal: Nodal | None,
        spans: Spans | None = None,
    ) -> None:
        """spans: that have begun to count; None where there are none, or nothing is to act."""
        tree = equations.tree
        self._equations, self._nodal = equations, nodal
        self.located = False  # whether events of the nodal plant are looked for
        driven = [joint for joint in tree.joints if joint.driven]
        owners = [f'the {pushed_by(joint)[0]} at "{joint.name}"' for joint in driven]
        quantities = [pushed_by(joint)[1] for joint in driven]
        self._torques = Signals([torques.get(joint.name, 0.0) for joint in driven], owners, quantities)
        self._turned = [
            (number, loop) for number, loop in enumerate(tree.loops) if loop.torque != 0.0 or loop.damping != 0.0
        ]
        owners = [f'the {pushed_by(loop)[0]} of the loop "{loop.name}"' for _, loop in self._turned]
        quantities = [pushed_by(loop)[1] for _, loop in self._turned]
        self._loop_torques = Signals([loop.torque for _, loop in self._turned], owners, quantities)
        self._wrenches = tree.wrenches
        owners = [f'the wrench on "{wrench.body}"' for wrench in tree.wrenches]
        quantities = ["factor of force and torque"] * len(owners)
        self._scales = Signals([wrench.signal for wrench in tree.wrenches], owners, quantities)
        self._forces = np.array([wrench.force for wrench in tree.wrenches]).reshape(-1, 3)
        self._moments = np.array([wrench.torque for wrench in tree.wrenches]).reshape(-1, 3)
        bodies, places = [wrench.body for wrench in tree.wrenches], [wrench.at for wrench in tree.wrenches]
        if nodal is not None:
            bodies, places = [*bodies, *nodal.bodies], [*places, *nodal.places]
            self.tables: Any = nodal.tables(sum(body.mass for body in tree.bodies.values()))
            self._state = np.zeros(2 * nodal.plant.coordinates + 1 + nodal.plant.internal.size)
            self._pull = np.zeros(self._state.size)
            self._operations = nodal.plant.operations()
            keeps = reals_of(self.tables, STATE_SIZES).size > 0
            self._stage = composed_with(nodal.plant.spec, states_of_a_stage) if keeps else None
        self.points = equations.points_at(bodies, places) if bodies else None
        self.spans = spans

    @property
    def acts(self) -> bool:
        """Whether there is anything but torques at joints."""
        return self.points is not None or bool(self._turned) or self.spans is not None

    def enter_piece(self, inside: float) -> None:
        if self._nodal is not None:
            self._operations["enter_piece"](self.tables, inside)

    def enter_stage(self, s: float) -> None:
        """Say that states of the nodal plant's terms are those of a stage of an implicit step of s [s]; 0 ends it."""
        if self._nodal is not None and self._stage is not None:
            self._stage(self.tables, s)

    def torques(self, t: float, inside: float) -> np.ndarray:
        """(inputs,) at driven joints."""
        return self._torques.at(t, inside)

    def at(self, t: float, inside: float, q: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, float]:
        """Generalised forces (nv,) of all else at the state of the last terms, whose positions are q, and the power of
        what is not conservative. kept: states of the nodal plant's terms."""
        tree, w = self._equations.tree_jacobians()
        out, power = np.zeros(tree[0].shape[1]), 0.0
        if self.points is not None:
            found = moving(self.points, tree[0], tree[1], w)
            wrenches = len(self._wrenches)
            scales = self._scales.at(t, inside)[:, None]
            force, moment = scales * self._forces, scales * self._moments
            carried = self.points.carried[:wrenches]
            out += np.einsum("pi,pij->j", force, found.jacobian[:wrenches])
            out += np.einsum("pj,ij,pi->j", carried, tree[0][3:], moment)
            power = float(np.sum(force * found.rate[:wrenches]) + np.sum(moment * found.turn[:wrenches]))
            if self._nodal is not None:
                pulled, watts = self._pulled(t, found.place[wrenches:], found.rate[wrenches:], kept)
                out += np.einsum("pi,pij->j", pulled, found.jacobian[wrenches:])
                power += watts
        if self.spans is not None:
            pulled, watts, _ = self.spans.act(q, tree, w)
            out += pulled
            power += watts
        if self._turned:
            loops = self._equations.loops
            at, values = moving(loops.points, tree[0], tree[1], w), self._loop_torques.at(t, inside)
            for value, (number, loop) in zip(values, self._turned, strict=True):
                axis = loop_axis(loops, number, loop, at, tree[0])
                torque = value - loop.damping * float(axis @ w)
                out += torque * axis
                power += torque * float(axis @ w)
        return self._equations.pulled_back(out), power

    def _stand(self, place: np.ndarray, rate: np.ndarray, kept: np.ndarray) -> int:
        n = place.size
        self._state[:n], self._state[n : 2 * n] = place.ravel(), rate.ravel()
        self._state[2 * n + 1 :] = kept
        return n

    def state_rates(self) -> np.ndarray:
        """Rates of states of the nodal plant's terms, as the last forces left them."""
        return np.zeros(0) if self._nodal is None else reals_of(self.tables, STATE_RATES)

    def state_error(self, error: np.ndarray) -> float:
        """The largest of errors of these states, of what they are small beside; error: of all that the plant keeps."""
        sizes = reals_of(self.tables, STATE_SIZES) if error.size else error
        return float((np.abs(error[error.size - sizes.size :]) / sizes).max()) if sizes.size else 0.0

    # --- events of the nodal plant

    def stand(self, place: np.ndarray, rate: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """A state of the nodal plant of its own."""
        self._stand(place, rate, kept)
        return self._state.copy()

    def crossing(
        self, t: float, h: float, begin: tuple[np.ndarray, ...], end: tuple[np.ndarray, ...], skipped: int
    ) -> tuple[int, float, float]:
        """The first in a step; begin, end: places and velocities of nodes."""
        ends = self.stand(*begin), self.stand(*end)
        event, at, later = self._operations["crossing"](self.tables, t, h, *ends, max(skipped, -1))
        return int(event), float(at), float(later)

    def margin(self, t: float, event: int, nodes: tuple[np.ndarray, ...]) -> tuple[float, float]:
        room, rate = self._operations["margin"](self.tables, t, event, self.stand(*nodes))
        return float(room), float(rate)

    def due(self, t: float) -> int:
        return int(self._operations["due"](self.tables, t))

    def freeze(self) -> None:
        """Let the nodal plant's members and grounds have the laws of what they do now."""
        self._law("freeze")

    def release(self) -> None:
        """Give them their own laws back, which are right at any state."""
        self._law("release")

    def _law(self, tool: str) -> None:
        if self._nodal is not None and self.located:
            self._nodal.plant.composition.tools[tool](self.tables)

    def overdue(self, t: float, nodes: tuple[np.ndarray, ...], after: int, acts: int) -> int:
        return int(self._operations["overdue"](self.tables, t, self.stand(*nodes), after, acts))

    def switch(
        self, event: int, t: float, nodes: tuple[np.ndarray, ...], log: np.ndarray, filled: int, before: int
    ) -> tuple[int, int]:
        """before: how many events come before those of the nodal plant."""
        left, now = self._operations["switch"](self.tables, event, t, self.stand(*nodes), log, filled)
        log[filled:now, 1] += before
        return int(left), int(now)

    def cut(self, event: int, nodes: tuple[np.ndarray, ...]) -> float:
        """Cut what an event cuts; returns the work that this is."""
        assert self._nodal is not None
        assert self._nodal.plant.watcher is not None
        state = self.stand(*nodes)
        state[2 * self._nodal.plant.coordinates] = 0.0
        self._nodal.plant.watcher.cut(self.tables, event, state)
        return float(state[2 * self._nodal.plant.coordinates])

    def _pulled(self, t: float, place: np.ndarray, rate: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, float]:
        """Forces on nodes and the power of those that are not conservative."""
        n = self._stand(place, rate, kept)
        watts = self._operations["forces"](self.tables, t, self._state, self._pull)
        return self._pull[:n].reshape(-1, 3), float(watts)

    def potential(self, place: np.ndarray, kept: np.ndarray) -> float:
        """Energy of the nodal plant's members and grounds at these places of its nodes."""
        self._stand(place, np.zeros_like(place), kept)
        return float(self._operations["energy"](self.tables, self._state)[0])

    def observed(
        self, times: np.ndarray, places: np.ndarray, speeds: np.ndarray, kept: np.ndarray
    ) -> dict[str, np.ndarray]:
        """What the nodal plant shows at these places and velocities of its nodes, (samples, nodes, 3) each."""
        assert self._nodal is not None
        states = np.zeros((times.size, self._state.size))
        n = self._nodal.plant.coordinates
        states[:, :n], states[:, n : 2 * n] = places.reshape(-1, n), speeds.reshape(-1, n)
        states[:, 2 * n + 1 :] = kept
        return self._nodal.plant.observed(self.tables, times, states)

    @property
    def breaks(self) -> list[float]:
        nodal = [] if self._nodal is None else [b for b in self._nodal.plant.breaks if np.isfinite(b)]
        return [*self._torques.breaks, *self._loop_torques.breaks, *self._scales.breaks, *nodal]
