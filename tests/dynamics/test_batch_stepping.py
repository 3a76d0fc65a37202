"""Variants stepped together: each as a simulation of its own, to the last bit, however they are spread and set back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
from taut import Command, Drive, Ground, Load, OptionError, Sinusoid, SmoothStart
from taut.dynamics import BatchSimulation

ROBOT = taut.generators.six_strut_robot()
COUNT, TURNS, PERIOD = 5, 6, 0.02
LONG: dict[str, Any] = {"method": "impulses", "step": 2e-3}


def robot(friction: float = 0.6, phase: float = 0.0, structure: taut.Structure = ROBOT, **more: Any) -> taut.Plant:
    """Three struts are commanded, one follows a signal of its own, a node is pushed by a load that is commanded."""
    drives = [Drive(name, f"bar:{name}", "length", by=Command()) for name in ("x1", "y1", "z1")]
    drives.append(Drive("y2", "bar:y2", "length", by=SmoothStart(Sinusoid(0.03, 2.0, phase), 0.0, 0.05)))
    floor = Ground("floor", friction=friction)
    return taut.assemble(structure, gravity=9.81, ground=[floor], drives=drives, **more)


PUSHED = {"loads": [Load("x1a", "x", Command(), name="push")]}


def commands(plant_inputs: int, seed: int = 1, size: float = 0.01) -> np.ndarray:
    return np.cumsum(size * np.random.default_rng(seed).normal(size=(TURNS, COUNT, plant_inputs)), axis=0)


def stepped(plant: taut.Plant, inputs: np.ndarray, **options: Any) -> list[np.ndarray]:
    sim = taut.start(plant, keep=False, **{**LONG, **options})
    return [sim.observe(), *(sim.step(PERIOD, one) for one in inputs)]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_each_moves_as_alone(threads: int) -> None:
    plant = robot(**PUSHED)
    sim = taut.start_many(plant, COUNT, threads=threads, **LONG)
    assert sim.inputs == ("load:push", "drive:x1", "drive:y1", "drive:z1")
    assert repr(sim) == "<BatchSimulation of six-strut robot: 5 variants, 4 inputs, 72 outputs>"
    given = commands(4)
    seen = [sim.observe(), *(sim.step(PERIOD, one) for one in given)]
    assert not sim.ended.any()
    assert np.abs(sim.velocities).max() > 0.1
    assert sim.time == pytest.approx(TURNS * PERIOD)
    assert np.array_equal(sim.command, given[-1])
    for k in range(COUNT):
        alone = stepped(plant, given[:, k])
        for one, other in zip(alone, seen, strict=True):
            assert np.array_equal(one, other[k])
    assert np.array_equal(sim.nodes.reshape(COUNT, -1), seen[-1][:, :36])


@pytest.mark.slow
def test_what_is_led_in_smoothly_begins_without_another_look() -> None:
    """All inputs are lengths of bars: their start is not looked for again when the first inputs come."""
    plant = robot()
    given = commands(3)
    observe = ["node:x1a.position", "bar:x1.tension", "cable:c1.tension", "node:x1a.velocity.z"]
    sim = taut.start_many(plant, COUNT, observe=observe, **LONG)
    seen = [sim.observe(), *(sim.step(PERIOD, one) for one in given)]
    for k in (0, COUNT - 1):
        alone = stepped(plant, given[:, k], observe=observe)
        for one, other in zip(alone, seen, strict=True):
            assert np.array_equal(one, other[k])


def test_some_are_set_back_with_numbers_of_their_own() -> None:
    plant = robot()
    given = commands(3)
    sim = taut.start_many(plant, COUNT, **LONG)
    for one in given[:3]:
        sim.step(PERIOD, one)
    before = sim.observe()
    lifted, speeds = plant.positions + np.array([0.0, 0.0, 0.02]), np.full((2, 12, 3), 0.1)
    seen = sim.reset(
        [1, 3],
        positions=lifted,
        velocities=speeds,
        parameters={"ground:floor.friction": [0.2, 0.9], "drive:y2.phase": [0.5, 1.0]},
    )
    assert np.array_equal(seen[[0, 2, 4]], before[[0, 2, 4]])
    assert sim.time.tolist() == pytest.approx([0.06, 0.0, 0.06, 0.0, 0.06])
    for one in given[3:]:
        seen = sim.step(PERIOD, one)
    fresh = {1: robot(0.2, phase=0.5), 3: robot(0.9, phase=1.0)}
    for k, made in fresh.items():
        alone = replace(made, positions=lifted, velocities=speeds[0])
        assert np.array_equal(stepped(alone, given[3:, k])[-1], seen[k])
    assert np.array_equal(stepped(plant, given[:, 0])[-1], seen[0])
    assert np.array_equal(sim.reset()[1, :36], lifted.ravel())
    again = sim.step(PERIOD, given[0])
    alone = replace(fresh[1], positions=lifted, velocities=speeds[0])
    assert np.array_equal(again[1], stepped(alone, given[:1, 1])[-1])
    sim.reset([2], parameters={"gravity": [[0.0, 0.0, -1.62]]})
    shown = [sim.run_of(k, [(0.0, sim.states[k].copy())]) for k in (1, 2)]
    assert [run.options["gravity"] for run in shown] == [[0.0, 0.0, -9.81], [0.0, 0.0, -1.62]]


def test_those_that_end_stay_where_they_are_and_say_why() -> None:
    plant = robot()
    sim = taut.start_many(plant, COUNT, **LONG)
    stiff = np.full((1, 24), 1e9)
    sim.reset([2], parameters={"cable:*.stiffness": stiff})
    inputs = np.zeros((COUNT, 3))
    for _ in range(3):
        sim.step(PERIOD, inputs)
    assert sim.ended.tolist() == [False, False, True, False, False]
    assert "the next state is not finite" in sim.status[2]
    assert sim.time[[0, 1, 3, 4]] == pytest.approx(0.06)
    assert np.isfinite(sim.observe()).all()
    sim.reset([2], parameters={"cable:*.stiffness": np.full((1, 24), 500.0)})
    seen = sim.step(PERIOD, inputs)
    assert not sim.ended.any()
    softer = taut.start(robot(structure=ROBOT.changed("cable:*", stiffness=500.0)), **LONG)
    assert np.array_equal(seen[2], softer.step(PERIOD, inputs[0]))
    assert np.array_equal(seen[0], stepped(plant, np.zeros((4, 3)))[-1])


def test_what_makes_no_sense_is_said() -> None:
    plant = robot()
    sim = taut.start_many(plant, 2, **LONG)
    for inputs, said in (
        (np.zeros((2, 4)), r"inputs of shape \(2, 4\) do not fit: give \(2, 3\), in the order drive:x1"),
        (np.array([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]]), 'variant 1: the input "drive:y1" is nan'),
        (np.array([[0.0, 0.0, -0.7], [0.0, 0.0, 0.0]]), 'variant 0: the input "drive:z1" of -0.7 m'),
    ):
        with pytest.raises(OptionError, match=said):
            sim.step(PERIOD, inputs)
    with pytest.raises(OptionError, match="a step of 0.0 s makes no sense"):
        sim.step(0.0)
    for options, said in (
        ({"which": [2]}, "give numbers of variants from 0 to 1"),
        ({"positions": np.zeros((3, 12, 3))}, r"positions: give finite numbers of the shape \(2, 12, 3\)"),
        ({"parameters": {"bar:*.mass": np.ones((2, 6))}}, "masses of variants that are stepped do not vary"),
        ({"parameters": {"gravity": np.zeros((1, 3))}}, "one row for each of the 2 variants"),
        ({"parameters": {"drive:y2.faze": [0.0, 0.0]}}, "a drive has no faze that varies"),
    ):
        with pytest.raises(OptionError, match=said):
            sim.reset(**options)
    for options, said in (
        ({"count": 0}, "count 0 and threads 1 must be one or more"),
        ({"method": "energy-momentum"}, 'method "energy-momentum" does not step many at once'),
        ({"observe": ["node:q.position"]}, "node"),
    ):
        with pytest.raises(taut.TautError, match=said):
            taut.start_many(plant, **{"count": 2, **LONG, **options})
    with pytest.raises(OptionError, match="have no events that are watched; step them one by one"):
        taut.start_many(robot(events=[taut.Watch("late", time=1.0)]), 2, **LONG)
    limited = [Drive("x1", "bar:x1", "length", by=Command(), speed_limit=0.1)]
    plant = taut.assemble(ROBOT, gravity=9.81, ground=[Ground("floor")], drives=limited)
    with pytest.raises(OptionError, match=r'variant 1: the input "drive:x1" goes from 0 to 0.1 m in 0.02 s'):
        taut.start_many(plant, 2, **LONG).step(PERIOD, [[0.0], [0.1]])


MANY = 27
"""Sixteen side by side, and eight of those that are left, once three of them go at times of their own."""


def side_by_side(sim: BatchSimulation) -> bool:
    return sim._workers[0]._lanes is not None


def followed_together(threads: int, order: np.ndarray, **options: Any) -> tuple[np.ndarray, BatchSimulation]:
    """All turns of variants in this order, some of which are set back on the way; what is seen, in their own order."""
    given = np.cumsum(0.01 * np.random.default_rng(4).normal(size=(TURNS, MANY, 3)), axis=0)
    frictions, damping = np.linspace(0.2, 0.9, MANY), np.outer(np.linspace(0.0, 30.0, MANY), np.ones(24))
    sim = taut.start_many(robot(), order.size, threads=threads, **LONG, **options)
    sim.reset(parameters={"ground:floor.friction": frictions[order], "cable:*.damping": damping[order]})
    seen = []
    for turn, one in enumerate(given):
        if turn == 2:
            sim.reset(np.flatnonzero(np.isin(order, (3, 11, 20))))
        seen.append(sim.step(PERIOD, one[order]))
    assert not sim.ended.any()
    return np.array(seen)[:, np.argsort(order)], sim


@pytest.mark.slow
def test_side_by_side_each_moves_as_alone_whoever_goes_beside_it() -> None:
    """The first, which does not damp, one that was set back on the way, and the last; in any order, by any threads."""
    seen, sim = followed_together(1, np.arange(MANY))
    assert side_by_side(sim)
    assert np.abs(sim.velocities).max() > 0.1
    mixed, _ = followed_together(3, np.random.default_rng(1).permutation(MANY))
    assert np.array_equal(seen, mixed)
    given = np.cumsum(0.01 * np.random.default_rng(4).normal(size=(TURNS, MANY, 3)), axis=0)
    for k in (0, 11, 15, MANY - 1):
        plant = robot(np.linspace(0.2, 0.9, MANY)[k], structure=ROBOT.changed("cable:*", damping=30.0 * k / (MANY - 1)))
        alone = stepped(plant, given[:2, k])[1:] + stepped(plant, given[2:, k])[1:] if k == 11 else None
        alone = alone or stepped(plant, given[:, k])[1:]
        assert np.array_equal(np.array(alone), seen[:, k]), k
        assert np.array_equal(stepped(plant, given[:1, k])[0], taut.start(plant, **LONG).observe())


@pytest.mark.slow
def test_side_by_side_readings_and_runs_are_those_of_one_alone() -> None:
    plant, observe = robot(), ["bar:x1.tension", "cable:c1.tension", "node:x1a.velocity.z"]
    given = np.cumsum(0.01 * np.random.default_rng(4).normal(size=(TURNS, 16, 3)), axis=0)
    sim = taut.start_many(plant, 16, observe=observe, **LONG)
    seen, kept = [], [(0.0, sim.states[9].copy())]
    for one in given:
        seen.append(sim.step(PERIOD, one))
        assert np.array_equal(sim.observe(), seen[-1])
        kept.append((float(sim.time[9]), sim.states[9].copy()))
    assert side_by_side(sim)
    alone = taut.start(plant, observe=observe, **LONG)
    for one, other in zip(given[:, 9], seen, strict=True):
        assert np.array_equal(alone.step(PERIOD, one), other[9])
    run, wanted = sim.run_of(9, kept), alone.trajectory()
    for name in ("time", "nodes", "cable_tension", "bar_force", "contact_force", "contact_state", "drive_rate", "work"):
        assert np.array_equal(getattr(run, name), getattr(wanted, name)), name
    assert run.contact_names == wanted.contact_names


@pytest.mark.slow
def test_side_by_side_one_that_fails_costs_the_others_nothing() -> None:
    plant, inputs = robot(), np.zeros((16, 3))
    sim = taut.start_many(plant, 16, **LONG)
    sim.reset([5], parameters={"cable:*.stiffness": np.full((1, 24), 1e9)})
    for _ in range(3):
        seen = sim.step(PERIOD, inputs)
    assert np.flatnonzero(sim.ended).tolist() == [5]
    assert "the next state is not finite" in sim.status[5]
    assert np.array_equal(seen[6], stepped(plant, np.zeros((3, 3)))[-1])
    sim.reset([5], parameters={"cable:*.stiffness": np.full((1, 24), 500.0)})
    softer = taut.start(robot(structure=ROBOT.changed("cable:*", stiffness=500.0)), **LONG)
    assert np.array_equal(sim.step(PERIOD, inputs)[5], softer.step(PERIOD, inputs[0]))


def spring_pair(phase: float = 0.0) -> taut.Plant:
    """A mass between two cables, the first of which is wound by a wave."""
    ends = {"a": ("o", "p"), "b": ("p", "q")}
    cables = [taut.Cable(name, route, rest_length=0.8, stiffness=100.0) for name, route in ends.items()]
    structure = taut.Structure(
        {"o": (0.0, 0.0, 0.0), "p": (1.0, 0.0, 0.0), "q": (2.0, 0.0, 0.0)},
        cables=cables,
        supports={"o": "xyz", "q": "xyz"},
        point_masses={"p": 1.0},
    )
    return taut.assemble(structure, drives=[Drive("w", "cable:a", "rest_length", by=Sinusoid(0.05, 1.0, phase))])


@pytest.mark.slow
def test_a_correction_by_a_time_that_stiffness_changes_is_refused() -> None:
    stiff, options = {"cable:b.stiffness": np.full((1, 1), 200.0)}, {"method": "rk4", "step": 1e-2}
    together = taut.start_many(spring_pair(), 1, **options)
    with pytest.raises(OptionError, match=r'say one for all: Correction\("energy", time=...\)'):
        together.reset(parameters=stiff)
    plant = spring_pair()
    firmer = taut.assemble(plant.structure.changed("cable:b", stiffness=200.0), drives=plant.given.drives)
    for correction in ("none", taut.Correction("energy", time=0.2)):
        together = taut.start_many(plant, 1, correction=correction, **options)
        together.reset(parameters=stiff)
        alone = taut.start(firmer, correction=correction, locate=False, **options)
        for _ in range(3):
            assert np.array_equal(together.step(0.1)[0], alone.step(0.1))


@pytest.mark.slow
def test_readings_are_each_ones_own_though_tables_are_shared() -> None:
    """What drives wrote for one variant is not what the next one sees, nor after some were set back."""
    options: dict[str, Any] = {"observe": ["cable:a.tension"], "method": "rk4", "step": 1e-2}
    phases = (0.0, 1.5, 3.0)
    alone = [taut.start(spring_pair(phase), **options) for phase in phases]
    together = taut.start_many(spring_pair(), 3, **options)
    seen = together.reset(parameters={"drive:w.phase": np.array(phases)})
    assert np.array_equal(seen, [one.observe() for one in alone])
    for _ in range(3):
        together.step(0.1)
        wanted = [one.step(0.1) for one in alone]
    assert np.array_equal(together.observe(), wanted)
    together.reset([0])
    assert np.array_equal(together.observe()[1:], wanted[1:])
