"""The shape of a free-standing structure: force densities leave it open up to an affine map; here it is settled.

Also what became of a shape: whether it fell into a plane, a line or a point.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from taut.errors import OptionError, listed
from taut.statics.by_selector import given_by_selector
from taut.statics.network import Network

SHAPES = ("nearest", "round")

FLAT = 1e-6
"""A shape whose least spread is less than this part of its largest is flat."""


def settled(
    network: Network, span: np.ndarray, axes: list[int], shape: str, size: Mapping[str, float] | None
) -> np.ndarray:
    """Positions (n, 3) in the span (n, d) of balanced coordinates, d = len(axes).

    shape "nearest": every coordinate is the one in the span nearest to the given nodes, in the sense of least squares.
    "round": spread equally in all directions, so that it has every symmetry that the force densities have; turned (or
    mirrored) onto the given nodes as well as it goes.
    size: one selector and the mean length [m] of its members; where it is None the mean length of the bars (of all
    members, if there are no bars) stays as given. The centre stays where it is.
    """
    if shape not in SHAPES:
        raise OptionError(f'shape = "{shape}" is not one of {", ".join(SHAPES)}')
    places = network.positions.copy()
    centre = places[:, axes].mean(axis=0)
    fit = span.T @ (places[:, axes] - centre)
    if shape == "round":
        left, _, right = np.linalg.svd(fit, full_matrices=False)
        fit = left @ right
    measured, wanted = _size(network, size)
    flat = np.zeros_like(places)
    flat[:, axes] = span @ fit
    now = network.lengths(flat)[measured].mean()
    if now == 0.0:
        places[:, axes] = centre
        return places
    places[:, axes] = centre + flat[:, axes] * (wanted / now)
    return places


def collapsed(network: Network, positions: np.ndarray, axes: list[int]) -> str:
    """A sentence where the shape is a point, a line or a plane, or members have no length; empty where it is sound."""
    before = np.linalg.norm(network.positions - network.positions.mean(axis=0), 2)
    spread = np.linalg.svd(positions[:, axes] - positions[:, axes].mean(axis=0), compute_uv=False)
    if spread[0] < FLAT * before:
        return "collapsed to a point: the cables overcome the bars; make bars longer, or cables softer or longer"
    filled = int((spread > FLAT * spread[0]).sum())
    if len(axes) > filled:
        kind = {1: "line", 2: "plane"}[filled]
        return (
            f"collapsed to a {kind}: the shape has no extent along {len(axes) - filled} of its {len(axes)} directions; "
            "give nodes that are not in one plane, other force densities or groups, or cables that hold it open"
            + (' (a plane structure is held along its normal: supported("*", "y"))' if kind == "plane" else "")
        )
    return without_length(network, positions)


def without_length(network: Network, positions: np.ndarray) -> str:
    """A sentence that names members whose ends fell together; empty where there are none."""
    lengths = network.lengths(positions)
    short = np.flatnonzero(lengths < FLAT * lengths.max())
    if not short.size:
        return ""
    names = listed([network.names[i] for i in short])
    return (
        f"collapsed in part: {names} have no length; give these members smaller force densities, "
        "or let members share them by groups"
    )


def spectrum(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, lowest first, and eigenvectors of a force density matrix beside its translation (1, ..., 1).

    The translation is taken out beforehand by a reflection that maps (1, ..., 1) onto the first axis.
    """
    n = len(matrix)
    mirror = np.full(n, 1.0 / np.sqrt(n))
    mirror[0] += 1.0
    mirror /= np.linalg.norm(mirror)
    half = matrix - 2.0 * np.outer(mirror, mirror @ matrix)
    turned = (half - 2.0 * np.outer(half @ mirror, mirror))[1:, 1:]
    values, vectors = np.linalg.eigh((turned + turned.T) / 2.0)
    across = np.vstack([np.zeros(n - 1), vectors])
    return values, np.asarray(across - 2.0 * np.outer(mirror, mirror @ across))


def _size(network: Network, size: Mapping[str, float] | None) -> tuple[np.ndarray, float]:
    """Which members are measured, and their mean length [m]."""
    if size is None:
        bars = np.arange(network.cables, network.members)
        measured = bars if bars.size else np.arange(network.members)
        return measured, float(network.lengths()[measured].mean())
    if len(size) != 1:
        raise OptionError(f"size takes one selector and a length [m], not {len(size)}")
    lengths = given_by_selector(network, "size", size)
    measured = np.flatnonzero(np.isfinite(lengths))
    wanted = float(lengths[measured[0]])
    if wanted <= 0.0:
        raise OptionError(f"size = {dict(size)} must be a length of more than zero [m]")
    return measured, wanted
