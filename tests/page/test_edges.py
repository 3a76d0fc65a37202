"""Pages of what is unusual in size or number: one node, many runs, long names; sliders by all their keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import taut
from taut.dynamics.trajectory import Trajectory

LONG = "a name that goes on and on " * 8


def test_a_node_alone_is_seen_from_outside(opened: Callable) -> None:
    one = opened(taut.Structure({"a": (0.0, 0.0, 0.0)}, [], []).weighted("a", 1.0))
    one.settle()
    assert one.run("taut.camera.distance > 3 * taut.scene.sizes.nodeRadius")


def test_a_bar_is_seen_from_its_end(opened: Callable) -> None:
    ends = {"low": (0.0, 0.0, 0.0), "high": (0.0, 0.0, 1.0)}
    one = opened(taut.Structure(ends, [taut.Bar("post", ("low", "high"), mass=1.0)], []))
    one.page.keyboard.press("z")
    one.settle()
    x = np.array(one.run("[taut.pixel(0, 0, 1), taut.pixel(0.1, 0, 1)]"))[:, 0]
    box = one.page.locator("#scene").bounding_box()
    assert 20.0 < abs(x[1] - x[0]) < box["width"], "a tenth of its length is in view"


@pytest.mark.parametrize("size", [(1280, 800), (390, 800)], ids=["desk", "phone"])
def test_names_of_many_runs_leave_the_picture_free(opened: Callable, tbar: Trajectory, size: tuple[int, int]) -> None:
    one = opened({f"run {k}": tbar for k in range(24)}, size=size, frames=3)
    told = one.page.locator("#runs li").all_inner_texts()
    assert told[0] == "run 0"
    assert told[-1] == "and 12 more"
    heading, stage = (one.page.locator(place).bounding_box()["height"] for place in ("#heading", "#stage"))
    assert heading < 0.5 * stage
    assert one.page.locator("#pages .keys").first.bounding_box()["height"] < 250


def test_a_long_name_of_a_run_is_one_line(opened: Callable, tbar: Trajectory) -> None:
    one = opened({LONG: tbar, "b": tbar}, size=(390, 800), frames=3)
    line = one.page.locator("#runs li").first
    assert line.bounding_box()["height"] < 30
    assert line.get_attribute("title") == LONG


def test_sliders_that_are_not_of_time_take_all_keys_of_a_slider(opened: Callable) -> None:
    tower = taut.generators.prism(3).supported("bottom*")
    tight = taut.prestress(tower, {"cable:vertical*": 50.0}, minimum=5.0)
    one = opened(tight, modes=taut.modes(tight, count=2))
    one.page.get_by_role("tab", name="Modes").click()
    slider = one.page.get_by_label("Size of the motion")
    slider.focus()
    for key, value in (("Home", 0.0), ("End", 0.3)):
        one.page.keyboard.press(key)
        assert float(slider.input_value()) == value
