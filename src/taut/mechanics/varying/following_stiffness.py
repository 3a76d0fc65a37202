"""Stiffness E A / r that follows from varied rest lengths, of cables of a material, as drives and live pages have it.

The mass of such a cable stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.mechanics.plant import Plant
from taut.structure.properties import following_rigidity


@dataclass(frozen=True)
class FollowingStiffness:
    """What follows from some of the numbers of an address, which are rest lengths."""

    rows: np.ndarray  # of the cables among the springs
    columns: np.ndarray  # of their rest lengths among the numbers of the address
    rigidity: np.ndarray  # E A [N]
    drag: np.ndarray  # damping of their own [N s/m]
    lag: float  # damping in proportion to the stiffness [s]

    def stiffness(self, rest: np.ndarray) -> np.ndarray:
        return np.asarray(self.rigidity / rest[:, self.columns])

    def damping(self, stiffness: np.ndarray) -> np.ndarray:
        return np.asarray(self.drag + self.lag * stiffness)


def _rigidities(plant: Plant, names: Sequence[str]) -> np.ndarray:
    """E A [N] of cables whose stiffness follows from it; zero of others."""
    cables = [plant.structure.cables[name] for name in names]
    return np.array([following_rigidity(cable) if cable.mode == "spring" else 0.0 for cable in cables])


def following_of(plant: Plant, names: Sequence[str], rows: np.ndarray) -> FollowingStiffness | None:
    """Of cables that stand in these rows of springs; None where no stiffness follows."""
    rigidity = _rigidities(plant, names)
    columns = np.flatnonzero(rigidity)
    drag = np.array([plant.structure.cables[names[k]].damping for k in columns.tolist()], dtype=float)
    lag = plant.given.damping.stiffness
    return FollowingStiffness(rows[columns], columns, rigidity[columns], drag, lag) if columns.size else None


def stiffness_by_rest_lengths(plant: Plant, rest: np.ndarray) -> dict[str, np.ndarray]:
    """By its name the stiffness (N, c) of all cables of these rest lengths (N, c); nothing where none follows."""
    names, rows = list(plant.structure.cables), plant.given.cable
    rigidity, table = _rigidities(plant, names), plant.tables["springs"].stiffness
    follows = rigidity > 0.0
    if not follows.any():
        return {}
    if not rest[:, follows].all():
        row, k = np.argwhere(follows & (rest == 0.0))[0]
        raise OptionError(f'rest_length of variant {row} is 0 of cable "{names[k]}", whose stiffness is E A over it')
    own = np.array([table[rows[name]] if name in rows else 0.0 for name in names])
    return {"stiffness": np.where(follows, rigidity / np.where(follows, rest, 1.0), own)}
