"""Where a prismatic robot is in balance: wires pull as told, bars, saddles and the plate keep their lengths.

Over a regular base one node of every ring stands for all, the others being that one turned about z: a small system of
statics, which damped Newton solves from a tower of the same layers. Over another base it is followed from there, with
every node for itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.structure.generators._tower_layouts import hand, overlap_balance

OVERLAPS = (0.3, 0.1, 0.2, 0.4)
"""Of a layer's height: towers of such overlaps are tried as starts."""

CLOSE = 1e-9
"""Of the largest tension: what may be left of forces [N], and of lengths in as many metres."""

STEPS = (1, 4, 16)
"""From a regular base to another one in so many steps, where fewer do not lead there."""

NEARBY = 400
"""Steps of Newton's method from one base to the next."""

Piece = tuple[int, int, np.ndarray]
"""Two points, and the turn (3, 3) of the second at which the piece ends."""

Place = tuple[int, int]
"""Ring and place on it; places count round the axis and wrap."""


class Wiring(NamedTuple):
    """Which nodes bars, wires and saddles join, beginning at place 0; every other one is the same, turned.

    Layer s has ring 2 s below and ring 2 s + 1 above. Wires of family f climb lower rings up to layer f, cross it, and
    climb upper rings to the plate.
    """

    bars: list[tuple[Place, ...]]
    wires: list[tuple[Place, ...]]
    saddles: list[tuple[Place, ...]]  # from an upper node down and up again


def wiring(layers: int) -> Wiring:
    """Of any number of sides."""
    bars: list[tuple[Place, ...]] = [((2 * s, 0), (2 * s + 1, hand(s))) for s in range(layers)]
    saddles: list[tuple[Place, ...]] = [((2 * s + 1, 0), (2 * s + 2, 0), (2 * s + 1, 1)) for s in range(layers - 1)]
    wires = []
    for crossed in range(layers):
        place, route = 0, [(0, 0)]
        for s in range(crossed):
            place += _beside(s)[0]
            route.append((2 * s + 2, place))
        route.append((2 * crossed + 1, place))
        for s in range(crossed, layers - 1):
            place += _beside(s)[1]
            route.append((2 * s + 3, place))
        wires.append(tuple(route))
    return Wiring(bars, wires, saddles)


def _beside(layer: int) -> tuple[int, int]:
    """Places on the next lower ring, seen from an upper node, onward and backward the way the layer's bars lean."""
    return (0, -1) if hand(layer) > 0 else (-1, 0)


class Loaded(NamedTuple):
    """What keeps its length [m], what pulls [N], and what weighs, of a robot with `sides` sides."""

    sides: int
    radius: float
    plate_radius: float
    bar_length: float
    saddle_length: Sequence[float]  # of every loop
    tension: Sequence[float]  # of every family of wires
    weight: Sequence[float]  # [N] of a node of every ring


class Held(NamedTuple):
    """Points of which the first are fixed, routes that pull [N], and routes that keep their length [m]."""

    fixed: np.ndarray  # (f, 3)
    weight: np.ndarray  # (n,) [N] along -z
    pulled: list[tuple[list[Piece], float]]
    kept: list[tuple[list[Piece], float]]


class Balance(NamedTuple):
    """How near Newton's method came."""

    points: np.ndarray  # (n, 3)
    forces: np.ndarray  # [N] in what keeps its length, tension positive
    left: float  # [N, m]


def balanced_rings(robot: Loaded) -> np.ndarray:
    """(2 layers, 3) [m] the node at place 0 of every ring of a robot on a regular base, in balance."""
    layers, misses, odd = len(robot.tension), [], ""
    laid = wiring(layers)

    def pieces(route: Sequence[Place]) -> list[Piece]:
        return [(a, b, about_z(2.0 * math.pi * (q - p) / robot.sides)) for (a, p), (b, q) in pairwise(route)]

    last = 2 * layers - 1
    chord = 2.0 * robot.plate_radius * math.sin(math.pi / robot.sides)
    kept = [(pieces(route), robot.bar_length) for route in laid.bars]
    kept += [(pieces(one), length / robot.sides) for one, length in zip(laid.saddles, robot.saddle_length, strict=True)]
    kept.append((pieces(((last, 0), (last, 1))), chord))
    pulled = [(pieces(route), tension) for route, tension in zip(laid.wires, robot.tension, strict=True)]
    for overlap in OVERLAPS if layers > 1 else OVERLAPS[:1]:
        start = _tower_rings(robot, layers, overlap)
        found = _balanced(Held(start[:1], np.array(robot.weight), pulled, kept), start)
        misses.append(found.left)
        if found.left > CLOSE * max(robot.tension):
            continue
        pushed, tight = found.forces[:layers], found.forces[layers:-1]
        if pushed.max() < 0.0 < tight.min(initial=1.0) and (np.diff(found.points[1::2, 2], prepend=0.0) > 0.0).all():
            return found.points
        odd = ", in one that is balanced bars pull, saddles push or layers hang"
    told = ", ".join(f"{tension:g}" for tension in robot.tension)
    loops = f" with saddles of {', '.join(f'{length:.4g}' for length in robot.saddle_length)} m" if layers > 1 else ""
    raise OptionError(
        f"no shape was found in which wires of {told} N hold bars of {robot.bar_length:g} m on a radius of "
        f"{robot.radius:.4g} m{loops} ({min(misses):.3g} N left at the nearest{odd}); take a shorter "
        "saddle, longer bars or another ratio of the tensions"
    )


def all_round(rings: np.ndarray, sides: int) -> np.ndarray:
    """(2 layers, sides, 3) every node by ring and place, from that at place 0 of every ring."""
    turns = np.array([about_z(2.0 * math.pi * place / sides) for place in range(sides)])
    return np.asarray(np.einsum("pij,rj->rpi", turns, rings))


def balanced_nodes(robot: Loaded, rings: np.ndarray, base: np.ndarray) -> np.ndarray:
    """(2 layers, sides, 3) [m] every node by ring and place, over a base (sides, 3) of any shape; from the balance over
    the regular one, in steps."""
    sides, count, laid = robot.sides, len(rings), wiring(len(robot.tension))
    points = all_round(rings, sides)
    regular = points[0].copy()

    def pieces(route: Sequence[Place], first: int) -> list[Piece]:
        numbers = [ring * sides + (first + step) % sides for ring, step in route]
        return [(a, b, np.eye(3)) for a, b in pairwise(numbers)]

    kept = [(pieces(route, k), robot.bar_length) for route in laid.bars for k in range(sides)]
    for zigzag, length in zip(laid.saddles, robot.saddle_length, strict=True):
        kept.append(([piece for k in range(sides) for piece in pieces(zigzag, k)], length))
    # A point above the plate makes it a rigid body of distances: a plane of points has none that resist bending.
    plate = [(count - 1) * sides + k for k in range(sides)]
    apex = points[-1].mean(axis=0) + np.array([0.0, 0.0, robot.plate_radius])
    start = np.vstack([points.reshape(-1, 3), apex])
    ties = [(plate[0], plate[1]), *((plate[0], k) for k in plate[2:]), *((plate[1], k) for k in plate[2:])]
    ties += [(k, len(start) - 1) for k in plate]
    kept += [([(a, b, np.eye(3))], math.dist(start[a], start[b])) for a, b in ties]
    pulled = [
        (pieces(route, k), tension)
        for route, tension in zip(laid.wires, robot.tension, strict=True)
        for k in range(sides)
    ]
    weight = np.append(np.repeat(robot.weight, sides), 0.0)
    nearest = math.inf
    for steps in STEPS:
        here = start
        for step in range(1, steps + 1):
            here = here.copy()
            here[:sides] = regular + step / steps * (base - regular)
            found = _balanced(Held(here[:sides], weight, pulled, kept), here, NEARBY)
            here = found.points
            if found.left > CLOSE * max(robot.tension):
                nearest = min(nearest, found.left)
                break
        else:
            return here[:-1].reshape(count, sides, 3)
    raise OptionError(
        f"no balance was found over this base: followed from a regular base of radius {robot.radius:.4g} m it ends "
        f"({nearest:.3g} N, m left at the nearest); give a base that is nearer to a regular one"
    )


def _tower_rings(robot: Loaded, layers: int, overlap: float) -> np.ndarray:
    """A tower of overlapping layers on the same base, whose bars have the length asked for."""
    turn = overlap_balance(layers, robot.sides, overlap)[1] if layers > 1 else 0.5 * math.pi
    twist = turn - math.pi / robot.sides
    across = 2.0 * robot.radius * math.sin(0.5 * (twist + 2.0 * math.pi / robot.sides))
    if across >= robot.bar_length:
        raise OptionError(
            f"bar_length = {robot.bar_length:g} m is too short for a base of radius {robot.radius:.4g} m: bars lean by "
            f"{across:.4g} m; make it longer, or the base smaller"
        )
    height = math.sqrt(robot.bar_length**2 - across**2)
    azimuth, rings = 0.0, []
    for layer in range(layers):
        below = layer * height * (1.0 - overlap)
        rings.append((robot.radius, azimuth, below))
        azimuth += hand(layer) * twist
        rings.append((robot.plate_radius if layer == layers - 1 else robot.radius, azimuth, below + height))
        azimuth += math.pi / robot.sides
    return np.array([(radius * math.cos(angle), radius * math.sin(angle), z) for radius, angle, z in rings])


def about_z(angle: float) -> np.ndarray:
    """(3, 3) about z."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def _balanced(held: Held, start: np.ndarray, limit: int = 0) -> Balance:
    """By Levenberg-Marquardt on forces and lengths together, from a start (n, 3) on, in so many steps at most."""
    from scipy.optimize import root

    fixed = len(held.fixed)
    free = 3 * (len(start) - fixed)

    def evaluate(unknown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _left(held, np.vstack([held.fixed, unknown[:free].reshape(-1, 3)]), unknown[free:])

    left, slope = evaluate(np.append(start[fixed:].ravel(), np.zeros(len(held.kept))))
    forces = np.linalg.lstsq(slope[:free, free:], -left[:free], rcond=None)[0]
    guess = np.append(start[fixed:].ravel(), forces)
    unknown = root(evaluate, guess, jac=True, method="lm", options={"xtol": 1e-15, "ftol": 1e-15, "maxiter": limit}).x
    for _ in range(2):  # to round-off
        left, slope = evaluate(unknown)
        unknown = unknown - np.linalg.lstsq(slope, left, rcond=1e-13)[0]
    left, _ = evaluate(unknown)
    return Balance(
        np.vstack([held.fixed, unknown[:free].reshape(-1, 3)]), unknown[free:], float(np.abs(left).max(initial=0.0))
    )


def _left(held: Held, points: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Forces on free points and what lengths are off, (f + k,) [N, m], and its Jacobian."""
    count, fixed = len(points), len(held.fixed)
    gradient, second = np.zeros((count, 3)), np.zeros((count, 3, count, 3))
    rows, off = np.zeros((len(held.kept), count, 3)), np.zeros(len(held.kept))
    gradient[:, 2] = held.weight
    routes = [*held.pulled, *((pieces, force) for (pieces, _), force in zip(held.kept, forces, strict=True))]
    for number, (pieces, force) in enumerate(routes, -len(held.pulled)):
        slope, length = np.zeros((count, 3)), 0.0
        for a, b, turn in pieces:
            way = turn @ points[b] - points[a]
            size = float(np.linalg.norm(way))
            along = way / size
            length += size
            slope[a] -= along
            slope[b] += along @ turn
            bend = force * (np.eye(3) - np.outer(along, along)) / size
            second[a, :, a] += bend
            second[b, :, b] += turn.T @ bend @ turn
            second[a, :, b] -= bend @ turn
            second[b, :, a] -= turn.T @ bend
        gradient += force * slope
        if number >= 0:
            rows[number], off[number] = slope, length - held.kept[number][1]
    free = 3 * (count - fixed)
    stiffness, jacobian = second[fixed:, :, fixed:].reshape(free, free), rows[:, fixed:].reshape(-1, free)
    zero = np.zeros((off.size, off.size))
    return np.append(gradient[fixed:].ravel(), off), np.block([[stiffness, jacobian.T], [jacobian, zero]])
