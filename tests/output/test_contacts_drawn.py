"""Contacts in plots and films: where they are, what they push with, what they leave, and the shadow over them."""

from __future__ import annotations

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from standing_run import EDGE, GROUNDS, standing

import taut
from taut import Ground, Plane, Terrain
from taut.errors import OptionError
from taut.output.contact_places import contact_places, footprints, ground_forces, outwards, usual_force
from taut.output.film.canvas import pictures
from taut.output.ground_heights import heights_below
from taut.output.palette import CONTACT
from taut.output.plot.sheets import figures


def test_contacts_are_where_nodes_and_edges_are() -> None:
    """Those that were never closed are left out; a bar's is where it crosses the edge."""
    run = standing()
    places = contact_places(run)
    assert places.column.tolist() == [0, 2]
    assert places.ends.tolist() == [[0, 0], [0, 1]]
    at = places.at(run.nodes)
    np.testing.assert_allclose(at[:, 0], run.nodes[:, 0])
    np.testing.assert_allclose(at[:, 1], np.broadcast_to([0.3, 0.0, 0.2], at[:, 1].shape), atol=1e-12)


def test_names_with_the_word_on_in_them_are_told_apart() -> None:
    """A node "a on b" on a ground "c on d"."""
    run = standing()
    nodes = {"a on b" if name == "a" else name: place for name, place in run.structure.nodes.items()}
    bars = [replace(run.structure.bars["ab"], nodes=("a on b", "b"))]
    ground = replace(GROUNDS[0], name="c on d")
    odd = replace(
        run,
        structure=replace(run.structure, nodes=nodes, bars=bars),
        contact_names=("a on b on c on d", *run.contact_names[1:]),
        options={**run.options, "ground": taut.structure.ground_facts.facts_of([ground, GROUNDS[1]])},
    )
    assert contact_places(odd).column.tolist() == [0, 2]
    assert list(ground_forces(odd)) == ["c on d", "step"]


def test_footprints_are_left_at_touchdowns_and_along_the_way() -> None:
    run = standing(101)
    places = contact_places(run)
    found = footprints(run, places)
    floor = found[np.abs(found[:, 2]) < 1e-12]
    apart = 0.02 * np.linalg.norm(np.ptp(run.nodes[0], axis=0))
    assert floor[0].tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    steps = np.diff(floor[:, 0])
    assert len(steps) > 2
    assert steps.min() > apart
    assert steps.max() < 2.0 * apart
    np.testing.assert_allclose(floor[1:, 0], 0.2 * (floor[1:, 3] - 0.5), atol=1e-12)
    again = replace(run, contact_state=run.contact_state.copy(), contact_force=run.contact_force.copy())
    again.contact_state[10:20, 0] = again.contact_force[10:20, 0] = 0.0
    landed = footprints(again, contact_places(again))
    assert run.time[20] in landed[:, 3], "it touches down once more at the same place"


def test_grounds_point_outwards() -> None:
    assert outwards(GROUNDS[1], np.array([0.5, 0.3, 0.2])).tolist() == [0.0, 0.0, 1.0]
    assert outwards(GROUNDS[1], np.array([0.3, 0.3, 0.1])).tolist() == [-1.0, 0.0, 0.0]
    slope = Ground("hill", Terrain(((0.0, 0.0), (1.0, 1.0)), (2.0, 2.0)))
    np.testing.assert_allclose(outwards(slope, np.array([1.0, 1.0, 0.5])), np.array([-1.0, 0.0, 2.0]) / np.sqrt(5.0))


def test_a_shadow_falls_on_the_highest_ground_below() -> None:
    hill = Ground("hill", Terrain(((0.0, 0.0), (1.0, 1.0)), (1.0, 1.0), (10.0, 0.0)))
    wall = Ground("wall", Plane((1.0, 0.0, 0.0), (-5.0, 0.0, 0.0)))
    places = np.array([[0.0, 0.0, 1.0], [0.5, 0.0, 1.0], [0.5, 0.0, 0.05], [10.25, 0.5, 1.0], [12.0, 0.5, 3.0]])
    found = heights_below([*GROUNDS, hill, wall], places)
    np.testing.assert_allclose(found, [0.0, 0.2, 0.0, 0.25, 1.0], atol=1e-12)
    assert heights_below([GROUNDS[1]], np.array([[5.0, 5.0, 1.0]]))[0] == -np.inf


def test_arrows_are_as_long_as_what_usually_acts() -> None:
    run = standing()
    longest, exceeded = usual_force(run.contact_force)
    sizes = np.linalg.norm(run.contact_force, axis=2)
    assert longest == pytest.approx(3.0 * np.median(sizes[sizes > 0.0]))
    assert exceeded
    assert usual_force(run.contact_force[:3]) == (pytest.approx(np.sqrt(65.0)), False)


def test_forces_of_grounds_are_those_of_their_contacts_together() -> None:
    run = standing()
    ax = taut.plot.contact_forces(run)
    drawn = {line.get_label(): np.asarray(line.get_ydata()) for line in ax.lines}
    assert list(drawn) == ["floor", "step"]
    np.testing.assert_allclose(drawn["floor"][[0, 5]], [np.sqrt(65.0), 1000.0])
    np.testing.assert_allclose(drawn["step"], np.sqrt(5.0))
    assert ax.get_yscale() == "symlog", "an impact is far larger than what else acts"
    one = taut.plot.contact_forces(run, "a on floor")
    assert [line.get_label() for line in one.lines] == ["a on floor"]
    with pytest.raises(OptionError, match='this run has no contact "c on floor"; there are a on floor, b on floor, '):
        taut.plot.contact_forces(run, "c on floor")
    plt.close("all")


def test_strips_say_when_a_contact_sticks_and_slides() -> None:
    ax = taut.plot.contact_states(standing())
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a on floor", f"ab on step, edge {EDGE + 1}"]
    spans = [
        (path.vertices[:, 0].min().round(9), path.vertices[:, 0].max().round(9), path.vertices[:, 1].mean().round())
        for strip in ax.collections
        for path in strip.get_paths()
    ]
    assert spans == [(0.0, 0.5, 0.0), (0.5, 1.0, 0.0), (0.0, 1.0, 1.0)]
    plt.close("all")


def test_runs_without_contacts_have_no_such_figures() -> None:
    run = standing()
    assert {"contact_forces", "contact_states"} <= {*figures(run)}
    free = replace(run, contact_force=0.0 * run.contact_force, contact_state=0.0 * run.contact_state)
    assert not {"contact_forces", "contact_states"} & {*figures(free)}
    with pytest.raises(OptionError, match="touches no ground, so there are no contacts to draw"):
        taut.plot.contact_states(free)


def picture(run: taut.Trajectory, view: str = "xz", time: float = 0.2) -> np.ndarray:
    frame = next(pictures(run, np.array([time]), size=(400, 300), view=view))
    return np.frombuffer(frame, np.uint8).reshape(300, 400, 3).astype(int)


def test_a_film_draws_ground_shadow_footprints_and_forces() -> None:
    """Seen from above the floor is all around, and darker under the cable; without ground there is none of it."""
    run = standing()
    bare = replace(run, options={**run.options, "ground": []})
    with_ground, without = picture(run, "xy"), picture(bare, "xy")
    assert np.mean(without[120:200] == 255) > 0.8, "white"
    assert np.mean(np.all(with_ground[120:200] == 255, axis=2)) < 0.05
    sides = picture(run, "xz")
    wanted = np.array([round(255 * part) for part in to_rgb(CONTACT)])
    near = np.abs(sides - wanted).max(axis=2) < 40
    assert near[:250].sum() > 20, "an arrow, or a ring"
    assert (np.abs(picture(bare, "xz") - wanted).max(axis=2) < 40)[:250].sum() == 0


def test_the_shadow_in_a_film_lies_below_its_member() -> None:
    """Askew: the part of the picture where the cable's shadow falls, found by taking the cable away from above it."""
    run = standing()
    lifted = replace(run, nodes=run.nodes.copy())
    lifted.nodes[:, 2:, :2] += 0.35
    before, after = (picture(one, "askew") for one in (run, lifted))
    assert np.abs(before - after).max() > 20
    dark = (before.sum(axis=2) < after.sum(axis=2) - 20) & (before.min(axis=2) > 120)
    assert dark.sum() > 30, "grey on the floor, where only its shadow was"
