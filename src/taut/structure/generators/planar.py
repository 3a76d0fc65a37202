"""Structures in the x-z plane; every node is held along y."""

from __future__ import annotations

import math

from taut.structure.generators._parts import (
    Stock,
    balanced,
    bars_of,
    require_between,
    require_count,
    require_one_of,
    require_positive,
    require_room,
)
from taut.structure.generators._planar_layouts import separate_cells, shared_cells
from taut.structure.records import Cable
from taut.structure.structure import Structure


def tbar(
    bar_length: float = 5.0,
    *,
    angle: float = math.pi / 4.0,
    bar_radius: float = 0.05,
    bar_density: float = 500.0,
    bar_youngs_modulus: float = 200e9,
    stiffness: float = 100.0,
    rest_ratio: float = 0.9,
) -> Structure:
    """The T-bar of the stedy paper: two crossed bars in a rectangle of four springs, n1 and n2 held.

    Nodes n1 to n4 counter-clockwise from the origin; bars b1 (n1-n3), b2 (n2-n4); springs c1 to c4 along the sides
    from n1-n2 on, of which the verticals c2 and c4 are shortened and the horizontals c1 and c3 are at rest.
    The defaults are the paper's.

    bar_length: [m]. angle: [rad] of the bars above the ground; the rectangle is bar_length cos(angle) wide.
    bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa], for elastic bars.
    stiffness: [N/m], of every spring. rest_ratio: rest length / length of the verticals.
    """
    require_positive(bar_length=bar_length, stiffness=stiffness, rest_ratio=rest_ratio)
    require_positive(bar_radius=bar_radius, bar_density=bar_density, bar_youngs_modulus=bar_youngs_modulus)
    require_between(0.0, math.pi / 2.0, angle=angle)
    width, height = bar_length * math.cos(angle), bar_length * math.sin(angle)
    sides = [
        ("c1", "n1", "n2", width),
        ("c2", "n2", "n3", rest_ratio * height),
        ("c3", "n3", "n4", width),
        ("c4", "n4", "n1", rest_ratio * height),
    ]
    return Structure(
        nodes={"n1": (0.0, 0.0, 0.0), "n2": (width, 0.0, 0.0), "n3": (width, 0.0, height), "n4": (0.0, 0.0, height)},
        bars=bars_of([("b1", "n1", "n3"), ("b2", "n2", "n4")], bar_radius, bar_density, bar_youngs_modulus),
        cables={
            name: Cable(name, (a, b), rest_length=rest, stiffness=stiffness, law="spring") for name, a, b, rest in sides
        },
        supports={"n1": "xyz", "n2": "xyz", "n3": "y", "n4": "y"},
        groups={"horizontal": ("cable:c1", "cable:c3"), "vertical": ("cable:c2", "cable:c4")},
        name="T-bar",
    )


def dbar(
    bar_length: float = 1.0,
    *,
    angle: float = math.pi / 4.0,
    end_mass: float = 0.0,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    along_rest_ratio: float = 0.95,
    across_rest_ratio: float = 0.95,
) -> Structure:
    """The D-bar: four bars in a rhombus, a cable along its axis (x) and one across it (z).

    Node n1 is fixed at the origin; n3, across from it, slides along x (held along y and z); n2 above and n4 below
    are free in the plane. Bars b1 to b4 go round from n1-n2 on; cables "along" (n1-n3) and "across" (n2-n4). In the
    self-stress both cables have the same force density, so equal rest ratios are in balance at any angle.

    bar_length: [m]. angle: [rad] between bars and axis; the diagonals are 2 bar_length cos(angle) and sin(angle).
    end_mass: [kg], a point mass on n3. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of both cables. along_rest_ratio, across_rest_ratio: rest length / length of each.
    """
    require_positive(bar_length=bar_length, stiffness=stiffness)
    require_positive(along_rest_ratio=along_rest_ratio, across_rest_ratio=across_rest_ratio)
    require_positive(bar_radius=bar_radius, bar_density=bar_density, bar_youngs_modulus=bar_youngs_modulus)
    require_between(0.0, math.pi / 2.0, angle=angle)
    if end_mass != 0.0:
        require_positive(end_mass=end_mass)
    reach, rise = bar_length * math.cos(angle), bar_length * math.sin(angle)
    ring = [("b1", "n1", "n2"), ("b2", "n2", "n3"), ("b3", "n3", "n4"), ("b4", "n4", "n1")]
    return Structure(
        nodes={"n1": (0.0, 0.0, 0.0), "n2": (reach, 0.0, rise), "n3": (2 * reach, 0.0, 0.0), "n4": (reach, 0.0, -rise)},
        bars=bars_of(ring, bar_radius, bar_density, bar_youngs_modulus),
        cables={
            "along": Cable("along", ("n1", "n3"), rest_length=2.0 * reach * along_rest_ratio, stiffness=stiffness),
            "across": Cable("across", ("n2", "n4"), rest_length=2.0 * rise * across_rest_ratio, stiffness=stiffness),
        },
        supports={"n1": "xyz", "n2": "y", "n3": "yz", "n4": "y"},
        point_masses={"n3": end_mass} if end_mass else {},
        name="D-bar",
    )


def planar_lattice(
    columns: int,
    rows: int,
    *,
    class_: int = 1,
    cell_width: float = 1.0,
    cell_height: float = 1.0,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """Columns along x by rows along z of crossed bars in rectangles of cables, in balance as built.

    class_ 1: no bars touch. Cells are alternately wide and tall (1.5 by 0.9 pitches and 0.9 by 1.5), so neighbours
    reach into each other. Where two meet side by side, two "saddle" cables run back between the facing corners and
    four "tie" cables onward between like corners; likewise one above the other. Nodes "n1.1.1" (column, row, corner
    counter-clockwise from lower left), bars "strut...", cables "cell...", "saddle...", "tie...".

    class_ 4: a grid of nodes shared by neighbouring cells, cables along its lines, two bars crossed in every cell;
    four bars meet inside. Nodes "n1.1" (column, row), bars "strut...", cables "horizontal...", "vertical...".

    The groups "bottom", "top", "left" and "right" are the nodes of the four sides.

    cell_width, cell_height: [m], the pitch. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_count(1, columns=columns, rows=rows)
    require_room(2 * columns * rows, columns=columns, rows=rows)
    require_one_of((1, 4), class_=class_)
    require_positive(cell_width=cell_width, cell_height=cell_height)
    layout = separate_cells(columns, rows) if class_ == 1 else shared_cells(columns, rows)
    placed = {name: (x * cell_width, 0.0, z * cell_height) for name, (x, _, z) in layout.nodes.items()}
    return balanced(
        f"planar lattice of {columns} x {rows} cells, class {class_}",
        layout._replace(nodes=placed),
        Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio),
        supports=dict.fromkeys(placed, "y"),
    )
