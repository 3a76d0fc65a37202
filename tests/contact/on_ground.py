"""What contact is tried on: a point, a bar, a braced frame, the six-strut robot, and a run on a ground."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from taut import Bar, Cable, Ground, Plane, Structure, Trajectory, assemble, generators, simulate

GRAVITY = 9.81
LENGTH, MASS = 1.0, 2.0


def slope(degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """The direction down a slope along x, and its normal."""
    angle = np.radians(degrees)
    return np.array([np.cos(angle), 0.0, -np.sin(angle)]), np.array([np.sin(angle), 0.0, np.cos(angle)])


def inclined(degrees: float, friction: float, **options: Any) -> Ground:
    normal = slope(degrees)[1]
    return Ground("slope", Plane((normal[0], normal[1], normal[2])), friction=friction, **options)


def point(place: Any = (0.0, 0.0, 0.0)) -> Structure:
    return Structure({"a": tuple(map(float, place))}, point_masses={"a": 1.0})


def rod(angle: float) -> Structure:
    """A bar that stands on its end a, so much above the ground."""
    ends = {"a": (0.0, 0.0, 0.0), "b": (LENGTH * np.cos(angle), 0.0, LENGTH * np.sin(angle))}
    return Structure(ends, [Bar("ab", ("a", "b"), mass=MASS)])


def frame(degrees: float, width: float, height: float) -> Structure:
    """A braced box of bars that stands on a slope, `width` along it."""
    down, normal = slope(degrees)
    axes = (width * down, np.array([0.0, width, 0.0]), height * normal)
    corners = {
        "".join(map(str, c)): sum(k * axis for k, axis in zip(c, axes, strict=True)) for c in product((0, 1), repeat=3)
    }
    bars = []
    for one, other in combinations(corners, 2):
        apart = sum(a != b for a, b in zip(one, other, strict=True))
        if apart == 1 or (apart == 2 and one.count("1") % 2 == 0):
            bars.append(Bar(one + other, (one, other), mass=1.0 if apart == 1 else 0.2))
    return Structure({name: tuple(map(float, place)) for name, place in corners.items()}, bars)


def robot(
    lift: float, *, damping: float = 0.0, stiffness: float = 600.0, turned: np.ndarray | None = None
) -> Structure:
    """Six struts of 0.6 m and 3 kg in all, halves of them at their ends, cables pulled by 40 N; a face down unless
    turned."""
    length, pull = 0.6, 40.0
    cable = length * np.sqrt(6.0) / 4.0
    made = generators.icosahedron(length, stiffness=stiffness, rest_ratio=1.0 - pull / stiffness / cable)
    if turned is None:
        up, side = np.full(3, 1.0 / np.sqrt(3.0)), np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
        turned = np.array([side, np.cross(up, side), up])
    places = np.array(list(made.nodes.values())) @ turned.T
    places[:, 2] += lift - places[:, 2].min()
    return Structure(
        {name: tuple(map(float, place)) for name, place in zip(made.nodes, places, strict=True)},
        [Bar(bar.name, bar.nodes, mass=0.5, inertia="lumped") for bar in made.bars.values()],
        [
            Cable(one.name, one.route, stiffness=stiffness, rest_length=cable - pull / stiffness, damping=damping)
            for one in made.cables.values()
        ],
    )


def followed(
    structure: Structure, ground: Ground, duration: float, step: float, *, gravity: float = GRAVITY, **options: Any
) -> Trajectory:
    """A run on a ground by impulses, or another method, without the comparison with other runs."""
    every, method = options.pop("every", duration / 100), options.pop("method", "impulses")
    plant = assemble(structure, gravity=gravity, ground=[ground], **options)
    return simulate(plant, duration, every=every, method=method, step=step, verify=False)
