"""Pulleys on pages: discs where cables touch them, of trees and at guides, also from a run file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_content import content_of

import taut
from taut.structure.structure import Structure
from taut.trees import Body, SpanCable, Tree, TreeJoint, manipulator, tree_plant

Z = (0.0, 0.0, 1.0)


def discs_of(page: taut.output.Page) -> list[tuple[list[str], float]]:
    """The nodes of each disc, its middle first, and its radius."""
    content, arrays = content_of(page.html)
    drawn = content["runs"][0]["structure"]
    rows, radii = (arrays[drawn["pulleys"][key]["array"]] for key in ("nodes", "radius"))
    return [([drawn["nodes"][k] for k in row], radius) for row, radius in zip(rows, radii, strict=True)]


def are_tangents(structure: Structure, discs: list[tuple[list[str], float]]) -> bool:
    """A tangent touches at a radius, and stands upright on it."""
    places = dict(zip(structure.nodes, structure.positions, strict=True))
    for names, radius in discs:
        middle, *ends = (places[name] for name in names)
        away = [np.linalg.norm(end - middle) for end in ends]
        touch, end = ends if away[0] < away[1] else ends[::-1]
        if abs(np.linalg.norm(touch - middle) - radius) > 1e-12 or abs((touch - middle) @ (end - touch)) > 1e-12:
            return False
    return True


def test_cables_of_a_tree_touch_their_discs() -> None:
    plant = tree_plant(manipulator())
    discs = discs_of(taut.page(taut.output.Still(plant.structure, pulleys=plant.pulleys)))
    assert len(discs) == 6
    assert len({names[0] for names, _ in discs}) == 6
    assert are_tangents(plant.structure, discs)


def test_a_run_file_brings_the_pulleys_of_a_tree_along(tmp_path: Path) -> None:
    wheels = [Body.cylinder(name, radius, 0.02, 2000.0) for name, radius in (("small", 0.06), ("large", 0.09))]
    joints = tuple(
        TreeJoint(f"axle of {wheel.name}", "revolute", "world", wheel, (0.5 * k, 0.0, 0.0), axes=(Z,))
        for k, wheel in enumerate(wheels)
    )
    belt = SpanCable("belt", ("axle of small", "axle of large"), (0.06, 0.09), 2000.0)
    run = taut.simulate(tree_plant(Tree(joints, gravity=0.0, spans=(belt,))), 0.01, every=0.01, verify=False)
    taut.save(run, tmp_path / "belt.nc")
    discs = discs_of(taut.page(taut.read(tmp_path / "belt.nc")))
    assert [(names[0], radius) for names, radius in discs] == [("small", 0.06), ("large", 0.09)]
    assert are_tangents(run.structure, discs)


def test_guides_of_a_radius_are_discs_in_the_plane_of_their_cable() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 1.0), "c": (2.0, 0.0, 1.0), "d": (3.0, 0.0, 0.0)}
    cable = taut.Cable("rope", ("a", "b", "c", "d"), 3.0, 100.0, radii=(0.1, 0.0))
    assert discs_of(taut.page(taut.Structure(nodes, [], [cable]))) == [(["b", "a", "c"], pytest.approx(0.1))]
