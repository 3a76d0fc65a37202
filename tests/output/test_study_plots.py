"""Figures of studies: the numbers of the study at the values of its keys, whatever the order they were given in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.errors import FileError, OptionError, SelectionError
from taut.output.plot.studies import save_study_sheet
from taut.output.study.grid import Values, grid_of
from taut.output.study.plan import Plan
from taut.output.study.quantities import outcome
from taut.output.study.study import Study, study_of

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def _unseen() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def made_up(failed: tuple[int, ...] = (), cables: int = 3, **axes: Values) -> Study:
    """A study with the number k + 10 * point as the largest tension of cable k."""
    grid = grid_of(axes)
    names = (("n1", "n2"), tuple(f"c{k}" for k in range(cables)), ())
    outcomes = {
        point: outcome(
            "stopped at t = 1 s: it was too much" if point in failed else "finished",
            names,
            {
                "max_tension": np.arange(float(cables)) * (1.0 + point) + 10.0 * point,
                "min_tension": -np.arange(float(cables)),
                "nodes": np.arange(6.0).reshape(2, 3) + point,
                "work": float(point),
            },
        )
        for point in range(grid.count)
    }
    return study_of(Plan("", grid, ""), outcomes)


def test_one_key_is_a_line_in_the_order_of_the_values() -> None:
    ax = taut.plot.study(made_up(k=[30, 10, 20]))
    (line,) = ax.get_lines()
    assert line.get_xdata().tolist() == [10.0, 20.0, 30.0]
    assert line.get_ydata().tolist() == [14.0, 26.0, 2.0], "the largest of any cable"
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("k", "max tension [N]", "linear")


def test_what_is_shown_can_be_chosen() -> None:
    study = made_up(k=[1, 2])
    one = taut.plot.study(study, "max_tension:c1")
    assert one.get_lines()[0].get_ydata().tolist() == [1.0, 12.0]
    assert one.get_ylabel() == "max tension [N], c1"
    all_of_them = taut.plot.study(study, "max_tension:c*")
    assert [line.get_label() for line in all_of_them.get_lines()] == ["c0", "c1", "c2"]
    assert all_of_them.get_ylabel() == "max tension [N]"
    assert taut.plot.study(study, "min_tension").get_lines()[0].get_ydata().tolist() == [-2.0, -2.0]
    assert taut.plot.study(study, "nodes:n2:z").get_lines()[0].get_ydata().tolist() == [5.0, 6.0]
    assert taut.plot.study(study, "work").get_ylabel() == "work [J]"
    most = taut.plot.study(made_up(cables=20, k=[1, 2]), "max_tension:*")
    assert [line.get_label() for line in most.get_lines()] == [f"c{k}" for k in range(13, 20)]
    assert most.get_legend().get_title().get_text() == "7 of 20: those that change most"


def test_points_that_did_not_finish_are_crosses() -> None:
    ax = taut.plot.study(made_up(failed=(1,), k=[1, 2, 3]))
    line, crosses = ax.get_lines()
    assert np.isnan(line.get_ydata()).tolist() == [False, True, False], "what a stopped run reached is not drawn"
    assert (crosses.get_xdata().tolist(), crosses.get_label()) == ([2.0], "not finished")
    everything = taut.plot.study(made_up(failed=(0, 1), k=[1, 2], j=[5.0]))
    assert len(everything.get_lines()[0].get_xdata()) == 2


def test_two_keys_are_a_map_with_the_first_along_x() -> None:
    study = made_up(failed=(3,), a=[2, 1], b="log:1:100:3")
    ax = taut.plot.study(study, "work")
    (mesh,) = ax.collections
    picture = np.ma.filled(mesh.get_array(), np.nan)
    np.testing.assert_array_equal(picture, [[np.nan, 0.0], [4.0, 1.0], [5.0, 2.0]])
    corners = mesh.get_coordinates()
    np.testing.assert_allclose(corners[0, :, 0], [0.5, 1.5, 2.5])
    np.testing.assert_allclose(corners[:, 0, 1], 10.0 ** np.array([-0.5, 0.5, 1.5, 2.5]))
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel(), ax.get_ylabel()) == ("linear", "log", "a", "b")
    assert ax.get_lines()[0].get_xydata().tolist() == [[1.0, 1.0]]
    with pytest.raises(OptionError, match=r"a map shows one number a point, and this asks for 3 \(c0, c1, c2, ...\)"):
        taut.plot.study(study, "max_tension:*")


def test_texts_stand_side_by_side() -> None:
    ax = taut.plot.study(made_up(method="rk4,dp5,dp8", k=[1.0]), "work")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["rk4", "dp5", "dp8"]
    many = taut.plot.study(made_up(method=[f"m{k}" for k in range(30)]))
    assert len(many.get_xticks()) == 10


def test_three_keys_are_maps_side_by_side_and_more_are_refused(tmp_path: Path) -> None:
    for name, axes in (("3", {"a": "1:4:4"}), ("12", {"a": "1:12:12"})):
        save_study_sheet(made_up(**axes, b=[1, 2], c=[1, 2]), tmp_path / f"{name}.png", "work")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    with pytest.raises(OptionError, match="3 keys do not fit one pair of axes"):
        taut.plot.study(made_up(a=[1], b=[1], c=[1]))
    with pytest.raises(OptionError, match="a study of 4 keys has no figure; open its file with xarray"):
        save_study_sheet(made_up(a=[1], b=[1], c=[1], d=[1]), tmp_path / "x.png")
    with pytest.raises(FileError, match=r"x.bmp: a figure is saved as .png, .pdf, .svg"):
        save_study_sheet(made_up(a=[1]), tmp_path / "x.bmp")


@pytest.mark.parametrize(
    ("show", "kind", "complaint"),
    [
        ("max_tensions", OptionError, 'no quantity "max_tensions"; did you mean "max_tension"'),
        ("zzz", OptionError, 'no quantity "zzz"; there are reached, steps'),
        ("max_tension:c9", SelectionError, 'no cable "c9"'),
        ("max_bar_force", OptionError, '"max_bar_force": there is no bar'),
        ("nodes", OptionError, '"nodes" must name a node and an axis, as in nodes:n1:z'),
        ("nodes:n1:w", OptionError, "must name a node and an axis"),
        ("work:c1", OptionError, 'work is one number for the whole structure; leave ":c1" out'),
    ],
)
def test_quantities_that_are_not_there(show: str, kind: type[Exception], complaint: str) -> None:
    with pytest.raises(kind) as raised:
        taut.plot.study(made_up(k=[1, 2]), show)
    assert complaint in str(raised.value)


def test_long_keys_and_odd_names_can_be_drawn(tmp_path: Path) -> None:
    long = "nodes.a_rather_$long_name$_of_a_node.and.a_very_long_key_it_is[2]"
    study = made_up(**{long: "1:3:3"})
    ax = taut.plot.study(study)
    assert ax.get_xlabel().startswith("…")
    assert ax.get_xlabel().endswith("a_very_long_key_it_is[2]")
    save_study_sheet(study, tmp_path / "x.svg")
    nothing = made_up(failed=(0, 1, 2), **{long: "1:3:3"})
    save_study_sheet(nothing, tmp_path / "y.pdf")
