"""Between the solved postures of a map (`stencils.py`), and how far that is off (`interpolation_errors.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError, suggestion
from taut.kinetostatics.interpolation_errors import DRAWN, InterpolationError, measured_error
from taut.kinetostatics.stencils import InterpolatedPosture, blended, stencil
from taut.kinetostatics.workspace_maps import WorkspaceMap
from taut.reprs import titled
from taut.type_checks import checked_arguments


@dataclass(frozen=True, repr=False)
class InterpolatedMap:
    """A map that has a posture between its points, too.

    area: with growing values along every axis. error: as it was measured; None where that was not asked for.
    """

    area: WorkspaceMap
    error: InterpolationError | None

    def __repr__(self) -> str:
        told = "error not measured" if self.error is None else self.error.sentence.partition(" of ")[0]
        return titled("InterpolatedMap", " x ".join(self.area.axes), told)

    @checked_arguments
    def at(self, values: Mapping[str, float] | Sequence[float] | np.ndarray) -> InterpolatedPosture:
        """The posture at a place: a number for every axis, by its name or in their order."""
        found = stencil(self.area, self._place(values))
        return blended(self.area, found)

    def _place(self, values: Mapping[str, float] | Sequence[float] | np.ndarray) -> np.ndarray:
        axes = self.area.axes
        if isinstance(values, Mapping):
            for name in values:
                if name not in axes:
                    raise OptionError(f'no axis "{name}"{suggestion(name, list(axes))}; there are {", ".join(axes)}')
            values = [values.get(name, np.nan) for name in axes]
        place = np.asarray(values, dtype=float)
        if place.shape != (len(axes),) or np.isnan(place).any():
            raise OptionError(f"a place has a number for each of {', '.join(axes)}")
        for (name, own), value in zip(axes.items(), place.tolist(), strict=True):
            if not own[0] <= value <= own[-1]:
                raise OptionError(
                    f"{name} = {value:g} is outside of the map, which goes from {own[0]:g} to {own[-1]:g}"
                )
        return place


@checked_arguments
def interpolated(area: WorkspaceMap, *, drawn: int = DRAWN, seed: int = 0) -> InterpolatedMap:
    """A map that has postures between its points, with the error of that, measured at postures that are solved exactly.

    drawn: so many at random, by the seed, and one in the middle of every cell (of a thousand at most); 0 measures none.
    """
    if drawn < 0:
        raise OptionError(f"drawn = {drawn} must be zero or more")
    ordered = _ordered(area)
    return InterpolatedMap(ordered, measured_error(ordered, drawn, seed) if drawn else None)


def _ordered(area: WorkspaceMap) -> WorkspaceMap:
    """With growing values along every axis; raises where nothing lies between them."""
    if not area.axes:
        raise OptionError("a map without axes has nothing to interpolate")
    if not area.found.any():
        raise OptionError(
            f"no posture was found at any of the {area.found.size} points of this map; take commands nearer to those "
            "of the robot"
        )
    for name, values in area.axes.items():
        if np.unique(values).size < values.size:
            twice = next(value for k, value in enumerate(values.tolist()) if value in values[:k])
            raise OptionError(f'axis "{name}" has the value {twice:g} twice; give every value once')
        if values.size < 2:
            raise OptionError(
                f'axis "{name}" has one value, {values[0]:g}: nothing lies between; '
                "give it two or more, or leave it out"
            )
    order = [np.argsort(values) for values in area.axes.values()]
    names = ("found", "joined", "values", "nodes", "member_force", "lowest_stiffness", "plate_stiffness", "dexterity")
    arrays = {name: getattr(area, name)[np.ix_(*order)] for name in (*names, "wrench_margin")}
    return replace(area, axes={name: np.sort(values) for name, values in area.axes.items()}, **arrays)
