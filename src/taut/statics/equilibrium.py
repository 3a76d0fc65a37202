"""An Equilibrium: a structure at a shape at which it stands, with every force in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from taut.labelled import Columns, Labelled, Tabular, Variable, one_below_another
from taut.reprs import titled
from taut.statics.commands import rest_lengths
from taut.structure.labels import labels_of, member_names, reaction_names
from taut.structure.structure import Structure

VARIABLES = {
    "nodes": Variable(("node", "axis"), "m", "position of each node"),
    "external": Variable(("node", "axis"), "N", "gravity and loads on each node"),
    "reaction": Variable(("support", "axis"), "N", "force of each support on the structure"),
    "cable_tension": Variable(("cable",), "N", "force in each cable, positive in tension"),
    "cable_length": Variable(("cable",), "m", "length of each cable"),
    "rest_length": Variable(("cable",), "m", "length of each cable without force, or at which it is held"),
    "bar_force": Variable(("bar",), "N", "force in each bar, positive in tension"),
    "bar_length": Variable(("bar",), "m", "length of each bar"),
    "constraint_force": Variable(("constraint",), "N", "force of each constraint"),
    "angle_torque": Variable(("angle",), "N m", "torque about each angle, positive where it turns it up"),
}
"""What `Equilibrium.to_xarray` has."""


@dataclass(frozen=True, repr=False)
class Equilibrium(Tabular):
    """Where a structure stands, SI units, tension positive; n nodes, c cables, b bars, g constraints, a angles, s
    supports.

    structure: at its balanced shape, with the rest lengths and bar lengths with which it stands there, so that it can
        be assembled and set in motion as it is.
    residual: the largest force on a free coordinate that nothing balances [N].
    status: "balanced", or a sentence that says what went wrong; what was found until then is here.
    """

    structure: Structure
    cable_tension: np.ndarray  # (c,)
    bar_force: np.ndarray  # (b,)
    constraint_force: np.ndarray  # (g,) along the constraint's row of unit length
    reaction: np.ndarray  # (s, 3) of the supports on the structure, in the order of `supports`
    external: np.ndarray  # (n, 3) gravity and loads
    residual: float
    method: str
    iterations: int = 0
    status: str = "balanced"
    notes: tuple[str, ...] = ()
    history: np.ndarray = field(default_factory=lambda: np.zeros(0))  # residual by iteration [N]
    elements: tuple[Any, ...] = ()  # of kinds from outside ...
    element_force: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of rows of plates, angles and elements [N]
    angle_torque: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (a,) positive where it turns the angle up

    @property
    def ok(self) -> bool:
        return self.status == "balanced"

    @property
    def supports(self) -> tuple[str, ...]:
        """The supported nodes, in the order of `reaction`."""
        return tuple(self.structure.supported_nodes)

    @cached_property
    def member_force(self) -> np.ndarray:
        """Of all members, cables first [N]."""
        return np.concatenate([self.cable_tension, self.bar_force])

    @cached_property
    def length(self) -> np.ndarray:
        """Of all members as they stand, cables first [m]."""
        places, routes = self.structure.nodes, [c.route for c in self.structure.cables.values()]
        routes += [bar.nodes for bar in self.structure.bars.values()]
        pairs = [(k, np.subtract(places[b], places[a])) for k, route in enumerate(routes) for a, b in pairwise(route)]
        spans = np.linalg.norm(np.array([span for _, span in pairs]).reshape(-1, 3), axis=1)
        return np.asarray(np.bincount(np.array([k for k, _ in pairs], dtype=np.int64), spans, len(routes)))

    @cached_property
    def force_density(self) -> np.ndarray:
        """Force over length of all members, cables first [N/m]."""
        return np.asarray(self.member_force / self.length)

    @property
    def _rest_lengths(self) -> np.ndarray:
        cables = list(self.structure.cables.values())
        forced = [cable.mode in ("tension", "force_density") for cable in cables]
        return np.where(forced, np.nan, rest_lengths(self.structure, cables))

    def labelled(self) -> Labelled:
        count = len(self.structure.cables)
        own = {"nodes": self.structure.positions, "rest_length": self._rest_lengths}
        own |= {"cable_length": self.length[:count], "bar_length": self.length[count:]}
        values = {name: own[name] if name in own else getattr(self, name) for name in VARIABLES}
        facts = {"status": self.status, "notes": "; ".join(self.notes)}
        return Labelled(("node",), labels_of(self.structure), VARIABLES, values, facts)

    def columns(self) -> Columns:
        """One row a member: part, force, force_density, length, rest_length; then the reactions, as forces."""
        members: dict[str, Any] = {
            "part": member_names(self.structure),
            "force": self.member_force,
            "force_density": self.force_density,
            "length": self.length,
            "rest_length": np.append(self._rest_lengths, np.full(self.bar_force.size, np.nan)),
        }
        return one_below_another(members, {"part": reaction_names(self.structure), "force": self.reaction.ravel()})

    def __repr__(self) -> str:
        size, name = self.member_force.size, self.structure.name or "structure"
        return titled("Equilibrium", name, f"{size} members", f"residual {self.residual:.1e} N", self.status)
