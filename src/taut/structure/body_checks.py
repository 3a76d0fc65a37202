"""What is wrong with the plates and angles of a structure."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from taut.errors import Problem, suggestion
from taut.structure.angles import MODES, Angle, Direction, angle_between, directions_of, vectors_of
from taut.structure.magnitudes import SMALLEST
from taut.structure.number_checks import material_problems, number_problems
from taut.structure.plates import (
    Plate,
    auxiliary_name,
    auxiliary_point,
    corners_of,
    frame_of,
    is_flat,
    mass_shares,
    outline_of,
    places_of,
    plate_mass,
    size_of,
    tensor_of,
)
from taut.structure.structure import Structure

ON_A_LINE = 1e-6
"""Of a plate's size: nodes that are no further from a line lie on it."""

TRIANGLE = 1e-9
"""By this fraction a moment of inertia may exceed the sum of the other two."""

SINGULAR = 1e-12
"""Of its largest mass: less than this in some direction is none."""

AS_IT_STANDS = 1e-6
"""[rad] by which a given angle may differ from that of the nodes; a run closes such a gap itself."""

STRAIGHT = 1e-3
"""[rad] from 0 or pi: there the plain angle has no direction in which it grows."""


def plate_problems(structure: Structure, plate: Plate, sound: set[str]) -> Iterator[Problem]:
    path = ("plates", plate.name)
    where = (*path, "nodes")
    if len(plate.nodes) < 3:
        yield Problem(where, f"a plate needs three nodes or more, not {len(plate.nodes)}")
        return
    nodes = [
        Problem(where, f'no node "{node}"{suggestion(node, structure.nodes)}')
        for node in plate.nodes
        if node not in structure.nodes
    ]
    nodes += [Problem(where, f'names node "{n}" twice') for n in dict.fromkeys(plate.nodes) if plate.nodes.count(n) > 1]
    for node in plate.outline or ():
        if node not in plate.nodes:
            nodes.append(
                Problem((*path, "outline"), f'"{node}" is not one of its nodes{suggestion(node, plate.nodes)}')
            )
    if plate.outline is not None and (len(plate.outline) < 3 or len(set(plate.outline)) < len(plate.outline)):
        nodes.append(Problem((*path, "outline"), "needs three corners or more, each once"))
    yield from nodes
    numbers = [
        *number_problems((*path, "mass"), plate.mass, "kg"),
        *number_problems((*path, "thickness"), plate.thickness, "m"),
        *(p for value in plate.centre or () for p in number_problems((*path, "centre"), value, "m", sign=False)),
        *(p for value in plate.inertia or () for p in number_problems((*path, "inertia"), value, "kg m^2", sign=False)),
        *material_problems(path, plate.material),
    ]
    yield from numbers
    if plate.thickness is not None and plate.mass is None and plate.material is None:
        yield Problem((*path, "thickness"), "says nothing without a material, which has a density, or a mass")
    if plate.inertia is not None and len(plate.inertia) not in (3, 6):
        message = f"has {len(plate.inertia)} numbers; give xx, yy, zz, or xx, yy, zz, xy, xz, yz"
        numbers.append(Problem((*path, "inertia"), message))
        yield numbers[-1]
    if plate.inertia is not None and plate.thickness is not None and plate.mass is not None:
        yield Problem((*path, "thickness"), "goes with a material or an outline; with mass and inertia it says nothing")
    if plate.centre is not None and plate.inertia is None:
        yield Problem((*path, "centre"), "goes with an inertia; without one, mass is spread evenly over the outline")
    if nodes or numbers or not sound.issuperset(plate.nodes):
        return
    wrong = [*_line(structure, plate), *_moments(plate)]
    yield from wrong or _body(structure, plate)


def _line(structure: Structure, plate: Plate) -> Iterator[Problem]:
    where = ("plates", plate.name, "nodes")
    places, size = places_of(structure, plate.nodes), size_of(structure, plate)
    width = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)[1]
    a, b, c = places[:3]
    square = np.linalg.norm(np.cross(b - a, c - a))
    if size < SMALLEST or width <= ON_A_LINE * size:
        yield Problem(where, "lie on a line, so it could turn about it; name a node beside it, or use a bar")
    elif square <= ON_A_LINE * size * max(np.linalg.norm(b - a), np.linalg.norm(c - a)):
        yield Problem(where, "the first three lie on a line, but give the plate its axes; name them in another order")


def _moments(plate: Plate) -> Iterator[Problem]:
    if plate.inertia is None:
        return
    path = ("plates", plate.name, "inertia")
    least, middle, most = np.linalg.eigvalsh(tensor_of(plate.inertia))
    told = f"its principal moments {least:.6g}, {middle:.6g} and {most:.6g} kg m^2"
    if not least > 0.0:
        yield Problem(path, f"{told} must all be more than zero; a body without width is a bar")
    elif most > (least + middle) * (1.0 + TRIANGLE):
        yield Problem(path, f"{told} belong to no body: the largest is more than the sum of the other two")


def _body(structure: Structure, plate: Plate) -> Iterator[Problem]:
    """What is wrong with its mass and how it is spread; where the mass is not known there is none."""
    path = ("plates", plate.name)
    by_outline = plate.inertia is None or plate.mass is None
    if by_outline and not is_flat(structure, plate, corners_of(plate)):
        what = "inertia" if plate.inertia is None else "mass"
        remedy = f"give its {'mass, centre and inertia' if what == 'inertia' else 'mass'}"
        yield Problem((*path, what), f"does not follow from an outline, whose corners are not in one plane; {remedy}")
        return
    if by_outline and _crossing(structure, plate):
        message = "its outline crosses itself; name the nodes in their order around it, or give mass and inertia"
        yield Problem((*path, "nodes"), message)
        return
    mass = plate_mass(structure, plate)
    if plate.mass is None:
        yield from number_problems((*path, "mass"), mass, "kg")
    taken = list(_point(structure, plate))
    yield from taken
    if mass is None or taken:
        return
    from taut.structure.joining import with_auxiliary_points

    shares = mass_shares(with_auxiliary_points(structure, [plate]), plate)
    names = list(shares.own)
    matrix = np.diag([*shares.own.values()])
    for (a, b), between in shares.pairs.items():
        i, j = names.index(a), names.index(b)
        matrix[i, j] = matrix[j, i] = between
    masses = np.linalg.eigvalsh(matrix)
    if masses[0] <= SINGULAR * masses[-1]:
        message = "is that of a flat body beside the plane of its nodes; give it a thickness: xx + yy more than zz"
        yield Problem((*path, "inertia"), message)


def _point(structure: Structure, plate: Plate) -> Iterator[Problem]:
    """A node that has the name of the plate's auxiliary point must be that."""
    name = auxiliary_name(plate)
    if name not in structure.nodes:
        return
    wanted = auxiliary_point(structure, plate)
    off = np.inf if wanted is None else np.linalg.norm(np.array(structure.nodes[name]) - wanted)
    if not off <= ON_A_LINE * size_of(structure, plate):
        message = (
            f'has the name of the point that plate "{plate.name}" may need beside its nodes; rename one of the two'
        )
        yield Problem(("nodes", name), message)


def _crossing(structure: Structure, plate: Plate) -> bool:
    """Whether two sides of its outline that are not neighbours meet, or it has no area."""
    frame = frame_of(structure, plate)
    corners = ((places_of(structure, corners_of(plate)) - frame.origin) @ frame.axes)[:, :2]
    count = len(corners)

    def side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    for i in range(count):
        a, b = corners[i], corners[(i + 1) % count]
        for j in range(i + 2, count - (i == 0)):
            c, d = corners[j], corners[(j + 1) % count]
            if side(a, b, c) * side(a, b, d) <= 0.0 and side(c, d, a) * side(c, d, b) <= 0.0:
                return True
    return outline_of(structure, plate)[0] <= ON_A_LINE * size_of(structure, plate) ** 2


# --- angles


def angle_problems(structure: Structure, angle: Angle, sound: set[str]) -> Iterator[Problem]:
    path = ("angles", angle.name)
    given = {"first": angle.first, "second": angle.second}
    if angle.about is not None:
        given["about"] = angle.about
    found = [p for key, direction in given.items() for p in _direction(structure, (*path, key), direction)]
    found += number_problems((*path, "value"), angle.value, "rad", sign=False)
    found += _mode_problems(angle)
    yield from found
    if found or not all(sound.issuperset(nodes) for nodes in directions_of(structure, angle)):
        return
    vectors = vectors_of(structure, angle)
    for key, vector in zip(given, vectors, strict=True):
        if np.linalg.norm(vector) < SMALLEST:
            found.append(Problem((*path, key), _without_direction(structure, angle, key)))
    yield from found
    if found:
        return
    if angle.about is None:
        yield from _plain(angle, vectors)
    else:
        for key, vector in zip(("first", "second"), vectors[:2], strict=True):
            if _lies_along(vector, vectors[2]):
                yield Problem((*path, key), "lies along the axis that it is to turn about; name another direction")
                return
        yield from _as_it_stands(angle, angle_between(*vectors))


def _mode_problems(angle: Angle) -> Iterator[Problem]:
    """Of what acts on an angle."""
    path = ("angles", angle.name)
    if angle.mode not in MODES:
        known = f"{', '.join(MODES)}{suggestion(angle.mode, MODES)}"
        yield Problem((*path, "mode"), f'"{angle.mode}" is not one of {known}')
    for key, unit in (("stiffness", "N m/rad"), ("damping", "N m s/rad"), ("torque", "N m")):
        value = getattr(angle, key)
        yield from number_problems((*path, key), value, unit, sign=False)
        if key != "torque" and value < 0.0:
            yield Problem((*path, key), f"{value:g} {unit} must not be negative")
        elif value != 0.0 and angle.mode == "held":
            message = f"{value:g} {unit} does nothing to an angle that is held at its value; say mode: free"
            yield Problem((*path, key), message)


def _direction(structure: Structure, path: tuple[str, ...], direction: Direction) -> Iterator[Problem]:
    if isinstance(direction, str):
        kind, colon, name = direction.partition(":")
        if not colon or kind not in ("bar", "plate"):
            yield Problem(path, f'"{direction}" is not a direction; say "bar:...", "plate:..." or a pair of nodes')
        elif name not in (known := structure.bars if kind == "bar" else structure.plates):
            yield Problem(path, f'no {kind} "{name}"{suggestion(name, known)}')
        elif len(known[name].nodes) < (2 if kind == "bar" else 3):
            yield Problem(path, f'{kind} "{name}" has no direction')
        return
    if len(direction) not in (2, 3) or len(set(direction)) < len(direction):
        advice = "give two different nodes, or three whose plane's normal is meant"
        yield Problem(path, f"{list(direction)} is not a direction; {advice}")
    for node in direction:
        if node not in structure.nodes:
            yield Problem(path, f'no node "{node}"{suggestion(node, structure.nodes)}')


def _without_direction(structure: Structure, angle: Angle, key: str) -> str:
    """What is wrong with nodes that span nothing."""
    nodes = directions_of(structure, angle)[("first", "second", "about").index(key)]
    where = "at the same place" if len(nodes) == 2 else "on one line"
    return f"its nodes are {where}, so it has no direction"


def _lies_along(one: np.ndarray, other: np.ndarray) -> bool:
    return min(angle_between(one, other), angle_between(one, -other)) < STRAIGHT


def _plain(angle: Angle, vectors: list[np.ndarray]) -> Iterator[Problem]:
    path, stands = ("angles", angle.name), angle_between(*vectors)
    if angle.value is not None and not 0.0 <= angle.value <= math.pi:
        yield Problem((*path, "value"), f"{angle.value:g} rad is no angle between two directions; it is from 0 to pi")
    elif _lies_along(*vectors) or (angle.value is not None and min(angle.value, math.pi - angle.value) < STRAIGHT):
        message = "the two directions are along each other, where the angle may grow in any; say about which axis"
        yield Problem((*path, "about"), message)
    else:
        yield from _as_it_stands(angle, stands)


def _as_it_stands(angle: Angle, stands: float) -> Iterator[Problem]:
    if (
        angle.mode == "held"
        and angle.value is not None
        and abs(math.remainder(angle.value - stands, 2.0 * math.pi)) > AS_IT_STANDS
    ):
        message = f"is {angle.value:g} rad but its directions are {stands:g} rad apart"
        remedy = "move a node, or leave the value out to take the angle as it stands"
        yield Problem(("angles", angle.name, "value"), f"{message}; {remedy}")
