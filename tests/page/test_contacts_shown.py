"""Shadow, footprints and contact forces in a browser: drawn where they are, switched off, and without complaints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from standing_run import EDGE, standing


def colours(one: Any, places: list[tuple[float, float, float]]) -> np.ndarray:
    """(k, 3) what is drawn at places, as a picture drawn afresh has it."""
    return np.array(
        one.page.evaluate(
            """places => {
                taut.redraw();
                const gl = taut.scene.gl, ratio = gl.drawingBufferHeight / taut.scene.canvas.clientHeight;
                return places.map((place) => {
                    const [x, y] = taut.pixel(...place), seen = new Uint8Array(4);
                    const low = gl.drawingBufferHeight - Math.round(y * ratio);
                    gl.readPixels(Math.round(x * ratio), low, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, seen);
                    return [...seen.slice(0, 3)];
                });
            }""",
            places,
        ),
        dtype=float,
    )


HIDDEN = {"nodes": False, "contact": False, "footprints": False, "grid": False}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_floor_is_darker_right_below_a_cable(opened: Callable[..., Any], theme: str) -> None:
    """The cable is along y at x = -0.2, 0.7 m above the floor, so its shadow is there and not 0.15 m beside it."""
    one = opened(standing(), theme=theme)
    one.put(**HIDDEN)
    below = [(-0.2, y, 0.0) for y in (-0.3, -0.1, 0.1, 0.3)]
    beside = [(-0.35, y, 0.0) for y in (-0.3, -0.1, 0.1, 0.3)]
    shaded, lit = colours(one, below).sum(axis=1), colours(one, beside).sum(axis=1)
    assert (shaded < 0.95 * lit).all()
    one.put(shadow=False)
    np.testing.assert_allclose(colours(one, below).sum(axis=1), colours(one, beside).sum(axis=1), rtol=0.03)
    one.put(shadow=True, ground=False)
    assert np.ptp(colours(one, below + beside)) < 60, "no floor, no shadow"
    assert one.complaints == []


def test_the_shadow_falls_on_a_step_and_follows(opened: Callable[..., Any]) -> None:
    """The bar's shadow is along y = 0 on the step, at its height."""
    run = standing()
    higher = replace(run, nodes=run.nodes + np.array([0.0, 0.0, 0.3]))
    one = opened(higher)
    one.put(**HIDDEN)
    shaded = colours(one, [(0.4, 0.0, 0.2), (0.5, 0.0, 0.2)]).sum(axis=1)
    lit = colours(one, [(0.4, 0.5, 0.2), (0.5, 0.5, 0.2)]).sum(axis=1)
    assert (shaded < 0.9 * lit).all()
    one.put(time=1.0)
    assert one.complaints == []


def test_footprints_come_with_time(opened: Callable[..., Any]) -> None:
    """The one at x = 0.1 is there at the end only; a ring, so its rim is coloured and not its middle."""
    run = standing(101)
    one = opened(run)
    one.put(**{**HIDDEN, "footprints": True, "shadow": False, "supports": False})
    found = one.run("Array.from(taut.runs[0].footprints)")
    last = np.array(found).reshape(-1, 7)
    last = last[np.abs(last[:, 2]) < 1e-9][-1]
    radius = 2.4 * one.run("taut.scene.sizes.nodeRadius") * 0.75
    rim = [(last[0], sign * radius, 0.0) for sign in (-1.0, 1.0)]
    one.put(time=0.0)
    before = colours(one, rim)
    one.put(time=1.0)
    after = colours(one, rim)
    assert np.abs(after - before).sum(axis=1).min() > 40
    assert "footprints" in one.page.locator("#legend").inner_text()
    one.put(footprints=False)
    np.testing.assert_allclose(colours(one, rim), before, atol=3)
    assert "footprints" not in one.page.locator("#legend").inner_text()


def test_forces_of_bars_across_edges_are_arrows_at_the_edge(opened: Callable[..., Any]) -> None:
    one = opened(standing())
    (arrows,) = [arrow for arrow in one.run("taut.runs[0].arrows") if arrow["name"] == "contact"]
    assert arrows["nodes"] == [0, 0]
    assert arrows["others"] == [0, 1]
    one.put(time=1.0)
    assert one.run("taut.runs[0].arrows.find((a) => a.name === 'contact').shares.at(10, 1)") == pytest.approx(
        (0.3 - 0.1) / 0.6, rel=1e-6
    )
    assert "and more" in one.page.locator("#legend").inner_text(), "an impact is longer than the longest arrow"
    # An arrow of 2.2 N of 22.4 is short; it begins where the bar crosses the edge and has the colour of contacts.
    one.put(**{**HIDDEN, "contact": True, "shadow": False})
    at = colours(one, [(0.3 - 0.003, 0.0, 0.2 + 0.006)])[0]
    one.put(contact=False)
    assert np.abs(at - colours(one, [(0.3 - 0.003, 0.0, 0.2 + 0.006)])[0]).sum() > 20
    assert f"ab on step, edge {EDGE + 1}" == standing().contact_names[2]


def test_charts_show_forces_of_grounds_and_what_contacts_do(opened: Callable[..., Any]) -> None:
    one = opened(standing())
    charts = {chart["name"]: chart for chart in one.run("taut.runs[0].charts")}
    assert [series["name"] for series in charts["Contact force"]["series"]] == ["floor", "step"]
    assert [series["name"] for series in charts["Contacts"]["series"]] == ["sticking", "sliding"]
    read = "taut.runs[0].charts.find((c) => c.name === 'Contacts').series.map((s) => s.values.at({row}, 0))"
    assert one.run(read.format(row=0)) == [1, 1]
    assert one.run(read.format(row=10)) == [0, 2]


def test_a_contact_force_stands_since_the_sample_before(opened: Callable[..., Any]) -> None:
    """As in plots: the impact at t = 0.5 s acted over the step that ended there, also where samples are thinned."""
    read = """[...document.querySelectorAll('figure')].find((one) => one.innerText.startsWith('Contact force'))
        .querySelector('.keys .value').textContent"""
    for one, within, after in (
        (opened(standing(101)), 0.495, 0.505),
        (opened(standing(101), frames=35), 0.49, 0.52),  # sample 50 lies between the 48th and the 51st
    ):
        for time, told in ((within, "1 kN"), (after, "8.062 N")):
            one.put(time=time)
            one.until(f"{read} === {told!r}")
        assert one.complaints == []


def test_a_run_without_ground_offers_none_of_it(opened: Callable[..., Any]) -> None:
    run = standing()
    free = {"contact_force": 0.0 * run.contact_force, "contact_state": 0.0 * run.contact_state}
    one = opened(replace(run, options={**run.options, "ground": []}, **free))
    one.page.get_by_role("tab", name="View").click()
    told = one.page.locator("#pages").inner_text()
    assert "Trails" in told
    assert not any(word in told for word in ("Footprints", "Contact forces"))
    assert one.complaints == []
