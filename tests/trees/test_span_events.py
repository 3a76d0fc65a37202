"""Cables between two pulleys in runs: slack and taut located, torn, gone on with, shown, turned, in model files."""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import taut
from taut.cli.application import app
from taut.trees import Body, SpanCable, Tree, TreeJoint, plant_of_model, tree_plant

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RADII, FALL, APART = (0.05, 0.08), 0.02, 0.6


def hanging(damping: float = 0.0) -> Tree:
    """A pulley on a weight that slides up and down below another, 2 cm above where the cable between them is taut."""
    discs = [Body.cylinder(name, r, 0.02, 2000.0, axis=Y) for name, r in zip(("p1", "p2"), RADII, strict=True)]
    aside = RADII[0] - RADII[1]
    natural = math.sqrt(APART**2 - aside**2)
    now = math.sqrt((natural - FALL) ** 2 + aside**2)
    return Tree(
        (
            TreeJoint("one", "revolute", "world", discs[0], axes=(Y,)),
            TreeJoint("slide", "prismatic", "world", Body("weight", 0.5), axes=(Z,), values=(-now,)),
            TreeJoint("two", "revolute", "weight", discs[1], axes=(Y,)),
        ),
        spans=(SpanCable("belt", ("one", "two"), RADII, 200.0, damping, natural=natural),),
        name="hanging",
    )


def run_of(tree: Tree, duration: float, **more: object) -> taut.Trajectory:
    options = {"every": 0.05, "method": "dp8", "tolerance": 1e-10, "verify": False, **more}
    events = options.pop("events", ())
    return taut.simulate(tree_plant(tree, size=0.5, events=events), duration, **options)  # type: ignore[arg-type]


def free_length(apart: float) -> float:
    """[m] of cable between pulleys that did not turn, so far apart: its way turns, and unwinds from one more than it
    winds on the other."""
    aside, tree = RADII[0] - RADII[1], hanging()
    tilt, first = (math.asin(aside / d) for d in (apart, -tree.joints[1].values[0]))
    return float(tree.spans[0].natural or 0.0) - aside * (tilt - first)


def fallen() -> float:
    """[s] until the cable is taut, without force before."""
    aside, begun = RADII[0] - RADII[1], -hanging().joints[1].values[0]
    taut_at = float(brentq(lambda d: math.sqrt(d**2 - aside**2) - free_length(d), begun, APART + 0.1, xtol=1e-15))
    return math.sqrt(2.0 * (taut_at - begun) / 9.81)


@pytest.mark.slow
def test_slackening_is_located() -> None:
    run = run_of(hanging(), 0.4)
    assert [event.name for event in run.events][:2] == ['cable "belt" taut', 'cable "belt" slack']
    assert run.events[0].time == pytest.approx(fallen(), abs=1e-10)
    assert np.abs(run.energy_violation).max() < 1e-10 * run.overall.energy_in_play
    assert run.element_output[0, run.element_names.index("belt.tension")] == 0.0, "in the air"
    assert run.cable_tension.max() > 1.0
    by_rk4 = run_of(hanging(), 0.4, method="rk4", step=1e-3, tolerance=1e-8)
    np.testing.assert_allclose([e.time for e in by_rk4.events], [e.time for e in run.events], rtol=0, atol=1e-6)
    over = run_of(hanging(), 0.4, locate=False)
    assert not over.events
    np.testing.assert_allclose(over.coordinate[-1], run.coordinate[-1], atol=1e-6)


def test_a_damped_one_goes_limp_and_pays_by_the_books() -> None:
    run = run_of(hanging(1.0), 0.4)
    assert run.events[0].change == "taut"
    shown = run.element_output[:, run.element_names.index("belt.tension")]
    assert shown.min() >= 0.0
    strain = run.element_output[:, run.element_names.index("belt.strain")]
    assert np.abs(shown - 200.0 * np.maximum(strain, 0.0)).max() > 0.1, "with what its damper pulls"
    total = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    np.testing.assert_allclose(total - total[0], run.work, atol=1e-9)
    assert run.work[-1] < -1e-3
    assert np.diff(run.work).max() < 1e-15, "a damper takes energy only"


def test_a_span_is_watched_and_torn_and_a_run_goes_on() -> None:
    torn = taut.Watch.at_tension("break", "belt", 1.5, then="cut")
    run = run_of(hanging(), 0.3, events=[torn])
    assert [event.subject for event in run.events] == ["belt", "break"]
    assert run.cable_tension[-1, 0] == 0.0
    assert np.abs(run.energy_violation).max() < 1e-10
    assert run.work[-1] == pytest.approx(-0.5 * 1.5**2 * _natural_at_break(run) / 200.0, rel=1e-6)
    half = run_of(hanging(), 0.15, events=[torn])
    on = run_of(hanging(), 0.3, events=[torn], start=half)
    np.testing.assert_array_equal(on.coordinate, run.coordinate)


def _natural_at_break(run: taut.Trajectory) -> float:
    """[m] what was between the pulleys then: from there they turn on as they turned, and the weight falls freely."""
    ago = run.time[-1] - run.events[1].time
    one, two = (run.coordinate[-1, k] - run.coordinate_rate[-1, k] * ago for k in (0, 2))
    height = run.coordinate[-1, 1] - run.coordinate_rate[-1, 1] * ago - 0.5 * 9.81 * ago**2
    return float(free_length(-height) - RADII[0] * one + RADII[1] * two)


def orbiting() -> Tree:
    """An arm that swings a pulley round another one, with so much cable between them that it does not pull."""
    arm = Body.box("arm", (0.5, 0.03, 0.03), 1500.0, centre=(0.25, 0.0, 0.0))
    one, two = (Body.cylinder(name, r, 0.02, 2000.0) for name, r in zip(("p1", "p2"), RADII, strict=True))
    return Tree(
        (
            TreeJoint("one", "revolute", "world", one, axes=(Z,)),
            TreeJoint("hub", "revolute", "world", arm, axes=(Z,), rates=(10.0,)),
            TreeJoint("two", "revolute", "arm", two, (0.5, 0.0, 0.0), axes=(Z,)),
        ),
        gravity=0.0,
        spans=(SpanCable("belt", ("one", "two"), RADII, 200.0, natural=1.0),),
    )


def test_turns_are_counted() -> None:
    """Three turns in samples of more than one: the cable comes off the first pulley, and no whole turn is lost."""
    run = run_of(orbiting(), 2.0, every=1.0)
    natural = 1.0 + RADII[0] * run.coordinate[:, 1]
    assert run.coordinate[-1, 1] == pytest.approx(20.0, abs=1e-9)
    length = math.sqrt(0.25 - (RADII[0] - RADII[1]) ** 2)
    strain = run.element_output[:, run.element_names.index("belt.strain")]
    np.testing.assert_allclose(strain, length / natural - 1.0, rtol=0, atol=1e-12)
    on = run_of(orbiting(), 2.0, every=1.0, start=run_of(orbiting(), 1.0, every=1.0))
    np.testing.assert_allclose(on.element_output, run.element_output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_straight_part_is_shown(crossed: bool, side: str) -> None:
    """On a base that tumbles: ends lie on the rims, the cable is tangent there, and velocities are slopes of places."""
    base = Body.box("base", (0.5, 0.3, 0.1), 500.0)
    one, two = (Body.cylinder(name, r, 0.02, 2000.0) for name, r in zip(("p1", "p2"), RADII, strict=True))
    tree = Tree(
        (
            TreeJoint("float", "floating", "world", base, rates=(0.1, 0.2, -0.1, 0.4, -0.6, 0.3)),
            TreeJoint("one", "revolute", "base", one, axes=(Z,), rates=(1.0,)),
            TreeJoint("slide", "prismatic", "base", Body("block", 0.3), (0.4, 0.1, 0.0), axes=(Y,), rates=(0.5,)),
            TreeJoint("two", "revolute", "block", two, axes=(Z,), rates=(-2.0,)),
        ),
        spans=(SpanCable("belt", ("one", "two"), RADII, 50.0, natural=0.3, side=side, crossed=crossed),),
    )
    plant = tree_plant(tree, size=0.5)
    assert list(plant.structure.cables["belt"].route) == ["belt at one", "belt at two"]
    run = taut.simulate(plant, 0.02, every=0.001, method="dp8", tolerance=1e-11, verify=False)
    names = list(plant.structure.nodes)
    ends = [names.index(f"belt at {pulley}") for pulley in ("one", "two")]
    centres = [names.index(body) for body in ("base", "block")]  # pulleys turn about these
    along = run.nodes[:, ends[1]] - run.nodes[:, ends[0]]
    for end, centre, r in zip(ends, centres, RADII, strict=True):
        spoke = run.nodes[:, end] - run.nodes[:, centre]
        np.testing.assert_allclose(np.linalg.norm(spoke, axis=1), r, atol=1e-13)
        assert np.abs(np.einsum("ti,ti->t", spoke, along)).max() < 1e-14
        at = run.nodes[:, end]
        slope = (8.0 * (at[3:-1] - at[1:-3]) - (at[4:] - at[:-4])) / 0.012
        np.testing.assert_allclose(run.velocities[2:-2, end], slope, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(along, axis=1), run.cable_length[:, 0], atol=1e-14)
    tension = run.element_output[:, run.element_names.index("belt.tension")]
    np.testing.assert_array_equal(tension, run.cable_tension[:, 0])


FILE = """taut: 1
name: hoist
tree:
  joints:
    one: {kind: revolute, body: {name: p1, cylinder: {radius: 0.05, height: 0.02, density: 2000}}, axes: [[0, 1, 0]]}
    slide: {kind: prismatic, body: {name: weight, mass: 0.5}, at: [0, 0, -0.58], axes: [[0, 0, 1]]}
    two: {kind: revolute, parent: weight, body: {name: p2, cylinder: {radius: 0.08, height: 0.02, density: 2000}},
          axes: [[0, 1, 0]]}
  spans:
    belt: {pulleys: [one, two], radii: [0.05, 0.08], stiffness: 200, natural: 0.6, wound: [null, 2]}
scenario: {gravity: 9.81, duration: 0.2, every: 0.02}
"""


def test_model_files_have_spans(tmp_path: Path) -> None:
    path = tmp_path / "hoist.yaml"
    path.write_text(FILE)
    model = taut.read_model(path)
    assert model.tree is not None
    span = SpanCable("belt", ("one", "two"), RADII, 200.0, natural=0.6, wound=(None, 2.0))
    assert model.tree.tree.spans == (span,)
    direct = taut.simulate(plant_of_model(model.tree, model.scenario), 0.2, every=0.02, verify=False)
    call = CliRunner().invoke
    assert call(app, ["check", str(path)]).exit_code == 0
    told = json.loads(call(app, ["info", str(path), "--json"]).stdout)
    assert told["cables between pulleys"] == 1
    assert told["topology"][-2:] == ["Cables between pulleys:", "belt, from: one, to: two"]
    ran = call(app, ["run", str(path), "--output", str(tmp_path / "hoist.nc")])
    assert ran.exit_code == 0, ran.output
    run = taut.read(tmp_path / "hoist.nc")
    np.testing.assert_allclose(run.coordinate[-1], direct.coordinate[-1], atol=1e-9)
    assert [event.name for event in run.events][:1] == ['cable "belt" taut']
    shown = call(app, ["page", str(tmp_path / "hoist.nc"), "--output", str(tmp_path / "hoist.html")])
    assert shown.exit_code == 0, shown.output
    packed = re.search(r'id="data">([^<]*)<', (tmp_path / "hoist.html").read_text())
    assert packed is not None
    assert b'"names":["belt"]' in zlib.decompress(base64.b64decode(packed[1])).replace(b" ", b"")
    path.write_text(FILE.replace("pulleys: [one, two]", "pulleys: [one, tow]"))
    with pytest.raises(taut.ModelError, match=r'yaml:10: tree.spans.belt: is wound on "tow", which is no joint of'):
        taut.read_model(path)
