"""Load cases on a page: one is chosen, with its displacements, forces, utilisation, loads and reactions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import taut
from taut.statics import LoadCase, LoadCaseTable, solve_cases

STEEL = taut.Material("steel", density=7850.0, youngs_modulus=2.1e11, yield_stress=2.5e8)
CASES = {"weight": LoadCase(gravity=9.81), "wind": LoadCase(loads={"top1": (900.0, 0.0, 0.0)})}


@cache
def table() -> LoadCaseTable:
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", material=STEEL, radius=0.002)
    prism = prism.changed("cable:*", stiffness=None, rest_ratio=0.998)
    return solve_cases(prism, CASES, combinations={"storm": {"weight": 1.35, "wind": 1.5}})


def shown(one: object) -> np.ndarray:
    return np.array(one.run("taut.positions()")).reshape(-1, 3)


def test_the_case_that_is_chosen_is_shown_with_its_forces_and_arrows(opened: Callable) -> None:
    one = opened(table())
    assert one.complaints == []
    assert one.page.locator("#tabs button").all_inner_texts() == ["Cases", "Summary", "Numerics", "View"]
    for row, (name, found) in enumerate(table().equilibria.items()):
        one.page.get_by_label("Load case", exact=True).select_option(label=name)
        one.settle()
        assert one.run("taut.state.get('loadCase')") == row
        np.testing.assert_allclose(one.run("taut.tensions()"), found.cable_tension, rtol=1e-6)
        np.testing.assert_allclose(one.run("taut.barForces()"), found.bar_force, rtol=1e-6)
        panel = one.page.locator("#page-0").inner_text()
        assert f"{found.cable_tension.max() / 1e3:.4g} kN, " in panel
        assert "largest utilisation" in panel
        assert "balanced" in panel
    arrows = {arrow["name"]: arrow for arrow in one.run("taut.runs[0].arrows")}
    assert arrows["load"]["largest"] == pytest.approx(
        max(np.linalg.norm(found.external, axis=1).max() for found in table().equilibria.values())
    )


def test_displacements_are_drawn_as_large_as_one_likes_and_told_as_they_are(opened: Callable) -> None:
    one = opened(table())
    given, found = table().structure.positions, table().nodes[2]
    for times in (0, 1, 50):
        one.put(loadCase=2, enlarged=times)
        np.testing.assert_allclose(shown(one), given + times * (found - given), atol=1e-4)
        told = "not drawn" if times == 0 else f"{times}×"
        assert one.page.locator("#inputs output").inner_text() == told
    node = int(np.argmax(np.linalg.norm(found - given, axis=1)))
    one.put(selection={"run": 0, "kind": "node", "index": node})
    moved = np.linalg.norm(found[node] - given[node])
    assert f"moved\n{1e3 * moved:.3g} mm" in one.page.locator("#selection").inner_text()
    one.put(selection={"run": 0, "kind": "cable", "index": 0})
    card = one.page.locator("#selection").inner_text()
    assert f"length\n{table().equilibria['storm'].length[0]:.5g}".rstrip("0") in card, "of the true shape"
    for name, forces in zip(table().cases, table().member_force, strict=True):
        assert f"in {name}\n{forces[0] / 1e3:.4g} kN" in card


def test_members_are_coloured_by_utilisation_and_arrows_are_hidden(opened: Callable) -> None:
    one = opened(table())
    one.put(colouring="utilisation")
    legend = one.page.locator("#legend").inner_text()
    assert "Utilisation of cables [%]" in legend
    assert f"{100 * np.nanmax(table().utilisation[:, : len(table().structure.cables)]):.3g}" in legend
    assert "loads and weight, longest" in legend
    one.page.locator("#page-0").get_by_label("Loads").click()
    one.settle()
    assert "loads and weight" not in one.page.locator("#legend").inner_text()
    assert one.run("taut.state.get('load')") is False


def test_keys_go_through_the_cases(opened: Callable) -> None:
    one = opened(table())
    one.page.keyboard.press("ArrowLeft")
    one.settle()
    assert one.run("taut.state.get('loadCase')") == 2
    before = one.run("taut.state.get('enlarged')")
    one.page.keyboard.press("]")
    one.settle()
    assert one.run("taut.state.get('enlarged')") > before


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_nothing_is_wider_than_its_window(opened: Callable, size: tuple[int, int]) -> None:
    one = opened(table(), size=size)
    assert one.run("document.documentElement.scrollWidth") <= size[0]
    for tab in one.page.locator("#tabs button").all():
        tab.click()
        assert one.run("document.getElementById('pages').scrollWidth <= document.getElementById('pages').clientWidth")


def test_load_cases_are_shown_alone() -> None:
    with pytest.raises(taut.OptionError, match="a table of load cases is shown alone, not with 1 more"):
        taut.page({"a": table(), "b": table().structure})
    with pytest.raises(taut.OptionError, match="frames belongs to runs and structures; a page of a table"):
        taut.page(table(), frames=10)
