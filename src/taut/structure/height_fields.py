"""Heights of a terrain from functions, arrays and images, and what is wrong with those."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

from taut.errors import FileError, OptionError

MOST_POINTS = 4_000_000
"""Of a terrain; more is a slip in the spacing."""


def sampled_heights(
    function: Callable[[float, float], float],
    spacing: tuple[float, float],
    corner: tuple[float, float],
    size: tuple[float, float] | None,
) -> np.ndarray:
    """(x, y) of a function at the points of a grid; raises OptionError where it has no one finite height."""
    if size is None or not all(math.isfinite(one) and one > 0.0 for one in (*size, *spacing)):
        raise OptionError(
            f"a terrain of a function needs a spacing and a size of more than zero along x and y, not {spacing} and "
            f"{size}; say size=(length along x, length along y) [m]"
        )
    counts = [round(one / step) + 1 for one, step in zip(size, spacing, strict=True)]
    if math.prod(counts) > MOST_POINTS:
        raise OptionError(f"{counts[0]} x {counts[1]} points are more than {MOST_POINTS}; take a wider spacing")
    found = np.zeros(counts)
    for row in range(counts[0]):
        for column in range(counts[1]):
            x, y = corner[0] + row * spacing[0], corner[1] + column * spacing[1]
            height = np.asarray(function(x, y))
            if height.size != 1 or height.dtype.kind not in "fiub":
                raise OptionError(
                    f"the height at x = {x:g}, y = {y:g} is {height.tolist()!r}; a terrain has one number above every "
                    "point, and no overhangs: build those of boxes"
                )
            if not math.isfinite(float(height.item())):
                raise OptionError(f"the height at x = {x:g}, y = {y:g} is {height.item()}; fill gaps of the terrain")
            found[row, column] = height.item()
    return found


def rows_of_heights(heights: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """As a Terrain has them; raises OptionError where they are no table of numbers."""
    try:
        table = np.asarray(heights, dtype=float)
    except (TypeError, ValueError):
        raise OptionError("heights must be a table of numbers, with rows of one length") from None
    if table.ndim != 2:
        raise OptionError(
            f"heights have the shape {table.shape}; a terrain is a table of one height for every x and y, and has no "
            "overhangs"
        )
    return tuple(map(tuple, table.tolist()))


def image_heights(file: str | os.PathLike[str]) -> np.ndarray:
    """(x, y) the grey values of an image, from 0 to 1; what is see-through is a gap, and not a number."""
    try:
        from matplotlib.image import imread
    except ImportError:
        raise OptionError('images need matplotlib; install it with: pip install "taut[plot]"') from None
    try:
        seen = imread(os.fspath(file))
    except (OSError, SyntaxError, ValueError) as error:
        raise FileError(f"cannot read the image {os.fspath(file)}: {error}") from None
    full = np.iinfo(seen.dtype).max if seen.dtype.kind in "iu" else 1.0
    seen = np.asarray(seen, dtype=float) / full
    grey = seen if seen.ndim == 2 else seen[..., 0] if seen.shape[2] < 3 else seen[..., :3].mean(axis=2)
    if seen.ndim == 3 and seen.shape[2] in (2, 4):
        grey = np.where(seen[..., -1] > 0.0, grey, np.nan)
    return grey[::-1].T
