"""What can go live, what is done to it, and the replay of a log: refusals, and physics by another way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.errors import OptionError
from taut.live.plants import live_plant
from taut.live.replaying import replay
from taut.live.session import WEIGHT, Session, cut_numbers
from taut.numerics.packing import reals_of
from taut.structure.files import read_model
from taut.structure.properties import bar_mass
from taut.structure.signals import Constant

EXAMPLES = Path(__file__).parents[2] / "examples"


def rolling(**changed: Any) -> taut.Plant:
    model = read_model(EXAMPLES / "rolling.yaml")
    return taut.assemble(model.structure, **model.scenario.physics | changed)


def on_the_floor() -> Session:
    return Session(live_plant(rolling(drives=()), method="impulses", step=5e-4))


def log_of(session: Session, **changed: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"taut_live": 1, "plant": session.plant.fingerprint, "stamp": "x", "method": "impulses"}
    return {**told, "step": 5e-4, "until": 0.02, "actions": [], **changed}


def test_a_rigid_cylinder_cannot_be_cut() -> None:
    """As events do not: its inertia is right only while it keeps its length."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (2.0, 0.0, 0.0)}
    bars = [
        taut.Bar("thick", ("a", "b"), mass=1.0, radius=0.3, inertia="cylinder"),
        taut.Bar("thin", ("b", "c"), mass=1.0),
    ]
    live = live_plant(taut.assemble(taut.Structure(nodes, bars)), method="rk4", step=1e-3)
    assert [*cut_numbers(live)] == [("bar", "thin")]


def test_without_actions_it_is_the_run() -> None:
    session = Session(live_plant(rolling(), method="impulses", step=5e-4))
    run = taut.simulate(rolling(), 0.3, every=0.01, method="impulses", step=5e-4, verify=False)
    for k in (7, 19, 30):  # whatever is looked at on the way
        session.follow(float(run.time[k]))
        assert (session.nodes == run.nodes[k]).all()


def test_a_hand_does_the_work_of_its_force() -> None:
    session = on_the_floor()
    session.follow(0.1)
    session.land(0.1)
    before = session.state
    session.act("hand", 3, 0.0, 0.0, 12.0)
    after = session.follow(0.3)
    size = session.plant.coordinates
    run = session.trajectory()
    energy = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    lifted = 12.0 * (after[3 * 3 + 2] - before[3 * 3 + 2])
    assert abs(after[2 * size] - before[2 * size]) > 0.01
    assert lifted > 0.01
    # What is not the hand's is lost to dampers and contacts, which only take.
    assert energy[-1] - energy[0] < lifted


def test_a_cut_cable_pulls_no_more_and_what_it_had_stored_is_lost() -> None:
    session = on_the_floor()
    session.land(0.05)
    session.follow(0.05)
    whole, work = session.trajectory(), 2 * session.plant.coordinates
    before = session.point.y[work]
    session.act("cut", "cable", "c5")
    after = session.point.y[work]
    session.follow(0.0505)
    run = session.trajectory()
    k = list(run.structure.cables).index("c5")
    assert whole.cable_tension[-1, k] > 1.0
    assert run.cable_tension[-1, k] == 0.0
    stretch = whole.cable_length[-1, k] - (run.structure.cables["c5"].rest_length or 0.0)
    assert after - before == pytest.approx(-300.0 * stretch**2, rel=1e-12)


def test_winding_jumps_the_energy_by_its_work() -> None:
    session = on_the_floor()
    session.follow(0.05)
    session.land(0.05)
    before = session.trajectory()
    work = session.point.y[2 * session.plant.coordinates]
    session.act("rest", "c5", 0.2)
    after = session.point.y[2 * session.plant.coordinates]
    cables = before.structure.cables
    length = before.cable_length[-1, list(cables).index("c5")]
    rise = 300.0 * ((length - 0.2) ** 2 - (length - (cables["c5"].rest_length or 0.0)) ** 2)
    assert after - work == pytest.approx(rise, rel=1e-10)
    session.follow(0.0505)
    assert session.trajectory().cable_tension[-1].max() > before.cable_tension[-1].max() + 20.0


@pytest.mark.slow
def test_tilted_gravity_pulls_every_mass_that_way() -> None:
    session = Session(live_plant(taut.assemble(taut.generators.icosahedron(), gravity=9.81), method="rk4", step=1e-3))
    session.act("gravity", 3.0, 0.0, -4.0)
    pulled = reals_of(session.run.tables, WEIGHT).reshape(-1, 3)
    structure = session.plant.structure
    mass = sum(bar_mass(structure, bar) or 0.0 for bar in structure.bars.values())
    assert pulled.sum(axis=0) == pytest.approx([3.0 * mass, 0.0, -4.0 * mass])


REFUSED: Mapping[str, tuple[Any, str]] = {
    "a Python function": (
        lambda: taut.assemble(taut.generators.tbar(), loads=[taut.Load("n2", "x", lambda t: 1.0)]),
        "Python functions cannot go live; give them as signals",
    ),
    "a ground that gives way": (
        lambda: rolling(ground=(taut.Ground("floor", taut.Plane(), compliance=taut.Compliance(1e4)),)),
        "it has grounds that give way: take the compliance off",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_go_live_is_named_with_what_to_do(name: str) -> None:
    make, told = REFUSED[name]
    try:
        plant = make()
    except (TypeError, taut.TautError) as error:  # the case itself is wrong
        pytest.fail(f"{error}")
    with pytest.raises(OptionError, match=told):
        live_plant(plant)


def test_another_method_is_taken_and_told_where_none_of_a_ground_goes() -> None:
    live = live_plant(rolling(), method="energy-momentum", step=1e-3)
    assert live.settings.method == "impulses"
    assert live.told == ('method "impulses" in steps of 0.001 s in the place of "energy-momentum"',)


def test_a_log_is_replayed_and_one_of_another_model_refused() -> None:
    session = on_the_floor()
    session.land(0.01)
    session.act("hand", 3, 0.0, 0.0, 5.0)
    state = session.follow(0.02)
    log = log_of(session, actions=[[0.01, "hand", 3, 0.0, 0.0, 5.0]])
    run = replay(json.dumps(log), rolling(drives=()), every=0.005)
    assert run.time.tolist() == [0.005, 0.01, 0.015, 0.02]
    assert (run.nodes[-1].ravel() == state[: run.nodes[-1].size]).all()
    assert any("kernels of another version" in note for note in run.notes)
    with pytest.raises(OptionError, match="the log is of another model: its plant is"):
        replay(log, rolling(drives=(), gravity=1.0))


BROKEN = {
    "no log": ("{", "this is no log of a live page"),
    "another file": ("{}", 'it does not say "taut_live": 1'),
    "lacking": ('{"taut_live": 1}', "it lacks plant, stamp, method, until, actions"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_log_is_refused(name: str) -> None:
    text, told = BROKEN[name]
    with pytest.raises(OptionError, match=told):
        replay(text, rolling(drives=()))


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ([0.01, "fly"], "is not a time, one of hand, cut"),
        ([-1.0, "damping", 1.0], "its time -1.0 does not come after 0 s"),
        ([0.01, "gravity", 1.0], "gravity takes 3 numbers or names, not 1"),
        ([0.01, "gravity", 0.0, 0.0, "down"], "gravity does not take"),
        ([0.01, "cut", "cable", "nobody"], 'there is no cable "nobody" that can be cut'),
        ([0.01, "hand", 99, 0.0, 0.0, 0.0], "there is no node number 99"),
        ([0.01, "drive", "winch", 0.1, 0.3], 'there is no drive "winch"'),
        ([0.01, "stiffness", "nobody", 1.0], 'there is no cable "nobody" that is a spring'),
        ([0.01, "place", 99, 0.0, 0.0, 0.0], "there is no node number 99"),
        ([0.01, "still", 1.0], "still takes 0 numbers or names, not 1"),
    ],
)
def test_actions_that_make_no_sense_are_refused(action: list[Any], told: str) -> None:
    session = on_the_floor()
    with pytest.raises(OptionError, match=told):
        replay(log_of(session, actions=[action]), rolling(drives=()))


def test_a_drive_that_is_a_number_goes_where_it_is_told_smoothly() -> None:
    drive = taut.Drive("strut", "bar:x1", quantity="length", by=Constant(0.0))
    session = Session(live_plant(rolling(drives=(drive,)), method="impulses", step=5e-4))
    session.land(0.1)
    session.act("drive", "strut", 0.05, 0.2)
    session.follow(0.35)
    run = session.trajectory()
    ends = run.nodes[-1][:2]
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(0.65, abs=1e-9)


def test_a_stiffer_cable_stores_more_which_is_work() -> None:
    session = on_the_floor()
    session.land(0.05)
    session.follow(0.05)
    run, work = session.trajectory(), 2 * session.plant.coordinates
    k = list(run.structure.cables).index("c5")
    stretch = run.cable_length[-1, k] - (run.structure.cables["c5"].rest_length or 0.0)
    before = session.point.y[work]
    session.act("stiffness", "c5", 900.0)
    assert session.point.y[work] - before == pytest.approx(0.5 * 300.0 * stretch**2, rel=1e-10)
    session.follow(0.0505)
    now = session.trajectory()
    assert now.cable_tension[-1, k] == pytest.approx(1.5 * run.cable_tension[-1, k], rel=0.02)


def test_stopping_takes_all_motion_out_as_work() -> None:
    session = on_the_floor()
    session.land(0.1)
    session.act("hand", 3, 0.0, 0.0, 60.0)
    session.follow(0.2)
    session.land(0.2)
    kinetic, size = session.trajectory().energy_kinetic[-1], session.plant.coordinates
    work = session.point.y[2 * size]
    assert kinetic > 1e-3
    session.act("still")
    assert session.point.y[2 * size] - work == pytest.approx(-kinetic, rel=1e-9)
    assert not session.point.y[size : 2 * size].any()
