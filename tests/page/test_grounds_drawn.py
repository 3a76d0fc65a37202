"""Grounds and contact forces on the page, and in run files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut import Box, Ground, Plane, Structure, Terrain, assemble, simulate
from taut.output.page.content import run_content
from taut.output.page.embedding import Arrays
from taut.output.page.grounds import SUNK, ground_triangles
from taut.structure.ground_facts import facts_of, grounds_from

GROUNDS = [
    Ground("slope", Plane((0.1, 0.0, 1.0), (0.0, 0.0, -0.1)), friction=0.7),
    Ground("step", Box((0.5, 0.0, 0.0), (0.4, 0.6, 0.2), 0.4), restitution=0.1, radius=0.01),
    Ground("hill", Terrain(((0.0, 0.1, 0.0), (0.2, 0.3, 0.1)), (1.0, 0.5), (-3.0, -3.0))),
]
BOUNDS = [[-1.0, -1.0, 0.0], [2.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


def test_grounds_come_back_whole_from_a_run_file(tmp_path: Path) -> None:
    assert grounds_from(facts_of(GROUNDS)) == GROUNDS
    made = Structure({"a": (0.0, 0.0, 0.5)}, point_masses={"a": 1.0})
    plant = assemble(made, gravity=9.81, ground=GROUNDS)
    taut.save(simulate(plant, 0.01, method="impulses", step=1e-3, verify=False), tmp_path / "r.nc")
    assert grounds_from(taut.read(tmp_path / "r.nc").options["ground"]) == GROUNDS


@pytest.mark.parametrize(("k", "count"), [(0, 2), (1, 12), (2, 4)])
def test_triangles_lie_on_their_ground(k: int, count: int) -> None:
    """A hair below it, and a plane reaches beyond all that moves."""
    ground, deep = GROUNDS[k], SUNK * np.sqrt(3.0) + GROUNDS[k].radius
    found = ground_triangles([ground], BOUNDS)
    assert found.shape == (count, 3, 3)
    if isinstance(ground.shape, Plane):
        normal = np.array(ground.shape.normal) / np.linalg.norm(ground.shape.normal)
        assert (found - ground.shape.point) @ normal == pytest.approx(-deep)
        assert found[..., 0].min() < -1.0
        assert found[..., 0].max() > 2.0
    elif isinstance(ground.shape, Box):
        own = np.abs((found - ground.shape.centre) @ ground.shape.axes.T)
        assert own.reshape(-1, 3) == pytest.approx(np.tile(0.5 * np.array(ground.shape.size) - deep, (36, 1)))
    else:
        assert found[..., 2].max() == pytest.approx(0.3 - deep)
        assert found[..., 0].min() == -3.0


def test_contact_forces_are_arrows_at_their_nodes() -> None:
    made = Structure({"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 1.0)}, point_masses={"a": 1.0, "b": 1.0})
    run = simulate(
        assemble(made, gravity=9.81, ground=[Ground("floor")]), 0.1, method="impulses", step=1e-3, verify=False
    )
    entry = run_content("r", run, Arrays(), None)
    (arrows,) = [one for one in entry["arrows"] if one["name"] == "contact"]
    assert arrows["nodes"] == [0], "the other touches nothing"
    assert arrows["anchor"] == "tail", "with its tip there it would be inside the ground"
    assert arrows["largest"] == pytest.approx(9.81, rel=1e-9)
    assert not arrows["exceeded"]
    assert len(entry["grounds"]) == 18
