"""Plates as they are drawn: filled where they are, in films, plots and pages."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import Plate, Structure
from taut.output.faces import faces_of
from taut.output.film.canvas import pictures
from taut.output.palette import PLATE

CORNER = {
    "a": (0.0, 0.0, 0.0),
    "b": (2.0, 0.0, 0.0),
    "c": (2.0, 0.0, 1.0),
    "d": (1.0, 0.0, 1.0),
    "e": (1.0, 0.0, 2.0),
    "f": (0.0, 0.0, 2.0),
}


def bracket(order: str = "abcdef") -> Structure:
    """An L of three squares, upright in the plane y = 0."""
    return Structure(CORNER, plates=[Plate("bracket", tuple(order), mass=3.0)])


def areas(structure: Structure) -> np.ndarray:
    faces, _ = faces_of(structure)
    a, b, c = (structure.positions[faces[:, k]] for k in range(3))
    return np.asarray(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1))


@pytest.mark.parametrize("order", ["abcdef", "fedcba", "cdefab"])
def test_a_concave_outline_is_filled_and_no_more(order: str) -> None:
    assert areas(bracket(order)).sum() == pytest.approx(3.0)
    assert len(areas(bracket(order))) == 4


def test_a_body_in_space_is_drawn_by_its_hull_and_a_node_inside_is_no_corner() -> None:
    cube = {f"{x}{y}{z}": (float(x), float(y), float(z)) for x in (0, 1) for y in (0, 1) for z in (0, 1)}
    solid = Structure(cube, plates=[Plate("cube", tuple(cube), mass=1.0, inertia=(1.0, 1.0, 1.0))])
    assert areas(solid).sum() == pytest.approx(6.0)
    square = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0), "d": (0, 1, 0), "m": (0.2, 0.3, 0)}
    lid = Structure(square, plates=[Plate("lid", tuple(square), mass=1.0, outline=("a", "b", "c", "d"))])
    faces, owner = faces_of(lid)
    assert areas(lid).sum() == pytest.approx(1.0)
    assert 4 not in faces
    assert owner.tolist() == [0, 0]


def test_films_show_plates_filled() -> None:
    run = taut.simulate(taut.assemble(bracket()), 0.1, every=0.1, method="dp8")
    frame = next(pictures(run, run.time[:1], size=(400, 400), view="xz"))
    seen = np.frombuffer(frame, np.uint8).reshape(400, 400, 3).astype(int)
    tone = np.array([int(PLATE[k : k + 2], 16) for k in (1, 3, 5)])
    filled = np.abs(seen - tone).max(axis=2) < 4
    rows, columns = np.nonzero(filled)
    box = np.ptp(rows) * np.ptp(columns)
    assert filled.sum() / box == pytest.approx(0.75, abs=0.02)  # three squares of four


def test_plots_show_plates_filled() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    flat, solid = taut.plot.structure(bracket(), view="xz"), taut.plot.structure(bracket(), view="3d")
    assert sum("Poly" in type(part).__name__ for part in flat.collections) == 1
    assert sum("Poly3D" in type(part).__name__ for part in solid.collections) == 1
