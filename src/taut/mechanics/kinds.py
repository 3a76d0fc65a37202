"""The kinds of things a nodal plant is made of, as values: kernels, a table, and how the table is made.

A kind is one file: what it acts with, its energy, its stiffness, its events and what it shows. Kinds from outside are
made known under their name by `register` (`spec.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from taut.reprs import counted, titled
from taut.structure.angles import Angle
from taut.structure.controllers import Controller, Sensor
from taut.structure.drives import Driven, driven_members
from taut.structure.grounds import Ground
from taut.structure.labels import Named
from taut.structure.records import AXES, Bar, Cable
from taut.structure.scenario import Damping, Drive, Load, Motion
from taut.structure.sensing import load_names
from taut.structure.structure import Structure

Kernel = Callable[..., Any]
Links = tuple[np.ndarray, np.ndarray]
"""Nodes between which a 3 x 3 block of stiffness stands, by their first coordinate; the second is -1 for the ground."""


@dataclass(frozen=True)
class Given:
    """What a plant is assembled from; of a structure and a scenario that have passed their checks.

    elements: records of kinds from outside, by the name of the kind. printed: compressible bars move by eq. (56) of the
    paper as it stands. sensors: also those that controllers name by their quantity. holds: how commands are held, by
    "load:name" and "drive:name"; at once where nothing is said.
    """

    structure: Structure
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    loads: tuple[Load, ...] = ()
    damping: Damping = field(default_factory=Damping)
    motions: tuple[Motion, ...] = ()
    elements: Mapping[str, tuple[Any, ...]] | None = None
    printed: bool = False
    drives: tuple[Drive, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    controllers: tuple[Controller, ...] = ()
    holds: Mapping[str, str] = field(default_factory=dict)
    grounds: tuple[Ground, ...] = ()

    def __repr__(self) -> str:
        return self.titled("Given")

    def titled(self, kind: str) -> str:
        """How it shows itself, and what is made of it."""
        made = self.structure
        parts: dict[str, Collection[Any]] = {
            "node": made.nodes,
            "bar": made.bars,
            "cable": made.cables,
            "plate": made.plates,
            "angle": made.angles,
            "constraint": made.constraints,
        }
        parts |= {"load": self.loads, "motion": self.motions, "drive": self.drives}
        parts |= {"sensor": self.sensors, "controller": self.controllers, "ground": self.grounds}
        parts |= {"registered kind": self.elements or {}}
        return titled(kind, made.name or "structure", *(counted(len(part), word) for word, part in parts.items()))

    @cached_property
    def coordinate(self) -> dict[str, int]:
        """The first coordinate of every node."""
        return Named("node", {name: 3 * i for i, name in enumerate(self.structure.nodes)})

    @cached_property
    def load_names(self) -> tuple[str, ...]:
        return load_names(self.loads)

    @property
    def rigid_grounds(self) -> tuple[Ground, ...]:
        return tuple(ground for ground in self.grounds if ground.compliance is None)

    @property
    def compliant_grounds(self) -> tuple[Ground, ...]:
        return tuple(ground for ground in self.grounds if ground.compliance is not None)

    @cached_property
    def straight(self) -> tuple[Cable, ...]:
        """Cables that are springs between two nodes."""
        return tuple(c for c in self.structure.cables.values() if len(c.route) == 2 and c.mode == "spring")

    @cached_property
    def routed(self) -> tuple[Cable, ...]:
        """Cables over guides, and those whose force is commanded."""
        others = (c for c in self.structure.cables.values() if len(c.route) > 2 or c.mode != "spring")
        return tuple(c for c in others if c.mode != "length")

    @cached_property
    def held_cables(self) -> tuple[Cable, ...]:
        """Cables held at a length."""
        return tuple(c for c in self.structure.cables.values() if c.mode == "length")

    @cached_property
    def held_angles(self) -> tuple[Angle, ...]:
        """Angles that are rows."""
        return tuple(angle for angle in self.structure.angles.values() if angle.mode == "held")

    @cached_property
    def free_angles(self) -> tuple[Angle, ...]:
        """Angles on which springs, dampers and torques act."""
        return tuple(angle for angle in self.structure.angles.values() if angle.mode == "free")

    @cached_property
    def compressible(self) -> tuple[Bar, ...]:
        return tuple(bar for bar in self.structure.bars.values() if bar.law == "compressible")

    @cached_property
    def pneumatic(self) -> tuple[Bar, ...]:
        """Struts whose force is commanded."""
        return tuple(bar for bar in self.structure.bars.values() if bar.law == "pneumatic")

    @cached_property
    def cable(self) -> dict[str, int]:
        """The row of every cable among the laws of springs: straight ones, then compressible bars, then routes;
        pneumatic bars follow."""
        laws = (*self.straight, *self.compressible, *self.routed)
        rows = {one.name: k for k, one in enumerate(laws) if isinstance(one, Cable)}
        return Named("cable", {name: rows[name] for name in self.structure.cables if name in rows})

    @cached_property
    def compressible_bar(self) -> dict[str, int]:
        """The row of every compressible bar among the laws of springs."""
        return Named("bar", {bar.name: len(self.straight) + k for k, bar in enumerate(self.compressible)})

    @cached_property
    def pneumatic_bar(self) -> dict[str, int]:
        """The row of every pneumatic bar among the laws of springs."""
        before = len(self.straight) + len(self.compressible) + len(self.routed)
        return Named("bar", {bar.name: before + k for k, bar in enumerate(self.pneumatic)})

    @cached_property
    def driven(self) -> tuple[Driven, ...]:
        """Every member that is driven."""
        return driven_members(self.structure, self.drives)

    @cached_property
    def driven_bars(self) -> dict[str, int]:
        """The row of every rigid bar that is driven among those."""
        names = {driven.member for driven in self.driven if driven.kind == "bar" and driven.drive.quantity == "length"}
        return {name: k for k, name in enumerate(name for name in self.structure.bars if name in names)}

    @cached_property
    def still_bars(self) -> dict[str, int]:
        """The row of every rigid bar that is not driven."""
        names = [bar.name for bar in self.structure.bars.values() if bar.law == "rigid"]
        return {name: k for k, name in enumerate(name for name in names if name not in self.driven_bars)}

    def driven_row(self, driven: Driven) -> int:
        """The row of a driven member in the table that its drive writes into."""
        name, quantity, routes = driven.member, driven.drive.quantity, len(self.straight) + len(self.compressible)
        if driven.kind == "angle":
            angles = self.held_angles if quantity == "angle" else self.free_angles
            return [angle.name for angle in angles].index(name)
        if driven.kind == "cable":
            if quantity == "length":
                return [cable.name for cable in self.held_cables].index(name)
            return self.cable[name] - (routes if quantity != "rest_length" else 0)
        if quantity == "force":
            return self.pneumatic_bar[name] - routes
        return (self.driven_bars if quantity == "length" else self.compressible_bar)[name]

    @cached_property
    def free(self) -> np.ndarray:
        """Coordinates that no support holds."""
        held = np.zeros(3 * len(self.coordinate), dtype=bool)
        for node, axes in self.structure.supports.items():
            for axis in axes:
                held[self.coordinate[node] + AXES.index(axis)] = True
        return np.flatnonzero(~held)

    def ends(self, pairs: Any) -> tuple[np.ndarray, np.ndarray]:
        """First coordinates of the first and of the last node of each route."""
        first, last = ([self.coordinate[route[end]] for route in pairs] for end in (0, -1))
        return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)

    def records(self, kind: str) -> tuple[Any, ...]:
        return (self.elements or {}).get(kind, ())


class EventSource(NamedTuple):
    """What can happen at an instant to a kind of term; kernels as `taut.mechanics.parts` has them.

    Without `happen` an event changes between the states 0 and 1. `clear` and `keep` may be left out.
    """

    count: Kernel
    margin: Kernel
    put: Kernel
    begin: Kernel
    subjects: Callable[[Given, Any], tuple[tuple[str, str], ...]]  # of each event: what it is ("cable"), its name
    changes: Mapping[int, str]  # what a change to each state is called
    happen: Kernel | None = None
    clear: Kernel | None = None
    keep: Kernel | None = None
    tables: Callable[[Any], Mapping[str, Any]] | None = None  # of the term's table: the source's own, by slot


class Term(NamedTuple):
    """One kind of thing that acts on nodes. A kernel that is not given does nothing.

    A term that is conservative needs no `force` and no `potential`: its conservative force says both.
    """

    name: str
    table: type
    tabulate: Callable[[Given], Any]
    force: Kernel | None = None  # parts.applied_force
    conservative_force: Kernel | None = None
    potential: Kernel | None = None
    load_power: Kernel | None = None
    stiffness: Kernel | None = None  # parts.term_stiffness
    links: Callable[[Any], Links] | None = None
    one_way: bool = False  # whether a link's block stands at its first node, and with the other sign towards its second
    secant_force: Kernel | None = None  # secant_parts.secant_force; without it no step conserves energy
    secant_stiffness: Kernel | None = None  # of it; that in the middle of the step where it is not given
    accept_step: Kernel | None = None
    events: EventSource | None = None
    observe: Kernel | None = None  # parts.observe_terms
    shows: Callable[[Given], Mapping[str, int]] | None = None  # what `observe` fills: name -> how many numbers
    node_stiffness: Callable[[Any, int], np.ndarray] | None = None  # (3 n,) [N/m], which bounds the step
    states: Callable[[Any, float], np.ndarray] | None = None  # of each state with a rate, what its errors are small
    # against, given the typical length [m]; the table then has a part `first_state` (tables.TermStates)
    relaxation: Callable[[Any], float] | None = None  # [s] in which the fastest of them relaxes, which bounds the step
    dampers: Callable[[Given, Any], tuple[str, ...]] | None = None  # what damps, in words
    record: type | None = None  # of kinds from outside
    lanes: bool = False  # whether its kernels choose by `where`, so that many plants can go in lanes
    works: bool = False  # whether it does work that no potential knows


class Rows(NamedTuple):
    """One kind of constraint, a row of G each."""

    name: str
    table: type
    tabulate: Callable[[Given], Any]
    pattern: Callable[[Any], tuple[np.ndarray, np.ndarray]]  # entries of each row, and their coordinates in order
    sizes: Callable[[Any, float], np.ndarray]  # lengths that residuals are small against; given the typical one
    labels: Callable[[Given], tuple[str, ...]]  # 'bar "left"'
    residuals: Kernel  # parts.row_residuals
    values: Kernel  # parts.row_values
    bias: Kernel  # parts.row_bias
    jacobian_rate: Kernel  # parts.row_jacobian_rate
    stiffness: Kernel  # parts.row_stiffness
    links: Callable[[Any], Links]
    events: EventSource | None = None
    driven: bool = False  # whether time moves them: residual rates then are G v less what it asks for
    record: type | None = None
    lanes: bool = False
    one_way: bool = False  # of its links, as of a term's
    internal: bool = False  # whether it lets the whole shift and turn
    quadratic: bool = False  # whether residuals are polynomials of second order at most, G in the middle a secant


class Imposed(NamedTuple):
    """One kind of quantity that time decides.

    accelerates: whether it writes accelerations of held coordinates. breaks: times at which it is not smooth.
    """

    name: str
    table: type
    tabulate: Callable[[Given], Any]
    impose: Kernel
    power: Kernel | None = None  # parts.imposed_power
    accelerates: bool = False
    breaks: Callable[[Given], list[float]] | None = None
    shortest_period: Callable[[Given], float] | None = None  # [s] of its waves, which no step is to pass over
    record: type | None = None
    lanes: bool = False


Kind = Term | Rows | Imposed
