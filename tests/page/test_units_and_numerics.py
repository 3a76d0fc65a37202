"""Numbers with the prefix that people use, numerics on a tab of their own, and driven members that are marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory
from taut.output.model_statics import pictured

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (51500.0, "N", "51.5 kN"),
        (0.0123, "m", "12.3 mm"),
        (0.5, "m", "0.5 m"),
        (-0.05, "m", "−50 mm"),
        (999.99, "N", "1 kN"),
        (0.0, "N", "0 N"),
        (4.47e7, "N/m", "44.7 MN/m"),
        (2e-4, "s", "0.2 ms"),
        (2000.0, "s", "2000 s"),
        (0.002, "kg", "2 g"),
        (0.002, "1/s", "0.002 1/s"),
        (0.05, "m^2", "0.05 m^2"),
        (4e-15, "m", "4.00×10⁻¹⁵ m"),
    ],
)
def test_a_number_has_the_prefix_that_people_use(opened: Callable, value: float, unit: str, told: str) -> None:
    """By a still of one cable: the card shows its tension; other units by what the page itself has."""
    one = opened(taut.generators.prism())
    assert one.run(f"taut.quantity({value!r}, {unit!r})") == told


def test_a_large_structure_is_told_in_kilonewtons_everywhere(opened: Callable) -> None:
    prism = taut.generators.prism().supported("bottom*")
    tension = np.linspace(1e3, 51500.0, len(prism.cables))
    one = opened(taut.output.Still(prism, tension, np.full(3, -7e4), np.full((3, 3), 2e6)))
    legend = one.page.locator("#legend").inner_text()
    assert "Cable tension [kN]" in legend
    assert "51.5" in legend
    assert "reactions, longest 3.46 MN" in legend
    one.put(selection={"run": 0, "kind": "cable", "index": len(prism.cables) - 1})
    assert "51.5 kN" in one.page.locator("#selection").inner_text()


def test_numerics_have_a_tab_of_their_own_and_motion_comes_first(opened: Callable, tbar: Trajectory) -> None:
    one = opened(tbar)
    assert one.page.locator("#tabs button").all_inner_texts() == ["Charts", "Summary", "Numerics", "View"]
    charts = [words.split("[")[0].strip() for words in one.page.locator("#page-0 figcaption").all_inner_texts()]
    assert charts == ["Member forces", "Node coordinates", "Energy"]
    one.page.get_by_role("tab", name="Summary").click()
    assert "worst energy" not in one.page.locator("#page-1").inner_text()
    one.page.get_by_role("tab", name="Numerics").click()
    told = one.page.locator("#page-2").inner_text()
    for words in ("worst bar length", "worst energy", "method", "steps", "Violations", "samples are in this page"):
        assert words in told
    one.until("taut.charts.all().at(-1).canvas.width > 300", 5)


def test_driven_members_of_a_model_are_marked_before_it_runs(opened: Callable) -> None:
    model = taut.read_model(EXAMPLES / "rolling.yaml")
    still, _ = pictured(model)
    one = opened(still)
    marked = {(driven["kind"], driven["index"]) for driven in one.run("taut.runs[0].driven")}
    assert marked == {("bar", k) for k in range(len(model.structure.bars))}
    assert "driven" in one.page.locator("#legend").inner_text()
    one.put(driven=False)
    assert "driven" not in one.page.locator("#legend").inner_text()


def floor_below(one: object) -> np.ndarray:
    """The colours of the picture, of the floor among them, drawn afresh so that they can be read."""
    script = """(() => {
        taut.redraw();
        const gl = taut.scene.gl, seen = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, seen);
        let sum = 0;
        for (const value of seen) sum += value;
        return sum / seen.length;
    })()"""
    return one.run(script)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_where_no_ground_is_told_a_floor_has_the_shadow(opened: Callable, theme: str) -> None:
    one = opened(taut.generators.prism(3).supported("bottom*"), theme=theme)
    shaded = floor_below(one)
    one.put(shadow=False)
    plain = floor_below(one)
    assert plain > shaded + 0.02, "the shadow is darker than the floor"
    one.put(ground=False)
    assert abs(floor_below(one) - plain) > 0.1, "the floor is seen"
