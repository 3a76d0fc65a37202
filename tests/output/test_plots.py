"""Plots: what they draw are the numbers of the run, with labels and units, on the axes they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import SAMPLED, Trajectory

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _unseen() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def lines(ax: object) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def test_energy(prism: Trajectory) -> None:
    ax = taut.plot.energy(prism)
    drawn = lines(ax)
    np.testing.assert_array_equal(drawn["kinetic"], prism.energy_kinetic)
    np.testing.assert_array_equal(drawn["total"], prism.energy_kinetic + prism.energy_elastic + prism.energy_gravity)
    assert set(drawn) == {"kinetic", "elastic", "gravity", "work", "total"}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "energy [J]")


def test_violations_leave_out_zeros(prism: Trajectory) -> None:
    ax = taut.plot.violations(prism)
    assert ax.get_yscale() == "log"
    drawn = lines(ax)["energy [J]"]
    np.testing.assert_array_equal(np.nan_to_num(drawn), np.abs(prism.energy_violation))
    nothing = replace(
        prism, **dict.fromkeys(("energy_violation", "length_violation", "rate_violation"), 0 * prism.time)
    )
    assert taut.plot.violations(nothing).get_yscale() == "linear"


def test_tensions_of_chosen_cables_or_of_the_liveliest(prism: Trajectory) -> None:
    drawn = lines(taut.plot.tensions(prism, "cable:side*"))
    assert list(drawn) == ["side1", "side2", "side3"]
    np.testing.assert_array_equal(drawn["side2"], prism.tension("side2"))
    ax = taut.plot.tensions(prism)
    assert ax.get_legend().get_title().get_text() == "6 of 9 cables: those that change most"
    with pytest.raises(taut.SelectionError, match="nothing"):
        taut.plot.tensions(prism, "cable:nothing")


def test_paths_and_coordinates(prism: Trajectory) -> None:
    ax = taut.plot.paths(prism, "top1", view="xz")
    line = next(line for line in ax.get_lines() if line.get_label() == "top1")
    np.testing.assert_array_equal(line.get_xydata(), prism.node("top1")[:, [0, 2]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "z [m]")
    assert taut.plot.paths(prism).name == "3d"
    drawn = lines(taut.plot.coordinates(prism, "top2", axes="z"))
    np.testing.assert_array_equal(drawn["top2 z"], prism.node("top2")[:, 2])


def test_structure_in_the_plane_it_lies_in_or_in_space(prism: Trajectory) -> None:
    flat = taut.plot.structure(taut.generators.tbar())
    assert (flat.name, flat.get_xlabel(), flat.get_ylabel()) == ("rectilinear", "x [m]", "z [m]")
    ax = taut.plot.structure(prism, sample=-1, view="yz")
    bars = ax.collections[0].get_segments()
    nodes = dict(zip(prism.structure.nodes, prism.nodes[-1][:, 1:], strict=True))
    for segment, bar in zip(bars, prism.structure.bars.values(), strict=True):
        np.testing.assert_allclose(segment, [nodes[n] for n in bar.nodes])
    assert ax.figure.axes[-1].get_ylabel() == "tension [N]"
    assert taut.plot.structure(prism, colour="force_density").figure.axes[-1].get_ylabel() == "force density [N/m]"
    assert taut.plot.structure(prism).get_zlabel() == "z [m]"
    still = taut.output.Still(prism.structure, cable_tension=np.zeros(9))
    assert len(taut.plot.structure(still).figure.axes) == 1, "where nothing is taut there is no scale"


def test_a_mode_is_drawn_over_the_structure() -> None:
    tbar = taut.generators.tbar()
    shape = np.zeros((4, 3))
    shape[2] = (0.0, 0.0, 3.0)
    ax = taut.plot.mode(tbar, taut.output.ModeShape("nod", 1.5, shape), size=0.1)
    assert ax.get_title() == "nod, 1.5 Hz"
    moved = max(segment[1][1] for group in ax.collections for segment in group.get_segments())
    assert moved == pytest.approx(5 / np.sqrt(2) + 0.1 * 5.0)


def test_an_equilibrium_and_its_modes_are_drawn() -> None:
    balance = taut.prestress(taut.generators.prism().supported("bottom*"), {"cable:vertical": 200.0})
    drawn = taut.plot.structure(balance)
    assert drawn.figure.axes[-1].get_ylim()[1] == pytest.approx(balance.cable_tension.max())
    modes = taut.modes(balance, count=2)
    assert taut.plot.mode(modes, 2).get_title() == f"mode 2, {modes.frequency[1]:.4g} Hz"
    with pytest.raises(taut.OptionError, match="mode 3 is not there; these modes are numbered from 1 to 2"):
        taut.plot.mode(modes, 3)
    with pytest.raises(taut.OptionError, match="a structure alone has no numbered modes"):
        taut.plot.mode(balance.structure, 1)
    buckling = taut.statics.Modes(
        balance.structure, -modes.frequency, modes.shapes, modes.rigid_motions, modes.residual, ""
    )
    assert taut.plot.mode(buckling, 1).get_title() == "mode 1, buckles"


def test_a_static_path_shows_its_limit_points_and_what_is_unstable() -> None:
    steel = taut.Material("steel", 7800.0, 2e11)
    bars = [taut.Bar(name, (name, "top"), material=steel, radius=0.01) for name in ("a", "b")]
    nodes = {"a": (-1, 0, 0), "b": (1, 0, 0), "top": (0, 0, 0.3)}
    arch = taut.Structure(nodes, bars, supports={"a": "xyz", "b": "xyz", "top": "xy"})
    path = taut.statics.path(arch, taut.statics.LoadCase(loads={"top": (0, 0, -3e6)}), bars="compressible")
    ax = taut.plot.static_path(path)
    assert ax.get_xlabel() == "top, displacement along z [m]"
    drawn = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(drawn["unstable"].get_ydata(), path.factor)
    shown = drawn["stable"].get_ydata()
    assert np.array_equal(np.isnan(shown), path.unstable > 0)
    assert np.isnan(shown).any()
    assert drawn["limit point"].get_xdata().size == 2
    with pytest.raises(taut.OptionError, match='no node "tip"'):
        taut.plot.static_path(path, "tip")
    with pytest.raises(taut.OptionError, match='axis "w" is not one of x, y, z'):
        taut.plot.static_path(path, "top", "w")


def test_they_draw_on_the_axes_they_are_given(prism: Trajectory) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert taut.plot.energy(prism, ax=ax) is ax
    with pytest.raises(taut.OptionError, match='needs axes with projection="3d"'):
        taut.plot.structure(prism, ax=ax)
    with pytest.raises(taut.OptionError, match='take the view "3d" only'):
        taut.plot.energy(prism, ax=Figure().add_subplot(projection="3d"))
    with pytest.raises(taut.OptionError, match='view "xw" is not one of xy, xz, yz, 3d'):
        taut.plot.structure(prism, view="xw")
    with pytest.raises(taut.OptionError, match='colour "heat" is not one of'):
        taut.plot.structure(prism, colour="heat")
    with pytest.raises(taut.OptionError, match="sample 99 is not there; this trajectory has 6"):
        taut.plot.structure(prism, sample=99)


def test_names_are_not_taken_for_formulas(prism: Trajectory) -> None:
    cables = {name: cable for name, cable in prism.structure.cables.items() if name != "side1"}
    odd = replace(prism.structure.cables["side1"], name="$x^2")
    run = replace(prism, structure=replace(prism.structure, cables={**cables, "$x^2": odd}))
    ax = taut.plot.tensions(run, "cable:$x^2")
    ax.figure.canvas.draw()
    assert ax.get_legend().get_texts()[0].get_text() == r"\$x^2"


def test_a_run_without_samples_is_refused(prism: Trajectory) -> None:
    from taut.output.plot.sheets import figures

    empty = replace(prism, **{name: getattr(prism, name)[:0] for name in SAMPLED})
    plots = (taut.plot.energy, taut.plot.violations, taut.plot.tensions, taut.plot.paths, taut.plot.coordinates)
    for draw in (figures, *plots):
        with pytest.raises(taut.OptionError, match="no samples"):
            draw(empty)


def solid_pictures() -> dict[str, Any]:
    tower = taut.generators.tower(3, radius=0.5, height=1.0).supported("bottom*")
    tight = taut.prestress(tower, {"cable:vertical": 200.0})
    run = taut.simulate(taut.assemble(tight.structure, gravity=9.81), 0.01)
    return {
        "tower": lambda **given: taut.plot.structure(tight, **given),
        "ball": lambda **given: taut.plot.structure(taut.generators.icosahedron(), **given),
        "beam": lambda **given: taut.plot.structure(taut.generators.lattice(6, 2, 1), **given),
        "mode": lambda **given: taut.plot.mode(taut.modes(tight), 1, **given),
        "paths": lambda **given: taut.plot.paths(run, **given),
    }


def seen_box(ax: Any, labels: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Corners of all that is seen of solid axes: their box and their labels [px]."""
    from mpl_toolkits.mplot3d import proj3d

    corners = np.array(np.meshgrid(ax.get_xlim(), ax.get_ylim(), ax.get_zlim())).reshape(3, -1)
    box = ax.transData.transform(np.transpose(proj3d.proj_transform(*corners, ax.get_proj())[:2]))
    points = np.concatenate([box, *(label.get_points() for label in labels)])
    return points.min(axis=0), points.max(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tower", "ball", "beam", "mode", "paths"])
@pytest.mark.parametrize("place", ["alone", "among others"])
def test_solid_pictures_are_large_and_their_labels_whole(name: str, place: str) -> None:
    if place == "alone":
        ax = solid_pictures()[name]()
        assert min(ax.figure.get_size_inches()) >= 5.0
    else:
        figure = matplotlib.pyplot.figure(figsize=(8.0, 4.0), layout="constrained")
        figure.add_subplot(1, 2, 2).set_ylabel("something else")
        ax = solid_pictures()[name](ax=figure.add_subplot(1, 2, 1, projection="3d"))
    ax.figure.canvas.draw()
    page = ax.figure.bbox
    labels = [axis.label.get_window_extent() for axis in (ax.xaxis, ax.yaxis, ax.zaxis)]
    assert all(label.x0 >= 0.0 and label.y0 >= 0.0 for label in labels)
    assert all(label.x1 <= page.x1 and label.y1 <= page.y1 for label in labels)
    others = [one.get_window_extent() for one in ax.figure.axes if one is not ax]
    assert not any(label.overlaps(other) for label in labels for other in others)
    low, high = seen_box(ax, labels)
    sides = (high - low) / ax.bbox.size
    assert 0.9 <= sides.max() <= 1.0, "as large as its place"


def test_solid_axes_of_ones_own_keep_their_place() -> None:
    """Filling changes what is seen of the axes, not where they are."""
    figure = matplotlib.pyplot.figure()
    own = figure.add_axes((0.1, 0.1, 0.5, 0.5), projection="3d")
    taut.plot.structure(taut.generators.icosahedron(), ax=own, colour="")
    assert own.get_position(original=True).bounds == pytest.approx((0.1, 0.1, 0.5, 0.5))
