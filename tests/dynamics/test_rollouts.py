"""Rollouts: variants by address, each as `simulate` has it to the last bit, whoever computes it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
from taut import OptionError, SampledSignal, Sinusoid, SmoothStart
from taut.dynamics.rollouts import rows_of
from taut.locomotion import SinusoidGait
from taut.mechanics.batch import varied
from taut.mechanics.varying.addresses import address_of
from taut.mechanics.varying.variation import numbers_for, varied_by

ROBOT = taut.generators.six_strut_robot()
STRUTS = tuple(f"bar:{name}" for name in ROBOT.bars)
PHASES = np.array((2.91, 6.2, 3.93, 0.03, 5.87, 3.7))
DURATION = 0.4
OPTIONS: dict[str, Any] = {"every": 0.02, "method": "impulses", "step": 1e-3}


def robot(
    phase: Any = PHASES,
    amplitude: float = 0.1,
    frequency: float = 0.95,
    mean: float = 0.0,
    structure: taut.Structure = ROBOT,
    gravity: Any = (0.0, 0.0, -9.81),
    **ground: float,
) -> taut.Plant:
    """Rolling, let in quickly, so that a short run is enough."""
    gait = SinusoidGait(STRUTS, amplitude, frequency, tuple(map(float, phase)), mean, over=0.2)
    floor = taut.Ground("floor", **{"friction": 0.6, **ground})
    return taut.assemble(structure, gravity=gravity, ground=[floor], drives=gait.drives(structure))


def alone(plant: taut.Plant, duration: float = DURATION) -> taut.Trajectory:
    return taut.simulate(plant, duration, verify=False, **OPTIONS)


def assert_same(run: taut.Ensemble, k: int, other: taut.Trajectory) -> None:
    for name, values in run.samples.items():
        assert np.array_equal(values[k], getattr(other, name)), name
    assert run.status[k] == other.status


def spread(*shape: int, size: float = 1.0, seed: int = 5) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=shape)


def test_numbers_of_gaits_and_grounds_are_those_of_a_plant_assembled_with_them() -> None:
    phases, amplitude = PHASES + spread(3, 6, size=0.3), np.array([0.1, 0.08, 0.12])
    frequency, mean = np.array([0.95, 1.1, 1.3]), np.array([0.0, 0.01, -0.02])
    friction, bounce = np.array([0.6, 0.3, 0.9]), np.array([0.0, 0.2, 0.1])
    run = taut.rollout(
        robot(),
        {
            "drive:*.phase": phases,
            "drive:*.amplitude": amplitude,
            "drive:*.frequency": frequency,
            "drive:*.mean": mean,
            "ground:floor.friction": friction,
            "ground:floor.restitution": bounce,
        },
        DURATION,
        fields=("velocities", "contact_force", "drive_power", "cable_tension", "energy_violation", "work"),
        every=0.02,
    )
    assert np.ptp(run.nodes[:, -1], axis=0).max() > 1e-2, "variants that do not differ are no test"
    assert (run.contact_force != 0.0).any()
    for k in range(3):
        made = robot(phases[k], amplitude[k], frequency[k], mean[k], friction=friction[k], restitution=bounce[k])
        assert_same(run, k, alone(made))


def test_one_drive_alone_and_gravity_that_slopes() -> None:
    phase, slope = np.array([1.0, 2.0]), np.array([[0.0, 0.0, -9.81], [1.7, 0.0, -9.66]])
    run = taut.rollout(robot(), {"drive:y1.phase": phase, "gravity": slope}, DURATION, every=0.02)
    for k in range(2):
        phases = PHASES.copy()
        phases[list(ROBOT.bars).index("y1")] = phase[k]
        assert_same(run, k, alone(robot(phases, gravity=tuple(slope[k]))))
        assert run[k].options["gravity"] == slope[k].tolist()


def test_cables_starts_and_masses() -> None:
    plant, cables = robot(), list(ROBOT.cables)
    lengths = plant.tables["springs"].rest_length * (1.0 + spread(2, 24, size=0.02))
    stiffness = 600.0 + spread(2, 24, size=30.0)
    lifted, speeds = plant.positions + np.array([0.0, 0.0, 0.01]), spread(2, 12, 3, size=0.2)
    mass = np.array([[0.5] * 6, [0.6, 0.5, 0.45, 0.5, 0.55, 0.5]])
    weights = np.array([0.1, 0.3])
    given = {
        "cable:*.rest_length": lengths,
        "cable:*.stiffness": stiffness,
        "cable:c3.damping": np.array([5.0, 10.0]),
        "positions": np.stack([lifted, lifted]),
        "velocities": speeds,
    }
    light = taut.rollout(plant, given, DURATION, every=0.02)
    remade = taut.rollout(plant, {**given, "bar:*.mass": mass, "node:x1a.mass": weights}, DURATION, every=0.02)
    for k in range(2):
        structure = ROBOT.changed("cable:c3", damping=float(given["cable:c3.damping"][k]))
        for j, name in enumerate(cables):
            structure = structure.changed(
                f"cable:{name}", rest_length=float(lengths[k, j]), stiffness=float(stiffness[k, j])
            )
        start = {"velocities": dict(zip(ROBOT.nodes, map(tuple, speeds[k].tolist()), strict=True))}
        for run, made in ((light, structure), (remade, _weighed(structure, mass[k], float(weights[k])))):
            drives = SinusoidGait(STRUTS, 0.1, 0.95, tuple(PHASES.tolist()), over=0.2).drives(made)
            floor = [taut.Ground("floor", friction=0.6)]
            fresh = taut.assemble(made, gravity=9.81, ground=floor, drives=drives, **start)
            assert fresh.tables["constants"].scale[1] != plant.tables["constants"].scale[1]
            assert_same(run, k, alone(replace(fresh, positions=lifted)))


def test_masses_of_nodes_by_a_pattern_are_those_of_point_masses() -> None:
    plant = taut.assemble(ROBOT.weighted("x1a", 0.2).weighted("y1b", 0.3), gravity=9.81)
    address = address_of(plant, "node:*.mass")
    assert address.names == ("node:x1a", "node:y1b")
    assert address.own.tolist() == [0.2, 0.3]
    given = {"node:*.mass": np.array([[0.0, 0.5], [0.1, 0.1]]), "node:x2a.mass": np.array([0.4, 0.6])}
    made = varied_by(plant, numbers_for(plant, given), 2)
    assert made.base(0).structure.point_masses == {"y1b": 0.5, "x2a": 0.4}
    assert made.base(1).structure.point_masses == {"x1a": 0.1, "y1b": 0.1, "x2a": 0.6}
    assert address_of(plant, "node:x2a.mass").own.tolist() == [0.0]  # by its own name
    with pytest.raises(taut.OptionError, match=r'"node:z\*.mass": none of the nodes "z\*" has a point mass; give'):
        address_of(plant, "node:z*.mass")


def test_the_stiffness_of_a_material_follows_rest_lengths() -> None:
    thread = taut.Material("thread", youngs_modulus=1e8)
    cut = ROBOT.changed("cable:c3", stiffness=None, material=thread, radius=1e-3)
    plant = taut.assemble(cut, damping=taut.Damping(stiffness=1e-3))
    made = taut.assemble(cut.changed("cable:c3", rest_length=0.2), damping=taut.Damping(stiffness=1e-3))
    wanted = made.tables["springs"]
    assert wanted.stiffness[plant.given.cable["c3"]] == pytest.approx(100.0 * np.pi / 0.2)
    found = varied_by(plant, numbers_for(plant, {"cable:c3.rest_length": np.array([0.2])}), 1).single(0)
    for name in ("rest_length", "stiffness", "damping"):
        assert np.array_equal(getattr(found.tables["springs"], name), getattr(wanted, name))
    rest = plant.tables["springs"].rest_length.copy()[None]
    rest[0, list(ROBOT.cables).index("c3")] = 0.2
    cables = {"rest_length": rest, "stiffness": None, "damping": None}
    together = varied(plant, positions=None, velocities=None, cables=cables, loads=None).single(0)
    assert np.array_equal(together.tables["springs"].stiffness, wanted.stiffness)
    named = {"cable:c3.stiffness": np.array([7.0]), "cable:c3.rest_length": np.array([0.2])}
    with pytest.raises(OptionError, match="both change together"):
        numbers_for(plant, named)
    undamped = taut.assemble(cut)
    own = varied_by(undamped, numbers_for(undamped, named), 1).single(0)
    assert own.tables["springs"].stiffness[plant.given.cable["c3"]] == 7.0
    with pytest.raises(OptionError, match="rest_length.* of variant 0 is 0 for cable:c3"):
        taut.rollout(plant, {"cable:c3.rest_length": [0.0]}, 0.1)


def _weighed(structure: taut.Structure, masses: np.ndarray, weight: float) -> taut.Structure:
    for name, mass in zip(structure.bars, masses.tolist(), strict=True):
        structure = structure.changed(f"bar:{name}", mass=mass)
    return structure.weighted("x1a", weight)


def test_tables_of_values_take_their_slopes_along() -> None:
    times, first = (0.0, 0.1, 0.2, 0.4), (0.0, 0.03, 0.01, 0.0)

    def made(values: Any) -> taut.Plant:
        signal = SmoothStart(SampledSignal(times, tuple(map(float, values))), 0.0, 0.1)
        drives = [
            taut.Drive("x1", "bar:x1", "length", by=signal),
            taut.Drive("y", "bar:y*", "length", by=SmoothStart(Sinusoid(0.05, 2.0), 0.0, 0.1)),
        ]
        return taut.assemble(ROBOT, gravity=9.81, ground=[taut.Ground("floor", friction=0.6)], drives=drives)

    values = np.array(first) + spread(2, 4, size=0.02)
    run = taut.rollout(made(first), {"drive:x1.values": values, "drive:y.phase": np.zeros(2)}, DURATION, every=0.02)
    for k in range(2):
        assert_same(run, k, alone(made(values[k])))


def test_noise_belongs_to_a_seed_and_not_to_a_place_or_a_thread() -> None:
    plant = robot()
    noise = {"drive:*.phase": 0.05, "ground:floor.friction": 0.02}
    seeds = [3, 1, 4, 15]
    runs = [
        taut.rollout(plant, {}, 0.2, seeds=chosen, noise=noise, every=0.02, threads=threads)
        for chosen, threads in ((seeds, 1), (seeds, 3), (seeds[::-1], 2), ([15], 1))
    ]
    assert len({row.tobytes() for row in runs[0].nodes}) == 4
    assert np.array_equal(runs[0].nodes, runs[1].nodes)
    assert np.array_equal(runs[0].nodes, runs[2].nodes[::-1])
    assert np.array_equal(runs[0].nodes[3], runs[3].nodes[0])
    drawn = taut.rollout(plant, {}, 0.01, seeds=range(400), noise=noise, every=0.01).varied
    off = drawn["drive:*.phase"] - PHASES
    assert abs(off.mean()) < 0.005
    assert off.std() == pytest.approx(0.05, rel=0.05)
    assert drawn["ground:floor.friction"].std() == pytest.approx(0.02, rel=0.15)
    fewer = taut.rollout(plant, {}, 0.01, seeds=seeds, noise={"drive:*.phase": 0.05}, every=0.01)
    assert np.array_equal(fewer.varied["drive:*.phase"], runs[0].varied["drive:*.phase"])


def test_one_that_fails_says_so_and_the_others_go_on() -> None:
    plant = robot()
    inside = np.repeat(plant.positions[None], 3, axis=0)
    inside[1, :, 2] -= 0.1
    run = taut.rollout(plant, {"positions": inside}, 0.1, every=0.02)
    assert run.status[1].startswith("could not begin: ground: at the start node ")
    assert np.isnan(run.nodes[1]).all()
    assert run.ok.tolist() == [True, False, True]
    assert_same(run, 2, alone(plant, 0.1))
    stiff = np.array([600.0, 1e9])
    blown = taut.rollout(plant, {"cable:c1.stiffness": stiff}, 0.1, every=0.02)
    assert blown.ok.tolist() == [True, False]
    assert blown.status[1] == alone(robot(structure=ROBOT.changed("cable:c1", stiffness=1e9)), 0.1).status


def test_what_cannot_be_is_said() -> None:
    plant = robot()
    for given, said in (
        ({"drive:x1.phaze": [1.0]}, 'a drive has no phaze that varies; did you mean "phase"'),
        ({"drive:w1.phase": [1.0]}, '"drive:w1.phase" names no drive; there are x1, x2, y1'),
        ({"driv:x1.phase": [1.0]}, '"driv:x1.phase" is no address of numbers'),
        ({"phase": [1.0]}, 'write kind:name.quantity, as "drive:x1.phase"'),
        ({"gravitation": [1.0]}, 'did you mean "gravity"'),
        ({"bar:q*.mass": [1.0]}, '"bar:q.*.mass": "bar:q.*" selects no bar'),
        ({"ground:flor.friction": [1.0]}, 'names no ground; did you mean "floor"'),
        ({"drive:x1.values": [1.0]}, 'the signal of drive "x1" must hold one SampledSignal or StepSignal'),
        ({"drive:*.phase": np.zeros((2, 5))}, r'"drive:\*.phase" has the shape \(2, 5\), not \(N, 6\)'),
        ({"gravity": np.zeros((2, 3)), "drive:x1.phase": np.zeros(3)}, "one row a variant, but they have gravity 2"),
        ({"drive:*.phase": np.zeros((1, 6)), "drive:x1.phase": np.zeros(1)}, "name the same number"),
        ({"ground:floor.friction": [-0.1]}, '"ground:floor.friction" of variant 0 is -0.1 for ground:floor'),
        ({"bar:x1.mass": [0.0]}, '"bar:x1.mass" of variant 0 is 0 for bar:x1'),
        ({"positions": np.full((1, 12, 3), np.nan)}, '"positions" of variant 0 holds nan'),
        ({"drive:x1.amplitude": [0.1, 0.7]}, 'variant 1: the drive "x1" takes the length to -0.1 m'),
        ({}, "nothing varies: give at least one row of a parameter, or a seed"),
    ):
        with pytest.raises(OptionError, match=said):
            taut.rollout(plant, given, 0.1)
    for options, said in (
        ({"seeds": [1, 2]}, "there are 2 seeds, and 1 rows of parameters"),
        ({"noise": {"drive:*.phase": 0.1}}, "noise needs seeds"),
        ({"seeds": np.array([0.5])}, "seeds must be whole numbers, one for each variant, not 0.5"),
        ({"seeds": [True]}, "seeds must be whole numbers, one for each variant, not True"),
        ({"seeds": [-1]}, "seeds must be zero or more, not -1"),
        ({"seeds": [1], "noise": {"drive:*.phase": -0.1}}, "is a standard deviation, and cannot be -0.1"),
        ({"seeds": [1], "noise": {"drive:*.phase": [0.1, 0.2]}}, r"has the shape \(2,\), and there are \(6,\) numbers"),
        ({"seeds": [1], "noise": {"drive:*.faze": 0.1}}, "a drive has no faze that varies"),
        ({"threads": 0}, "threads 0 must be one or more"),
        ({"fields": ("node",)}, 'fields: "node" is not one of a Trajectory; did you mean "nodes"'),
    ):
        with pytest.raises(OptionError, match=said):
            taut.rollout(plant, {"drive:x1.phase": [1.0]}, 0.1, **options)


def test_seeds_are_kept_to_their_last_digit() -> None:
    """numpy makes a float of the largest of these, and so of all."""
    plant = taut.assemble(taut.generators.tbar(), gravity=9.81)
    seeds = [11958474920184756321, np.int64(348573489), 9]
    assert rows_of(plant, {}, seeds, None)[1] == (11958474920184756321, 348573489, 9)


def test_an_ensemble_strikes_grounds_too() -> None:
    plant = robot()
    speeds = spread(2, 12, 3, size=0.1)
    together = taut.ensemble(plant, 0.2, velocities=speeds, **OPTIONS)
    assert any("what contacts and slack cables do is not logged" in note for note in together.notes[0])
    assert_same(taut.rollout(plant, {"velocities": speeds}, 0.2, every=0.02), 1, together[1])


def test_numbers_that_a_plant_would_refuse_are_refused_of_variants() -> None:
    undamped = taut.assemble(
        taut.generators.six_strut_robot(damping=0.0),
        gravity=9.81,
        ground=[taut.Ground("floor", friction=0.3, static_friction=0.4)],
    )
    with pytest.raises(OptionError, match="damping of cables varies, and the plant has none"):
        taut.rollout(undamped, {"cable:*.damping": [0.0, 2.0]}, 0.1)
    with pytest.raises(OptionError, match="friction 0.8 of variant 1 is more than its ground's static friction 0.4"):
        taut.rollout(undamped, {"ground:floor.friction": [0.2, 0.8]}, 0.1)


def test_whoever_computes_them_no_events_are_kept() -> None:
    """Of cables that slacken all the time, by a method that locates it."""
    plant = taut.assemble(taut.generators.icosahedron(0.6, stiffness=600.0, rest_ratio=0.999), gravity=9.81)
    starts = {"velocities": 3.0 * np.random.default_rng(0).normal(size=(1, *plant.positions.shape))}
    options = {"every": 0.05, "method": "dp5", "step": None}
    here = taut.rollout(plant, starts, 0.1, **options)
    with ThreadPoolExecutor(1) as pool:
        there = taut.rollout(plant, starts, 0.1, **options, executor=pool)
    assert np.array_equal(here.nodes, there.nodes)
    assert here.notes == there.notes
    assert here.events == there.events == ((),)
