"""A footbridge of tensegrity modules in a row, through which people walk.

The modules are of the family of hollow ropes that L. Rhode-Barbarigos, N. Bel Hadj Ali, R. Motro and I. F. C. Smith
studied for footbridges: "Designing tensegrity modules for pedestrian bridges", Engineering Structures 32 (2010)
1158-1167. Shape and forces here follow from the symmetry of a module alone.
"""

from __future__ import annotations

import math

from taut.reprs import counted
from taut.structure.generators._parts import (
    BarLine,
    CableLine,
    Layout,
    Steelwork,
    prestressed,
    require_count,
    require_positive,
    require_room,
)
from taut.structure.structure import Position, Structure


def hollow_bridge(
    modules: int = 4,
    sides: int = 5,
    *,
    span: float = 20.0,
    radius: float = 2.5,
    bar_radius: float = 0.09,
    bar_inner_radius: float = 0.08,
    bar_density: float = 7850.0,
    bar_youngs_modulus: float = 2.1e11,
    cable_radius: float = 0.02,
    cable_density: float = 7850.0,
    cable_youngs_modulus: float = 1.6e11,
    prestress: float = 4e5,
) -> Structure:
    """A tube of modules along x that people walk through; struts stay clear of the axis. In balance as built.

    Modules share rings of nodes, "ring1.1" (ring, place), which "ring" cables close. Halfway between two rings a node
    "middle1.1" (module, side) stands out over every side. "diagonal" struts run from ring to ring along a side, two
    "brace" struts from every middle node to the rings, past the next corner. "along" and "across" cables tie a middle
    node to the corners of its side, beside the diagonal and over it. Neighbours are mirror images of each other.

    The lowest side is level: its corners, the group "deck", are at height zero and carry a walkway, which has
    to lie above the braces. Those at either
    end rest on bearings: one fixed, one at the other end free along x, two free in the plane. Groups: "deck", "struts",
    "ring", "along", "across".

    span: [m], between the end rings. sides: of a ring, 4 or more.
    radius: [m], from the axis to every node; the struts' axes stay radius cos(3 pi / (2 sides)) away from it.
    bar_radius, bar_inner_radius: [m]. bar_density, cable_density: [kg/m^3]. bar_youngs_modulus, cable_youngs_modulus:
    [Pa]. cable_radius: [m], of the solid section of every cable. prestress: [N], tension of the tightest cable.
    """
    require_count(1, modules=modules)
    require_count(4, sides=sides)
    require_room(3 * modules * sides, modules=modules, sides=sides)
    require_positive(span=span, radius=radius)
    stock = Steelwork(
        *(bar_radius, bar_inner_radius, bar_density, bar_youngs_modulus),
        *(cable_radius, cable_density, cable_youngs_modulus, prestress),
    )
    end = modules + 1
    bearings = {"ring1.1": "xyz", "ring1.2": "z", f"ring{end}.1": "yz", f"ring{end}.2": "z"}
    name = f"hollow bridge of {counted(modules, 'module')}, {sides} sides"
    return prestressed(name, _layout(modules, sides, span / modules, radius), stock, bearings)


def _layout(modules: int, sides: int, length: float, radius: float) -> Layout:
    """A module by itself is in balance with these force densities, c = cos(pi / sides), and so are several.

    diagonal -2 c (1 + c), brace -1, ring c (1 + c), along 1 + 2 c + 2 c^2 + 2 c^3, across 2 c + 2 c^2 - 2 c^3: they
    solve the balance of a corner (along, around and away from the axis) and of a middle node (away from the axis).
    """
    c = math.cos(math.pi / sides)
    ring_share, along, across = c * (1.0 + c), 1.0 + 2.0 * c * (1.0 + c + c * c), 2.0 * c * (1.0 + c - c * c)

    def corner(ring: int, place: int) -> str:
        return f"ring{ring}.{place % sides + 1}"

    def position(x: float, place: float) -> Position:
        angle = 2.0 * math.pi * (place - 0.5) / sides - math.pi / 2.0
        return x, radius * math.cos(angle), radius * (math.sin(angle) + c)

    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    for ring in range(1, modules + 2):
        share = ring_share if ring in (1, modules + 1) else 2.0 * ring_share
        for i in range(sides):
            nodes[corner(ring, i)] = position((ring - 1) * length, i)
            cables.append((corner(ring, i), corner(ring, i), corner(ring, i + 1), share))
    for module in range(1, modules + 1):
        near, far = (module, module + 1) if module % 2 else (module + 1, module)
        for i in range(sides):
            tag, middle = f"{module}.{i + 1}", f"middle{module}.{i + 1}"
            nodes[middle] = position((module - 0.5) * length, i + 0.5)
            bars.append((f"diagonal{tag}", corner(near, i), corner(far, i + 1)))
            bars.append((f"brace{tag}a", middle, corner(near, i + 2)))
            bars.append((f"brace{tag}b", middle, corner(far, i - 1)))
            cables.append((f"along{tag}a", middle, corner(near, i), along))
            cables.append((f"along{tag}b", middle, corner(far, i + 1), along))
            cables.append((f"across{tag}a", middle, corner(near, i + 1), across))
            cables.append((f"across{tag}b", middle, corner(far, i), across))
    groups: dict[str, tuple[str, ...]] = {
        "deck": ("node:ring*.1", "node:ring*.2"),
        "struts": ("bar:*",),
        **{kind: (f"cable:{kind}*",) for kind in ("ring", "along", "across")},
    }
    return Layout(nodes, bars, cables, groups)
