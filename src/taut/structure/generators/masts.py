"""The classic masts of Kenneth Snelson: the tapered needle tower, and the column of two-strut crosses.

Both are towers of overlapping stages. A tower is tapered by a projective map, (x, y, z) -> (x, y, z) / w with
w = 1 + k z, which takes lines to lines and a balance to a balance: with force densities q_ij w_i w_j the new shape
carries itself, and since w > 0 cables still pull and struts are still pushed.
"""

from __future__ import annotations

from taut.structure.generators._parts import (
    CableLine,
    Layout,
    Stock,
    balanced,
    require_between,
    require_count,
    require_positive,
    require_room,
)
from taut.structure.generators._tower_layouts import overlapped
from taut.structure.generators.prisms import DEFAULT_OVERLAP
from taut.structure.structure import Position, Structure


def needle_tower(
    stages: int = 6,
    struts: int = 3,
    *,
    radius: float = 0.5,
    height: float = 6.0,
    taper: float = 0.4,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """A tapered tower of overlapping stages of alternating hand along z; no bars touch. In balance as built.

    Stages get smaller and flatter towards the top. Names and groups are those of `tower` with class_ 1.

    radius: [m], of the lowest nodes. height: [m], of the whole. taper: radius at the top over that at the bottom,
    less than 1. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa]. stiffness: [N/m], of every cable.
    rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_count(2, stages=stages)
    require_count(3, struts=struts)
    require_room(stages * struts, stages=stages, struts=struts)
    require_positive(radius=radius, height=height)
    require_between(0.0, 1.0, taper=taper)
    layout = _tapered(overlapped(stages, struts, radius, 1.0, DEFAULT_OVERLAP), height, taper)
    stock = Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio)
    return balanced(f"needle tower of {stages} stages, {struts} struts each", layout, stock)


def x_mast(
    stages: int = 5,
    *,
    radius: float = 0.5,
    height: float = 4.0,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """A column of stages of two struts that cross without touching, each hung in the one beneath. In balance as built.

    Names and groups are those of `tower` with class_ 1; one cable, "bottom" and "top", closes either end.

    radius: [m], from the axis to every node. height: [m], of the whole. bar_radius: [m]. bar_density: [kg/m^3].
    bar_youngs_modulus: [Pa]. stiffness: [N/m], of every cable.
    rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_count(2, stages=stages)
    require_room(2 * stages, stages=stages)
    require_positive(radius=radius, height=height)
    stage = height / (stages - (stages - 1) * DEFAULT_OVERLAP)
    layout = _without_doubles(overlapped(stages, 2, radius, stage, DEFAULT_OVERLAP * stage))
    stock = Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio)
    return balanced(f"mast of {stages} crosses", layout, stock)


def _tapered(layout: Layout, height: float, taper: float) -> Layout:
    top = max(z for _, _, z in layout.nodes.values())
    rate = (1.0 / taper - 1.0) / top
    weight = {name: 1.0 + rate * z for name, (_, _, z) in layout.nodes.items()}
    rise = height / top / taper
    nodes: dict[str, Position] = {
        name: (x / weight[name], y / weight[name], rise * z / weight[name]) for name, (x, y, z) in layout.nodes.items()
    }
    cables = [(name, a, b, share * weight[a] * weight[b]) for name, a, b, share in layout.cables]
    return layout._replace(nodes=nodes, cables=cables)


def _without_doubles(layout: Layout) -> Layout:
    """A ring of two nodes has two cables side by side: one cable takes the force of both."""
    cables: list[CableLine] = []
    for name, a, b, share in layout.cables:
        if name in ("bottom1", "top1"):
            cables.append((name[:-1], a, b, 2.0 * share))
        elif name not in ("bottom2", "top2"):
            cables.append((name, a, b, share))
    return layout._replace(cables=cables)
