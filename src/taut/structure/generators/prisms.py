"""Prisms of slanted struts, and towers of them."""

from __future__ import annotations

import math

from taut.errors import OptionError
from taut.structure.generators._parts import (
    Stock,
    balanced,
    require_between,
    require_count,
    require_finite,
    require_one_of,
    require_positive,
    require_room,
)
from taut.structure.generators._tower_layouts import overlapped, stacked
from taut.structure.plates import Plate
from taut.structure.structure import Structure

DEFAULT_OVERLAP = 0.3
"""Of a stage's height: struts stay well apart, and forces vary little from cable to cable."""


def prism(
    struts: int = 3,
    *,
    radius: float = 0.5,
    height: float = 1.0,
    twist: float | None = None,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
    plate_thickness: float | None = None,
) -> Structure:
    """The regular prism: a bottom and a top ring of cables, vertical cables and slanted struts, axis z.

    Vertical i runs from bottom i to top i, strut i from bottom i to top i+1. `twist` [rad] turns the top ring against
    the bottom ring, seen along a vertical cable. Only the default, pi/2 - pi/struts, has a self-stress with cables
    pulling and struts pushed (force densities: strut -1, vertical 1, ring 1 / (2 sin(pi/struts))); with it the prism
    stands in balance. With another twist the cables keep these ratios and the prism starts out of balance.

    radius, height: [m], of the prism. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cable with the largest force density.
    plate_thickness: [m]; with it plates "bottom" and "top" of the bars' material stand in the place of the two rings.
    """
    require_count(3, struts=struts)
    require_room(struts, struts=struts)
    require_positive(radius=radius, height=height)
    if twist is None:
        twist = _balanced_twist(struts)
    require_finite(twist=twist)
    stock = Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio)
    whole = balanced(f"prism of {struts} struts", stacked(1, struts, radius, height, twist), stock)
    if plate_thickness is None:
        return whole
    require_positive(plate_thickness=plate_thickness)
    material = next(iter(whole.bars.values())).material
    for ring in ("bottom", "top"):  # plates bear what the rings did, so the rest of it stays in balance
        corners = tuple(f"{ring}{k + 1}" for k in range(struts))
        whole = whole.without(f"cable:{ring}*").with_plates(
            Plate(ring, corners, material=material, thickness=plate_thickness)
        )
    return whole


def tower(
    stages: int = 3,
    struts: int = 3,
    *,
    radius: float = 0.5,
    height: float = 1.0,
    class_: int = 1,
    overlap: float | None = None,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """A tower of prisms of alternating hand along z; its lowest nodes are "bottom1", ..., its highest "top1", ...

    class_ 1: no bars touch. A stage's lower nodes sit between the upper nodes of the stage beneath and `overlap` [m]
    below them (default: 0.3 height; less than the height, and less than half of it from three stages on). A zigzag of
    "saddle" cables ties these two rings, "diagonal" cables tie lower nodes to the next lower and upper to the next
    upper nodes, "vertical" cables join the rings of a stage, and rings close the "bottom" and the "top". The twist of
    the stages is the one that has a self-stress at this overlap, so the tower stands in balance, tightest at
    mid-height.

    class_ 2: a stage stands on the upper nodes of the stage beneath, bars share nodes, and every level has a ring;
    each stage is a `prism` in balance. It takes no `overlap`. One stage is a `prism` in either class.

    radius: [m]. height: [m], of one stage. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_count(1, stages=stages)
    require_count(3, struts=struts)
    require_room(stages * struts, stages=stages, struts=struts)
    require_positive(radius=radius, height=height)
    require_one_of((1, 2), class_=class_)
    stock = Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio)
    name = f"tower of {stages} stages, {struts} struts each, class {class_}"
    if class_ == 2 or stages == 1:
        if overlap is not None:
            raise OptionError(f"overlap = {overlap!r} needs class_ 1 and two stages or more, else leave it out")
        return balanced(name, stacked(stages, struts, radius, height, _balanced_twist(struts)), stock)
    if overlap is None:
        overlap = DEFAULT_OVERLAP * height
    # With half the height, a stage's lower nodes meet the upper nodes of the stage below the one beneath.
    require_between(0.0, height if stages == 2 else height / 2.0, overlap=overlap)
    return balanced(name, overlapped(stages, struts, radius, height, overlap), stock)


def _balanced_twist(struts: int) -> float:
    return math.pi / 2.0 - math.pi / struts
