"""The six-strut robot: the icosahedron of `polyhedra.py` by its mass and pretension, placed on a ground."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from taut.errors import OptionError
from taut.structure.generators._parts import require_finite, require_one_of, require_positive
from taut.structure.generators.polyhedra import cell_cables, cell_node, cell_places
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

HAND = -1
"""Of the cell: struts along x are apart along y, those along y along z, those along z along x."""

DOWN = {"closed": (1.0, 1.0, 1.0), "open": (2.0, 0.0, 1.0), "none": (0.0, 0.0, 1.0)}
"""Where the struts lie along x, y and z, the way out of a face opposite to the one that is to lie down."""

ENDS = [(axis, side, end) for axis in range(3) for side in (1, -1) for end in (1, -1)]
"""x1a, x1b, x2a, x2b, y1a ...: the first strut of a pair is on the positive side, a is its positive end."""


def six_strut_robot(
    length: float = 0.6,
    *,
    mass: float = 3.0,
    stiffness: float = 600.0,
    pretension: float = 40.0,
    damping: float = 20.0,
    face_down: str = "closed",
    at: Sequence[float] = (0.0, 0.0, 0.0),
    lift: float = 0.0,
    normal: Sequence[float] = (0.0, 0.0, 1.0),
    turned: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: str = "lumped",
) -> Structure:
    """Six struts in three parallel pairs, held apart by 24 cables that all pull alike; it stands on a face.

    Struts x1, x2, y1, y2, z1, z2 with ends a and b (node "x1a"), cables "c1" to "c24", as in `examples/six_strut.yaml`.
    Without weight it is in balance: struts push with sqrt(6) times the pretension.

    length: [m] of the struts. mass: [kg] of all of them together. stiffness: [N/m], pretension: [N] and damping:
    [N s/m] of every cable.
    face_down: "closed" (one of eight triangles of cables), "open" (one of twelve with a side that no cable spans), or
        "none" (struts along x, y and z). turned: [rad] then about x, y and z, as a rotation vector.
    at: [m] the point of the ground under its middle. normal: of the ground there. lift: [m] of its lowest node above.
    inertia: of the struts, as `Bar` takes it; "lumped" has half of the mass at each end.
    """
    require_positive(length=length, mass=mass, stiffness=stiffness, pretension=pretension)
    require_finite(damping=damping, lift=lift)
    require_one_of(tuple(DOWN), face_down=face_down)
    if damping < 0.0:
        raise OptionError(f"damping = {damping!r} must be zero or more")
    cable = length * math.sqrt(6.0) / 4.0
    if not pretension / stiffness < cable:
        raise OptionError(
            f"pretension = {pretension!r} N would stretch a cable of {stiffness:g} N/m by "
            f"{pretension / stiffness:.3g} m, which is no less than its length of {cable:.3g} m; take stiffer cables"
        )
    own = np.array(list(cell_places(length, hand=HAND)))[[cell_node(axis, end, side) for axis, side, end in ENDS]]
    names = [f"{'xyz'[axis]}{'1' if side > 0 else '2'}{'a' if end > 0 else 'b'}" for axis, side, end in ENDS]
    up = _unit("normal", normal)
    places = own @ (_onto(np.array([0.0, 0.0, 1.0]), up) @ _rotation(turned) @ _face_turn(face_down)).T
    places += np.array(_three("at", at)) + (lift - (places @ up).min()) * up
    order = {cell_node(axis, end, side): k for k, (axis, side, end) in enumerate(ENDS)}
    pairs = sorted(tuple(sorted((order[one.first], order[one.second]))) for one in cell_cables(hand=HAND))
    return Structure(
        {name: (float(x), float(y), float(z)) for name, (x, y, z) in zip(names, places, strict=True)},
        {
            a[:2]: Bar(a[:2], (a, b), mass=mass / 6.0, length=length, inertia=inertia)
            for a, b in zip(names[::2], names[1::2], strict=True)
        },
        {
            f"c{k + 1}": Cable(
                f"c{k + 1}",
                (names[i], names[j]),
                stiffness=stiffness,
                rest_length=cable - pretension / stiffness,
                damping=damping,
            )
            for k, (i, j) in enumerate(pairs)
        },
        name="six-strut robot",
    )


def _face_turn(face_down: str) -> np.ndarray:
    """(3, 3) What brings a face down, with a side of it along x."""
    if face_down == "none":
        return np.eye(3)
    up = np.array(DOWN[face_down]) / np.linalg.norm(DOWN[face_down])
    side = np.array([1.0, -1.0, 0.0]) / math.sqrt(2.0) if face_down == "closed" else np.array([0.0, 1.0, 0.0])
    return np.array([side, np.cross(up, side), up])


def _rotation(turned: Sequence[float]) -> np.ndarray:
    """(3, 3) by Rodrigues' formula."""
    vector = np.array(_three("turned", turned))
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross)


def _onto(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(3, 3) The shortest turn of one unit vector onto another."""
    axis, cosine = np.cross(one, other), float(one @ other)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3) if cosine > 0.0 else np.diag([1.0, -1.0, -1.0])
    return _rotation((axis / sine * math.atan2(sine, cosine)).tolist())


def _unit(name: str, vector: Sequence[float]) -> np.ndarray:
    given = np.array(_three(name, vector))
    size = float(np.linalg.norm(given))
    if not size > 0.0:
        raise OptionError(f"{name} = {tuple(vector)!r} has no direction")
    return np.asarray(given / size)


def _three(name: str, vector: Sequence[float]) -> list[float]:
    if len(vector) != 3:
        raise OptionError(f"{name} = {tuple(vector)!r} must be three numbers")
    for axis, value in zip("xyz", vector, strict=True):
        require_finite(**{f"{name}.{axis}": value})
    return [float(value) for value in vector]
