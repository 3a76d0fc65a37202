"""Events together with everything else: moved supports, ensembles, implicit steps, stops, cuts and continuations."""

from __future__ import annotations

import numpy as np
import pytest
from test_events import STIFFNESS, on_a_leash, standing_tower

import taut
from taut import Bar, Motion, OptionError, Sinusoid, Structure, Watch, assemble, ensemble, simulate

FAST = {"mass": (2.0, 0.0, 0.0)}


@pytest.mark.parametrize("frequency", [2.0, 7.8])
def test_a_wall_that_swings_tightens_the_leash(frequency: float) -> None:
    """Nothing but the wall moves until then, so no error of a free coordinate could tell how long a step may be."""
    motion = Motion("wall", "x", displacement=Sinusoid(-0.2, frequency))
    plant = assemble(
        on_a_leash(slack=0.1), motions=[motion], events=[Watch("passes", node="wall", axis="x", level=-0.1)]
    )
    run = simulate(plant, 1.0, every=0.01)
    check = simulate(plant, 1.0, every=0.01, method="rk4", step=1e-4, locate=False)
    assert np.abs(run.nodes - check.nodes).max() < 1e-5
    first = next(event for event in run.events if event.subject == "leash")
    assert first.time == pytest.approx(1.0 / 12.0 / frequency, abs=1e-9)  # 0.2 sin = 0.1
    assert sum(event.subject == "passes" for event in run.events) == 2 * int(np.ceil(frequency - 0.5))
    assert np.abs(run.energy_violation).max() < 1e-9


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}])
def test_an_ensemble_cuts_and_stops_as_a_run_does(options: dict) -> None:
    cut = Watch("cut", time=0.12, then="cut", cut=("cable:leash",))
    stop = Watch("far", node="mass", axis="x", level=1.25, then="stop")
    plant = assemble(on_a_leash(), velocities=FAST, events=[cut, stop])
    speeds = np.array([[[0.0, 0.0, 0.0], [speed, 0.0, 0.0]] for speed in (1.0, 2.0, 3.0)])
    together = ensemble(plant, 0.4, every=0.1, velocities=speeds, **options)
    assert together.ok.all()
    for k, speed in enumerate((1.0, 2.0, 3.0)):
        alone = assemble(on_a_leash(), velocities={"mass": (speed, 0.0, 0.0)}, events=[cut, stop])
        run = simulate(alone, 0.4, every=0.1, **options)
        filled = ~np.isnan(together.nodes[k, :, 1, 0])
        on_grid = np.isclose(run.time, np.round(run.time, 1), atol=1e-9)
        np.testing.assert_allclose(together.nodes[k, filled], run.nodes[on_grid], atol=1e-9)
    assert np.isnan(together.nodes[2, -1, 1, 0]), "the fastest is stopped"


@pytest.mark.parametrize("damping", [0.0, 2.0])
@pytest.mark.parametrize("share", [0.97, 0.99, 0.999])
@pytest.mark.parametrize("options", [{}, {"method": "dp8"}, {"method": "dp8", "tolerance": 1e-10}])
def test_a_tension_that_hardly_reaches_its_limit_is_seen(options: dict, share: float, damping: float) -> None:
    structure = on_a_leash(damping)
    fine = simulate(assemble(structure, velocities=FAST), 0.2, every=1e-4, method="dp8", tolerance=1e-12)
    watch = Watch("snap", cable="leash", tension=share * float(fine.cable_tension.max()), then="cut")
    run = simulate(assemble(structure, velocities=FAST, events=[watch]), 0.5, **options)
    assert [event.subject for event in run.events if event.subject == "snap"] == ["snap"]


def test_a_cable_over_its_limit_at_the_start_is_cut_at_once() -> None:
    snap = Watch("snap", cable="cable:*", tension=50.0, then="cut")
    run = simulate(assemble(on_a_leash(slack=-0.3), events=[snap]), 0.1)
    assert run.events[0].subject == "snap"
    assert run.events[0].time == pytest.approx(0.0, abs=1e-12)
    assert run.work[-1] == pytest.approx(-0.5 * STIFFNESS * 0.09)
    assert np.abs(run.velocities).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"method": "implicit3", "step": 1e-3}, {"method": "implicit4", "tolerance": 1e-8}])
def test_implicit_steps_over_a_force_that_jumps(options: dict) -> None:
    structure = on_a_leash(20.0, slack=0.3)
    run = simulate(assemble(structure, velocities=FAST), 1.0, **options)
    best = simulate(assemble(structure, velocities=FAST), 1.0, method="dp8", tolerance=1e-12)
    assert run.ok
    assert [event.change for event in run.events] == ["taut", "slack"]
    assert np.abs(run.nodes - best.nodes).max() < 1e-5
    if "step" in options:
        assert not simulate(assemble(structure, velocities=FAST), 1.0, **options, locate=False).ok, "no stage solves it"


def test_a_cut_compressible_bar_may_be_passed_through() -> None:
    press = Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0)},
        [Bar("soft", ("a", "b"), mass=1.0, law="compressible", stiffness=10.0)],
        supports={"a": "xyz", "b": "yz"},
    )
    cut = Watch("cut", time=0.001, then="cut", cut=("bar:soft",))
    run = simulate(assemble(press, velocities={"b": (-1.0, 0.0, 0.0)}, events=[cut]), 1.2)
    assert run.ok
    assert run.nodes[-1, 1, 0] < 0.0
    assert run.bar_force[-1, 0] == 0.0
    assert np.abs(run.energy_violation).max() < 1e-12


def test_a_stop_has_its_sample_whatever_came_before() -> None:
    events = [
        Watch("cut", time=0.11, then="cut", cut=("cable:leash",)),
        Watch("first", time=0.112, then="stop"),
        Watch("second", time=0.115, then="stop"),
    ]
    plant = assemble(on_a_leash(), velocities=FAST, events=events)
    run = simulate(plant, 1.0, every=0.01)
    assert run.time[-1] == pytest.approx(0.112)
    further = simulate(plant, 1.0, every=0.01, start=run)
    assert further.time[-1] == pytest.approx(0.115)
    assert [event.subject for event in further.events if event.subject != "leash"] == ["cut", "first", "second"]


def test_what_happens_later_is_not_said_never_to_happen() -> None:
    late = Watch("late", time=0.5)
    plant = assemble(on_a_leash(), velocities=FAST, events=[late])
    run = simulate(plant, 0.2, every=0.1)
    assert 'event "late" never happened' in run.notes
    assert simulate(plant, 0.6, every=0.1, start=run).notes == ()
    again = simulate(plant, 0.3, every=0.1, start=run)
    assert list(again.notes).count('event "late" never happened') == 1


def test_a_run_goes_on_as_it_began() -> None:
    plant = assemble(on_a_leash(slack=0.3), velocities=FAST)
    run = simulate(plant, 0.1, every=0.1, locate=False)
    assert simulate(plant, 0.3, start=run).events == ()
    with pytest.raises(OptionError, match="made with locate=False; go on with the same"):
        simulate(plant, 0.3, start=run, locate=True)


def test_a_falling_cut_is_told_as_such() -> None:
    plant = assemble(
        on_a_leash(slack=-0.1), events=[Watch("drops", cable="leash", tension=10.0, sense="falling", then="cut")]
    )
    run = simulate(plant, 0.3)
    assert [event.change for event in run.events if event.subject == "drops"] == ["falling"]


def test_velocities_do_not_jump_at_a_cut() -> None:
    """A robot that drifts and tumbles: momentum, angular momentum and kinetic energy are the same on either side."""
    robot = taut.generators.icosahedron(0.6, stiffness=600.0, rest_ratio=0.9)
    random = np.random.default_rng(4)
    speeds = {node: tuple(1.0 + random.normal(size=3)) for node in robot.nodes}
    cut = Watch("cut", time=0.1, then="cut", cut=("cable:*1",))
    every = 1e-7
    before = simulate(assemble(robot, velocities=speeds, events=[cut]), 0.1, every=0.1, method="dp8", tolerance=1e-12)
    after = simulate(
        assemble(robot, velocities=speeds, events=[cut]), 0.1 + every, every=0.1 + every, method="dp8", tolerance=1e-12
    )
    assert after.work[-1] < -0.1, "it is cut"
    assert after.energy_kinetic[-1] == pytest.approx(before.energy_kinetic[-1], rel=1e-4)
    np.testing.assert_allclose(after.velocities[-1], before.velocities[-1], atol=1e-3)
    masses = assemble(robot).tables["nodes"].share.reshape(-1, 3)
    momenta = [(masses * run.velocities[-1]).sum(axis=0) for run in (before, after)]
    assert np.linalg.norm(momenta[0]) > 1.0
    np.testing.assert_allclose(momenta[0], momenta[1], rtol=1e-10)


def test_two_cuts_and_a_stop_at_one_time() -> None:
    tower = standing_tower()
    names = list(tower.cables)
    events = [
        Watch("one", time=0.05, then="cut", cut=(f"cable:{names[-1]}",)),
        Watch("two", time=0.05, then="cut", cut=(f"cable:{names[-2]}",)),
        Watch("three", time=0.05, then="stop"),
    ]
    plant = assemble(tower, gravity=9.81, events=events)
    run = simulate(plant, 0.1, every=0.01)
    assert run.time[-1] == pytest.approx(0.05)
    assert [event.subject for event in run.events if event.time == 0.05] == ["one", "two", "three"]
    further = simulate(plant, 0.1, start=run)
    assert np.all(further.cable_tension[-1, [-1, -2]] == 0.0)
    assert further.time[-1] == pytest.approx(0.1)


def test_what_leaves_no_room_for_belief_is_said() -> None:
    plant = assemble(taut.generators.tbar())
    with pytest.raises(OptionError, match="leaves no room for a finer run; take 1e-14 or more"):
        taut.dynamics.predictability(plant, simulate(plant, 0.1, tolerance=2e-15, method="dp8"))
    stiff = assemble(on_a_leash().changed("cable:*", stiffness=1e9, law="spring"), velocities=FAST)
    blown = simulate(stiff, 1.0, method="rk4", step=0.01)
    assert not blown.ok
    with pytest.raises(OptionError, match="did not reach its end"):
        taut.dynamics.predictability(stiff, blown)
    fixed = taut.dynamics.predictability(plant, simulate(plant, 0.1, method="implicit3", step=0.01))
    assert fixed.finer == "step 0.005 s"
