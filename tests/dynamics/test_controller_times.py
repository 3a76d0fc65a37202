"""When sensors measure and commands act: rates that go together, instants that differ by round-off alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bead_under_control import (
    MEASURED,
    START,
    bead,
    commanded,
    pd,
    went,
)

from taut import (
    Command,
    Controller,
    Doublet,
    Drive,
    Load,
    Sensor,
    SignalSum,
    Sinusoid,
    StepSignal,
    assemble,
    simulate,
    start,
)
from taut.control import LinearLaw


def test_rates_of_several_controllers_and_sensors_go_together() -> None:
    fast = Sensor("fast", "node:b.velocity.x", rate=200.0)
    slow = Sensor("slow", "node:b.position.x", rate=25.0, delay=0.04)
    calls: dict[str, list[tuple[float, ...]]] = {"one": [], "two": []}

    def law(name: str) -> Any:
        def called(t: float, measured: np.ndarray, state: np.ndarray) -> float:
            calls[name].append((t, *measured))
            return 0.0

        return called

    plant = assemble(
        bead().structure,
        loads=[Load("b", "x", Command(), name="push"), Load("b", "x", Command(), name="other")],
        sensors=[fast, slow],
        controllers=[
            Controller("one", ("fast", "slow"), ("push",), law("one"), rate=100.0),
            Controller("two", ("slow",), ("other",), law("two"), rate=50.0),
        ],
    )
    run = simulate(plant, 0.2, every=0.005, tolerance=1e-12, verify=False)
    times = np.array([call[0] for call in calls["one"]])
    assert np.allclose(times, np.arange(times.size) / 100.0, rtol=0.0, atol=1e-15)
    assert times.size == 21
    assert len(calls["two"]) == 11
    x, v = run.node("b")[:, 0], run.velocities[:, 1, 0]
    for t, seen_v, seen_x in calls["one"]:
        assert abs(seen_v - np.interp(t, run.time, v)) < 1e-9
        old = max(np.floor(t * 25.0 + 1e-9) / 25.0 - 0.04, 0.0)
        assert abs(seen_x - np.interp(old, run.time, x)) < 1e-9


def test_ticks_and_breaks_and_steps_that_fall_together_by_round_off() -> None:
    """3 / 10 and 3 * 0.1 differ by a bit: they are one instant, at which every input is let in."""
    idle = Controller("idle", MEASURED[:1], ("push",), LinearLaw([[0.0]]), rate=10.0)
    plant = assemble(
        bead().structure,
        loads=[
            Load("b", "x", Command(), name="push"),
            Load("b", "x", 0.0, name="pull"),
            Load("b", "y", Doublet(1.0, 0.3, 0.3)),
        ],
        controllers=[idle],
    )
    sim = start(plant)
    for k in range(8):
        sim.step(0.1, {"pull": k + 1.0})
    assert sim.trajectory().load_force[:-1, 1].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    run = simulate(bead([replace(idle)], push=SignalSum((Command(), Doublet(1.0, 0.2, 0.1)))), 1.0, verify=False)
    assert run.finished


def wound(**options: Any) -> Any:
    """The bead, whose cable is wound by a wave; a controller answers to its tension."""
    one = Controller("t", ("cable:c.tension",), ("push",), LinearLaw([[-0.3]], measured_offset=[50.0]), rate=10.0)
    return assemble(
        bead().structure,
        loads=[Load("b", "x", Command(), name="push")],
        drives=[Drive("winch", "cable:c", "rest_length", by=Sinusoid(0.2, 2.0))],
        controllers=[one],
        **options,
    )


def test_a_tension_is_measured_at_its_own_time() -> None:
    """Whatever samples are taken in between, and after a state is restored."""
    ends = [
        simulate(wound(), 0.8, every=every, tolerance=1e-11, verify=False).nodes[-1, 1, 0]
        for every in (0.1, 0.025, 0.04)
    ]
    assert np.ptp(ends) < 1e-8
    run = simulate(wound(), 0.8, every=0.1, tolerance=1e-11, verify=False)
    before = run.tension("c")  # the rest length has no jump, so that tensions have none
    assert np.abs(run.reading[:-1, 0] - before[:-1]).max() < 1e-9
    sim = start(wound(), tolerance=1e-11)
    for _ in range(4):
        sim.step(0.05)
    kept, seen = sim.state, sim.observe()
    for _ in range(4):
        sim.step(0.05)
    end = sim.nodes
    sim.restore(kept)
    other = sim.copy()
    assert np.array_equal(sim.observe(), seen)
    for _ in range(4):
        sim.step(0.05)
        other.step(0.05)
    assert np.array_equal(sim.nodes, end)
    assert np.array_equal(other.nodes, end)


def test_a_sensor_without_a_rate_serves_two_controllers_at_their_times() -> None:
    seen: dict[str, list[tuple[float, float]]] = {"three": [], "two": []}

    def law(name: str) -> Any:
        def called(t: float, measured: np.ndarray, state: np.ndarray) -> float:
            seen[name].append((t, float(measured[0])))
            return 0.0

        return called

    plant = assemble(
        bead().structure,
        loads=[Load("b", "x", Command(), name="push"), Load("b", "x", Command(), name="pull")],
        sensors=[Sensor("clock", MEASURED[0], rate=6.0)],
        controllers=[
            Controller("three", MEASURED[:1], ("push",), law("three"), rate=3.0),
            Controller("two", MEASURED[:1], ("pull",), law("two"), rate=2.0),
        ],
    )
    run = simulate(plant, 2.0, every=1.0 / 60.0, tolerance=1e-11, verify=False)
    for name in seen:
        for t, x in seen[name]:
            assert abs(x - np.interp(t, run.time, run.node("b")[:, 0])) < 1e-9


def test_a_sensor_that_is_due_shows_what_it_measures_now() -> None:
    sim = start(bead(push=0.0, sensors=[Sensor("x", MEASURED[0], rate=10.0)]), tolerance=1e-11)
    for _ in range(5):
        assert sim.step(0.1)[0] == sim.nodes[1, 0]
    sim.step(0.05)
    assert sim.observe()[0] == sim.trajectory().node("b")[5, 0]


@pytest.mark.slow
def test_a_ramp_ends_where_it_was_to_end() -> None:
    sim = start(bead(push=0.0), hold="first")
    sim.step(0.1, [1.0])
    on = simulate(sim.plant, 0.5, start=sim.trajectory(), verify=False)
    assert np.allclose(on.load_force[1:, 0], 1.0)


def gusty(controllers: Any) -> Any:
    """Loads that change at 0.01 k beside ticks at k / 100: 0.35000000000000003 is not 0.35."""
    times = tuple((0.01 * np.arange(100)).tolist())
    wind = StepSignal(times, tuple(np.random.default_rng(5).normal(size=100).tolist()))
    loads = [Load("b", "x", Command(), name=name) for name in ("push", "other")]
    return assemble(bead().structure, loads=[*loads, Load("b", "x", wind, name="wind")], controllers=controllers)


def test_signals_and_controllers_may_change_at_one_instant_told_in_two_ways() -> None:
    run = simulate(gusty([pd(rate=100.0)]), 1.0, every=0.01, tolerance=1e-12, verify=False)
    assert run.finished, run.status
    x, wind = np.array([START, 0.0]), run.load_force[:, 2]
    for k in range(100):
        assert np.abs([run.node("b")[k, 0] - x[0], run.velocities[k, 1, 0] - x[1]]).max() < 1e-10
        push = commanded(x) + wind[k]
        x = went(x, push, push, 0.01)


def test_steps_may_end_at_ticks_told_in_another_way() -> None:
    whole = simulate(gusty([pd(rate=100.0)]), 1.0, every=0.01, tolerance=1e-12, verify=False)
    sim = start(gusty([pd(rate=100.0)]), tolerance=1e-12)
    for k in range(100):
        assert abs(sim.observe()[0] - whole.node("b")[k, 0]) < 1e-11
        sim.step(0.01)


def test_delays_that_end_at_one_instant_told_in_two_ways() -> None:
    one, late = pd(rate=100.0, delay=0.0033), pd(rate=100.0, delay=0.0133)
    run = simulate(gusty([one, replace(late, name="late", commands=("other",))]), 1.0, every=0.01, verify=False)
    assert run.finished, run.status
    assert np.abs(run.energy_violation).max() < 1e-9
