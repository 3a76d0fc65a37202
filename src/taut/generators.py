"""Structures made by rule: a few parameters in, a `Structure` out. `taut.structure.generators` makes them."""

from taut.structure.generators import (
    dbar,
    geiger_dome,
    hollow_bridge,
    icosahedron,
    lattice,
    levy_dome,
    needle_tower,
    planar_lattice,
    prism,
    prismatic_robot,
    six_strut_robot,
    tbar,
    tower,
    truncated_octahedron,
    truncated_tetrahedron,
    x_mast,
)

__all__ = [
    "dbar",
    "geiger_dome",
    "hollow_bridge",
    "icosahedron",
    "lattice",
    "levy_dome",
    "needle_tower",
    "planar_lattice",
    "prism",
    "prismatic_robot",
    "six_strut_robot",
    "tbar",
    "tower",
    "truncated_octahedron",
    "truncated_tetrahedron",
    "x_mast",
]
