"""Simulations that are stepped: the same bits as runs with the same inputs, restored states, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taut
from taut import (
    Bar,
    Cable,
    Command,
    Damping,
    Drive,
    LagrangianPlant,
    Load,
    MotionError,
    OptionError,
    SampledSignal,
    Sensor,
    SignalSum,
    Sinusoid,
    StepSignal,
    Structure,
    Watch,
    assemble,
    simulate,
    start,
)

PERIOD, STEPS = 0.02, 12
WOUND = (0.0, -0.01, 0.015, 0.0, 0.02, 0.02, -0.02, 0.0, 0.01, 0.0, -0.01, 0.0)
PUSHED = (1.0, 0.0, 5.0, -3.0, 2.0, 2.0, 0.0, 4.0, -4.0, 0.0, 1.0, 1.0)
TIMES = tuple(PERIOD * k for k in range(STEPS))


def kite(winch: Any, push: Any, **options: Any) -> Any:
    """Two bars crossed in space, held together by six cables, of which one is wound; one end is held."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.1, 0.0), "c": (0.5, -0.5, 0.3), "d": (0.4, 0.6, 0.4)},
        bars=[Bar("ab", ("a", "b"), mass=1.5), Bar("cd", ("c", "d"), mass=2.0)],
        cables=[Cable(f"{i}{j}", (i, j), stiffness=800.0, rest_length=0.62) for i, j in ("ac", "ad", "bc", "bd")],
        supports={"a": "xyz"},
    )
    return assemble(
        structure,
        gravity=9.81,
        drives=[Drive("winch", "cable:bc", "rest_length", by=winch)],
        loads=[Load("d", "x", push, name="push")],
        **options,
    )


METHODS = {
    "dp5": {"tolerance": 1e-7},
    "dp8": {"tolerance": 1e-10},
    "rk4": {"step": 3e-3},  # does not go into the period
    "rattle4": {"step": 2e-3},
    "implicit3": {"tolerance": 1e-6},
}


@pytest.mark.parametrize(
    "method", ["dp5", "dp8", "rk4", *(pytest.param(m, marks=pytest.mark.slow) for m in ("rattle4", "implicit3"))]
)
def test_steps_give_the_same_bits_as_one_run(method: str) -> None:
    options = {"method": method, **METHODS[method]}
    plant = kite(StepSignal(TIMES, WOUND), StepSignal(TIMES, PUSHED))
    run = simulate(plant, PERIOD * STEPS, every=PERIOD, verify=False, samples="steps", **options)
    assert run.finished
    sim = start(kite(0.0, Command(7.0)), **options)
    assert sim.inputs == ("load:push", "drive:winch")
    for wound, pushed in zip(WOUND, PUSHED, strict=True):
        sim.step(PERIOD, {"winch": wound, "load:push": pushed})
    stepped = sim.trajectory()
    for field in ("time", "nodes", "velocities", "cable_tension", "bar_force", "work", "load_force", "drive_value"):
        assert np.array_equal(getattr(stepped, field), getattr(run, field)), field
    assert [(e.time, e.subject, e.change) for e in stepped.events] == [
        (e.time, e.subject, e.change) for e in run.events
    ]
    assert np.ptp(run.nodes[:, 3, 0]) > 1e-3


def test_the_jumps_do_their_work() -> None:
    """Energy closes over stepped rest lengths, with cables that slacken."""
    sim = start(kite(0.0, 0.0, damping=Damping(stiffness=1e-3)), tolerance=1e-10)
    random = np.random.default_rng(3)
    for _ in range(40):
        sim.step(0.01, [3.0 * random.standard_normal(), 0.08 * random.standard_normal()])
    run = sim.trajectory()
    assert np.abs(run.energy_violation).max() < 1e-9
    assert run.events
    assert np.abs(np.diff(run.work)).max() > 0.1


def test_restored_states_repeat_to_the_last_bit() -> None:
    sim = start(kite(0.0, 0.0))
    for k in range(5):
        sim.step(PERIOD, [PUSHED[k], WOUND[k]])
    kept = sim.state
    for k in range(5, STEPS):
        sim.step(PERIOD, [PUSHED[k], WOUND[k]])
    first, end = sim.trajectory(), sim.nodes
    sim.restore(kept)
    assert sim.time == kept.time == 5 * PERIOD
    other = sim.copy()
    other.step(PERIOD, [40.0, 0.1])
    for k in range(5, STEPS):
        sim.step(PERIOD, [PUSHED[k], WOUND[k]])
    assert np.array_equal(sim.nodes, end)
    again = sim.trajectory()
    assert np.array_equal(again.nodes, first.nodes)
    assert np.array_equal(again.work, first.work)
    assert not np.array_equal(other.trajectory().nodes[-1], first.nodes[6])
    assert np.array_equal(other.trajectory().nodes[:6], first.nodes[:6])


def test_cables_that_are_slack_when_a_state_is_restored_tighten_again() -> None:
    """A mass on a leash that is slack at first, taut from 0.15 s on, slack again at 0.406 s, and restored then."""
    structure = Structure(
        {"wall": (0.0, 0.0, 0.0), "mass": (0.7, 0.0, 0.0)},
        cables=[Cable("leash", ("wall", "mass"), rest_length=1.0, stiffness=300.0)],
        supports={"wall": "xyz", "mass": "yz"},
        point_masses={"mass": 2.0},
    )
    sim = start(assemble(structure, velocities={"mass": (2.0, 0.0, 0.0)}), method="dp8", tolerance=1e-10)
    sim.step(0.05)
    kept, copy = sim.state, sim.copy()

    def followed(one: Any) -> Any:
        for _ in range(9):
            one.step(0.05)
        return one.trajectory()

    first = followed(sim)
    assert [event.change for event in first.events] == ["taut", "slack"]
    sim.restore(kept)
    for again in (followed(sim), followed(copy)):
        assert np.array_equal(again.nodes, first.nodes)
        assert np.array_equal(again.cable_tension, first.cable_tension)


def test_states_of_before_a_cut_are_whole_again() -> None:
    def made() -> Any:
        watch = Watch.at_time("snap", 0.05, then="cut", cut="cable:ad")
        return start(kite(0.0, 0.0, events=[watch]))

    sim = made()
    sim.step(PERIOD, [1.0, 0.0])
    kept = sim.state
    for _ in range(4):
        sim.step(PERIOD)
    first = sim.trajectory()
    assert first.tension("ad")[2] > 1.0
    assert first.tension("ad")[-1] == 0.0
    assert [event.subject for event in first.events if event.change == "came"] == ["snap"]
    sim.restore(kept)
    for _ in range(4):
        sim.step(PERIOD)
    assert np.array_equal(sim.trajectory().nodes, first.nodes)
    assert np.array_equal(sim.trajectory().cable_tension, first.cable_tension)
    run = simulate(
        kite(0.0, 1.0, events=[Watch.at_time("snap", 0.05, then="cut", cut="cable:ad")]), 0.1, every=0.02, verify=False
    )
    assert np.abs(run.nodes - first.nodes).max() < 1e-7


def bead(**options: Any) -> Any:
    """One node that moves along x without any force but its load."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), stiffness=1.0, rest_length=50.0)],
        supports={"a": "xyz", "b": "yz"},
        point_masses={"b": 2.0},
    )
    return assemble(structure, loads=[Load("b", "x", 0.0, name="push")], **options)


@pytest.mark.slow
def test_a_first_order_hold_is_a_line() -> None:
    sim = start(bead(), hold="first", tolerance=1e-12)
    x, v, before = 1.0, 0.0, 0.0
    for now in (0.5, 2.0, -1.0, 0.3):
        sim.step(0.1, [now])
        a, jerk, h = before / 2.0, (now - before) / 0.1 / 2.0, 0.1
        x, v, before = x + h * v + h**2 * a / 2.0 + h**3 * jerk / 6.0, v + h * a + h**2 * jerk / 2.0, now
        assert abs(sim.nodes[1, 0] - x) < 1e-14
        assert abs(sim.velocities[1, 0] - v) < 1e-14
    shown = sim.trajectory().load_force[:, 0]
    assert np.allclose(shown, [0.0, 0.5, 2.0, -1.0, 0.3], rtol=0.0, atol=1e-15)


@pytest.mark.slow
def test_lengths_go_smoothly_and_do_work() -> None:
    structure = Structure(
        {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.0, -0.8)},
        bars=[Bar("b", ("o", "a"), mass=1.0)],
        supports={"o": "xyz", "a": "y"},
        point_masses={"a": 2.0},
    )
    plant = assemble(structure, gravity=9.81, drives=[Drive("strut", "bar:b", "length", by=0.0)])
    sim = start(plant, tolerance=1e-11)
    for change in (0.0, 0.1, 0.1, -0.05):
        sim.step(0.1, [change])
        assert abs(np.linalg.norm(sim.nodes[1]) - 1.0 - change) < 1e-12
    run = sim.trajectory()
    assert np.abs(run.energy_violation).max() < 1e-9
    assert abs(run.work[-1]) > 0.1
    with pytest.raises(OptionError, match="cannot jump"):
        start(plant, hold="zero")


def test_what_has_a_signal_of_its_own_goes_on_by_itself() -> None:
    wave = Sinusoid(0.01, 3.0)
    sim = start(kite(wave, 0.0))
    assert sim.inputs == ("load:push",)
    for _ in range(10):
        sim.step(PERIOD)
    run = simulate(kite(wave, 0.0), 10 * PERIOD, every=PERIOD, verify=False)
    assert np.abs(sim.trajectory().nodes - run.nodes).max() < 1e-6
    added = start(kite(SignalSum((wave, Command())), 0.0))
    assert added.inputs == ("load:push", "drive:winch")
    added.step(PERIOD, {"winch": 0.001})
    assert added.trajectory().drive_value[0, 0] == pytest.approx(0.62 + 0.001)


@pytest.mark.slow
def test_observations_are_named_and_in_order() -> None:
    sim = start(
        kite(0.0, 0.0), observe=["cable:*.tension", "node:d.position.z", Sensor("tilt", "bar:cd.length", bias=1.0)]
    )
    assert sim.outputs[:2] == ("cable:ac.tension", "cable:ad.tension")
    assert sim.outputs[-2:] == ("node:d.position.z", "tilt")
    seen = sim.step(PERIOD, [1.0, 0.01])
    run = sim.trajectory()
    assert np.allclose(seen[:4], run.cable_tension[-1], rtol=1e-12, atol=1e-12)
    assert seen[4] == run.nodes[-1, 3, 2]
    assert seen[5] == pytest.approx(1.0 + np.linalg.norm(run.nodes[-1, 3] - run.nodes[-1, 2]), abs=1e-12)
    plain = start(kite(0.0, 0.0))
    assert plain.outputs[0] == "node:a.position.x"
    assert np.array_equal(plain.step(PERIOD), np.concatenate([plain.nodes.ravel(), plain.velocities.ravel()]))


def test_a_plant_in_coordinates_of_its_own_is_stepped_too() -> None:
    plant = LagrangianPlant(
        ("angle",),
        mass=lambda q: np.array([[2.0]]),
        potential=lambda q: 3.0 * (1.0 - np.cos(q[0])),
        positions=np.array([1.0]),
        velocities=np.array([0.0]),
    )
    sim = start(plant)
    for _ in range(5):
        seen = sim.step(0.1)
    run = simulate(plant, 0.5, every=0.1, verify=False)
    assert sim.outputs == ("coordinate:angle", "coordinate:angle.rate")
    assert abs(seen[0] - run.coordinate[-1, 0]) < 1e-7


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"wynch": 0.0}, 'no load or drive "wynch"; did you mean "winch"'),
        ([1.0], r"inputs of shape \(1,\) do not fit: give \(2,\), in the order load:push, drive:winch"),
        ([np.nan, 0.0], 'the input "load:push" is nan at t = 0 s; it must be finite'),
        ([0.0, -0.7], 'the input "drive:winch" of -0.7 m at t = 0 s drives the rest_length to zero or less'),
    ],
)
def test_inputs_that_make_no_sense(inputs: Any, message: str) -> None:
    sim = start(kite(0.0, 0.0))
    with pytest.raises(OptionError, match=message):
        sim.step(PERIOD, inputs)


def test_other_slips() -> None:
    sim = start(kite(0.0, 0.0))
    for dt in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(OptionError, match="makes no sense"):
            sim.step(dt)
    with pytest.raises(OptionError, match="of another simulation"):
        sim.restore(start(bead()).state)
    with pytest.raises(OptionError, match='hold "second" is not one of zero, first, smooth'):
        start(kite(0.0, 0.0), hold="second")
    with pytest.raises(taut.SelectionError, match='"lenght" cannot be measured of a cable; there are tension, length'):
        start(kite(0.0, 0.0), observe=["cable:bc.lenght"])
    same = assemble(
        kite(0.0, 0.0).structure,
        loads=[Load("d", "x", 0.0, name="w")],
        drives=[Drive("w", "cable:bc", "rest_length", by=0.0)],
    )
    with pytest.raises(OptionError, match='"w" is a load and a drive; write "load:w" or "drive:w"'):
        start(same).step(PERIOD, {"w": 1.0})


def test_a_run_goes_on_from_steps_that_looked_for_no_events() -> None:
    sim = start(kite(0.0, 0.0), locate=False)
    sim.step(PERIOD)
    run = simulate(sim.plant, 2.0 * PERIOD, start=sim.trajectory(), verify=False)
    assert run.finished
    assert run.options["locate"] is False
    with pytest.raises(OptionError, match="was made with locate=False; go on with the same"):
        simulate(sim.plant, 2.0 * PERIOD, start=sim.trajectory(), locate=True)


def test_a_speed_limit_is_kept() -> None:
    plant = assemble(
        kite(0.0, 0.0).structure,
        drives=[Drive("winch", "cable:bc", "rest_length", by=0.0, speed_limit=0.1)],
    )
    sim = start(plant, hold="first")
    sim.step(0.1, [0.0])
    sim.step(0.1, [0.009])
    with pytest.raises(
        OptionError, match=r"from 0.009 to 0.05 m in 0.1 s at t = 0.2 s, 0.41 m/s; its speed limit is 0.1"
    ):
        sim.step(0.1, [0.05])


def test_an_event_that_stops_ends_it_until_an_earlier_state() -> None:
    sim = start(kite(0.0, 0.0, events=[Watch.at_time("enough", 0.03, then="stop")]))
    sim.step(PERIOD)
    kept = sim.state
    sim.step(PERIOD)
    assert sim.ended == "finished at t = 0.03 s, where it was to stop"
    with pytest.raises(MotionError, match="finished at t = 0.03 s, where it was to stop; restore an earlier state"):
        sim.step(PERIOD)
    sim.restore(kept)
    sim.step(0.001)
    assert sim.time == pytest.approx(0.021)


def test_a_step_that_fails_says_when_and_why() -> None:
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), stiffness=1e4, rest_length=0.5)],
        supports={"a": "xyz"},
        point_masses={"b": 1e-3},
    )
    sim = start(assemble(structure), method="rk4", step=0.05)
    with pytest.raises(MotionError, match=r"stopped at t = .*: the next state is not finite; a step of 0.05 s is too"):
        sim.step(100.0)


def test_step_signals_jump_where_they_say() -> None:
    table = SampledSignal((0.0, 1.0), (0.0, 0.0))
    structure = Structure({"o": (0, 0, 0), "a": (1, 0, 0)}, bars=[Bar("b", ("o", "a"), mass=1.0)])
    drive = Drive("d", "bar:b", "length", by=StepSignal((0.0, 1.0), (0.0, 0.1)))
    with pytest.raises(taut.ModelError, match="steps are jumps, and no driven length can jump"):
        assemble(structure, drives=[drive])
    for wrong, message in (
        (StepSignal((), ()), "needs one time or more"),
        (StepSignal((0.0, 0.0), (1.0, 2.0)), "times must increase"),
        (StepSignal((0.0, 1.0), (1.0,)), "has 1 numbers for 2 times"),
        (SignalSum((Command(), Command(), table)), "has several commands"),
    ):
        with pytest.raises((taut.ModelError, OptionError), match=message):
            kite(0.0, wrong)
