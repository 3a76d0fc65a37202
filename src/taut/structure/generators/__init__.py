"""Structures made by rule: a few parameters in, a `Structure` out.

Plain functions, SI units. What has a self-stress is built in it: rest lengths are such that it stands in balance
without gravity, all cables pulling and all bars pushed. What does not belong here: edits of a given structure.
"""

from taut.structure.generators.bridges import hollow_bridge
from taut.structure.generators.domes import geiger_dome, levy_dome
from taut.structure.generators.lattices import lattice
from taut.structure.generators.masts import needle_tower, x_mast
from taut.structure.generators.planar import dbar, planar_lattice, tbar
from taut.structure.generators.polyhedra import icosahedron
from taut.structure.generators.prismatic import prismatic_robot
from taut.structure.generators.prisms import prism, tower
from taut.structure.generators.pulleys import manipulator, single_strut
from taut.structure.generators.six_strut import six_strut_robot
from taut.structure.generators.truncated import truncated_octahedron, truncated_tetrahedron

__all__ = [
    "dbar",
    "geiger_dome",
    "hollow_bridge",
    "icosahedron",
    "lattice",
    "levy_dome",
    "manipulator",
    "needle_tower",
    "planar_lattice",
    "prism",
    "prismatic_robot",
    "single_strut",
    "six_strut_robot",
    "tbar",
    "tower",
    "truncated_octahedron",
    "truncated_tetrahedron",
    "x_mast",
]
