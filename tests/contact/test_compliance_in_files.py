"""Grounds that give way in model files, run files and step by step; what goes with them, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from on_ground import GRAVITY, point, robot

import taut
from taut import Box, Compliance, Ground, ModelError, OptionError, Plane, assemble, simulate
from taut.output.page.content import run_content
from taut.output.page.embedding import Arrays
from taut.structure.files import parse_model
from taut.structure.format.writing import model_text
from taut.structure.ground_facts import facts_of, grounds_from

TEXT = """
taut: 1
nodes: {a: [0, 0, 0.5], b: [1, 0, 0.8]}
bars: {ab: [a, b]}
properties: {"bar:*": {mass: 2}}
scenario:
  gravity: 9.81
  ground:
    floor: {friction: 0.6, compliance: {stiffness: 2e5, damping: 60}}
    wall: {plane: {normal: [-1, 0, 0]}, compliance: {friction_law: threshold, threshold: 0.001, tangential_damping: 3}}
    mat: {plane: {normal: [0, 1, 0], point: [0, -1, 0]}, compliance: {}}
"""
FLOOR = Ground("floor", friction=0.6, compliance=Compliance())


def test_a_file_says_what_python_says_and_comes_back_whole() -> None:
    model = parse_model(TEXT)
    floor, wall, mat = model.scenario.ground
    assert floor == Ground("floor", friction=0.6, compliance=Compliance(2e5, 60.0))
    assert floor.compliance is not None
    assert floor.compliance.along == (1.6e5, 48.0)
    assert wall.compliance == Compliance(friction_law="threshold", threshold=0.001, tangential_damping=3.0)
    assert mat.compliance == Compliance()
    assert parse_model(model_text(model.structure, model.scenario)).scenario == model.scenario


@pytest.mark.parametrize(
    ("compliance", "message"),
    [
        ("{stiffness: 0}", r"ground.floor.compliance.stiffness: stiffness 0.0 must be a finite number more than zero"),
        ("{stiffness: -5}", r"stiffness -5.0 must be a finite number more than zero"),
        ("{damping: -1}", r"compliance.damping: damping -1.0 must be a finite number of zero or more"),
        ("{tangential_stiffness: 0}", r"tangential_stiffness 0.0 must be a finite number more than zero"),
        ("{threshold: 0}", r"threshold 0.0 must be a finite number more than zero"),
        ("{friction_law: bristel}", r'"bristel" is not one of bristle, regularised, threshold; did you mean "bristle"'),
        ("{damping: 0}", r"bristles spring back by their damping, and there is none; give a tangential_damping"),
        ("{stifness: 1}", r"stiffness"),
        ("{}, restitution: 0.3", r"restitution 0.3 is that of a rigid ground; with a compliance things bounce"),
        ("{}, box: {centre: [3, 0, 0], size: [1, 1, 1]}", r"bars lie across the edges of rigid boxes only"),
    ],
)
def test_what_is_wrong_with_a_compliance(compliance: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as refusal:
        parse_model(TEXT.replace("compliance: {stiffness: 2e5, damping: 60}", f"compliance: {compliance}"))
    assert len(refusal.value.problems) == 1


def test_a_box_that_bars_do_not_touch_may_give_way() -> None:
    box = Ground("box", Box((0, 0, 0), (1, 1, 1)), touched_by=("node:*",), compliance=Compliance())
    assert assemble(robot(1.0), ground=[box]).contact_names[0] == "n1 on box"


def test_methods_that_do_not_go_with_it_say_so() -> None:
    plant = assemble(point((0, 0, 1)), gravity=GRAVITY, ground=[FLOOR])
    with pytest.raises(OptionError, match=r'is for rigid grounds, but the ground "floor" has a compliance; use dp5'):
        simulate(plant, 1.0, method="impulses", step=1e-3)
    with pytest.raises(OptionError, match=r'is for motion without damping, but the ground "floor" damps; use dp5'):
        simulate(plant, 1.0, method="rattle4", step=1e-3)
    both = assemble(point((0, 0, 1)), gravity=GRAVITY, ground=[FLOOR, Ground("rock", Plane(point=(0.0, 0.0, -1.0)))])
    with pytest.raises(OptionError, match=r'the ground "rock" is rigid.*or give it a compliance'):
        simulate(both, 1.0)
    switched = Ground("floor", compliance=Compliance(friction_law="threshold"))
    with pytest.raises(OptionError, match=r"friction by a threshold of speed, which jumps.*take bristles, or use rk4"):
        simulate(assemble(point((0, 0, 1)), ground=[switched]), 1.0, method="implicit3")
    with pytest.raises(OptionError, match=r"which has no slope; take bristles for a linear model"):
        taut.linearise(assemble(point((0, 0, 1)), ground=[switched]))


def test_a_linear_model_is_of_contacts_that_stick() -> None:
    """m a + c v + k x = 0 along the normal, and with 0.8 of both along the ground; one that is open adds nothing."""
    plant = assemble(point((0, 0, -GRAVITY / 1e5)), gravity=GRAVITY, ground=[FLOOR])
    model = taut.linearise(plant)
    found = np.sort_complex(np.linalg.eigvals(model.A))
    wanted = np.sort_complex(np.concatenate([np.roots([1.0, s * 50.0, s * 1e5]) for s in (0.8, 0.8, 1.0)]))
    assert found == pytest.approx(wanted, rel=1e-9)
    assert model.notes == ('contacts count as they are here, unbent and sticking: "a on floor"',)
    above = taut.linearise(assemble(point((0, 0, 1)), gravity=GRAVITY, ground=[FLOOR]))
    assert np.linalg.eigvals(above.A) == pytest.approx(np.zeros(6))
    assert above.notes[0] == "contacts count as they are here, unbent and sticking: none is closed"
    with pytest.raises(OptionError, match=r'node "a" slides on the ground "floor", and a linear model is of what st'):
        taut.linearise(plant, velocities={"a": (1.0, 0.0, 0.0)})


def test_a_start_deep_inside_is_told() -> None:
    plant = assemble(point((0, 0, -0.1)), gravity=GRAVITY, ground=[FLOOR])
    (note,) = simulate(plant, 0.01, verify=False).notes
    assert note == (
        'at the start deep inside a ground, and pushed out of it: node "a" by "floor" with 1e+04 N; lift the structure'
    )
    resting = assemble(point((0, 0, -1e-4)), gravity=GRAVITY, ground=[FLOOR])
    assert simulate(resting, 0.01, verify=False).notes == ()


def test_a_run_file_keeps_contacts_and_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    """Bristles are part of a checkpoint, and what contacts do is part of its flags."""
    plant = assemble(robot(0.02, damping=5.0), gravity=GRAVITY, ground=[FLOOR])
    whole = simulate(plant, 0.2, every=0.01, verify=False)
    taut.save(simulate(plant, 0.1, every=0.01, verify=False), tmp_path / "half.nc")
    half = taut.read(tmp_path / "half.nc")
    assert half.contact_names == whole.contact_names == tuple(f"n{k} on floor" for k in range(1, 13))
    assert np.array_equal(half.contact_force, whole.contact_force[:11])
    assert set(half.contact_state.ravel()) >= {0.0, 2.0}
    gone_on = simulate(plant, 0.2, start=half, verify=False)
    for name in ("nodes", "contact_force", "contact_state"):
        assert np.array_equal(getattr(gone_on, name), getattr(whole, name))
    assert gone_on.events == whole.events


def test_step_by_step_is_the_motion_of_one_run() -> None:
    plant = assemble(robot(0.02, damping=5.0), gravity=GRAVITY, ground=[FLOOR])
    run, stepped = simulate(plant, 0.2, every=0.01, verify=False), taut.start(plant)
    for _ in range(20):
        stepped.step(0.01)
    assert np.abs(stepped.nodes - run.nodes[-1]).max() < 1e-8


def test_the_page_shows_ground_and_contact_forces() -> None:
    plant = assemble(robot(0.0, damping=5.0), gravity=GRAVITY, ground=[FLOOR])
    run = simulate(plant, 0.1, every=0.01, verify=False)
    entry = run_content("r", run, Arrays(), None)
    (arrows,) = [one for one in entry["arrows"] if one["name"] == "contact"]
    assert arrows["largest"] == pytest.approx(np.linalg.norm(run.contact_force, axis=2).max(), rel=1e-5)
    assert len(entry["grounds"]) == 18
    assert grounds_from(facts_of([FLOOR])) == [FLOOR]
