"""Cable domes: rings of posts between ridge and diagonal cables, and the self-stress that symmetry leaves them.

A dome looks the same from every sector, so the balance of one post's two ends is that of all. Ring by ring from the
centre outwards, each has one force that is not known yet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from taut.errors import OptionError
from taut.structure.generators._parts import BarLine, CableLine, Layout
from taut.structure.structure import Position

CLOSE = 1e-9
"""Of the radius: what is nearer than this to no room at all is taken for none."""


class Shape(NamedTuple):
    """The profile of a dome. Tuples go from the outermost ring of posts inwards; a radius of zero is the centre post.

    radius: [m], of the supports, which are at height zero. heights: [m], of the posts' upper ends.
    staggered: every other ring is turned by half a sector, and two cables go from each node to the next ring (Levy).
    """

    sectors: int
    radius: float
    radii: tuple[float, ...]
    heights: tuple[float, ...]
    post_lengths: tuple[float, ...]
    staggered: bool

    @property
    def has_centre_post(self) -> bool:
        return self.radii[-1] == 0.0


class Ring(NamedTuple):
    """Force densities of a ring's hoop and of the cables between it and the ring outside, up to a common factor."""

    ridge: float
    diagonal: float
    hoop: float


def dome(shape: Shape) -> Layout:
    """Names count rings from the outermost, 1; the centre post is the ring after the last and has no sectors."""
    sectors, last = shape.sectors, len(shape.radii)

    def node(end: str, ring: int, place: int) -> str:
        if ring == 0:
            return f"support{place % sectors + 1}"
        return f"{end}{ring}" if _is_centre(shape, ring) else f"{end}{ring}.{place % sectors + 1}"

    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    for i in range(sectors):
        nodes[node("", 0, i)] = _place(shape, 0, i, 0.0)
    for ring, (force, height, post) in enumerate(
        zip(_self_stress(shape), shape.heights, shape.post_lengths, strict=True), 1
    ):
        centre = _is_centre(shape, ring)
        for i in range(1 if centre else sectors):
            upper, lower = node("upper", ring, i), node("lower", ring, i)
            nodes[upper] = _place(shape, ring, i, height)
            nodes[lower] = _place(shape, ring, i, height - post)
            bars.append((f"post{ring}" if centre else f"post{ring}.{i + 1}", lower, upper))
        # An odd ring of a staggered dome is half a sector ahead: its place i is between the places i and i + 1 outside.
        paired = shape.staggered and not centre
        steps = (("a", ring % 2 - 1), ("b", ring % 2)) if paired else (("", 0),)
        for i in range(sectors):
            for mark, step in steps:
                tag, outside = f"{ring}.{i + 1}{mark}", node("upper", ring - 1, i + step)
                cables.append((f"ridge{tag}", outside, node("upper", ring, i), force.ridge))
                cables.append((f"diagonal{tag}", outside, node("lower", ring, i), force.diagonal))
            if not centre:
                cables.append((f"hoop{ring}.{i + 1}", node("lower", ring, i), node("lower", ring, i + 1), force.hoop))
    groups: dict[str, tuple[str, ...]] = {
        "support": ("node:support*",),
        "upper": ("node:upper*",),
        "post": ("bar:post*",),
        **{kind: (f"cable:{kind}*",) for kind in ("ridge", "diagonal", "hoop")},
    }
    if not shape.has_centre_post:
        ends = ((node("upper", last, i), node("upper", last, i + 1)) for i in range(sectors))
        cables += ((f"crown{i}", first, second, 1.0) for i, (first, second) in enumerate(ends, 1))
        groups["crown"] = ("cable:crown*",)
    return Layout(nodes, bars, cables, groups)


def _self_stress(shape: Shape) -> list[Ring]:
    """The rings' force densities, outermost first, where the cables of a crown, or the ridges of a centre post, have 1.

    Whatever lies inside a cut between two rings weighs nothing here, so the ridge cables pull it down by as much as
    the diagonals lift it. What is added up otherwise is the pull along its radius on one upper end.
    """
    radii, heights = (shape.radius, *shape.radii), (0.0, *shape.heights)
    bend = 2.0 - 2.0 * math.cos(2.0 * math.pi / shape.sectors)  # a hoop's inward pull: this times force density, radius
    rings: list[Ring] = []
    inward = bend * radii[-1]
    for ring in range(len(shape.radii), 0, -1):
        centre = _is_centre(shape, ring)
        lines = 2 if shape.staggered and not centre else 1
        closeness = math.cos(math.pi / shape.sectors) if lines == 2 else 1.0
        across = radii[ring - 1] * closeness - radii[ring]  # from a post outwards, in the plane of its own radius
        rise = heights[ring] - heights[ring - 1]
        drop = shape.post_lengths[ring - 1] - rise
        _require_sound(shape, ring, across, rise, drop)
        ridge = 1.0 if centre else inward / (lines * across)
        diagonal = ridge * rise / drop
        rings.append(Ring(ridge, diagonal, 0.0 if centre else lines * diagonal * across / (bend * radii[ring])))
        # The same cables, as an upper end of the ring outside feels them.
        inward = lines * (ridge + diagonal) * (radii[ring - 1] - radii[ring] * closeness)
    return rings[::-1]


def _is_centre(shape: Shape, ring: int) -> bool:
    return shape.has_centre_post and ring == len(shape.radii)


def _place(shape: Shape, ring: int, place: int, height: float) -> Position:
    radius = shape.radii[ring - 1] if ring else shape.radius
    turn = 0.5 if shape.staggered and ring % 2 else 0.0
    angle = 2.0 * math.pi * (place + turn) / shape.sectors
    return radius * math.cos(angle), radius * math.sin(angle), height


def _require_sound(shape: Shape, ring: int, across: float, rise: float, drop: float) -> None:
    """That the cables towards the ring outside run outwards, ridges downwards and diagonals upwards."""
    least = CLOSE * shape.radius
    if across <= least:
        raise OptionError(_no_room(shape, ring))
    if rise <= least:
        raise OptionError(
            f"the upper ends of ring {ring} are {rise:.6g} m above those outside: ridge cables must press every post "
            "down, so heights have to grow from the supports, at zero, to the centre"
        )
    if drop <= least:
        raise OptionError(
            f"the posts of ring {ring} are {shape.post_lengths[ring - 1]:.6g} m long, but their upper ends are "
            f"{rise:.6g} m above those outside: diagonals must reach down to their lower ends; make post_length more"
        )


def _no_room(shape: Shape, ring: int) -> str:
    inside, outside = shape.radii[ring - 1], (shape.radius, *shape.radii)[ring - 1]
    told = f"ring {ring} has the radius {inside:.6g} m and the one outside {outside:.6g} m"
    if inside >= outside or not shape.staggered:
        return f"{told}; radii must fall from the supports to the centre"
    chords = outside * math.cos(math.pi / shape.sectors)
    return (
        f"{told}: with {shape.sectors} sectors its posts have to stand inside the chords of that ring, less than "
        f"{chords:.6g} m from the axis; take fewer rings, more sectors, or other radii"
    )
