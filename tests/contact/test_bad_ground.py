"""What cannot be a ground, or a step on one: in words, and never a silent explosion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from on_ground import followed, point, robot

from taut import FileError, Ground, ModelError, OptionError, Terrain, assemble
from taut.mechanics.contact.facts import contact_notes
from taut.mechanics.contact.responses import WORST
from taut.numerics.packing import reals_of

FLOOR = Ground("floor", friction=0.6)


# --- terrain


def test_a_terrain_of_a_function_and_of_an_array() -> None:
    made = Terrain.of(lambda x, y: x + 10.0 * y, 0.5, (-1.0, 2.0), (1.0, 0.5))
    assert made == Terrain(((19.0, 24.0), (19.5, 24.5), (20.0, 25.0)), (0.5, 0.5), (-1.0, 2.0))
    assert Terrain.of(np.array([[0, 1], [2, 3]]), (1.0, 2.0)) == Terrain(((0.0, 1.0), (2.0, 3.0)), (1.0, 2.0))


@pytest.mark.slow
def test_a_terrain_of_an_image(tmp_path: Path) -> None:
    """Seen from above: the lower left corner of the picture is the first point, x goes to the right."""
    image = pytest.importorskip("matplotlib.image")
    grey = np.array([[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]])
    image.imsave(tmp_path / "hill.png", grey, cmap="gray", vmin=0.0, vmax=1.0)
    made = Terrain.from_image(tmp_path / "hill.png", (4.0, 1.0), 0.5, (-2.0, 0.0))
    assert np.array(made.heights) == pytest.approx(0.5 * np.array([[0.6, 0.0], [0.8, 0.2], [1.0, 0.4]]), abs=2e-3)
    assert (made.spacing, made.corner) == ((2.0, 1.0), (-2.0, 0.0))
    run = followed(point((0.0, 0.0, 1.0)), Ground("hill", made), 0.6, 1e-3)
    assert run.nodes[-1, 0, 2] == pytest.approx(0.4, abs=2e-2)
    seen_through = np.dstack([grey] * 3 + [np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])])
    image.imsave(tmp_path / "gap.png", seen_through)
    with pytest.raises(ModelError, match=r"the height in row 2, column 1 is nan; fill gaps, and cut out overhangs"):
        assemble(point(), ground=[Ground("hill", Terrain.from_image(tmp_path / "gap.png", (4.0, 1.0), 0.5))])


def test_what_is_no_terrain(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match=r"height at x = 0, y = 0 is \[0.0, 1.0\]; a terrain has one number above every"
    ):
        Terrain.of(lambda x, y: np.array([0.0, 1.0]), 0.5, size=(1.0, 1.0))  # type: ignore[arg-type, return-value]
    with pytest.raises(OptionError, match=r"the height at x = 0.5, y = 0 is nan; fill gaps of the terrain"):
        Terrain.of(lambda x, y: np.nan if x > 0.2 else 0.0, 0.5, size=(1.0, 1.0))
    with pytest.raises(OptionError, match=r"needs a spacing and a size of more than zero.*not \(0.5, 0.5\) and None"):
        Terrain.of(lambda x, y: 0.0, 0.5)
    with pytest.raises(OptionError, match=r"10001 x 10001 points are more than 4000000; take a wider spacing"):
        Terrain.of(lambda x, y: 0.0, 1e-4, size=(1.0, 1.0))
    with pytest.raises(OptionError, match=r"shape \(2, 2, 3\); a terrain is a table of one height for every x and y"):
        Terrain.of(np.zeros((2, 2, 3)), 1.0)
    with pytest.raises(FileError, match=r"cannot read the image .*none.png: .*No such file"):
        Terrain.from_image(tmp_path / "none.png", (1.0, 1.0), 1.0)


# --- steps


def test_a_step_that_is_too_long_ends_with_its_member_named() -> None:
    """Cables of 60 kN/m allow 2 ms. Asked for are 10."""
    run = followed(robot(0.05, stiffness=60_000.0), FLOOR, 1.0, 1e-2)
    assert not run.ok
    assert run.status.startswith(
        "stopped at t = 0.08 s: the next state is not finite; a step of 0.01 s is too long here"
    )
    assert "pass each other by" in run.status
    assert any(f'"{name}"' in run.status for name in (*run.structure.bars, *run.structure.cables))
    assert np.isfinite(run.nodes).all()


def test_a_step_at_the_limit_is_told_by_its_energy() -> None:
    """Stable, and wrong: cables of 600 N/m allow 20 ms."""
    run = followed(robot(0.05), FLOOR, 1.0, 2e-2)
    assert run.finished
    assert not run.ok
    assert any(note.startswith("the energy is off by") and "take a smaller step" in note for note in run.notes)


def test_searches_that_fail_are_counted_and_said() -> None:
    plant = assemble(robot(0.05), ground=[FLOOR])
    tables = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    assert contact_notes(plant, tables) == ()
    reals_of(tables, WORST)[:4] = 1000.0, 0.02, 3.0, 5.0
    assert contact_notes(plant, tables) == (
        "contact forces did not converge in 3 searches of 1000 sweeps: velocities still changed by 0.02 m/s; take a "
        "shorter step, or do not trust forces where grounds jam",
        "more than 12 contacts were closed at once, and 5 times one was left out: what touches then may sink in; name "
        "fewer nodes in touched_by",
    )
