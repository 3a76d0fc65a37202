"""Structures made by rule: a few parameters in, a `Structure` out. `taut.structure.generators` makes them."""

from taut.structure.generators import (
    dbar,
    icosahedron,
    lattice,
    needle_tower,
    planar_lattice,
    prism,
    tbar,
    tower,
    truncated_octahedron,
    truncated_tetrahedron,
    x_mast,
)

__all__ = [
    "dbar",
    "icosahedron",
    "lattice",
    "needle_tower",
    "planar_lattice",
    "prism",
    "tbar",
    "tower",
    "truncated_octahedron",
    "truncated_tetrahedron",
    "x_mast",
]
