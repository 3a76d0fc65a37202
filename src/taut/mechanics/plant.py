"""The Plant: a structure made ready to move. Its tables, its start, and the verbs that algorithms call on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.mechanics import nodal, nodal_manifold
from taut.mechanics.assembly import nodal_tables
from taut.mechanics.signals import tabulate
from taut.mechanics.survey import problems_of_motion
from taut.mechanics.tables import SIGNAL_DATA, Nodal
from taut.numerics.packing import Pack, reals_of
from taut.structure.joining import subdivided
from taut.structure.records import AXES
from taut.structure.scenario import Damping, Load
from taut.structure.structure import Structure

NODAL_VERBS: Mapping[str, Callable[..., Any]] = {
    "lend_plant": nodal.lend_plant,
    "rate": nodal.rate,
    "forces": nodal.forces,
    "power": nodal.power,
    "firmness": nodal_manifold.firmness,
    "enter": nodal.enter,
    "mismatch": nodal_manifold.mismatch,
    "gaps": nodal_manifold.gaps,
    "prepare": nodal_manifold.prepare,
    "project": nodal_manifold.project,
    "bend": nodal_manifold.bend,
    "energy": nodal_manifold.energy,
    "energy_slope": nodal_manifold.energy_slope,
    "keep_momentum": nodal_manifold.keep_momentum,
}
"""What a stepper or a correction may ask of a plant's tables. A formulation is one more set of these."""


@dataclass(frozen=True)
class Plant:
    """Ready-made equations of motion.

    structure: what is simulated; cables cut into segments are cut here.
    pack, tables: its flat arrays, for kernels and by name.
    positions, velocities: at the start, (n, 3) each. breaks: times at which a signal is not smooth.
    functions: loads given as Python functions, by load; a plant with any of them runs uncompiled.
    """

    structure: Structure
    pack: Pack
    tables: Nodal
    breaks: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    loads: tuple[Load, ...]
    functions: Mapping[int, Callable[[float], float]]

    @property
    def compiled(self) -> bool:
        return not self.functions

    @property
    def rows(self) -> int:
        """Number of constraints."""
        return int(self.tables.work.multiplier.size)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all numbers that make the motion what it is; functions of time count only by their place."""
        t = self.tables
        digest = hashlib.sha256()
        for part in (*t.cables, *t.bars, *t.guides, *t.nodes, *t.signals[:4], *t.constants[2:4]):
            digest.update((part + 0).tobytes())  # so that -0 counts as 0
        return digest.hexdigest()[:16]

    @property
    def held(self) -> np.ndarray:
        """Indices of the supported nodes, in the order of the nodes."""
        return np.array(
            [i for i, name in enumerate(self.structure.nodes) if name in self.structure.supports], dtype=int
        )

    def verbs(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call; kernels, unless a load is a Python function."""
        if not self.functions:
            return dict(NODAL_VERBS)
        return {
            **NODAL_VERBS,
            **{name: self._with_functions(NODAL_VERBS[name]) for name in ("rate", "forces", "power")},
        }

    def _with_functions(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """The verb with the values of Python loads written into the tables first."""

        def timely(pack: Pack, t: float, *rest: np.ndarray) -> Any:
            self.set_functions(pack, t)
            return verb(pack, t, *rest)

        return timely

    def set_functions(self, pack: Pack, t: float) -> None:
        """Write the values of Python loads at a time into a pack of this plant."""
        for index, function in self.functions.items():
            value = float(function(t))
            if not np.isfinite(value):
                load = self.loads[index]
                raise OptionError(f'the load on node "{load.node}" along {load.axis} returned {value} at t = {t:g} s')
            reals_of(pack, SIGNAL_DATA)[self.tables.signals.start[index]] = value


def assemble(
    structure: Structure,
    *,
    gravity: float | tuple[float, float, float] = 0.0,
    loads: Iterable[Load] = (),
    damping: Damping | None = None,
    velocities: Mapping[str, tuple[float, float, float]] | None = None,
) -> Plant:
    """Make a structure with rigid bars ready to move.

    gravity: [m/s^2], a number acts along -z. velocities: of nodes at the start [m/s], zero where not named.
    Raises ModelError with every problem found.
    """
    vector = (0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity
    loads, damping = tuple(loads), damping or Damping()
    problems = problems_of_motion(structure)
    problems += _scenario_problems(structure, vector, loads, damping, velocities or {})
    if problems:
        raise ModelError(problems)
    fine = subdivided(structure)
    index = {node: 3 * i for i, node in enumerate(fine.nodes)}
    coordinates = [index[load.node] + AXES.index(load.axis) for load in loads]
    signals, breaks, functions = tabulate([load.signal for load in loads], coordinates)
    pack, tables = nodal_tables(fine, vector, damping, signals)
    speeds = np.array([(velocities or {}).get(node, (0.0, 0.0, 0.0)) for node in fine.nodes], dtype=float)
    return Plant(fine, pack, tables, breaks, fine.positions, speeds.reshape(-1, 3), loads, functions)


def _scenario_problems(
    structure: Structure,
    gravity: tuple[float, ...],
    loads: tuple[Load, ...],
    damping: Damping,
    velocities: Mapping[str, tuple[float, float, float]],
) -> list[Problem]:
    found = []
    if len(gravity) != 3 or not np.all(np.isfinite(gravity)):
        found.append(Problem(("gravity",), f"{list(gravity)} is not three finite numbers"))
    for index, load in enumerate(loads):
        if load.node not in structure.nodes:
            message = f'no node "{load.node}"{suggestion(load.node, structure.nodes)}'
            found.append(Problem(("loads", index, "node"), message))
        if load.axis not in tuple(AXES):
            found.append(Problem(("loads", index, "axis"), f'"{load.axis}" is not an axis; say x, y or z'))
    for name in ("node", "mass", "stiffness"):
        value = getattr(damping, name)
        if not value >= 0.0 or not np.isfinite(value):
            found.append(Problem(("damping", name), f"{value} must be a finite number, zero or more"))
    for node, speed in velocities.items():
        if node not in structure.nodes:
            found.append(Problem(("velocities", node), f'no node "{node}"{suggestion(node, structure.nodes)}'))
        if len(speed) != 3 or not np.all(np.isfinite(speed)):
            found.append(Problem(("velocities", node), f"{list(speed)} is not three finite numbers"))
    return found
