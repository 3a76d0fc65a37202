"""The page in a real browser: it loads from a file, plays, scrubs, selects, charts, and asks nobody for anything."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory


def positions(one: object, run: int = 0) -> np.ndarray:
    return np.array(one.run(f"taut.positions({run})")).reshape(-1, 3)


def test_it_loads_without_a_complaint_and_without_a_network(opened: Callable, tbar: Trajectory) -> None:
    one = opened(tbar)
    assert one.complaints == []
    assert len(one.requests) == 1
    assert one.requests[0].startswith("file://")
    assert one.page.title() == "T-bar – taut"
    assert one.page.locator("#subtitle").inner_text() == "4 nodes · 2 bars · 4 cables"


def test_play_moves_it_and_pause_stops_it(opened: Callable, tbar: Trajectory) -> None:
    one = opened(tbar)
    one.page.click("#play")
    one.until("taut.state.get('time') > 0.3")
    one.page.click("#play")
    one.settle()
    now = one.run("taut.state.get('time')")
    k = min(int(np.searchsorted(tbar.time, now, side="right")) - 1, tbar.time.size - 2)
    part = (now - tbar.time[k]) / (tbar.time[k + 1] - tbar.time[k])
    between = (1.0 - part) * tbar.nodes[k] + part * tbar.nodes[k + 1]
    np.testing.assert_allclose(positions(one), between, atol=1e-6, rtol=0)
    one.page.wait_for_timeout(150)
    assert one.run("taut.state.get('time')") == now
    assert abs(float(one.page.locator("#clock").inner_text().split()[0]) - now) <= 5.1e-4


def test_scrubbing_shows_the_stored_positions(opened: Callable, tbar: Trajectory) -> None:
    one = opened(tbar)
    slider = one.page.locator("#time")
    for sample in (0, 37, 118, 200):
        slider.evaluate("(it, t) => { it.value = t; it.dispatchEvent(new Event('input')); }", float(tbar.time[sample]))
        one.settle()
        np.testing.assert_allclose(positions(one), tbar.nodes[sample], atol=1e-6, rtol=0)
        np.testing.assert_allclose(one.run("taut.tensions()"), tbar.cable_tension[sample], atol=1e-5, rtol=0)
    between = 0.25 * tbar.time[10] + 0.75 * tbar.time[11]
    slider.evaluate("(it, t) => { it.value = t; it.dispatchEvent(new Event('input')); }", between)
    one.settle()
    np.testing.assert_allclose(positions(one), 0.25 * tbar.nodes[10] + 0.75 * tbar.nodes[11], atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ["bar", "cable", "node"])
def test_a_click_selects_what_is_under_the_pointer(opened: Callable, prism: Trajectory, kind: str) -> None:
    one = opened(prism)
    one.put(time=0.5)
    structure = prism.structure.placed(positions(one))
    if kind == "node":
        wanted = {name: np.array(place) for name, place in structure.nodes.items()}
    else:
        members = structure.bars if kind == "bar" else structure.cables
        ends = {name: m.nodes if kind == "bar" else m.route for name, m in members.items()}
        wanted = {name: _off_centre(*(np.array(structure.nodes[n]) for n in pair)) for name, pair in ends.items()}
    box = one.page.locator("#scene").bounding_box()
    hits = 0
    for name, place in wanted.items():
        x, y = one.run(f"taut.pixel({', '.join(map(str, place))})")
        one.page.mouse.click(box["x"] + x, box["y"] + y)
        one.settle()
        found = one.run("taut.selected()")
        assert found is not None
        if found == name:
            hits += 1
            assert one.page.locator("#selection h2").inner_text() == name
    assert hits >= len(wanted) - 1, "at most one may lie behind another"
    one.page.mouse.click(box["x"] + 5, box["y"] + box["height"] / 2)
    one.settle()
    assert one.run("taut.selected()") is None


def _off_centre(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 0.38 * a + 0.62 * b


def test_the_card_tells_force_and_length_at_the_time_shown(opened: Callable, prism: Trajectory) -> None:
    one = opened(prism)
    at = list(prism.structure.cables).index("side1")
    one.put(selection={"run": 0, "kind": "cable", "index": at})
    for sample in (0, 60):
        one.put(time=float(prism.time[sample]))
        told = one.page.locator("#selection dl").inner_text()
        assert f"{prism.cable_tension[sample, at]:.4g} N" in told
        assert f"{prism.cable_length[sample, at]:.5g}".rstrip("0") in told
    assert "bottom1 – top1" in told


def test_charts_follow_the_time_and_set_it(opened: Callable, prism: Trajectory) -> None:
    one = opened(prism)
    cursor = "new DOMMatrix(getComputedStyle(taut.charts.all()[0].cursor).transform).e"
    left = one.run(cursor)
    one.put(time=0.5)
    middle = one.run(cursor)
    one.put(time=1.0)
    right = one.run(cursor)
    assert right - left > 200
    assert middle - left == pytest.approx((right - left) / 2, abs=1)
    assert f"{1e3 * prism.energy_kinetic[-1]:.4g} mJ" in one.page.locator(".chart").nth(2).inner_text()
    box = one.page.locator(".chart canvas").nth(1).bounding_box()
    one.page.mouse.click(box["x"] + 50 + 0.25 * (box["width"] - 58), box["y"] + 60)
    one.settle()
    assert one.run("taut.state.get('time')") == pytest.approx(0.25, abs=0.01)


def test_members_and_nodes_are_added_to_charts_and_taken_out(opened: Callable, prism: Trajectory) -> None:
    one = opened(prism)
    forces = one.page.locator(".chart").nth(0)
    names = forces.locator(".name")
    before = names.all_inner_texts()
    assert len(before) == 3
    one.put(selection={"run": 0, "kind": "bar", "index": 1})
    one.page.click("text=Add to chart")
    bar = list(prism.structure.bars)[1]
    assert names.all_inner_texts() == [*before, bar]
    one.put(time=0.4)
    assert f"{prism.bar_force[40, 1]:.4g}".replace("-", "−") in forces.inner_text()
    forces.locator("button").nth(0).click()
    assert names.all_inner_texts() == [*before[1:], bar]
    one.put(selection={"run": 0, "kind": "node", "index": 4})
    one.page.click("text=Add y to chart")
    assert f"{list(prism.structure.nodes)[4]} y" in one.page.locator(".chart").nth(1).locator(".name").all_inner_texts()


def test_keys(opened: Callable, tbar: Trajectory) -> None:
    one = opened(tbar)
    keys = one.page.keyboard
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    assert one.run("taut.state.get('time')") == pytest.approx(tbar.time[2])
    keys.press("End")
    assert one.run("taut.state.get('time')") == 2.0
    keys.press("Shift+ArrowLeft")
    assert one.run("taut.state.get('time')") == pytest.approx(tbar.time[-11])
    keys.press(" ")
    assert one.run("taut.state.get('playing')")
    keys.press(" ")
    for key, option in (("t", "trails"), ("n", "names"), ("c", "follow"), ("p", "flat")):
        was = one.run(f"taut.state.get('{option}')")
        keys.press(key)
        assert one.run(f"taut.state.get('{option}')") is not was
    keys.press("d")
    assert one.run("document.documentElement.dataset.theme") == "dark"
    keys.press("?")
    assert one.page.locator("#keys").is_visible()
    keys.press("Escape")
    one.settle()
    assert one.complaints == []


def test_following_keeps_the_centre_of_mass_in_place(opened: Callable) -> None:
    ball = taut.generators.icosahedron()
    run = taut.simulate(taut.assemble(ball, velocities=dict.fromkeys(ball.nodes, (3.0, 0.0, 0.0))), 2.0, every=0.02)
    one = opened(run)
    assert one.run("taut.state.get('follow')"), "a run that travels far is followed from the start"
    centre = (
        "taut.pixel(...[0, 1, 2].map((i) => taut.positions().reduce((s, v, k) => s + (k % 3 === i ? v / 12 : 0), 0)))"
    )
    before = one.run(centre)
    one.put(time=1.5)
    np.testing.assert_allclose(one.run(centre), before, atol=0.5)
    np.testing.assert_allclose(positions(one).mean(axis=0), [4.5, 0, 0], atol=1e-5)


def test_the_pointer_turns_moves_zooms_and_fits(opened: Callable, prism: Trajectory) -> None:
    one = opened(prism)
    look = "[taut.camera.yaw, taut.camera.pitch, taut.camera.distance, ...taut.camera.target]"
    fitted = np.array(one.run(look))
    mouse = one.page.mouse

    def drag(dx: int, dy: int) -> np.ndarray:
        before = np.array(one.run(look))
        mouse.move(450, 300)
        mouse.down()
        mouse.move(450 + dx, 300 + dy, steps=4)
        mouse.up()
        one.settle()
        return np.array(one.run(look)) - before

    turned = drag(80, 40)
    assert turned[0] == pytest.approx(-80 * 0.0075)
    assert turned[1] == pytest.approx(40 * 0.0075)
    assert np.abs(turned[2:]).max() == 0.0
    place = prism.structure.positions.mean(axis=0)
    pixel = f"taut.pixel({', '.join(map(str, place))})"
    before = np.array(one.run(pixel))
    one.page.keyboard.down("Shift")
    moved = drag(50, -30)
    one.page.keyboard.up("Shift")
    assert np.abs(moved[:3]).max() == 0.0
    np.testing.assert_allclose(np.array(one.run(pixel)) - before, [50, -30], rtol=0.15)
    mouse.wheel(0, -200)
    one.settle()
    assert one.run("taut.camera.distance") < fitted[2]
    assert one.run("taut.selected()") is None, "a drag is no click"
    one.page.locator("#fit").click()
    one.settle()
    one.page.keyboard.press("a")
    one.settle()
    np.testing.assert_allclose(one.run(look), fitted, atol=1e-6)


def test_cables_are_drawn_in_the_colour_of_their_tension(opened: Callable, tbar: Trajectory) -> None:
    """c2 pulls with 35 N of at most 48 N at the start, c1 is slack: read the colours off the picture."""
    one = opened(tbar)
    one.put(grid=False, nodes=False)
    found = []
    for pair in (("n2", "n3"), ("n1", "n2")):
        a, b = (np.array(tbar.structure.nodes[n]) for n in pair)
        x, y = one.run(f"taut.pixel({', '.join(map(str, 0.3 * a + 0.7 * b))})")
        found.append(_darkest(one, x, y))
    strong, slack = found
    assert sum(strong) < 330, "high tension is dark on a light ground"
    assert sum(slack) > sum(strong) + 200, "a slack cable fades"


def _darkest(one: object, x: float, y: float) -> list[int]:
    """The darkest pixel around a place of the scene, drawn afresh so that it can be read."""
    return one.run(
        f"""(() => {{
            taut.scene.draw({{ ...taut.state.values, runColour: () => null, largest: 47.7 }});
            const gl = taut.scene.gl, seen = new Uint8Array(4 * 81);
            const left = Math.round({x}) - 4, low = gl.drawingBufferHeight - Math.round({y}) - 4;
            gl.readPixels(left, low, 9, 9, gl.RGBA, gl.UNSIGNED_BYTE, seen);
            let best = [255, 255, 255];
            for (let k = 0; k < seen.length; k += 4) {{
              const one = [...seen.slice(k, k + 3)];
              if (one[0] + one[1] + one[2] < best[0] + best[1] + best[2]) best = one;
            }}
            return best;
        }})()"""
    )


@pytest.mark.slow
def test_a_reading_stands_until_the_next_measurement(opened: Callable) -> None:
    structure = taut.Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[taut.Cable("c", ("a", "b"), stiffness=100.0, rest_length=0.5)],
        supports={"a": "xyz", "b": "yz"},
        point_masses={"b": 1.0},
    )
    sensors = [taut.Sensor("slow", "node:b.position.x", rate=10.0), taut.Sensor("now", "node:b.position.x")]
    run = taut.simulate(taut.assemble(structure, sensors=sensors), 0.4, every=0.1)
    one = opened(run)
    one.put(time=0.15)
    shown = one.run(
        "taut.charts.given.find(({ spec }) => spec.name === 'Readings').chart.series"
        ".map(({ name, steps, readout }) => [name, steps, parseFloat(readout.textContent.replace('\u2212', '-'))])"
    )
    slow, now = run.reading[1:3].T
    assert shown[0] == ["slow", "until", pytest.approx(slow[0], abs=1e-3)]
    assert shown[1] == ["now", "", pytest.approx(now.mean(), abs=1e-3)]
    assert abs(slow[0] - now.mean()) > 0.02
