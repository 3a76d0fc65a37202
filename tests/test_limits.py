"""Limits: numbers beyond anything built, runs that cannot end, memory nobody asked for, functions that misbehave."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut import Feedback, LinearConstraint, Load, Material, ModelError, Motion, OptionError, Structure
from taut.dynamics.driver import SampleTimes
from taut.structure import memory
from taut.structure.files import parse_model

SQUARE = """taut: 1
nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 0, 1], d: [0, 0, 1]}
bars:
  b1: {nodes: [a, c], mass: 1}
  b2: {nodes: [b, d], mass: 1}
cables: {c1: [a, b], c2: [b, c], c3: [c, d], c4: [d, a]}
properties: {"cable:*": {stiffness: 100, rest_ratio: 0.9}}
"""


def square(*overrides: str) -> Structure:
    return parse_model(SQUARE, "m.yaml", overrides).structure


# --- magnitudes: what `check` calls sound has to run, or to say why not


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("bars.b1.radius=1e308", r"m.yaml:4: bars.b1.radius: 1e\+308 is more than 1e\+30 in size, beyond anything"),
        ("nodes.a=[-1e31, 0, 0]", r"nodes.a\[0\]: -1e\+31 is more than 1e\+30 in size"),
        ("scenario.gravity=1e150", r"scenario.gravity: -1e\+150 is more than 1e\+30"),
        ("scenario.velocities.c=[0, 1e200, 0]", r"scenario.velocities.c\[1\]: 1e\+200 is more"),
        ("bars.b1.mass=1e-31", "bars.b1.mass: 1e-31 kg is less than 1e-30 in size, beyond anything that is built"),
        ("bars.b1={nodes: [a, c], radius: 1e-200, mass: 1}", "radius: 1e-200 m is less than 1e-30"),
        ("constraints.k={terms: [[a, x, 1e-200]]}", "constraints.k: its largest coefficient 1e-200 is less than 1e-30"),
        ("nodes.c=[1e-40, 0, 0]", 'bars.b1.nodes: nodes "a" and "c" are at the same place'),
        (
            "scenario.correction={iterations: 100000000000000000000}",
            "must be a whole number, one or more and at most 1000",
        ),
        ("scenario.correction={time: 1e-200}", "scenario.correction.time: 1e-200 is less than 1e-30"),
        ("generate={prism: {radius: 1e200}}", r"generate.prism: radius = 1e\+200 is more than 1e\+30"),
        ("generate={prism: {height: 1e-200}}", "generate.prism: height = 1e-200 is less than 1e-30"),
    ],
)
def test_numbers_of_files_are_bounded(told: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        square(told)


def test_the_same_bounds_hold_for_structures_made_in_python() -> None:
    sound = square()
    huge, tiny = Material("m", density=1e25), Material("m", density=1e-25, youngs_modulus=1e-25)

    def bar(**fields: object) -> Structure:
        return replace(sound, bars={**sound.bars, "b1": replace(sound.bars["b1"], **fields)})

    def cable(**fields: object) -> Structure:
        return replace(sound, cables={**sound.cables, "c1": replace(sound.cables["c1"], **fields)})

    for structure, said in (
        (bar(radius=1e308), r"bars.b1.radius: 1e\+308 m is more than 1e\+30 in size"),
        (bar(mass=1e-31), "bars.b1.mass: 1e-31 kg is less than 1e-30"),
        (
            bar(mass=None, radius=1e3, material=huge),
            r"b1.mass: follows from material, radius and length, and 4.\d*e\+31 kg",
        ),
        (
            bar(mass=None, radius=1e-10, material=tiny),
            "b1.mass: follows from material, radius and length, and 4.*e-45 kg is",
        ),
        (bar(law="compressible", radius=1e-10, material=tiny), "b1.stiffness: follows from .* N/m is less than 1e-30"),
        (cable(stiffness=None, radius=1e-10, material=tiny), "c1.stiffness: follows from .* N/m is less than 1e-30"),
        (cable(radius=1e-10, material=tiny), "c1.mass: follows from .* kg is less than 1e-30"),
        (sound.with_nodes(a=(0.0, 1e31, 0.0)), r"nodes.a: y = 1e\+31 m is more than 1e\+30"),
        (
            sound.with_constraints(LinearConstraint("k", (("a", "x", 1e-200),))),
            "k: its largest coefficient 1e-200 is less",
        ),
        (sound.weighted("a", 1e31), r"point_masses.a: 1e\+31 kg is more"),
    ):
        with pytest.raises(ModelError, match=said):
            taut.assemble(structure)
    for surroundings, said in (
        ({"gravity": 1e150}, r"gravity: -1e\+150 m/s\^2 is more than 1e\+30"),
        ({"velocities": {"a": (0.0, 1e31, 0.0)}}, r"velocities.a: 1e\+31 m/s is more"),
        ({"damping": taut.Damping(node=1e31)}, r"damping.node: 1e\+31 is more"),
        (
            {"motions": [Motion("*", "x", taut.Sinusoid(1e31, 1.0))]},
            r"motions\[0\].displacement: Sinusoid\(.*1e\+31 is",
        ),
        ({"events": [taut.Watch.at_plane("low", "a", "z", 1e31)]}, r"events.low.level: 1e\+31 is more"),
    ):
        with pytest.raises(ModelError, match=said):
            taut.assemble(sound.supported("a"), **surroundings)
    with pytest.raises(ModelError, match=r"loads\[0\].signal: Constant\(value=1e\+31\): 1e\+31 is more than 1e\+30"):
        taut.assemble(sound, loads=[Load("a", "x", taut.Constant(1e31))])
    with pytest.raises(OptionError, match=r"duration 1e\+31 is more than 1e\+30"):
        taut.simulate(taut.assemble(sound), 1e31)


# --- runs that cannot end


@pytest.mark.parametrize(
    ("overrides", "options"),
    [
        (["bars.b1.mass=1e-30"], {}),
        (["scenario.gravity=1e29"], {}),
        (["bars.b1.mass=1e-30", "bars.b2.mass=1e-30"], {"method": "dp8", "tolerance": 1e-4}),
        ([], {"duration": 1e25}),
    ],
)
def test_a_run_that_cannot_end_stops_and_says_why(overrides: list[str], options: dict) -> None:
    model = parse_model(SQUARE, "m.yaml", overrides)
    options = {"duration": 0.1, **options}
    run = taut.simulate(taut.assemble(model.structure, gravity=model.scenario.gravity), **options)
    assert not run.ok
    with pytest.raises(
        OptionError, match=r"^stopped at t = .* s: its steps are about .* s, and more than 1e\+09 of them "
    ):
        raise OptionError(run.status)
    assert run.counts["steps"] + run.counts["rejected"] == 20_000, "after the same steps on any machine"
    assert run.time.tolist() == [0.0] or options["duration"] == 1e25


def test_a_run_that_cannot_end_is_found_however_short_its_chunks_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.dynamics.driver.HANDED_ON", 1e-4)
    model = parse_model(SQUARE, "m.yaml", ["bars.b1.mass=1e-30"])
    run = taut.simulate(taut.assemble(model.structure, gravity=model.scenario.gravity), 0.1)
    assert run.status.startswith("stopped at t = ")
    assert run.counts["steps"] + run.counts["rejected"] == 20_000


@pytest.mark.parametrize("options", [{}, {"correction": "none"}], ids=["corrected", "handed on"])
def test_counts_do_not_hang_on_how_fast_a_run_goes(options: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is compiled on its way hands on a first chunk early, and began the next one with an evaluation more."""
    plant = taut.assemble(taut.generators.tbar())
    whole = taut.simulate(plant, 2.0, verify=False, **options)
    told: list[dict[str, int]] = []
    monkeypatch.setattr("taut.dynamics.driver.HANDED_ON", 1e-4)
    monkeypatch.setattr("taut.dynamics.driver.LATENCY", 0.0)
    pieces = taut.simulate(plant, 2.0, verify=False, sink=lambda part: told.append(part.counts), **options)
    assert len(told) > 4
    assert pieces.counts == whole.counts


def test_a_run_of_many_short_steps_that_can_end_does() -> None:
    """A step of 1e-6 s for 0.1 s: 40 times as many as the judgement looks at."""
    run = taut.simulate(taut.assemble(square("bars.b1.mass=1e-12", "bars.b2.mass=1e-12")), 0.02)
    assert run.counts["steps"] > 20_000
    assert run.ok


# --- memory


def test_ten_million_members_are_asked_about_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for make, said in (
        (
            lambda: taut.generators.prism(10_000_000),
            "struts = 10000000: 10000000 bars with their cables would take about 70 GB",
        ),
        (lambda: taut.generators.tower(10_000, 1_000), "stages = 10000, struts = 1000: 10000000 bars"),
        (lambda: taut.generators.needle_tower(10_000_000), "stages = 10000000, struts = 3: 30000000 bars"),
        (
            lambda: taut.generators.x_mast(10_000_000),
            "20000000 bars with their cables would take about 140 GB of memory",
        ),
        (lambda: taut.generators.geiger_dome(10_000, 1_000), "sectors = 10000, rings = 1000: 10000000 bars"),
        (lambda: taut.generators.hollow_bridge(10_000_000), "modules = 10000000, sides = 5: 150000000 bars"),
        (lambda: taut.generators.lattice(200, 200, 200), "nx = 200, ny = 200, nz = 200: 48000000 bars"),
        (lambda: taut.generators.planar_lattice(10**200, 3), "columns = 1000.*"),
    ):
        with pytest.raises(OptionError, match=said):
            make()
    with pytest.raises(
        ModelError, match=r"generate.tower: stages = 10000000, .* set TAUT_MEMORY=210 in the environment"
    ):
        square("generate={tower: {stages: 10000000}}")
    with pytest.raises(
        ModelError,
        match=r"m.yaml:6: cables.c1.segments: 10000000: 10000000 segments in all would take about 20 GB of memory",
    ):
        square("cables.c1={route: [a, b], mass: 1, segments: 10000000}")
    monkeypatch.setenv(memory.SETTING, "0.00001")
    with pytest.raises(OptionError, match="would take about 2.1e-05 GB of memory, more than the 1e-05 GB that"):
        taut.generators.prism(3)
    monkeypatch.setenv(memory.SETTING, "1")
    assert len(taut.generators.prism(3).bars) == 3
    monkeypatch.setenv(memory.SETTING, "much")
    with pytest.raises(OptionError, match='TAUT_MEMORY="much" must be a number of GB, as in TAUT_MEMORY=4'):
        taut.generators.prism(3)


def test_samples_that_do_not_fit_are_asked_about_first() -> None:
    plant = taut.assemble(square())
    with pytest.raises(
        OptionError, match="500000001 samples would take about 100 GB of memory, .*; or take them further"
    ):
        taut.simulate(plant, 100.0, every=2e-7)
    with pytest.raises(OptionError, match="500000001 samples of 1 variants would take about 48 GB of memory"):
        taut.ensemble(plant, 100.0, every=2e-7, stiffness=np.full((1, 4), 100.0))


def test_times_of_samples_are_made_part_by_part() -> None:
    class Enough(Exception):
        pass

    def first_part(part: taut.Trajectory) -> None:
        assert part.time[:3].tolist() == [0.0, 2e-7, 4e-7]
        raise Enough

    plant = taut.assemble(square())
    taut.simulate(plant, 1e-3)  # compiled
    tracemalloc.start()
    try:
        with pytest.raises(Enough):
            taut.simulate(plant, 100.0, every=2e-7, sink=first_part)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300e6, "five hundred million times are 4 GB"


@pytest.mark.parametrize(
    ("duration", "every"), [(1.0, 0.1), (1.0, 0.3), (0.1, 5.0), (7.0, 1 / 3), (1e-300, 5e-303), (3.0, 3.0), (0.3, 0.1)]
)
def test_times_of_samples_are_multiples_and_the_end(duration: float, every: float) -> None:
    """As they were when all were made at once, to the last bit, in whatever parts they are asked for."""
    count = math.floor(duration / every * (1.0 + 1e-12) + 1e-9)
    whole = np.arange(count + 1) * every
    whole = whole if whole[-1] >= duration - 1e-9 * every else np.append(whole, duration)
    times = SampleTimes(duration, every)
    assert times.size == whole.size
    for step in (1, 2, 3, 1000):
        parts = [times.part(begin, begin + step) for begin in range(0, whole.size, step)]
        assert np.concatenate(parts).tolist() == whole.tolist()
    for since in (-1.0, 0.0, every, np.nextafter(every, 0.0), 0.5 * every, 2.5 * every, duration, 2.0 * duration):
        later = times.after(since)
        assert later.part(0, later.size).tolist() == whole[whole > since].tolist()


# --- loads that are Python functions


def fails(t: float) -> float:
    raise ValueError("no such table")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (fails, r'the load "push" on node "c" along x: its function raised ValueError at t = 0 s: no such table'),
        (lambda t: None, r'"push" on node "c" along x returned None at t = 0 s, NoneType; it must return one number'),
        (lambda t: "5", r"returned '5' at t = 0 s, str; it must return one number, the force \[N\]"),
        (
            lambda t: np.ones(3),
            r"returned array\(\[1., 1., 1.\]\) at t = 0 s, ndarray of shape \(3,\); it must return one",
        ),
        (lambda t: np.ones((1, 1)), r"ndarray of shape \(1, 1\); it must return one number"),
        (lambda t: 1j, r"returned 1j at t = 0 s, complex"),
        (lambda t: math.nan, r"returned nan at t = 0 s: nan is not a finite number"),
        (lambda t: 1e200, r"returned 1e\+200 at t = 0 s: 1e\+200 N is more than 1e\+30"),
        (lambda t: 1.0 if t < 0.05 else math.inf, r"returned inf at t = 0.0[5-9]\d* s"),
        (lambda: 1.0, r"its function raised TypeError at t = 0 s: .* positional argument"),
        (Feedback(lambda t, q: 0.0), r"its function raised TypeError at t = 0 s"),
        (Feedback(lambda t, q, v: q[0]), r"returned array\(.* at t = 0 s, ndarray of shape \(3,\)"),
    ],
)
def test_a_function_that_misbehaves_is_named_with_its_load_and_time(function: object, said: str) -> None:
    plant = taut.assemble(square(), loads=[Load("c", "x", function, "push")])
    with pytest.raises(OptionError, match=said):
        taut.simulate(plant, 0.1)


def test_functions_may_return_what_is_a_number() -> None:
    for value in (1, 1.0, np.float64(1.0), np.float32(1.0), np.int64(1), np.array(1.0), True):
        plant = taut.assemble(square(), loads=[Load("c", "x", lambda t, value=value: value)])
        assert taut.simulate(plant, 1e-3, every=1e-3).load_force[-1, 0] == 1.0


def test_a_feedback_that_misbehaves_is_named_where_it_is_linearised() -> None:
    plant = taut.assemble(square(), loads=[Load("c", "x", Feedback(lambda t, q, v: np.ones(2)), "push")])
    with pytest.raises(OptionError, match=r'the load "push" on node "c" along x returned array\(\[1., 1.\]\)'):
        taut.control.linearise(plant)


# --- slips in Python


def test_slips_have_answers() -> None:
    structure = square()
    plant = taut.assemble(structure)
    for call, said in (
        (lambda: taut.assemble("x.yaml"), "'x.yaml' is a text, where a Structure is wanted; taut.read reads files"),
        (
            lambda: taut.assemble(parse_model(SQUARE)),
            r"is a Model, where a Structure is wanted; it has one: .structure",
        ),
        (lambda: taut.assemble(7), "7 is a number, where a Structure is wanted"),
        (
            lambda: taut.assemble(structure, loads=Load("a", "x", 1.0)),
            "loads: is a Load, where a list .* is wanted; put it into a list",
        ),
        (lambda: taut.assemble(structure, loads=3), "loads: 3 is a number, where a list .* is wanted: taut.Load"),
        (
            lambda: taut.assemble(structure, loads=[("a", "x", 1.0)]),
            r"loads\[0\]: .* is a tuple, where a Load is wanted",
        ),
        (lambda: taut.assemble(structure, motions=Motion("*", "x", 1.0)), "motions: is a Motion, where a list"),
        (lambda: taut.assemble(structure, events=taut.Watch.at_time("t", 1.0)), "events: is a Watch, where a list"),
        (lambda: taut.simulate(plant, "1"), "duration: '1' is a text, where a number is wanted"),
        (lambda: taut.simulate(plant, 1.0, every="0.1"), "every: '0.1' is a text, where a number is wanted"),
        (lambda: taut.simulate(structure, 1.0), "plant: is a Structure, where a Plant is wanted"),
        (lambda: taut.simulate("x.yaml", 1.0), "plant: 'x.yaml' is a text, where a Plant is wanted"),
    ):
        with pytest.raises(OptionError, match=said):
            call()
