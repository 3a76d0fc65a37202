"""What pages, plots and films can show beside structures and trajectories: a still, a mode shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.statics.vibrations import Modes
from taut.structure.structure import Structure
from taut.type_checks import known_fields


@known_fields
@dataclass(frozen=True)
class Still:
    """A structure at its own shape with the forces in it; what is None is not shown.

    cable_tension: (c,) [N]. bar_force: (b,) [N], positive in tension. reaction: (s, 3) [N], a row for each supported
    node in the order of the nodes. facts: words and values for the summary. external: (n, 3) [N], gravity and loads on
    each node. driven: members that a drive moves, "cable:a1", and the drive's name. pulleys: of a tree of bodies, as
    its plant has them.
    """

    structure: Structure
    cable_tension: np.ndarray | None = None
    bar_force: np.ndarray | None = None
    reaction: np.ndarray | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    external: np.ndarray | None = None
    driven: Mapping[str, str] = field(default_factory=dict)
    pulleys: Sequence[Mapping[str, Any]] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        held = len(self.structure.supported_nodes)
        wanted = {
            "cable_tension": (len(self.structure.cables),),
            "bar_force": (len(self.structure.bars),),
            "reaction": (held, 3),
            "external": (len(self.structure.nodes), 3),
        }
        for name, shape in wanted.items():
            given = getattr(self, name)
            if given is not None and np.shape(given) != shape:
                raise OptionError(f"{name} must have the shape {shape}, not {np.shape(given)}")


@known_fields
@dataclass(frozen=True)
class ModeShape:
    """A way to vibrate: displacement (n, 3) of the nodes in any scale, frequency [Hz] (0 for a mechanism, not a number
    where it does not vibrate but buckle)."""

    name: str
    frequency: float
    displacement: np.ndarray

    __repr__ = brief


def still_of(equilibrium: Equilibrium, facts: Mapping[str, str] | None = None) -> Still:
    """An equilibrium to look at; facts: words and values to show beside its own."""
    own = {
        "status": equilibrium.status,
        "force left over": f"{equilibrium.residual:.2g} N",
        **({"method": equilibrium.method} if equilibrium.method else {}),
        **({"iterations": str(equilibrium.iterations)} if equilibrium.iterations else {}),
        **({"notes": "; ".join(equilibrium.notes)} if equilibrium.notes else {}),
    }
    return Still(
        equilibrium.structure,
        equilibrium.cable_tension,
        equilibrium.bar_force,
        equilibrium.reaction,
        {**own, **(facts or {})},
        equilibrium.external,
    )


def mode_shapes(modes: Modes) -> tuple[ModeShape, ...]:
    """Modes to look at, numbered from 1."""
    return tuple(
        ModeShape(f"mode {k}, buckles" if hz < 0.0 else f"mode {k}", float("nan") if hz < 0.0 else hz, shape)
        for k, (hz, shape) in enumerate(zip(modes.frequency.tolist(), modes.shapes, strict=True), 1)
    )


def checked_mode(structure: Structure, mode: ModeShape) -> np.ndarray:
    """The displacement of a mode as an array, if it fits the structure."""
    displacement = np.asarray(mode.displacement, dtype=float)
    if displacement.shape != (len(structure.nodes), 3):
        raise OptionError(
            f'mode "{mode.name}": the displacement must have the shape ({len(structure.nodes)}, 3), '
            f"a row for each node, not {displacement.shape}"
        )
    return displacement
