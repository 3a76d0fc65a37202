"""Variants in lanes and threads: each must move as it would alone."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import taut
from taut import (
    Cable,
    CosineRamp,
    Damping,
    Drive,
    Load,
    OptionError,
    SampledSignal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    Structure,
    assemble,
    ensemble,
    simulate,
)
from taut.mechanics.batch import varied
from taut.mechanics.conserving.conserving_plant import conserving_plant
from taut.mechanics.implicit_plant import implicit_plant
from taut.mechanics.imposed.drives import DRIVE_DATA
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.tables import part_of
from taut.mechanics.terms.springs import Springs
from taut.mechanics.varying.variation import numbers_for, varied_by
from taut.mechanisms import Joint, in_coordinates
from taut.numerics.packing import Pack, reals_of

COUNT = 19
"""Not a multiple of the lanes, so that the last group is not full."""


def spread(plant: taut.Plant, **parts: float) -> dict[str, np.ndarray]:
    """Random velocities, and cable parts that many per cent off."""
    random = np.random.default_rng(3)
    given = {"velocities": random.normal(size=(COUNT, *plant.positions.shape))}
    for name, off in parts.items():
        there = getattr(plant.tables["springs"], name)
        given[name] = there * (1.0 + 0.01 * off * random.uniform(-1.0, 1.0, size=(COUNT, there.size)))
    return given


def robot(**more: object) -> taut.Plant:
    return assemble(taut.generators.icosahedron(0.6, stiffness=600.0, rest_ratio=0.95), gravity=9.81, **more)


def mast(**more: object) -> taut.Plant:
    """Bars that share nodes, one of them on a rail: the sparse system."""
    structure = taut.generators.tower(stages=2, radius=0.5, height=1.0, class_=2).supported("bottom*")
    structure = structure.with_constraints(taut.on_plane("rail", "top1", (1.0, 2.0, 0.5)))
    return assemble(structure.changed("cable:*", rest_ratio=0.9), gravity=9.81, **more)


def assert_as_alone(plant: taut.Plant, varying: dict[str, object], within: float, **options: object) -> None:
    together = ensemble(plant, 0.2, every=0.1, **varying, **options)
    assert set(together.status) == {"finished"}  # the step is coarse, so that not all are sound
    assert np.ptp(together.nodes[:, -1], axis=0).max() > 1e-3, "variants that do not differ are no test"
    cables = {name: varying[name] for name in ("rest_length", "stiffness", "damping") if name in varying}
    kept = {name: varying.get(name) for name in ("positions", "velocities", "loads")}
    variants = varied(plant, cables=cables, **kept)
    for k in (0, 7, 15, 16, COUNT - 1):
        alone = simulate(variants.single(k), 0.2, every=0.1, locate="step" not in options, **options)
        assert np.abs(together.nodes[k] - alone.nodes).max() <= within
        assert np.abs(together.velocities[k] - alone.velocities).max() <= 100.0 * within


@pytest.mark.parametrize("correction", ["none", "constraints", "energy", "baumgarte"])
@pytest.mark.parametrize("make", [robot, pytest.param(mast, marks=pytest.mark.slow)])
def test_lanes_move_as_each_would_alone(make, correction: str) -> None:
    plant = make()
    varying = spread(plant, rest_length=5.0, stiffness=20.0)
    assert_as_alone(plant, varying, 1e-12, method="rk4", step=2e-3, correction=correction)


def test_lanes_take_every_kind_of_force() -> None:
    table = SampledSignal((0.0, 0.05, 0.2), (0.0, 1.0, 0.5))
    loads = [Load("n1", "x", Sinusoid(2.0, 3.0)), Load("n4", "z", table), Load("n2", "y", taut.Doublet(3.0, 0.05))]
    plant = robot(loads=loads, damping=Damping(node=0.1, mass=0.2, stiffness=1e-3))
    random = np.random.default_rng(0)
    signals = [
        [
            Sinusoid(random.normal(), 3.0 + random.random(), random.random()),
            SampledSignal(table.times, tuple(random.normal(size=3))),
            taut.Doublet(random.normal(), 0.05),
        ]
        for _ in range(COUNT)
    ]
    varying = {**spread(plant, stiffness=10.0, damping=50.0), "loads": signals}
    assert_as_alone(plant, varying, 1e-12, method="rk4", step=2e-3)


def test_lanes_take_ramps_and_smooth_starts_and_sums() -> None:
    def signals(ramp: float, wave: float, table: float) -> list:
        started = SmoothStart(Sinusoid(wave, 3.0 + wave, 0.3), 0.02, 0.1)
        curve = SampledSignal((0.0, 0.05, 0.2), (0.0, table, 0.5))
        return [CosineRamp(0.1, ramp, 0.03, 0.15), started, SignalSum((SmoothStart(curve, 0.01, 0.05), started, wave))]

    first = signals(2.0, 3.0, 1.0)
    plant = robot(loads=[Load(node, "x", signal) for node, signal in zip(("n1", "n4", "n2"), first, strict=True)])
    random = np.random.default_rng(0)
    varying = {"loads": [signals(*random.normal(size=3)) for _ in range(COUNT)]}
    assert_as_alone(plant, varying, 1e-12, method="rk4", step=2e-3)
    for other in (
        CosineRamp(0.1, 2.0, 0.03, 0.16),
        CosineRamp(0.1, 2.0, 0.02, 0.15),
        SmoothStart(2.0, 0.03, 0.15),
    ):
        with pytest.raises(OptionError, match="variant 0 are of another kind than the plant's, or"):
            ensemble(plant, 0.1, loads=[[other, *first[1:]]])
    for start, over in ((0.03, 0.1), (0.02, 0.11)):
        later = SmoothStart(Sinusoid(3.0, 6.0, 0.3), start, over)
        with pytest.raises(OptionError, match="or change at other times; variants may differ in values only"):
            ensemble(plant, 0.1, loads=[[first[0], later, first[2]]])
    fewer = SignalSum(first[2].signals[:2])
    with pytest.raises(OptionError, match="or change at other times; variants may differ in values only"):
        ensemble(plant, 0.1, loads=[[*first[:2], fewer]])


@pytest.mark.slow
def test_lanes_of_rattle() -> None:
    plant = robot()
    assert_as_alone(plant, spread(plant, rest_length=5.0), 1e-12, method="rattle4", step=2e-3)


def test_adapted_steps_are_each_variants_own() -> None:
    plant = robot()
    assert_as_alone(plant, spread(plant, rest_length=5.0), 0.0, method="dp5", tolerance=1e-7)


def test_starts_are_brought_onto_the_constraints() -> None:
    plant = robot()
    off = plant.positions + 1e-3 * np.random.default_rng(1).normal(size=(COUNT, *plant.positions.shape))
    together = ensemble(plant, 0.1, every=0.1, positions=off, method="rk4", step=2e-3)
    assert together.ok.all()
    ends = [[list(plant.structure.nodes).index(node) for node in bar.nodes] for bar in plant.structure.bars.values()]
    first, second = np.array(ends).T
    spans = np.linalg.norm(together.nodes[:, :, second] - together.nodes[:, :, first], axis=-1)
    assert np.abs(spans - 0.6).max() <= 1e-13


@pytest.mark.parametrize("method", [{"method": "rk4", "step": 2e-3}, {"method": "dp5"}])
def test_results_do_not_depend_on_the_number_of_threads(method: dict) -> None:
    plant = robot()
    varying = spread(plant, rest_length=5.0)
    runs = [ensemble(plant, 0.1, every=0.05, threads=threads, **varying, **method) for threads in (1, 2, 5)]
    for other in runs[1:]:
        assert np.array_equal(runs[0].nodes, other.nodes)
        assert np.array_equal(runs[0].velocities, other.velocities)
        assert runs[0].status == other.status


def test_one_that_fails_does_not_take_others_with_it() -> None:
    plant = robot()
    varying = spread(plant, stiffness=0.0)
    varying["stiffness"][3] *= 1e9
    together = ensemble(plant, 0.2, every=0.1, method="rk4", step=2e-3, correction="none", **varying)
    assert list(np.flatnonzero(~together.ok)) == [3]
    assert together.status[3].startswith("stopped at t = ")
    assert np.isnan(together.nodes[3, -1]).all()
    assert np.isfinite(np.delete(together.nodes, 3, axis=0)).all()
    assert repr(together) == f"<Ensemble of {COUNT} variants, 3 samples, {COUNT - 1} finished>"


def test_one_that_cannot_begin_says_so() -> None:
    plant = robot()
    places = np.repeat(plant.positions[None], 2, axis=0)
    places[1, 0] = places[1, 1] = 1e8  # both ends of a bar, light years from the rest
    together = ensemble(plant, 0.1, positions=places, method="rk4", step=1e-3)
    assert together.status[0] == "finished"
    assert together.status[1].startswith("could not begin: ")
    places[1, 0] = 1e160  # its distances overflow
    again = ensemble(plant, 0.1, positions=places, method="rk4", step=1e-3)
    assert again.status[0] == "finished"
    assert again.status[1].startswith("could not begin: ")


def test_progress_is_told() -> None:
    plant, seen = robot(), []
    ensemble(plant, 0.01, method="rk4", step=2e-3, progress=lambda done, of: seen.append((done, of)), **spread(plant))
    assert seen == [(16.0, 19.0), (19.0, 19.0)]


def test_what_does_not_fit_is_said() -> None:
    plant = robot()
    for given, said in (
        (
            {},
            "nothing varies: give at least one row of positions, velocities, rest_length, stiffness",
        ),
        ({"rest_length": np.ones((2, 3))}, r"rest_length has the shape \(2, 3\), not \(2, 24\)"),
        (
            {"rest_length": np.ones((2, 24)), "stiffness": np.ones((3, 24))},
            "every array needs one row a variant, but they have rest_length 2, stiffness 3",
        ),
        ({"stiffness": -np.ones((2, 24))}, "stiffness of variant 0 holds -1, which it cannot be"),
        ({"velocities": np.full((2, 12, 3), np.nan)}, "velocities of variant 0 holds nan"),
        ({"loads": [[Sinusoid(1.0, 1.0)]]}, "variant 0 has 1 signals for the plant's 0 loads"),
        ({"velocities": np.zeros((2, 12, 3)), "threads": 0}, "threads 0 must be one or more"),
    ):
        with pytest.raises(OptionError, match=said):
            ensemble(plant, 0.1, method="rk4", step=1e-3, **given)
    pushed = robot(loads=[Load("n1", "x", taut.Doublet(1.0, 0.05))])
    with pytest.raises(OptionError, match="the signals of variant 1 are of another kind than the plant's"):
        ensemble(pushed, 0.1, loads=[[taut.Doublet(2.0, 0.05)], [taut.Doublet(2.0, 0.04)]], method="rk4", step=1e-3)
    both = [Load("n1", "x", taut.Doublet(1.0, 0.05)), Load("n2", "y", taut.Doublet(1.0, 0.05, start=0.1))]
    swapped = [both[1].signal, both[0].signal]
    with pytest.raises(OptionError, match="the signals of variant 0 are of another kind than the plant's"):
        ensemble(robot(loads=both), 0.1, loads=[swapped], method="rk4", step=1e-3)
    with pytest.raises(OptionError, match='method "rattle4" is for motion without damping'):
        ensemble(plant, 0.1, damping=np.ones((2, 24)), method="rattle4", step=1e-3)
    called = robot(loads=[Load("n1", "x", lambda t: t)])
    with pytest.raises(OptionError, match="an ensemble needs loads that are signals"):
        ensemble(called, 0.1, velocities=np.zeros((2, 12, 3)))


def test_a_plant_without_damping_may_have_variants_that_damp() -> None:
    plant = robot()
    damping = np.zeros((COUNT, 24))
    damping[1::2] = 4.0
    assert_as_alone(plant, {**spread(plant), "damping": damping}, 1e-7, method="rk4", step=2e-3)


@pytest.mark.slow
def test_what_is_to_be_said_of_a_run_is_said_of_its_variants() -> None:
    """A parallelogram on equal cranks, through the line in which its bars all lie."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "A": (0.0, 0.0, 1.0), "B": (2.0, 0.0, 1.0)}
    bars = [taut.Bar(x + y, (x, y), mass=1.0) for x, y in ("aA", "AB", "bB")]
    plant = assemble(taut.Structure(nodes, bars, supports={"a": "xyz", "b": "xyz", "A": "y", "B": "y"}))
    speeds = np.zeros((2, 4, 3))
    speeds[0, 2:, 0], speeds[1, 2:, 0] = 3.0, 2.9
    for options in ({"method": "rk4", "step": 1e-3}, {"method": "dp5", "tolerance": 1e-9}):
        together = ensemble(plant, 0.7, velocities=speeds, **options)
        assert all(any("nearly depended on one another" in note for note in notes) for notes in together.notes)


@pytest.mark.slow
def test_ctrl_c_reaches_every_variant() -> None:
    plant = robot()
    varying = spread(plant)
    for method in ({"method": "rk4", "step": 1e-4}, {"method": "dp5", "tolerance": 1e-9}):
        timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begun = time.monotonic()
        together = ensemble(plant, 1e4, every=1e3, threads=2, **varying, **method)
        assert time.monotonic() - begun < 30.0
        assert not together.ok.any()
        assert all(status.startswith("interrupted") for status in together.status)


def test_plants_may_differ_in_any_number_and_each_moves_as_alone() -> None:
    def made(k: int) -> taut.Plant:
        structure = taut.generators.icosahedron(0.6, stiffness=600.0 + 5.0 * k, rest_ratio=0.95).changed(
            "bar:*", mass=1.0 + 0.05 * k
        )
        return assemble(structure, gravity=9.81 - 0.2 * k, damping=Damping(node=0.3 * (k % 2)))

    plants = [made(k) for k in range(COUNT)]
    together = ensemble(plants, 0.1, every=0.05, method="rk4", step=2e-3, correction="none")
    assert together.ok.all()
    assert all("not located" in notes[-1] for notes in together.notes)
    for k in (0, 1, 15, 16, COUNT - 1):
        alone = simulate(plants[k], 0.1, every=0.05, method="rk4", step=2e-3, correction="none", locate=False)
        for name in ("nodes", "velocities", "cable_tension", "bar_force", "energy_kinetic", "work"):
            np.testing.assert_allclose(getattr(together, name)[k], getattr(alone, name), rtol=1e-12, atol=1e-12)
        assert together[k].status == "finished"
        assert together[k].structure == plants[k].structure
        assert together[k].options["gravity"] == [0.0, 0.0, -9.81 + 0.2 * k]


def test_a_variant_tells_what_was_kept_of_it() -> None:
    plant = robot()
    given = {"velocities": np.zeros((2, *plant.positions.shape)), "every": 0.05}
    whole, few = ensemble(plant, 0.1, **given)[1], ensemble(plant, 0.1, **given, fields=["nodes"])[1]
    alone = simulate(plant, 0.1, every=0.05, verify=False)
    facts = alone.facts()
    for name in ("status", "simulated", "method", "worst bar length", "energy", "work"):
        assert whole.facts()[name] == facts[name], name
    assert "steps" not in whole.facts()
    assert list(few.facts()) == ["status", "simulated", "method", "correction"]
    assert "0.1 s, 3 samples" in few.summary()
    with pytest.raises(OptionError, match="tensions are looked up by cable_tension; name it in the `fields`"):
        few.tension(next(iter(plant.structure.cables)))


def test_every_plant_is_asked_whether_the_method_suits_it() -> None:
    plants = [robot(), robot(damping=Damping(node=2.0))]
    with pytest.raises(OptionError, match='method "rattle4" is for motion without damping, but every node damps'):
        ensemble(plants, 0.1, method="rattle4", step=1e-3)
    with pytest.raises(
        OptionError, match="plant 1 has other nodes, members, supports, or loads and elements elsewhere"
    ):
        ensemble([robot(), robot(loads=[Load("n1", "x", Sinusoid(1.0, 1.0))])], 0.1, method="rk4", step=1e-3)


def winched(held: str = "yz") -> Plant:
    """A weight on a cable whose rest length is 0.8 m at the start."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), stiffness=100.0, rest_length=0.9)],
        supports={"a": "xyz"} | ({"b": held} if held else {}),
        point_masses={"b": 1.0},
    )
    return assemble(structure, drives=[Drive("winch", "cable:c", "rest_length", to=Sinusoid(0.05, 1.0, mean=0.8))])


def imposed(made: PlantProtocol, pack: Pack) -> float:
    """The rest length after what is driven was written for the start."""
    made.operations()["impose"](pack, 0.0, np.concatenate([*made.start(), [0.0]]))
    return float(reals_of(pack, part_of("springs", Springs, "rest_length"))[0])


def test_what_is_driven_in_a_variant_is_its_own_from_the_start() -> None:
    """For implicit methods too, whose tables are made of those of the plant as it was assembled."""
    plant = winched()
    assert imposed(plant, plant.pack) == pytest.approx(0.8)
    own = varied_by(plant, numbers_for(plant, {"drive:winch.mean": np.array([[0.8], [0.5]])}), 2).single(1)
    assert imposed(own, own.pack) == pytest.approx(0.5)
    for made in (own, implicit_plant(own), conserving_plant(own)):
        assert imposed(made, made.own_tables(metric="mass", gains=(0.0, 0.0))) == pytest.approx(0.5)


def test_drives_write_anew_in_the_tables_of_a_run() -> None:
    """Whatever they wrote into the pack of the plant before, which another signal may stand in since."""
    plant = winched()
    sliding = Joint("slide", (1.0, 0.0, 0.0), ("node:b",), slides=((1.0, 0.0, 0.0),))
    for made in (plant, implicit_plant(plant), conserving_plant(plant), in_coordinates(winched(held=""), [sliding])):
        signal = reals_of(made.pack, DRIVE_DATA)
        assert imposed(made, made.pack) == pytest.approx(0.8)
        signal[signal == 0.8] = 0.5
        for metric in ("mass", "euclidean"):
            assert imposed(made, made.own_tables(metric=metric, gains=(0.0, 0.0))) == pytest.approx(0.5)
        signal[signal == 0.5] = 0.8
