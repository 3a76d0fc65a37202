"""Truncated polyhedra: a strut for every edge of a tetrahedron or octahedron, rings of cables for its corners.

The nodes are the images g x of one point x under the turns g of the polyhedron. With h the force density of the cap
cables (turn R about a corner), v of the edge cables (half turn E about an edge) and s of the struts (half turn
S = R E R^-1), the balance of one node is that of all:

    [h (2 I - R - R^T) + v (I - E) + s (I - S)] x = 0

so s is where this matrix becomes singular, and x its null vector; for the tetrahedron with h = 1 that is
d1 d2 d3 - d1 - d2 - d3 - 2 = 0, d1 = 2 + 2 s, d2 = 2 + 2 v, d3 = 2 + 2 v + 2 s. The idea of one node for all is that
of J. Y. Zhang and M. Ohsaki, "Self-equilibrium and stability of regular truncated tetrahedral tensegrity structures",
J. Mech. Phys. Solids 60 (2012) 1757-1770; the strut pattern is the Z of Y. Li, X.-Q. Feng, Y.-P. Cao and H. Gao,
"Constructing tensegrity structures from one-bar elementary cells", Proc. R. Soc. A 466 (2010) 45-61.
"""

from __future__ import annotations

import numpy as np

from taut.structure.generators._parts import Layout, Stock, balanced, require_positive
from taut.structure.structure import Structure

Turn = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]

TETRAHEDRON: tuple[Turn, Turn] = (((0, 0, 1), (1, 0, 0), (0, 1, 0)), ((-1, 0, 0), (0, -1, 0), (0, 0, 1)))
"""A third of a turn about the corner (1, 1, 1), half a turn about the edge through (0, 0, 1)."""

OCTAHEDRON: tuple[Turn, Turn] = (((0, -1, 0), (1, 0, 0), (0, 0, 1)), ((-1, 0, 0), (0, 0, 1), (0, 1, 0)))
"""A quarter of a turn about the corner (0, 0, 1), half a turn about the edge through (0, 1, 1)."""


def truncated_tetrahedron(
    bar_length: float = 1.0,
    *,
    edge_ratio: float = 1.0,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """Six struts, four triangles of "cap" cables where the corners were, six "edge" cables; centre at the origin.

    `edge_ratio` is the force density of the edge cables over that of the cap cables; a larger one draws the edges in.
    With 1 the struts have -0.5746 of the cables' force density; with 1.3794 all cables are of one length, and struts
    2.2507 times as long. In balance as built. Nodes "n1" to "n12", bars "strut1" to "strut6", cables "cap1" to
    "cap12" and "edge1" to "edge6".

    bar_length: [m]. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_positive(bar_length=bar_length, edge_ratio=edge_ratio)
    stock = Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio)
    return balanced("truncated tetrahedron", _layout(*TETRAHEDRON, edge_ratio, bar_length), stock)


def truncated_octahedron(
    bar_length: float = 1.0,
    *,
    edge_ratio: float = 1.0,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """Twelve struts, six squares of "cap" cables where the corners were, twelve "edge" cables; centre at the origin.

    `edge_ratio` is the force density of the edge cables over that of the cap cables; a larger one draws the edges in.
    With 1 the struts have -0.4597 of the cables' force density. In balance as built. Nodes "n1" to "n24", bars
    "strut1" to "strut12", cables "cap1" to "cap24" and "edge1" to "edge12".

    bar_length: [m]. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_positive(bar_length=bar_length, edge_ratio=edge_ratio)
    stock = Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio)
    return balanced("truncated octahedron", _layout(*OCTAHEDRON, edge_ratio, bar_length), stock)


def _layout(about_corner: Turn, about_edge: Turn, edge_ratio: float, bar_length: float) -> Layout:
    corner, edge = np.array(about_corner), np.array(about_edge)
    strut = corner @ edge @ corner.T
    point = _balanced_point(corner, edge, strut, edge_ratio)
    point *= bar_length / np.linalg.norm(strut @ point - point)
    turns = _all_turns(corner, edge)
    index = {turn.tobytes(): i for i, turn in enumerate(turns)}
    places = [turn @ point for turn in turns]

    def lines(step: np.ndarray) -> list[tuple[str, str]]:
        """From every node to the one a step further; a half turn joins each pair once."""
        back = np.array_equal(step, step.T)
        pairs = [(i, index[(turn @ step).tobytes()]) for i, turn in enumerate(turns)]
        return [(f"n{a + 1}", f"n{b + 1}") for a, b in pairs if a < b or not back]

    return Layout(
        {f"n{i + 1}": (float(x), float(y), float(z)) for i, (x, y, z) in enumerate(places)},
        [(f"strut{i + 1}", a, b) for i, (a, b) in enumerate(lines(strut))],
        [(f"cap{i + 1}", a, b, 1.0) for i, (a, b) in enumerate(lines(corner))]
        + [(f"edge{i + 1}", a, b, edge_ratio) for i, (a, b) in enumerate(lines(edge))],
        {"struts": ("bar:strut*",), "cap": ("cable:cap*",), "edge": ("cable:edge*",)},
    )


def _balanced_point(corner: np.ndarray, edge: np.ndarray, strut: np.ndarray, edge_ratio: float) -> np.ndarray:
    """The null vector of the balance at the first strut force density, from zero downwards, that has one.

    I - S is twice the projection onto the plane across the axis of S, so with the pull of the cables reduced to that
    plane the strut's share is an eigenvalue there.
    """
    one = np.eye(3)
    cables = 2.0 * one - corner - corner.T + edge_ratio * (one - edge)
    _, frame = np.linalg.eigh(strut.astype(float))  # eigenvalues -1, -1, 1: the plane first, then the axis
    plane, axis = frame[:, :2], frame[:, 2]
    lean = plane.T @ cables @ axis / (axis @ cables @ axis)
    _, across = np.linalg.eigh(plane.T @ cables @ plane - np.outer(lean, lean) * (axis @ cables @ axis))
    least: np.ndarray = across[:, 0]
    return np.asarray(plane @ least - axis * (lean @ least))


def _all_turns(corner: np.ndarray, edge: np.ndarray) -> list[np.ndarray]:
    turns = [np.eye(3, dtype=corner.dtype)]
    known = {turns[0].tobytes()}
    for turn in turns:  # grows while it is walked through
        for further in (turn @ corner, turn @ edge):
            if further.tobytes() not in known:
                known.add(further.tobytes())
                turns.append(further)
    return turns
