"""Structures alone, modes, events, several runs, hostile names, small screens, big runs, notebooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import SAMPLED, Trajectory, of_samples

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>window.hacked = 1</script>",
    "<!--<script>",
    "'\"><svg onload=alert(2)>",
)


def test_a_structure_alone_has_no_time(opened: Callable) -> None:
    one = opened(taut.generators.prism())
    assert one.complaints == []
    assert not one.page.locator("#transport").is_visible()
    assert one.page.locator("#tabs button").all_inner_texts() == ["Summary", "View"]
    assert "Cable tension" in one.page.locator("#legend").inner_text()


def test_a_still_shows_the_forces_it_is_given(opened: Callable) -> None:
    prism = taut.generators.prism().supported("bottom*")
    tension = np.linspace(1.0, 9.0, len(prism.cables))
    still = taut.output.Still(prism, tension, np.full(3, -7.0), np.full((3, 3), 2.0), {"status": "balanced"})
    one = opened(still)
    one.put(selection={"run": 0, "kind": "bar", "index": 0})
    assert "−7 N (pushes)" in one.page.locator("#selection").inner_text()
    one.put(selection={"run": 0, "kind": "cable", "index": 8})
    assert "9 N" in one.page.locator("#selection").inner_text()
    assert "reactions, longest 3.46 N" in one.page.locator("#legend").inner_text()
    assert "balanced" in one.page.locator("#pages").inner_text()


def test_tensions_that_nobody_knows_are_said_to_be_unknown(opened: Callable) -> None:
    one = opened(taut.Structure({"a": (0, 0, 0), "b": (1, 0, 1)}, cables=[taut.Cable("c", ("a", "b"))]))
    assert "tension unknown" in one.page.locator("#legend").inner_text()
    one.put(selection={"run": 0, "kind": "cable", "index": 0})
    assert "tension\n–" in one.page.locator("#selection").inner_text()
    assert one.complaints == []


def test_modes_swing_about_the_shape(opened: Callable) -> None:
    prism = taut.generators.prism()
    shape = np.zeros((6, 3))
    shape[3:, 0] = 5.0  # any scale
    shape[3, 0] = 10.0
    modes = [taut.output.ModeShape("sway", 12.3, shape), taut.output.ModeShape("twist", 0.0, -shape)]
    one = opened(prism, modes=modes)
    rest = np.array(one.run("taut.positions()")).reshape(-1, 3)
    one.page.click("#tabs >> text=Modes")
    one.page.click("text=sway · 12.3 Hz")
    one.until(f"Math.abs(taut.positions()[9] - {rest[3, 0]}) > 0.03")
    moved = np.array(one.run("taut.positions()")).reshape(-1, 3) - rest
    assert np.abs(moved[:, 1:]).max() < 1e-6
    np.testing.assert_allclose(moved[:, 0] / moved[3, 0], shape[:, 0] / 10.0, atol=1e-4)
    assert np.abs(moved).max() < 0.0801 * one.run("taut.scene.sizes.size")
    one.page.click("text=At rest")
    one.settle()
    np.testing.assert_allclose(one.run("taut.positions()"), rest.ravel(), atol=1e-6)
    assert one.complaints == []


def test_an_equilibrium_shows_its_forces_and_swings_in_its_modes(opened: Callable) -> None:
    balance = taut.prestress(taut.generators.prism().supported("bottom*"), {"cable:vertical": 200.0})
    modes = taut.modes(balance, count=2)
    one = opened(balance, modes=modes)
    one.put(selection={"run": 0, "kind": "bar", "index": 0})
    assert f"−{-balance.bar_force[0]:.4g}" in one.page.locator("#selection").inner_text()
    assert "reactions, longest" in one.page.locator("#legend").inner_text()
    rest = np.array(one.run("taut.positions()")).reshape(-1, 3)
    np.testing.assert_allclose(rest, balance.structure.positions, atol=1e-6)
    one.page.click("#tabs >> text=Modes")
    one.page.click("text=mode 1 · ")
    furthest = int(np.argmax(np.abs(modes.shapes[0])))
    one.until(f"Math.abs(taut.positions()[{furthest}] - {rest.ravel()[furthest]}) > 0.03")
    moved = (np.array(one.run("taut.positions()")).reshape(-1, 3) - rest).ravel()
    shape = modes.shapes[0].ravel()
    np.testing.assert_allclose(moved / moved[furthest], shape / shape[furthest], atol=1e-4)
    assert one.complaints == []


def test_events_are_ticks(opened: Callable, tbar: Trajectory) -> None:
    one = opened(tbar, events=[taut.Event(1.5, "c1 slack"), taut.Event(0.5, "c1 taut")])
    ticks = one.page.locator("#ticks i")
    assert [ticks.nth(k).get_attribute("title") for k in range(2)] == ["c1 taut", "c1 slack"]
    boxes = [ticks.nth(k).bounding_box() for k in range(2)]
    track = one.page.locator("#ticks").bounding_box()
    for box, share in zip(boxes, (0.25, 0.75), strict=True):
        assert box["x"] + 1 == pytest.approx(track["x"] + share * track["width"], abs=1)


def test_plates_are_drawn_as_bodies_and_can_be_left_out(opened: Callable) -> None:
    corners = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "c": (2.0, 2.0, 0.0), "d": (0.0, 2.0, 0.0)}
    lid = taut.Structure(corners, plates=[taut.Plate("lid", tuple(corners), mass=1.0)], name="lid")
    one = opened(lid)
    assert "1 plate" in one.page.locator("#subtitle").inner_text()
    one.put(nodes=False, grid=False, ground=False)
    filled = _drawn(one)
    one.put(plates=False)
    assert filled > 0.02
    assert _drawn(one) == 0.0
    assert not [told for told in one.complaints if "ReadPixels" not in told]


def _drawn(one: Any) -> float:
    """Which share of the drawing is not background."""
    return float(
        one.run(
            """(() => {
            taut.scene.draw({ ...taut.state.values, runColour: () => null, largest: 1e9 });
            const gl = taut.scene.gl;
            const [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
            const seen = new Uint8Array(4 * w * h);
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, seen);
            let other = 0;
            for (let k = 0; k < seen.length; k += 4) {
                if ([0, 1, 2].some((c) => Math.abs(seen[k + c] - seen[c]) > 6)) other++;
            }
            return other / (w * h);
        })()"""
        )
    )


def test_runs_are_laid_over_each_other(opened: Callable, tbar: Trajectory) -> None:
    half = replace(tbar, **{name: getattr(tbar, name)[:101] for name in SAMPLED})
    moved = replace(half, nodes=half.nodes + np.array([0.5, 0.0, 0.0]))
    one = opened({"as it was": tbar, "moved & cut": moved})
    assert one.page.locator("#runs li").all_inner_texts() == ["as it was", "moved & cut"]
    one.put(time=2.0)
    np.testing.assert_allclose(one.run("taut.positions(0)"), tbar.nodes[-1].ravel(), atol=1e-6)
    np.testing.assert_allclose(one.run("taut.positions(1)"), moved.nodes[-1].ravel(), atol=1e-6)
    energy = one.page.locator(".chart").nth(2)
    assert energy.locator(".name").all_inner_texts() == ["as it was", "moved & cut"]
    energy.locator("select").select_option(label="kinetic")
    assert f"{tbar.energy_kinetic[-1]:.4g} J" in energy.inner_text()
    assert one.complaints == []


def test_names_are_text_and_nothing_else(opened: Callable, tmp_path: Path) -> None:
    a, b, c, d = HOSTILE
    structure = taut.Structure(
        {a: (0, 0, 0), b: (1, 0, 0), "top": (0.5, 0, 1)},
        [taut.Bar(c, (a, b), mass=1.0)],
        [taut.Cable(d, (a, "top"), stiffness=10.0), taut.Cable(b, (b, "top"), stiffness=10.0)],
        point_masses={"top": 1.0},
        supports={a: "xyz"},
        name=b,
    )
    run = taut.simulate(taut.assemble(structure, gravity=9.81, loads=[taut.Load("top", "x", 1.0)]), 0.2, every=0.01)
    shape = taut.output.ModeShape(a, 1.0, np.ones((3, 3)))
    path = tmp_path / "hostile.html"
    taut.page({b: run, a: run}, path, modes=[shape], events=[taut.Event(0.1, d)])
    text = path.read_text(encoding="utf-8")
    assert all(name not in text for name in HOSTILE)
    one = opened(path)
    one.put(names=True, trails=True)
    for kind, index, name in (("node", 0, a), ("node", 1, b), ("bar", 0, c), ("cable", 0, d)):
        one.put(selection={"run": 0, "kind": kind, "index": index})
        assert one.page.locator("#selection h2").inner_text() == name
        one.page.locator("#selection .row button").first.click()
        for tab in one.page.locator("#tabs button").all():
            tab.click()
        one.settle()
    assert one.page.locator("#title").inner_text() == b
    assert one.page.title() == f"{b} – taut"
    assert one.run("window.hacked") is None
    assert one.run("document.querySelectorAll('img, [onload], [onerror]').length") == 0
    assert one.run("document.scripts.length") == 2
    assert one.complaints == []


def test_what_is_injected_all_the_same_does_not_run(opened: Callable, tbar: Trajectory) -> None:
    """The policy of the page is a second wall behind textContent."""
    one = opened(tbar)
    one.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked = 1\">')")
    one.run(
        "{ const s = document.createElement('script'); s.textContent = 'window.hacked = 2'; document.body.append(s); }"
    )
    one.page.wait_for_timeout(200)
    assert one.run("window.hacked") is None
    assert any("Content Security Policy" in complaint for complaint in one.complaints)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_nothing_is_cut_off_and_nothing_overlaps(
    opened: Callable, prism: Trajectory, size: tuple[int, int], theme: str
) -> None:
    one = opened(prism, size=size, theme=theme)
    assert one.run("document.documentElement.dataset.theme") == theme
    assert one.run("document.documentElement.scrollWidth") <= size[0]
    boxes = {
        name: one.page.locator(name).bounding_box() for name in ("#heading", "#tools", "#legend", "#transport", "#tabs")
    }
    for name, box in boxes.items():
        assert box["x"] >= 0, name
        assert box["y"] >= 0, name
        assert box["x"] + box["width"] <= size[0] + 0.5, name
        assert box["y"] + box["height"] <= size[1] + 0.5, name
    names = list(boxes)
    for k, first in enumerate(names):
        for second in names[k + 1 :]:
            assert _apart(boxes[first], boxes[second]), f"{first} lies over {second}"
    stage = one.page.locator("#stage").bounding_box()
    for place in prism.structure.positions:
        x, y = one.run(f"taut.pixel({', '.join(map(str, place))})")
        assert 0 < x < stage["width"]
        assert 0 < y < stage["height"]
    for tab in one.page.locator("#tabs button").all():
        tab.click()
        assert one.run("document.getElementById('pages').scrollWidth <= document.getElementById('pages').clientWidth")


def _apart(a: dict[str, float], b: dict[str, float]) -> bool:
    return (
        a["x"] + a["width"] <= b["x"] + 0.5
        or b["x"] + b["width"] <= a["x"] + 0.5
        or a["y"] + a["height"] <= b["y"] + 0.5
        or b["y"] + b["height"] <= a["y"] + 0.5
    )


def big_run(cells: tuple[int, int, int], samples: int) -> Trajectory:
    """A run of a lattice that nobody simulated: a wave through its nodes."""
    lattice = taut.generators.lattice(*cells).supported("bottom")
    time = np.linspace(0.0, 1.0, samples)
    base = lattice.positions
    wave = 0.1 * np.sin(6.0 * time[:, None] + base[:, 0])
    nodes = base + wave[:, :, None] * np.array([0.0, 1.0, 0.3])
    count, held = len(lattice.cables), sum(n in lattice.supports for n in lattice.nodes)
    zeros = np.zeros(samples)
    run = of_samples(
        lattice,
        {
            "time": time,
            "nodes": nodes,
            "velocities": np.zeros_like(nodes),
            "cable_length": np.ones((samples, count)),
            "cable_tension": 100.0 * (1.0 + np.sin(6.0 * time[:, None] + np.arange(count))),
            "bar_force": np.full((samples, len(lattice.bars)), -200.0),
            "reaction": np.ones((samples, held, 3)),
            **dict.fromkeys(("energy_kinetic", "energy_elastic", "energy_gravity", "work"), zeros + 1.0),
            **dict.fromkeys(("energy_violation", "length_violation", "rate_violation"), zeros + 1e-12),
        },
    )
    return replace(
        run,
        options={"method": "none", "tolerance": 1e-8, "correction": "none"},
        counts=dict.fromkeys(("steps", "rejected", "evaluations", "iterations", "unbalanced"), 0),
    )


@pytest.mark.slow
def test_ten_thousand_members_and_five_hundred_frames_open_and_play(opened: Callable) -> None:
    run = big_run((7, 6, 5), 500)
    assert len(run.structure.bars) + len(run.structure.cables) > 10_000
    one = opened(run)
    assert "All 500 samples are in this page; positions are within " in one.run("taut.runs[0].kept")
    assert "16-bit" in one.run("taut.runs[0].kept")
    one.put(time=float(run.time[123]))
    found = np.array(one.run("taut.positions()")).reshape(-1, 3)
    within = float(one.run("taut.runs[0].kept").split("positions are within ")[1].split(" m")[0])
    assert np.abs(found - run.nodes[123]).max() <= 1.2 * within < 2e-4
    drawn = one.run("taut.scene.drawn")
    one.put(speed=0.1)
    one.page.click("#play")
    one.until(f"taut.scene.drawn >= {drawn + 4}", seconds=60)
    assert one.complaints == []


def test_it_shows_inline_in_a_notebook(opened: Callable, tbar: Trajectory, tmp_path: Path, browser: Any) -> None:
    shown = taut.page(tbar)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><body>{shown._repr_html_()}</body>", encoding="utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda one: "GPU stall" in one.text or said.append(one.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    inside = page.frames[1]
    for _ in range(200):
        if inside.evaluate("Boolean(window.taut && window.taut.settled())"):
            break
        page.wait_for_timeout(50)
    assert inside.evaluate("taut.scene.drawn") > 0
    assert said == []
    page.close()


def test_a_browser_that_cannot_draw_says_so(browser: Any, tbar: Trajectory, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    taut.page(tbar, path)
    page = browser.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(path.as_uri())
    page.locator("#trouble", has_text="no WebGL2").wait_for()
    page.close()


def test_without_webgl2_a_recorded_run_plays_on_a_plain_canvas(opened: Callable, tbar: Trajectory) -> None:
    one = opened(
        tbar,
        first="const of = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        "  return kind.startsWith('webgl') ? null : of.call(this, kind, ...more); }",
    )
    one.put(time=1.0)
    assert one.page.locator("#trouble").is_hidden()
    assert one.run("taut.scene.painted") is True
    np.testing.assert_allclose(one.run("taut.positions()"), tbar.nodes[100].ravel(), atol=1e-6)
    seen = one.run(
        """() => {
          const bar = taut.runs[0].structure.bars.ends, at = taut.positions();
          const middle = [0, 1, 2].map((i) => 0.75 * at[3 * bar[0] + i] + 0.25 * at[3 * bar[1] + i]);
          const scale = taut.scene.canvas.width / taut.scene.canvas.clientWidth;
          const pixel = (place) => {
            const [x, y] = place.map((value) => Math.round(scale * value));
            return Array.from(taut.scene.pen.getImageData(x, y, 1, 1).data);
          };
          return [pixel(taut.pixel(...middle)), pixel([3, 3])];
        }"""
    )
    assert max(abs(a - b) for a, b in zip(*seen, strict=True)) > 40, "a bar is seen where it is"
    assert one.complaints == []
