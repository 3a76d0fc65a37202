"""The page of a workspace in a real browser: sliders move the robot to where Python says, and what it says is true."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.kinetostatics import InterpolatedMap, Robot, interpolated, posture, workspace

EXAMPLES = Path(__file__).parents[2] / "examples"
CENTRE = 1.6360883594875042


@pytest.fixture(scope="module")
def robot() -> Robot:
    model = taut.read_model(EXAMPLES / "prismatic.yaml")
    return Robot(model.structure, ("cable:a*",), gravity=model.scenario.gravity)


@pytest.fixture(scope="module")
def three(robot: Robot) -> InterpolatedMap:
    values = np.linspace(CENTRE - 0.006, CENTRE + 0.006, 5)
    return interpolated(workspace(robot, {f"cable:a{k}": values for k in (1, 2, 3)}))


@pytest.fixture(scope="module")
def together(robot: Robot) -> InterpolatedMap:
    """All active wires as one: no posture when they are short, unstable when they are long."""
    return interpolated(workspace(robot, {"cable:a*": np.linspace(1.60, 1.66, 13)}))


def positions(one: object) -> np.ndarray:
    return np.array(one.run("taut.positions()")).reshape(-1, 3)


def slide(one: object, place: np.ndarray) -> None:
    """Move every slider as a hand does."""
    for k, value in enumerate(place):
        slider = one.page.locator("#inputs input").nth(k)
        slider.evaluate("(it, v) => { it.value = v; it.dispatchEvent(new Event('input')); }", float(value))
    one.settle()


def test_sliders_move_it_to_where_python_and_statics_say(
    opened: Callable, three: InterpolatedMap, robot: Robot
) -> None:
    one = opened(three)
    assert one.complaints == []
    assert [url.partition(":")[0] for url in one.requests] == ["file"]
    assert one.page.locator("#inputs input").count() == 3
    assert not one.page.locator("#transport").is_visible()
    for place in np.random.default_rng(5).uniform(CENTRE - 0.006, CENTRE + 0.006, (4, 3)):
        slide(one, place)
        shown, exact = three.at(place), posture(robot, place)
        np.testing.assert_allclose(positions(one), shown.nodes, atol=3e-7, rtol=0)
        np.testing.assert_allclose(one.run("taut.tensions()"), shown.member_force[:7], atol=3e-5, rtol=0)
        np.testing.assert_allclose(one.run("taut.barForces()"), shown.member_force[7:], atol=6e-5, rtol=0)
        off = np.linalg.norm(positions(one) - exact.structure.positions, axis=1).max()
        assert off <= one.run("taut.runs[0].grid.error.nodes")
        told = one.run("taut.posture()")
        assert told["numbers"]["lowest_stiffness"] == pytest.approx(shown.lowest_stiffness, abs=1e-5)
        assert told["numbers"]["dexterity"] == pytest.approx(shown.dexterity, abs=1e-7)
        assert told["standing"] == "stable"


def test_the_panel_tells_inputs_pose_forces_and_error(opened: Callable, three: InterpolatedMap, robot: Robot) -> None:
    one = opened(three)
    place = np.array([CENTRE - 0.004, CENTRE + 0.001, CENTRE + 0.003])
    slide(one, place)
    panel = one.page.locator("#page-0").inner_text()
    for value in place:
        assert f"{value:.5f} m" in panel
    shown = three.at(place)
    assert f"{shown.member_force[0]:.4g} N" in panel
    assert f"−{-shown.member_force[7]:.4g} N (pushes)" in panel
    centre = shown.nodes[9:].mean(axis=0)
    assert ", ".join(f"{part:.4f}".replace("-", "−") for part in centre) + " m" in panel
    edge = np.cross(shown.nodes[10] - shown.nodes[9], shown.nodes[11] - shown.nodes[9])
    tilt = np.degrees(np.arccos(abs(edge[2]) / np.linalg.norm(edge)))
    assert f"{tilt:.2f}°" in panel
    assert tilt > 0.3
    error = one.page.locator("#error").inner_text()
    nodes, force = (float(part) for part in re.search(r"within (\S+) mm and forces within (\S+) N", error).groups())
    assert 1e3 * three.error.nodes < nodes < 1e3 * three.error.nodes + 1e-3, "with what 32-bit numbers add to it"
    assert three.error.member_force < force < three.error.member_force + 1e-3
    assert f"of {three.error.solved} postures solved exactly" in error
    turned = [
        float(part.replace("−", "-")) for part in re.search(r"turned about x, y, z\s+([^°]*)°", panel)[1].split(",")
    ]
    start = posture(robot).structure.positions[9:]
    bodies = [(own - own.mean(axis=0)) for own in (start, shown.nodes[9:])]
    left, _, right = np.linalg.svd(bodies[0].T @ bodies[1])
    turn = (left @ np.diag([1, 1, np.sign(np.linalg.det(left @ right))]) @ right).T
    angle = np.arccos((np.trace(turn) - 1) / 2)
    vector = np.degrees(
        angle
        / (2 * np.sin(angle))
        * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    )
    np.testing.assert_allclose(turned, vector, atol=0.011)


def test_where_there_is_no_posture_it_says_so_and_is_grey(opened: Callable, together: InterpolatedMap) -> None:
    one = opened(together)
    area = together.area
    found, values = area.found, area.axes["cable:a*"]
    assert not found.all()
    one.put(inputs=[float(values[0])])
    assert one.run("taut.posture().standing") == "none"
    assert "No posture was found here" in one.page.locator("#verdict").inner_text()
    nearest = area.nodes[np.flatnonzero(found)[0]]
    np.testing.assert_allclose(positions(one), nearest, atol=1e-6)
    one.put(grid=False, nodes=False, plates=False)
    assert _colourful(one) < 30, "grey is grey"
    one.put(inputs=[1.64])
    assert one.run("taut.posture().standing") == "stable"
    assert one.page.locator("#verdict").get_attribute("class") == "good"
    assert _colourful(one) > 60
    one.put(inputs=[1.66])
    assert area.lowest_stiffness[-1] < 0.0
    assert one.run("taut.posture().standing") == "unstable"
    assert one.page.locator("#verdict").inner_text().startswith("Unstable: lowest stiffness −")
    stops = one.run("document.querySelector('.course div').style.backgroundImage")
    assert "transparent" in stops, "the slider shows where there is none"
    assert len(set(re.findall(r"rgb\(\d+, \d+, \d+\)|#[0-9a-f]{6}", stops))) == 2, "and where it stands and falls"


def _colourful(one: object) -> int:
    """How far the most colourful pixel of the drawing is from grey."""
    return one.run(
        """(() => {
            taut.redraw();
            const gl = taut.scene.gl, [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
            const seen = new Uint8Array(4 * w * h);
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, seen);
            let most = 0;
            for (let k = 0; k < seen.length; k += 4) {
              const one = [seen[k], seen[k + 1], seen[k + 2]];
              most = Math.max(most, Math.max(...one) - Math.min(...one));
            }
            return most;
        })()"""
    )


def test_keys_move_the_input_that_is_chosen(opened: Callable, three: InterpolatedMap) -> None:
    one = opened(three)
    keys = one.page.keyboard
    inputs = "taut.state.get('inputs')"
    start = np.array(one.run(inputs))
    np.testing.assert_allclose(start, CENTRE)
    keys.press("ArrowRight")
    keys.press("Shift+ArrowRight")
    np.testing.assert_allclose(np.array(one.run(inputs)) - start, [11 * 0.00012, 0, 0], atol=1e-12)
    keys.press("]")
    keys.press("Home")
    np.testing.assert_allclose(np.array(one.run(inputs)) - start, [11 * 0.00012, -0.006, 0], atol=1e-12)
    keys.press("ArrowLeft")
    assert one.run(inputs)[1] == pytest.approx(CENTRE - 0.006, abs=1e-12), "it stays within the map"
    keys.press("0")
    np.testing.assert_allclose(one.run(inputs), start)
    keys.press("?")
    assert "the input before or after" in one.page.locator("#keys").inner_text()
    assert "play" not in one.page.locator("#keys").inner_text()
    keys.press("Escape")
    one.settle()
    assert one.complaints == []


def test_a_finger_moves_a_slider(opened: Callable, three: InterpolatedMap) -> None:
    one = opened(three, size=(400, 800), touch=True)
    box = one.page.locator("#inputs input").nth(2).bounding_box()
    one.page.touchscreen.tap(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    one.settle()
    place = np.array(one.run("taut.state.get('inputs')"))
    assert CENTRE + 0.003 < place[2] < CENTRE + 0.0045
    np.testing.assert_allclose(positions(one), three.at(place).nodes, atol=3e-7)
    wide = one.run("document.documentElement.scrollWidth")
    assert wide <= 400


def test_charts_go_along_the_input_that_is_moved(opened: Callable, three: InterpolatedMap) -> None:
    one = opened(three)
    one.page.click("text=Charts")
    place = np.array([CENTRE + 0.002, CENTRE - 0.001, CENTRE])
    slide(one, place[:2])
    assert one.page.locator("#page-2 > p").inner_text().startswith("Over cable:a2 [m]")
    lines = one.run(
        "taut.charts.given[0].chart.series.map((line) => Array.from(line.time, (t, k) => [t, line.value(k)]))"
    )
    for along, value in lines[0][::20]:
        assert value == pytest.approx(three.at([place[0], along, place[2]]).lowest_stiffness, abs=1e-5)
    box = one.page.locator(".chart canvas").nth(0).bounding_box()
    one.page.mouse.click(box["x"] + 50 + 0.25 * (box["width"] - 58), box["y"] + 60)
    one.settle()
    moved = np.array(one.run("taut.state.get('inputs')"))
    np.testing.assert_allclose(moved, [place[0], CENTRE - 0.003, place[2]], atol=1e-4)


def test_the_map_has_the_numbers_and_moves_two_inputs(opened: Callable, three: InterpolatedMap) -> None:
    one = opened(three)
    one.page.click("text=Map")
    box = one.page.locator(".map canvas").bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    one.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.25 * box["height"])
    one.settle()
    place = np.array(one.run("taut.state.get('inputs')"))
    np.testing.assert_allclose(place, [CENTRE - 0.003, CENTRE + 0.003, CENTRE], atol=5e-5)
    np.testing.assert_allclose(positions(one), three.at(place).nodes, atol=3e-7)
    steps = CENTRE - 0.006 + 0.012 * (np.arange(44) + 0.5) / 44
    values = np.array([[three.at([x, y, CENTRE]).lowest_stiffness for x in steps[::6]] for y in steps[::6]])
    seen = np.array(
        one.run("Array.from(document.querySelector('.map canvas').getContext('2d').getImageData(0, 0, 44, 44).data)")
    ).reshape(44, 44, 4)[::-1]
    light = seen[::6, ::6, :3].sum(axis=2).ravel()
    order = np.argsort(values.ravel())
    assert np.all(np.diff(light[order]) <= 3), "the scale goes one way"
    assert light[order[0]] - light[order[-1]] > 150
    ends = one.page.locator(".ends").inner_text().split()[::2]  # each with its unit
    every = [three.at([x, y, CENTRE]).lowest_stiffness for x in steps[[0, -1]] for y in steps[[0, -1]]]
    assert [float(end) for end in ends] == pytest.approx([min(every), max(every)], abs=6e-3), "at two corners"
    one.page.locator(".side select").nth(1).select_option("1")
    assert one.run("[...document.querySelectorAll('.side select')].map((list) => list.value)") == ["0", "1"]


def test_between_sheets_it_says_that_it_leaps(opened: Callable, three: InterpolatedMap) -> None:
    joined = three.area.joined.copy()
    joined[2, 2, 2, 1] = False
    torn = InterpolatedMap(replace(three.area, joined=joined), three.error)
    one = opened(torn)
    inside = [CENTRE + 0.001] * 3
    one.put(inputs=inside)
    assert not torn.at(inside).found
    assert one.run("taut.posture().standing") == "torn"
    assert "do not lead to one another" in one.page.locator("#verdict").inner_text()
    one.put(inputs=[CENTRE - 0.002, CENTRE - 0.002, CENTRE - 0.002])
    assert one.run("taut.posture().standing") == "stable"
    np.testing.assert_allclose(positions(one), torn.at([CENTRE - 0.002] * 3).nodes, atol=3e-7)


def test_commanded_members_can_be_picked_and_are_marked(opened: Callable, three: InterpolatedMap) -> None:
    one = opened(three)
    nodes = dict(zip(three.area.robot.structure.nodes, positions(one), strict=True))
    middle = 0.5 * (nodes["22"] + nodes["12"])
    x, y = one.run(f"taut.pixel({', '.join(map(str, middle))})")
    box = one.page.locator("#scene").bounding_box()
    one.page.mouse.click(box["x"] + x, box["y"] + y)
    one.settle()
    assert one.run("taut.selected()") == "a1"
    card = one.page.locator("#selection").inner_text()
    assert "driven by" in card
    assert "cable:a1" in card


def test_it_is_one_file_without_a_network(three: InterpolatedMap, tmp_path: Path) -> None:
    written = taut.page(three, tmp_path / "x.html")
    assert "default-src 'none'" in written.html
    assert len(written.html) < 400_000
    assert not re.search(r"https?://", written.html)


def test_what_a_page_of_a_workspace_cannot_be(three: InterpolatedMap, robot: Robot, tbar: Trajectory) -> None:
    with pytest.raises(OptionError, match="a workspace is shown alone, not with 1 more"):
        taut.page([three, tbar])
    with pytest.raises(OptionError, match="frames belongs to runs and structures"):
        taut.page(three, frames=100)
    with pytest.raises(OptionError, match='axis "cable:a1" has one value, 1.636: nothing lies between'):
        taut.page(workspace(robot, {"cable:a1": [1.636]}))
    with pytest.raises(OptionError, match="no posture was found at any of the 2 points"):
        taut.page(workspace(robot, {"cable:a*": [1.4, 1.5]}))


def test_too_many_postures_are_refused(three: InterpolatedMap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["taut.output.page.postures"], "MOST_NUMBERS", 4900)
    with pytest.raises(OptionError, match="125 postures of 49 numbers are more than the 4900 .* of 100 points at most"):
        taut.page(three)
