"""What a run or a linearisation asks of a plant, whatever its formulation: the seam to the time loop and to control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from taut.mechanics.operations.event_words import Watcher
from taut.mechanics.points.linearisation import Linearisation
from taut.structure.grounds import Ground
from taut.structure.structure import Structure


class PlantProtocol(Protocol):
    """Ready-made equations of motion in some coordinates q, with constraints or without.

    A state is y = [q, v, work, ...]. `operations` are the functions of `taut.dynamics.operations` for this plant, and
    `own_tables` makes what they take as their first argument: the plant's numbers and work space, fresh for every run.
    """

    @property
    def points(self) -> Any:
        """The nodal plant whose forces and constraints act on its nodes, itself where nodes are its coordinates; None
        where it has no nodes."""

    @property
    def structure(self) -> Structure:
        """What is simulated; without members where the plant has coordinates only."""

    @property
    def coordinates(self) -> int: ...

    @property
    def lanes(self) -> tuple[int, ...]:
        """() for one plant; (WIDTH,) for as many variants of it at once, with a row of lanes for every number."""

    @property
    def rows(self) -> int:
        """Number of constraints."""

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """One for every constraint, such as 'bar "left"'."""

    @property
    def formulation(self) -> str:
        """A name for its operations; kinds from outside are told by their names alone."""

    @property
    def compiled(self) -> bool:
        """Whether the operations are kernels, so that the time loop can be compiled around them."""

    @property
    def breaks(self) -> np.ndarray:
        """Times at which a signal is not smooth, from -inf to inf."""

    @property
    def works(self) -> bool:
        """Whether anything but conservative forces acts."""

    @property
    def dampers(self) -> tuple[str, ...]:
        """What damps, by name."""

    @property
    def moved(self) -> tuple[str, ...]:
        """Supports that move as time says, by name."""

    @property
    def constant_mass(self) -> bool:
        """Whether the mass matrix is the same everywhere."""

    @property
    def typical_length(self) -> float:
        """About how large a coordinate is that is not small [m]: a mean member's length."""

    @property
    def typical_time(self) -> float:
        """About how long [s] a swing takes over 2 pi."""

    @property
    def shortest_period(self) -> float:
        """No step should be longer [s]."""

    @property
    def load_names(self) -> tuple[str, ...]: ...

    @property
    def drive_names(self) -> tuple[str, ...]: ...

    @property
    def sensor_names(self) -> tuple[str, ...]: ...

    @property
    def grounds(self) -> tuple[Ground, ...]: ...

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Contacts that there can be with grounds."""

    @property
    def internal(self) -> np.ndarray:
        """Internal states at the start, which do not change within a step: commands, and what is measured."""

    @property
    def ticks(self) -> bool:
        """Whether it has controllers that decide at their times."""

    def memory(self, tables: Any) -> np.ndarray:
        """What controllers remember, to be changed in place."""

    def raise_stops(self) -> None:
        """Raise what came up in a controller's law and was to stop everything: Ctrl-C, sys.exit."""

    def coming(self, tables: Any) -> np.ndarray:
        """What the internal states become at the next break, to be changed in place."""

    @property
    def elements(self) -> Sequence[dict[str, Any]]:
        """Elements of kinds from outside, by numbers and the name of their kind."""

    @property
    def element_outputs(self) -> tuple[str, ...]:
        """What elements of kinds from outside show, a name for every number."""

    @property
    def fingerprint(self) -> str:
        """A hash of all numbers that make the motion what it is."""

    def operations(self) -> Mapping[str, Callable[..., Any]]: ...

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Any:
        """Numbers and work space of one run, with corrections in a metric and Baumgarte's 2 alpha and beta^2."""

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, flat, before they are brought onto the constraints."""

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        """What is to be said where a start was brought onto the constraints."""

    def dependent(self, tables: Any, y: np.ndarray) -> np.ndarray:
        """Orthonormal combinations of constraints that say nothing here, a row each."""

    def weakest(self, y: np.ndarray) -> np.ndarray:
        """The combination of constraints that says least here; empty where that is too dear to find."""

    def obstacle(self, tables: Any) -> str:
        """Why no step leads on from where a run got stuck; nothing where the plant does not know."""

    def linearised(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
        """The first derivatives of the equations at a state on the constraints; held: a word of linearisation.HELD."""

    def observed(self, tables: Any, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        """What can be read off states, a row a sample, under the names of a Trajectory."""

    @property
    def watcher(self) -> Watcher | None:
        """What knows of events; None where nothing can happen at an instant."""


def changed_coordinates(
    names: Sequence[str], wanted: tuple[np.ndarray, np.ndarray], found: tuple[np.ndarray, np.ndarray]
) -> tuple[str, ...]:
    """What bringing positions and velocities onto the constraints changed, for plants in coordinates of their own."""
    notes = []
    for label, before, after in zip(("positions", "velocities"), wanted, found, strict=True):
        change = np.abs(after - before)
        worst = int(np.argmax(change))
        if change[worst] > 1e-9 * max(1.0, float(np.abs(before).max())):
            notes.append(
                f"start {label} did not fit the constraints and were projected onto them; the largest change is "
                f'{change[worst]:.3g}, of the coordinate "{names[worst]}"'
            )
    return tuple(notes)
