"""Pictures of maps: the numbers of the map at its places, slices of more than two axes, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.errors import FileError, OptionError
from taut.kinetostatics import PlatePosition, ReachMap, Robot, TensionSum, WorkspaceMap, reach, workspace
from taut.output.plot.workspaces import save_workspace_sheet

matplotlib = pytest.importorskip("matplotlib")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _unseen() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@cache
def robot() -> Robot:
    model = taut.read_model(EXAMPLES / "prismatic.yaml")
    return Robot(model.structure, ("cable:a*",), gravity=model.scenario.gravity)


@cache
def area() -> WorkspaceMap:
    grid = {"cable:a1": [1.642, 1.63, 1.636], "cable:a2": np.linspace(1.63, 1.645, 4), "cable:a3": [1.63, 1.636]}
    return workspace(robot(), grid)


def colours(ax: object) -> np.ndarray:
    """What the cells show: (up, across)."""
    (mesh,) = [one for one in ax.collections if type(one).__name__ == "QuadMesh"]
    return np.ma.filled(mesh.get_array(), np.nan)


def test_cells_have_the_numbers_of_a_slice() -> None:
    ax = taut.plot.workspace(area(), at={"cable:a3": 1.631})
    order = [1, 2, 0]
    np.testing.assert_array_equal(colours(ax), area().lowest_stiffness[order][:, :, 0].T)
    assert ax.get_title() == "cable:a3 = 1.63 m"
    assert ax.get_xlabel() == "cable:a1 [m]"
    own = taut.plot.workspace(area(), "dexterity")
    np.testing.assert_array_equal(colours(own), area().dexterity[order][:, :, 1].T)
    assert own.get_title() == "cable:a3 = 1.636 m", "nearest to the robot's own commands"


def test_what_was_not_found_is_hatched_and_zero_is_a_line() -> None:
    given = area()
    found, stiffness = given.found.copy(), given.lowest_stiffness - 2.0
    found[0, 0], stiffness[0, 0] = False, np.nan
    ax = taut.plot.workspace(replace(given, found=found, lowest_stiffness=stiffness))
    assert np.isnan(colours(ax)).sum() == 1
    assert ax.patch.get_hatch() == "////"
    assert ax.get_title().endswith("hatched: no posture")
    lines = [one for one in ax.collections if type(one).__name__ == "QuadContourSet"]
    assert [one.levels.tolist() for one in lines] == [[0.0]]
    whole = taut.plot.workspace(given)
    assert whole.patch.get_hatch() is None
    assert all(type(one).__name__ == "QuadMesh" for one in whole.collections), "it stands everywhere"


def test_one_axis_is_a_line() -> None:
    along = workspace(robot(), {"cable:a*": np.linspace(1.61, 1.66, 6)})
    ax = taut.plot.workspace(along)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), along.lowest_stiffness)
    missing = [line for line in ax.lines if line.get_label() == "no posture"]
    np.testing.assert_array_equal(missing[0].get_xdata(), along.axes["cable:a*"][~along.found])


def test_targets_that_are_reached() -> None:
    def tasks(x: float, z: float) -> list:
        return [PlatePosition("top", (x, 0.0, z)), TensionSum(("cable:a*",), 270.0)][: 1 if z > 1.9 else 2]

    found = reach(robot(), {"x": [0.0, 0.01], "z": [1.5967, 2.5]}, tasks, iterations=5)
    assert isinstance(found, ReachMap)
    ax = taut.plot.reach(found)
    assert np.isfinite(colours(ax)).sum() == found.reached.sum() < 4
    shown = taut.plot.reach(found, "cable:a1")
    np.testing.assert_array_equal(colours(shown), found.values[..., 0].T)
    assert "reached" in found.columns()


def test_a_sheet_has_all_that_was_asked(tmp_path: Path) -> None:
    save_workspace_sheet(area(), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FileError, match=r"a figure is saved as .png, .pdf, .svg"):
        save_workspace_sheet(area(), tmp_path / "map.xyz")
    bare = workspace(robot(), {"cable:a1": [1.63, 1.64]}, stiffness=False)
    with pytest.raises(OptionError, match="no numbers to draw"):
        save_workspace_sheet(bare, tmp_path / "bare.png")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: taut.plot.workspace(area(), "stifness"), 'show = "stifness" is none of lowest_stiffness'),
        (lambda: taut.plot.workspace(area(), "wrench_margin"), r"no wrench margin; ask workspace for it with wrenches"),
        (lambda: taut.plot.workspace(area(), at={"cable:a4": 1.0}), 'no axis "cable:a4"; did you mean "cable:a'),
    ],
)
def test_what_cannot_be_drawn(call: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()  # type: ignore[operator]
