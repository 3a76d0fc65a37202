"""Plates: rigid bodies spanned by three or more nodes, with their mass, centre and inertia.

A plate has axes of its own: from its first node, x towards its second, z square to the plane of its first three. Its
centre and inertia are given along them, so that they go wherever its nodes go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.reprs import brief
from taut.structure.records import Material
from taut.type_checks import conform, known_fields

if TYPE_CHECKING:
    from taut.structure.structure import Structure

FLAT = 1e-9
"""Nodes within this fraction of a plate's size of a plane lie in it."""

THIN = 1e-12
"""Mass that lies so little out of the plane of the nodes, as a fraction of its second moment, lies in it."""

NEAR = 0.01
"""Of a plate's size: its auxiliary point is at least so far from the plane of its nodes."""


@known_fields
@dataclass(frozen=True, slots=True)
class Plate:
    """A rigid body spanned by three or more nodes, of which the first three are not on a line.

    mass: [kg]; None takes it from material, thickness and outline.
    centre: (x, y, z) [m] of its mass, along its own axes; None: the mean of its nodes, or the middle of its outline.
    inertia: about its centre, along its own axes [kg m^2]: xx, yy, zz, or xx, yy, zz, xy, xz, yz of the tensor. None:
        its mass is spread evenly over its outline and through its thickness.
    thickness: [m], half on either side of the plane of its outline.
    outline: those of its nodes that are the corners of its outline, in order; None: all of them.
    """

    name: str
    nodes: tuple[str, ...]
    mass: float | None = None
    centre: tuple[float, float, float] | None = None
    inertia: tuple[float, ...] | None = None
    material: Material | None = None
    thickness: float | None = None
    outline: tuple[str, ...] | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "plates", str(self.name))


class Frame(NamedTuple):
    """A plate's own axes: position = origin + axes @ own coordinates."""

    origin: np.ndarray  # (3,)
    axes: np.ndarray  # (3, 3) a column each


class Body(NamedTuple):
    """What a plate is as a body, in the coordinates of the structure."""

    mass: float
    centre: np.ndarray  # (3,)
    spread: np.ndarray  # (3, 3) the sum of mass times r r^T, with r from the centre [kg m^2]

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) about the centre [kg m^2]."""
        return np.asarray(np.trace(self.spread) * np.eye(3) - self.spread)


class Span(NamedTuple):
    """Base points that say where a plate is, and the other nodes as weighted means of them."""

    base: tuple[str, ...]  # three, or four that are not in one plane
    rest: tuple[str, ...]
    weights: np.ndarray  # (rest, base)
    affine: np.ndarray  # (base, 4) the weights of a point x are affine @ (x - middle, 1)
    middle: np.ndarray  # (3,) of the base


def places_of(structure: Structure, names: tuple[str, ...]) -> np.ndarray:
    return np.array([structure.nodes[name] for name in names], dtype=float).reshape(-1, 3)


def frame_of(structure: Structure, plate: Plate) -> Frame:
    return frame_through(places_of(structure, plate.nodes[:3]))


def frame_through(places: np.ndarray) -> Frame:
    """The axes of a plate whose first three nodes are there, (3, 3) a row each."""
    a, b, c = places
    along = (b - a) / np.linalg.norm(b - a)
    normal = np.cross(along, c - a)
    normal = normal / np.linalg.norm(normal)
    return Frame(a, np.stack([along, np.cross(normal, along), normal], axis=1))


def corners_of(plate: Plate) -> tuple[str, ...]:
    """The corners of its outline, in order."""
    return plate.outline or plate.nodes


def is_flat(structure: Structure, plate: Plate, nodes: tuple[str, ...] | None = None) -> bool:
    """Whether its nodes, or these, lie in the plane of its first three."""
    frame, places = frame_of(structure, plate), places_of(structure, nodes or plate.nodes)
    return bool(np.abs((places - frame.origin) @ frame.axes[:, 2]).max() <= FLAT * size_of(structure, plate))


def size_of(structure: Structure, plate: Plate) -> float:
    """How far its nodes reach [m]."""
    places = places_of(structure, plate.nodes)
    return float(np.linalg.norm(places[:, None] - places, axis=2).max())


def plate_mass(structure: Structure, plate: Plate) -> float | None:
    """[kg], or None where neither a mass nor material, density and thickness are given."""
    if plate.mass is not None:
        return plate.mass
    if plate.material is None or plate.material.density is None or plate.thickness is None:
        return None
    return plate.material.density * plate.thickness * outline_of(structure, plate)[0]


def outline_of(structure: Structure, plate: Plate) -> tuple[float, np.ndarray, np.ndarray]:
    """Area [m^2], middle (2,) and second moments (2, 2) [m^4] about it of the outline, along its own x and y."""
    frame = frame_of(structure, plate)
    corners = ((places_of(structure, corners_of(plate)) - frame.origin) @ frame.axes)[:, :2]
    after = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]
    area = 0.5 * float(cross.sum())
    if area == 0.0:
        return 0.0, corners.mean(axis=0), np.zeros((2, 2))
    middle = cross @ (corners + after) / (6.0 * area)
    one, other = corners - middle, after - middle
    cross = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    mixed = np.einsum("k,ki,kj->ij", cross, one + other, one + other)
    mixed += np.einsum("k,ki,kj->ij", cross, one, one) + np.einsum("k,ki,kj->ij", cross, other, other)
    return abs(area), middle, mixed / 24.0 * np.sign(area)


def tensor_of(inertia: tuple[float, ...]) -> np.ndarray:
    """(3, 3) of the three or six numbers."""
    xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def body_of(structure: Structure, plate: Plate) -> Body | None:
    """What it is as a body where it stands; None where its mass is not known."""
    mass, frame = plate_mass(structure, plate), frame_of(structure, plate)
    if mass is None:
        return None
    spread = np.zeros((3, 3))
    if plate.inertia is None:
        area, middle, second = outline_of(structure, plate)
        centre = frame.origin + frame.axes[:, :2] @ middle
        spread[:2, :2] = mass / area * second
        spread[2, 2] = mass * (plate.thickness or 0.0) ** 2 / 12.0
    else:
        tensor = tensor_of(plate.inertia)
        spread = 0.5 * np.trace(tensor) * np.eye(3) - tensor
        places = places_of(structure, plate.nodes)
        centre = places.mean(axis=0) if plate.centre is None else frame.origin + frame.axes @ np.array(plate.centre)
    return Body(mass, centre, frame.axes @ spread @ frame.axes.T)


# --- base points


def auxiliary_name(plate: Plate) -> str:
    """Of the point that a plate has beside its nodes where its mass is not in their plane."""
    return f"{plate.name}~"


def auxiliary_points(structure: Structure) -> frozenset[str]:
    """Those that the structure has. They carry the mass of plates, and are no places that anything else acts on."""
    return frozenset(name for plate in structure.plates.values() if (name := auxiliary_name(plate)) in structure.nodes)


def auxiliary_point(structure: Structure, plate: Plate) -> np.ndarray | None:
    """Where the auxiliary point goes; None where a plate needs none: its nodes, or its mass, say all of its motion."""
    body = body_of(structure, plate)
    if body is None or not is_flat(structure, plate):
        return None
    frame, places = frame_of(structure, plate), places_of(structure, _corners(structure, plate))
    normal, middle, size = frame.axes[:, 2], places.mean(axis=0), size_of(structure, plate)
    moment, height = float(normal @ body.spread @ normal) / body.mass, float(normal @ (body.centre - middle))
    if moment <= THIN * float(np.trace(body.spread)) / body.mass and abs(height) <= FLAT * size:
        return None
    # As far as the mass is, so that the point has its share of it.
    return np.asarray(middle + max(2.0 * np.sqrt(max(moment, 0.0) + height**2), NEAR * size) * normal)


def _corners(structure: Structure, plate: Plate) -> tuple[str, ...]:
    """Three nodes far from each other, in the order of the nodes; the same ones wherever the plate is."""
    places = places_of(structure, plate.nodes)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    i, j = np.unravel_index(_first_large(apart.ravel()), apart.shape)
    along = (places[j] - places[i]) / apart[i, j]
    k = _first_large(np.linalg.norm(np.cross(places - places[i], along), axis=1))
    return tuple(plate.nodes[m] for m in sorted((int(i), int(j), k)))


def _first_large(values: np.ndarray) -> int:
    """The first that is as large as any, but for round-off."""
    return int(np.argmax(values >= (1.0 - 1e-6) * values.max()))


def points_of(structure: Structure, plate: Plate) -> tuple[str, ...]:
    """Its nodes, and its auxiliary point where the structure has one."""
    extra = auxiliary_name(plate)
    return (*plate.nodes, extra) if extra in structure.nodes else plate.nodes


def span_of(structure: Structure, plate: Plate) -> Span:
    """By which points a plate is known: three of its nodes, and a fourth out of their plane where it has one."""
    base, extra = _corners(structure, plate), auxiliary_name(plate)
    if extra in structure.nodes:
        base = (*base, extra)
    elif not is_flat(structure, plate):
        places = places_of(structure, plate.nodes)
        a, b, c = places_of(structure, base)
        base = (*base, plate.nodes[_first_large(np.abs((places - a) @ np.cross(b - a, c - a)))])
    points = places_of(structure, base)
    middle = points.mean(axis=0)
    affine = np.linalg.pinv(np.column_stack([points - middle, np.ones(len(base))]).T)
    rest = tuple(node for node in plate.nodes if node not in base)
    others = places_of(structure, rest) - middle
    weights = np.column_stack([others, np.ones(len(rest))]) @ affine.T
    return Span(base, rest, weights, affine, middle)


def rigid_motion(structure: Structure, plate: Plate, about: np.ndarray) -> np.ndarray:
    """(3 k, 6) velocities of its k nodes for the three velocities of the body at a point and its three spins."""
    arms = places_of(structure, plate.nodes) - about
    found = np.zeros((len(arms), 3, 6))
    found[:, :, :3] = np.eye(3)
    for axis in range(3):
        found[:, :, 3 + axis] = np.cross(np.eye(3)[axis], arms)
    return found.reshape(-1, 6)


def start_velocities(structure: Structure, given: Mapping[str, tuple[float, float, float]]) -> np.ndarray:
    """(n, 3) [m/s], zero where not given; auxiliary points go with the nodes of their plate."""
    speeds = np.array([given.get(node, (0.0, 0.0, 0.0)) for node in structure.nodes], dtype=float).reshape(-1, 3)
    return carried(structure, speeds, given)


def carried(structure: Structure, moves: np.ndarray, given: Collection[str] = ()) -> np.ndarray:
    """Velocities or small moves of all nodes (n, 3), with those of auxiliary points that are not given as the nodes of
    their plates carry them."""
    found, place = moves.copy(), {node: k for k, node in enumerate(structure.nodes)}
    for plate in structure.plates.values():
        name = auxiliary_name(plate)
        if name in place and name not in given:
            nodal = moves[[place[node] for node in plate.nodes]].ravel()
            motion = rigid_motion(structure, plate, np.array(structure.nodes[name]))
            found[place[name]] = np.linalg.lstsq(motion, nodal, rcond=None)[0][:3]
    return found


class Shares(NamedTuple):
    """The mass of a plate as a mass matrix over its points: what moves as its rows ask has its energy, exactly."""

    own: dict[str, float]  # node -> diagonal [kg]
    pairs: dict[tuple[str, str], float]  # what stands between two of them [kg]
    weighing: dict[str, float]  # node -> what gravity acts on [kg]


def mass_shares(structure: Structure, plate: Plate) -> Shares:
    """Every point of the body is a weighted mean of the base, so that the mass matrix is the same in every position.

    Nodes beyond the base get a mass of their own, which is taken off the base: where they go as their rows say, that
    changes nothing.
    """
    body, span = body_of(structure, plate), span_of(structure, plate)
    if body is None:
        nan = dict.fromkeys(span.base, np.nan)
        return Shares(nan, {}, nan)
    off = np.append(body.centre - span.middle, 1.0)
    moments = body.mass * np.outer(off, off)
    moments[:3, :3] += body.spread
    matrix = span.affine @ moments @ span.affine.T
    own: dict[str, float] = {}
    if span.rest:
        share = 0.5 / _largest(matrix, span.weights)
        matrix = matrix - share * span.weights.T @ span.weights
        own = dict.fromkeys(span.rest, share)
    count = len(span.base)
    pairs = {(span.base[i], span.base[j]): float(matrix[i, j]) for i in range(count) for j in range(i + 1, count)}
    own |= {node: float(matrix[i, i]) for i, node in enumerate(span.base)}
    return Shares(own, pairs, plate_weight(structure, plate))


def plate_weight(structure: Structure, plate: Plate) -> dict[str, float]:
    """Node -> [kg] that gravity acts on; raises ModelError where that is not known, or not at any of them."""
    body = body_of(structure, plate)
    if body is None:
        message = "is not known, and gravity acts; give a mass, or a material with a density and a thickness"
        raise ModelError([Problem(("plates", plate.name, "mass"), message)])
    span = span_of(structure, plate)
    shares = span.affine @ np.append(body.centre - span.middle, 1.0)
    if np.abs(shares @ places_of(structure, span.base) - body.centre).max() > FLAT * size_of(structure, plate):
        message = "is not in the plane of its nodes, where gravity acts on them; name a node out of it as a fourth"
        raise ModelError([Problem(("plates", plate.name, "centre"), message)])
    return {node: body.mass * float(share) for node, share in zip(span.base, shares, strict=True)}


def balanced_mass(structure: Structure, plate: Plate) -> dict[str, float]:
    """Node -> [kg] with the mean of the body where its nodes and points can have it; none of an unknown mass."""
    mass = plate_mass(structure, plate)
    if mass is None:
        return {}
    try:
        return plate_weight(structure, plate)
    except ModelError:
        return dict.fromkeys(plate.nodes, mass / len(plate.nodes))


def _largest(matrix: np.ndarray, weights: np.ndarray) -> float:
    """Of w M^-1 w^T over all combinations of the rows of `weights`."""
    return float(np.linalg.eigvalsh(weights @ np.linalg.solve(matrix, weights.T))[-1])
