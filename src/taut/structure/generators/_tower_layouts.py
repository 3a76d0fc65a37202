"""The two layouts of towers of prisms: stages that share rings of nodes, and stages that overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from taut.structure.generators._parts import BarLine, CableLine, Layout
from taut.structure.structure import Position

NodeName = Callable[[int, int], str]
"""The name of a ring's node, from the ring's index and the place on it (any whole number, it wraps)."""


def stacked(stages: int, struts: int, radius: float, height: float, twist: float) -> Layout:
    """Prisms on top of each other; neighbours share a ring of nodes, which then carries the force of both."""

    def node(level: int, place: int) -> str:
        return f"{_level_name(level, stages)}{place % struts + 1}"

    def member(kind: str, stage: int, place: int) -> str:
        return f"{kind}{place + 1}" if stages == 1 else f"{kind}{stage + 1}.{place + 1}"

    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    azimuth = 0.0
    ring_force = 1.0 / (2.0 * math.sin(math.pi / struts))
    for level in range(stages + 1):
        nodes.update(_ring(node, level, struts, radius, azimuth, level * height))
        share = ring_force if level in (0, stages) else 2.0 * ring_force
        cables += ((node(level, i), node(level, i), node(level, i + 1), share) for i in range(struts))
        azimuth += hand(level) * twist
    for stage in range(stages):
        for i in range(struts):
            bars.append((member("strut", stage, i), node(stage, i), node(stage + 1, i + hand(stage))))
            cables.append((member("vertical", stage, i), node(stage, i), node(stage + 1, i), 1.0))
    kinds = ["bottom", "vertical", "top"] if stages == 1 else ["bottom", "vertical", "ring", "top"]
    return Layout(nodes, bars, cables, _groups(kinds))


def overlapped(stages: int, struts: int, radius: float, height: float, overlap: float) -> Layout:
    """Stages that reach into each other. Stage s has ring 2 s below and ring 2 s + 1 above."""

    def node(ring: int, place: int) -> str:
        stage, upper = divmod(ring, 2)
        if ring in (0, 2 * stages - 1):
            return f"{'top' if upper else 'bottom'}{place % struts + 1}"
        return f"stage{stage + 1}.{'upper' if upper else 'lower'}{place % struts + 1}"

    phase, turn = overlap_balance(stages, struts, overlap / height)
    twist = turn - math.pi / struts
    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    azimuth = 0.0
    for stage in range(stages):
        base = stage * (height - overlap)
        nodes.update(_ring(node, 2 * stage, struts, radius, azimuth, base))
        nodes.update(_ring(node, 2 * stage + 1, struts, radius, azimuth + hand(stage) * twist, base + height))
        azimuth += hand(stage) * twist + math.pi / struts
        for i in range(struts):
            bars.append((f"strut{stage + 1}.{i + 1}", node(2 * stage, i), node(2 * stage + 1, i + hand(stage))))
    cables = list(_overlap_cables(stages, struts, node, overlap / height, phase, turn))
    return Layout(nodes, bars, cables, _groups(["bottom", "vertical", "saddle", "diagonal", "top"]))


def overlap_balance(stages: int, struts: int, overlap: float) -> tuple[float, float]:
    """The step phi [rad] of the sine by which force densities vary along the tower, and the turn U [rad] of diagonals.

    With S stages, c = cos(pi / struts), u = cos U and the overlap e as a part of the height, the recurrence of
    `_overlap_cables` has a solution without sign changes where

        1 - u = (1 - c) (1 - e) / e tan(S phi / 2) tan(phi / 2)
        tan(phi / 2) tan((S - 1) phi / 2) = u (1 - u) / (1 - u^2 + (1 - e) (u - c))

    As phi grows from zero, u falls from 1 to 0, and with it the right side below the left one.
    """
    c = math.cos(math.pi / struts)
    low, high = 0.0, math.pi / stages
    u = 1.0
    while low < (phi := (low + high) / 2.0) < high:
        half = math.tan(phi / 2.0)
        u = 1.0 - (1.0 - c) * (1.0 - overlap) / overlap * math.tan(stages * phi / 2.0) * half
        demand = u * (1.0 - u) / (1.0 - u * u + (1.0 - overlap) * (u - c)) if u > 0.0 else 0.0
        if half * math.tan((stages - 1) * phi / 2.0) < demand:
            low = phi
        else:
            high = phi
    return low, math.acos(u)


def _overlap_cables(
    stages: int, struts: int, node: NodeName, overlap: float, phase: float, turn: float
) -> Iterator[CableLine]:
    """The cables of an overlapped tower with their force densities in balance; overlap as a part of the height.

    Diagonals turn by U about the axis, struts by B = U + pi / struts, verticals by T = U - pi / struts. With overlap e,
    struts -beta_s and verticals v_s in stage s, and in joint s between the stages s and s + 1 lower diagonals L_s,
    upper diagonals D_s and saddle cables f_s (onward, the way its struts lean) and r_s (backward), balance asks for

        beta_s - v_s = (1 - e) (L_s + D_(s-1))                    no net force through a level
        beta_s sin B - v_s sin T = (L_s + D_(s-1)) sin U          no net torque
        f_s + r_s = (L_s + D_s) (1 - e) / e                       vertical balance of a node
        f_s - r_s = (D_s - L_s) sin U / sin(pi / struts)          tangential balance

    and the radial balance of both rings of a stage leaves a recurrence in (L, D) that these solve, at the phi and U of
    `overlap_balance`: L_s = sin((S - 1 - s) phi), D_s = sin((s + 1) phi).
    """
    sine, cosine = math.sin(math.pi / struts), math.cos(math.pi / struts)
    u, rise = math.cos(turn), 1.0 - overlap
    vertical = (math.sin(turn) - rise * math.sin(turn + math.pi / struts)) / (2.0 * u * sine)
    ring = math.sin((stages - 1) * phase) * (1.0 - u + rise * (u - cosine)) / (4.0 * u * sine**2)
    for i in range(struts):
        yield node(0, i), node(0, i), node(0, i + 1), ring
        yield node(2 * stages - 1, i), node(2 * stages - 1, i), node(2 * stages - 1, i + 1), ring
    for stage in range(stages):
        share = vertical * (math.sin(stage * phase) + math.sin((stages - 1 - stage) * phase))
        for i in range(struts):
            yield f"vertical{stage + 1}.{i + 1}", node(2 * stage, i), node(2 * stage + 1, i), share
    for joint in range(stages - 1):
        low, up = math.sin((stages - 1 - joint) * phase), math.sin((joint + 1) * phase)
        mean = (low + up) * rise / overlap / 2.0
        excess = (up - low) * math.sin(turn) / sine / 2.0
        # lower node i of the next stage is half a step ahead of upper node i
        onward, backward = (0, -1) if hand(joint) > 0 else (-1, 0)
        lower, upper, next_lower, next_upper = range(2 * joint, 2 * joint + 4)
        for i in range(struts):
            place = f"{joint + 1}.{i + 1}"
            yield f"saddle{place}a", node(upper, i), node(next_lower, i + onward), mean + excess
            yield f"saddle{place}b", node(upper, i), node(next_lower, i + backward), mean - excess
            yield f"diagonal{place}a", node(lower, i), node(next_lower, i + onward), low
            yield f"diagonal{place}b", node(upper, i), node(next_upper, i + backward), up


def hand(stage: int) -> int:
    """+1 where struts lean counter-clockwise going up, -1 where clockwise."""
    return 1 if stage % 2 == 0 else -1


def _ring(
    node: NodeName, ring: int, count: int, radius: float, azimuth: float, height: float
) -> Iterator[tuple[str, Position]]:
    for i in range(count):
        angle = azimuth + 2.0 * math.pi * i / count
        yield node(ring, i), (radius * math.cos(angle), radius * math.sin(angle), height)


def _level_name(level: int, stages: int) -> str:
    if level in (0, stages):
        return "top" if level else "bottom"
    return f"ring{level}."


def _groups(cable_kinds: list[str]) -> dict[str, tuple[str, ...]]:
    """A group for each kind of cable and one for the struts; "bottom" and "top" hold nodes as well."""
    groups: dict[str, tuple[str, ...]] = {kind: (f"cable:{kind}*",) for kind in cable_kinds}
    for end in ("bottom", "top"):
        groups[end] += (f"node:{end}*",)
    return {**groups, "struts": ("bar:strut*",)}
