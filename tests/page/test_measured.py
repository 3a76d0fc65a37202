"""Measurements on the page: markers where they were seen, nothing in gaps, forces as dots, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory
from taut.measurement import Measurements

ROWS = np.arange(10, 81, 10)
OFF = np.array([0.03, -0.02, 0.05])


@pytest.fixture
def measured(prism: Trajectory) -> Measurements:
    """Two tops every tenth of a second, 6 cm off, the second one lost in the middle; a cable 3 N off."""
    names = ("top1", "top2")
    nodes = prism.nodes[ROWS][:, [list(prism.structure.nodes).index(name) for name in names]] + OFF
    nodes[3, 1] = np.nan
    cable = next(iter(prism.structure.cables))
    return Measurements(prism.time[ROWS], names, nodes, (f"cable:{cable}",), prism.cable_tension[ROWS][:, :1] + 3.0)


def markers(one: object) -> np.ndarray:
    told = [np.nan if value is None else value for value in one.run("taut.markers()")]
    return np.array(told, dtype=float).reshape(-1, 3)


def painted(one: object, place: np.ndarray) -> bool:
    """Whether the colour of markers is on the screen around a place in space."""
    return one.run(
        f"""(() => {{
          const [x, y] = taut.pixel({", ".join(map(str, place))});
          const overlay = document.getElementById("overlay");
          const ratio = overlay.width / overlay.clientWidth;
          const data = overlay.getContext("2d").getImageData(ratio * x - 6, ratio * y - 6, 12, 12).data;
          const hex = getComputedStyle(document.documentElement).getPropertyValue("--measured").trim();
          const want = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
          for (let k = 0; k < data.length; k += 4) {{
            if (data[k + 3] > 200 && want.every((value, c) => Math.abs(value - data[k + c]) < 12)) return true;
          }}
          return false;
        }})()"""
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_markers_are_drawn_where_they_were_seen(
    opened: Callable, prism: Trajectory, measured: Measurements, theme: str
) -> None:
    one = opened(prism, measured=measured, theme=theme)
    assert one.complaints == []
    one.put(time=float(measured.time[1]))
    np.testing.assert_allclose(markers(one), measured.nodes[1], atol=1e-6)
    assert painted(one, measured.nodes[1, 0])
    between = 0.5 * (measured.time[1] + measured.time[2])
    one.put(time=float(between))
    np.testing.assert_allclose(markers(one), 0.5 * (measured.nodes[1] + measured.nodes[2]), atol=1e-6)
    one.put(measured=False)
    assert not painted(one, 0.5 * (measured.nodes[1, 0] + measured.nodes[2, 0]))


def test_nothing_is_drawn_in_gaps_and_beyond_the_rows(
    opened: Callable, prism: Trajectory, measured: Measurements
) -> None:
    one = opened(prism, measured=measured)
    for time in (measured.time[3], 0.5 * (measured.time[3] + measured.time[4])):
        one.put(time=float(time))
        assert np.isfinite(markers(one)[0]).all()
        assert np.isnan(markers(one)[1]).all()
    for time in (0.0, float(measured.time[-1]) + 0.02):
        one.put(time=time)
        assert np.isnan(markers(one)).all()
    one.put(time=float(measured.time[4]))
    assert np.isfinite(markers(one)).all()


def test_legend_card_and_charts_tell_of_it(opened: Callable, prism: Trajectory, measured: Measurements) -> None:
    one = opened(prism, measured=measured)
    legend = one.page.locator("#legend")
    assert "measured, lines to the nodes" in legend.inner_text()
    one.put(measured=False)
    assert "measured" not in legend.inner_text()
    one.put(measured=True, time=float(measured.time[2]))
    index = list(prism.structure.nodes).index("top2")
    one.put(selection={"run": 0, "kind": "node", "index": index})
    card = one.page.locator("#selection").inner_text()
    assert f"measured off by\n{1e3 * np.linalg.norm(OFF):.3g} mm" in card
    one.put(time=float(measured.time[3]))
    assert "not seen" in one.page.locator("#selection").inner_text()
    one.put(selection={"run": 0, "kind": "cable", "index": 0})
    assert "measured off by\n3" in one.page.locator("#selection").inner_text()
    points = one.run(
        "taut.charts.forces.series.map(({name, points}) => [name, Array.from(points.time, (_, k) => points.value(k))])"
    )
    assert [name for name, _ in points] == [next(iter(prism.structure.cables))], "what was measured is charted at first"
    np.testing.assert_allclose(points[0][1], measured.tension[:, 0], rtol=1e-6)
    assert {name[:5] for name in one.run("taut.charts.paths.series.map(({name}) => name)")} <= {"top1 ", "top2 "}
    low, high = one.run("taut.charts.forces.range()")
    assert low < measured.tension.min()
    assert measured.tension.max() < high, "the axis makes room for what was measured"
    assert "dots: measured" in one.page.locator("figure").nth(0).inner_text()
    one.page.get_by_role("tab", name="Summary").click()
    assert "8 rows, 2 nodes, 1 members; straight lines between rows" in one.page.locator("#pages").inner_text()


def test_a_page_without_measurements_offers_none(opened: Callable, prism: Trajectory) -> None:
    one = opened(prism)
    assert one.run("taut.markers()") == []
    one.page.get_by_role("tab", name="View").click()
    assert "Measured" not in one.page.locator("#pages").inner_text()
    assert "measured" not in one.page.locator("#legend").inner_text()


def test_a_structure_at_rest_and_several_runs(opened: Callable, prism: Trajectory, measured: Measurements) -> None:
    still = Measurements([3.0], measured.node_names, measured.nodes[:1], measured.member_names, measured.tension[:1])
    one = opened(prism.structure, measured=still)
    assert one.complaints == []
    np.testing.assert_allclose(markers(one), still.nodes[0], atol=1e-6)
    assert painted(one, still.nodes[0, 0])
    both = opened({"a": prism, "b": prism}, measured=measured)
    assert both.complaints == []
    both.put(time=float(measured.time[1]))
    np.testing.assert_allclose(markers(both), measured.nodes[1], atol=1e-6)


def test_what_does_not_fit_is_refused(prism: Trajectory, measured: Measurements) -> None:
    with pytest.raises(taut.SelectionError, match='measured is node "tip", which the structure has not'):
        taut.page(prism, measured=replace(measured, node_names=("top1", "tip")))
    with pytest.raises(
        taut.OptionError, match="none of the 8 measured rows, 10.1 to 10.8 s, lies in the time of the run"
    ):
        taut.page(prism, measured=replace(measured, time=measured.time + 10.0))
    with pytest.raises(taut.OptionError, match="page: measured"):
        taut.page(prism, measured="m.csv")
