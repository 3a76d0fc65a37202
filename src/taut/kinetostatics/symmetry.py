"""Postures that are one another's copies: turned or mirrored by a symmetry of what holds the robot.

A turn or a mirror image that takes the supports, gravity and the loads to themselves, and the members to members, takes
postures to postures. Whether one is the image of another is seen from where the nodes are: each has to lie where some
node of the other lies, and the members have to follow.
"""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np

from taut.kinetostatics.robot import Robot

SAME = 1e-6
"""Of the mean length of members: nodes this near to one another are in one place."""

MOST_SUPPORTS = 64
"""With more supports than these symmetries are not looked for."""


def symmetries(robot: Robot) -> list[tuple[np.ndarray, np.ndarray]]:
    """Orthogonal matrices and shifts, x -> Q x + s, that take supports to supports and keep gravity; not the identity.

    Looked for among those that take held nodes to held nodes, and those that take the axes to themselves. Without held
    nodes any motion of the whole may be one, so there are none to list.
    """
    structure, places = robot.structure, robot.structure.positions
    names = list(structure.nodes)
    held = [names.index(name) for name, axes in structure.supports.items() if len(axes) == 3]
    if not 1 <= len(held) <= MOST_SUPPORTS:
        return []
    points = places[held]
    middle, size = points.mean(axis=0), robot.typical_length
    around = points - middle
    down = robot.problem.network.external.sum(axis=0)
    down = down / (np.linalg.norm(down) or 1.0)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for turn in [*_candidates(around, size), *_of_axes()]:
        image = around @ turn.T
        apart = np.linalg.norm(image[:, None] - around, axis=2)
        if np.linalg.norm(turn @ down - down) > 1e-6 or apart.min(axis=1).max() > SAME * size:
            continue
        if np.abs(turn - np.eye(3)).max() < 1e-6 or any(np.abs(turn - other).max() < 1e-6 for other, _ in found):
            continue
        found.append((turn, middle - turn @ middle))
    return found


def _of_axes() -> list[np.ndarray]:
    """Matrices that take every axis to an axis; those that change least first."""
    turned = [
        np.eye(3)[list(order)] * signs for order in permutations(range(3)) for signs in product((1, -1), repeat=3)
    ]
    return sorted(turned, key=lambda turn: -float(np.trace(turn)))


def _candidates(around: np.ndarray, size: float) -> list[np.ndarray]:
    """Orthogonal matrices that take points to points, where these span a plane or more."""
    base = _independent(around, size)
    found: list[np.ndarray] = []
    if len(base) < 2:
        return found
    for chosen in permutations(range(len(around)), len(base)):
        source, image = around[base].T, around[list(chosen)].T
        if np.abs(source.T @ source - image.T @ image).max() > 1e-6 * size**2:
            continue
        left, sizes, right = np.linalg.svd(image @ source.T)
        loose = sizes <= 1e-9 * max(float(sizes.max()), 1e-300)
        signs = [(1.0, -1.0) if free else (1.0,) for free in loose]
        found += [left @ np.diag(sign) @ right for sign in product(*signs)]
    return found


def _independent(around: np.ndarray, size: float) -> list[int]:
    """Numbers of as few points as span what all of them do."""
    rank = int(np.linalg.matrix_rank(around, tol=1e-6 * size))
    for chosen in combinations(range(len(around)), rank):
        if np.linalg.matrix_rank(around[list(chosen)], tol=1e-6 * size) == rank:
            return list(chosen)
    return []


def copied(robot: Robot, one: np.ndarray, other: np.ndarray) -> str:
    """How a posture (n, 3) is a copy of another: "turned by 120 deg about z"; nothing where it is none."""
    for turn, shift in symmetries(robot):
        image = one @ turn.T + shift
        if _matches(robot, image, other):
            return described(turn)
    return ""


def _matches(robot: Robot, image: np.ndarray, other: np.ndarray) -> bool:
    """Whether the image has a node wherever the other has one, and members between the same places."""
    size = robot.typical_length
    apart = np.linalg.norm(image[:, None] - other, axis=2)
    to = apart.argmin(axis=1)
    if apart.min(axis=1).max() > 10.0 * SAME * size or np.unique(to).size != to.size:
        return False
    structure = robot.structure
    index = {name: i for i, name in enumerate(structure.nodes)}
    for members in (
        [cable.route for cable in structure.cables.values()],
        [bar.nodes for bar in structure.bars.values()],
    ):
        routes = [tuple(index[name] for name in route) for route in members]
        known = {_undirected(route) for route in routes}
        if any(_undirected(tuple(int(to[i]) for i in route)) not in known for route in routes):
            return False
    return True


def _undirected(route: tuple[int, ...]) -> tuple[int, ...]:
    """A route read from its smaller end; a loop from wherever that is smallest."""
    if len(route) > 2 and route[0] == route[-1]:
        ring = route[:-1]
        turns = [ring[k:] + ring[:k] for k in range(len(ring))]
        return min(min(turn, turn[:1] + turn[:0:-1]) for turn in turns)
    return min(route, route[::-1])


def described(turn: np.ndarray) -> str:
    """An orthogonal matrix in words."""
    mirrored = np.linalg.det(turn) < 0.0
    proper = -turn if mirrored else turn
    angle = float(np.degrees(np.arccos(np.clip(0.5 * (np.trace(proper) - 1.0), -1.0, 1.0))))
    if mirrored and abs(angle - 180.0) < 1e-4:
        values, vectors = np.linalg.eigh(turn)
        return f"mirrored across the plane square to {_axis(vectors[:, int(np.argmin(values))])}"
    if mirrored and angle < 1e-4:
        return "mirrored through a point"
    axis = np.array([proper[2, 1] - proper[1, 2], proper[0, 2] - proper[2, 0], proper[1, 0] - proper[0, 1]])
    if np.linalg.norm(axis) < 1e-9:
        values, vectors = np.linalg.eigh(0.5 * (proper + proper.T))
        axis = vectors[:, int(np.argmax(values))]
    axis = axis / np.linalg.norm(axis)
    if axis[int(np.argmax(np.abs(axis)))] < 0.0:
        axis, angle = -axis, -angle
    return f"{'mirrored and ' if mirrored else ''}turned by {angle:.4g} deg about {_axis(axis)}"


def _axis(axis: np.ndarray) -> str:
    largest = int(np.argmax(np.abs(axis)))
    if abs(axis[largest]) > 1.0 - 1e-9:
        return "xyz"[largest]
    if axis[largest] < 0.0:
        axis = -axis
    return "({})".format(", ".join(f"{part:.4g}" for part in axis + 0.0))
