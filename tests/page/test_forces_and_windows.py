"""Bars in the colour of their compression, the loads of an equilibrium, and a window that changes its size."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory

HEAVY = (0.0, 0.0, -300.0)


@cache
def standing() -> taut.Equilibrium:
    """A prism, tight, with a load on one node: its struts push unequally."""
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", rest_ratio=0.97)
    return taut.balance(prism, gravity=9.81, loads={"top1": HEAVY})


def seen(one: object) -> np.ndarray:
    """Where the nodes are on the screen, as shares of the canvas, (n, 2)."""
    script = """(() => {
        const { clientWidth: w, clientHeight: h } = taut.scene.canvas;
        const flat = taut.positions(), found = [];
        for (let k = 0; k < flat.length; k += 3) {
          const [x, y] = taut.pixel(flat[k], flat[k + 1], flat[k + 2]);
          found.push([x / w, y / h]);
        }
        return found;
    })()"""
    return np.array(one.run(script))


def test_an_equilibrium_shows_its_loads(opened: Callable) -> None:
    one = opened(standing())
    (load,) = [arrow for arrow in one.run("taut.runs[0].arrows") if arrow["name"] == "load"]
    assert load["largest"] == pytest.approx(np.linalg.norm(standing().external, axis=1).max())
    assert load["nodes"] == list(range(6)), "each node has its weight"
    assert "loads and weight, longest 306 N" in one.page.locator("#legend").inner_text()
    one.put(load=False)
    assert "loads" not in one.page.locator("#legend").inner_text()


def test_an_equilibrium_without_loads_has_no_such_arrows(opened: Callable) -> None:
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", rest_ratio=0.97)
    one = opened(taut.balance(prism))
    assert "loads" not in one.page.locator("#legend").inner_text()


def colour_of_bar(one: object, name: str) -> np.ndarray:
    """The pixel at a share of a bar's length where nothing lies before it, drawn afresh so that it can be read."""
    structure = standing().structure
    a, b = (np.array(structure.nodes[node]) for node in structure.bars[name].nodes)
    found = []
    for share in (0.2, 0.3, 0.4, 0.6, 0.7, 0.8):
        place = ", ".join(map(str, a + share * (b - a)))
        pixel = one.run(
            f"""(() => {{
                taut.scene.draw({{ ...taut.state.values, runColour: () => null, largest: 1e9 }});
                const [x, y] = taut.pixel({place}), gl = taut.scene.gl, seen = new Uint8Array(4);
                const ratio = gl.drawingBufferHeight / taut.scene.canvas.clientHeight;
                const low = gl.drawingBufferHeight - Math.round(y * ratio);
                gl.readPixels(Math.round(x * ratio), low, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, seen);
                return [...seen.slice(0, 3)];
            }})()"""
        )
        found.append(pixel)
    return np.median(np.array(found, dtype=float), axis=0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_bars_are_drawn_in_the_colour_of_their_compression(opened: Callable, theme: str) -> None:
    """The strut that pushes most is nearer to the colour of compression than the one that pushes least."""
    most, least, _ = standing().structure.bars
    still = taut.output.Still(standing().structure, standing().cable_tension, np.array([-704.0, -30.0, 20.0]))
    one = opened(still, theme=theme)
    one.put(grid=False, nodes=False, load=False, reaction=False)
    target = one.run("getComputedStyle(document.documentElement).getPropertyValue('--compression').trim().slice(1)")
    wanted = np.array([int(target[k : k + 2], 16) for k in (0, 2, 4)], dtype=float)

    def hue(colour: np.ndarray) -> np.ndarray:
        return colour / np.linalg.norm(colour)  # light and shade apart

    strong, weak = (np.linalg.norm(hue(colour_of_bar(one, name)) - hue(wanted)) for name in (most, least))
    assert strong < 0.6 * weak
    told = one.page.locator("#legend").inner_text()
    assert "Bar compression [N]" in told
    assert "704" in told
    one.put(colouring="density")
    assert "Bar force density, pushing [N/m]" in one.page.locator("#legend").inner_text()


@pytest.mark.parametrize(
    "size", [*(pytest.param(other, marks=pytest.mark.slow) for other in ((1800, 500), (700, 900))), (390, 844)]
)
def test_it_fits_again_when_the_window_changes(opened: Callable, prism: Trajectory, size: tuple[int, int]) -> None:
    """What a page looks like after a change of its window is what it looks like opened in such a window."""
    fresh = opened(prism, size=size)
    one = opened(prism, size=(1280, 800))
    one.page.wait_for_timeout(1700)  # long after it was opened
    one.page.set_viewport_size({"width": size[0], "height": size[1]})
    one.until(f"innerWidth === {size[0]} && taut.scene.canvas.clientWidth <= {size[0]}")
    for _ in range(50):  # a busy browser hears of its window late
        one.settle()
        if np.allclose(seen(one), seen(fresh), atol=0.02):
            break
        one.page.wait_for_timeout(100)
    np.testing.assert_allclose(seen(one), seen(fresh), atol=0.02)
    assert seen(one).min() > 0.0
    assert seen(one).max() < 1.0


def test_it_stays_where_someone_looks(opened: Callable, prism: Trajectory) -> None:
    one = opened(prism, size=(1280, 800))
    one.page.mouse.move(450, 300)
    one.page.mouse.wheel(0, -400)
    one.settle()
    near = one.run("taut.camera.distance")
    one.page.set_viewport_size({"width": 1200, "height": 700})
    one.page.wait_for_timeout(200)
    one.settle()
    assert one.run("taut.camera.distance") == near
    one.page.locator("#fit").click()
    one.settle()
    assert one.run("taut.camera.distance") > near
