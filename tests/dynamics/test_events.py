"""Located events: against closed forms, against reference trajectories, by every method, and where they are awkward."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from test_arm_and_ball import HERE, followed

import taut
from taut import Cable, Damping, Load, ModelError, Sinusoid, Structure, Watch, assemble, simulate

MASS, STIFFNESS = 2.0, 300.0
OMEGA = math.sqrt(STIFFNESS / MASS)


def on_a_leash(damping: float = 0.0, slack: float = 0.0) -> Structure:
    """A mass in weightlessness on one cable along x, at its rest length, or that much closer."""
    return Structure(
        {"wall": (0.0, 0.0, 0.0), "mass": (1.0 - slack, 0.0, 0.0)},
        cables={
            "leash": Cable("leash", ("wall", "mass"), rest_length=1.0, stiffness=STIFFNESS, damping=damping),
        },
        supports={"wall": "xyz", "mass": "yz"},
        point_masses={"mass": MASS},
    )


def thrown(structure: Structure, speed: float, duration: float = 1.0, **options: object) -> taut.Trajectory:
    return simulate(assemble(structure, velocities={"mass": (speed, 0.0, 0.0)}), duration, **options)


METHODS = [
    {"method": "dp5", "tolerance": 1e-12},
    {"method": "dp8", "tolerance": 1e-12},
    {"method": "dp8", "tolerance": 1e-12, "samples": "dense"},
    {"method": "rk4", "step": 2e-4},
    {"method": "rattle8", "step": 5e-3},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", METHODS)
def test_a_leash_tightens_and_slackens_when_it_should(options: dict) -> None:
    run = thrown(on_a_leash(slack=0.3), 2.0, **options)
    taut_at = 0.3 / 2.0
    slack_at = taut_at + math.pi / OMEGA
    assert [(event.change, event.subject) for event in run.events] == [("taut", "leash"), ("slack", "leash")]
    np.testing.assert_allclose([event.time for event in run.events], [taut_at, slack_at], atol=1e-10)
    late = run.time > slack_at
    np.testing.assert_allclose(run.node("mass")[late, 0], 1.0 - 2.0 * (run.time[late] - slack_at), atol=1e-9)
    assert run.counts["events"] == 2


def test_an_event_is_exact_where_the_equations_are_polynomials() -> None:
    run = thrown(on_a_leash(slack=0.3), 2.0, 0.2)
    assert run.events[0].time == pytest.approx(0.15, abs=1e-15)


def test_a_damped_leash_jumps_goes_limp_and_slack() -> None:
    """Taut, its tension is k s + c r: it jumps up when the leash tightens and is gone before the leash is short."""
    damping = 20.0
    run = thrown(on_a_leash(damping, slack=0.3), 2.0, 1.0, method="dp8", tolerance=1e-13, every=0.001)
    decay = damping / (2.0 * MASS)
    w = math.sqrt(OMEGA**2 - decay**2)
    # s = 2 / w e^(-d t) sin w t; k s + c r = 0 at tan w t = - c w / (k - c d)
    gone = (math.pi - math.atan(damping * w / (STIFFNESS - damping * decay))) / w
    assert [event.change for event in run.events] == ["taut", "slack"]
    assert run.events[0].time == pytest.approx(0.15, abs=1e-14)
    assert run.events[1].time == pytest.approx(0.15 + gone, abs=1e-12)
    speed = 2.0 * math.exp(-decay * gone) * (math.cos(w * gone) - decay / w * math.sin(w * gone))
    assert run.velocities[-1, 1, 0] == pytest.approx(speed, abs=1e-11)
    assert np.all(run.tension("leash") >= 0.0)
    assert run.tension("leash")[151] > 0.95 * damping * 2.0, "the force jumps"
    assert np.abs(run.energy_violation).max() < 1e-11


@pytest.mark.parametrize(
    ("name", "amplitude", "options", "within"),
    [
        ("ball", 30.0, {"method": "dp8", "tolerance": 1e-12}, 1e-11),
        ("arm", 100.0, {"method": "dp8", "tolerance": 1e-12}, 1e-8),
        ("arm", 100.0, {"tolerance": 1e-11}, 1e-8),
    ],
)
def test_the_events_of_the_arm_and_the_ball(name: str, amplitude: float, options: dict, within: float) -> None:
    with np.load(HERE / "data" / f"stedy_{name}{amplitude:g}_rigid.npz") as file:
        known = dict(file)
    run = followed(name, amplitude, float(known["t"][1]), **options)
    assert np.abs(run.nodes[-1] - known["q"][-1].reshape(-1, 3)).max() <= within
    events = known["events"]
    assert [event.subject for event in run.events] == [f"s{int(k) + 1}" for k in events[:, 1]]
    assert [event.change for event in run.events] == ["taut" if tight else "slack" for tight in events[:, 2]]
    np.testing.assert_allclose([event.time for event in run.events], events[:, 0], atol=1e-8)


KINDS = ("none", "constraints", "energy")


def test_location_pays_on_the_arm() -> None:
    """Without location what a step over a slackening cable costs depends on where it happens to end: every run is a
    draw, and of nine some are far worse. With it errors follow the tolerance, whatever the correction."""
    with np.load(HERE / "data" / "stedy_arm100_rigid.npz") as file:
        known = dict(file)

    def errors(locate: bool, tolerance: float) -> np.ndarray:
        options = {"method": "dp8", "tolerance": tolerance, "locate": locate}
        runs = [followed("arm", 100.0, float(known["t"][1]), correction=kind, **options) for kind in KINDS]
        return np.array([np.abs(run.nodes[-1] - known["q"][-1].reshape(-1, 3)).max() for run in runs])

    tolerances = (1e-8, 1e-9, 3e-10)
    located, blind = (np.array([errors(locate, tolerance) for tolerance in tolerances]) for locate in (True, False))
    assert np.all(located < 12.0 * np.array(tolerances)[:, None])  # 6.6 to 9.7 times the tolerance
    assert np.all(located.max(axis=1) < 1.1 * located.min(axis=1))
    assert (blind / located).max() > 8.0  # 28 here, 68 to 840 with another order of sums


def test_location_pays_with_damped_cables_whose_force_jumps() -> None:
    """A robot thrown against its own slack cables; the finest run is the reference, and says how good it is."""
    robot = taut.generators.icosahedron(0.6, stiffness=600.0).changed("cable:*", damping=3.0, rest_ratio=1.02)
    random = np.random.default_rng(3)
    speeds = {node: tuple(random.normal(size=3)) for node in robot.nodes}
    plant = assemble(robot, velocities=speeds)

    def end(tolerance: float, locate: bool) -> tuple[np.ndarray, int]:
        run = simulate(
            plant, 0.5, every=0.5, method="dp8", tolerance=tolerance, locate=locate, correction="constraints"
        )
        assert run.ok
        return run.nodes[-1], run.counts["evaluations"]

    (best, _), (good, _) = end(1e-13, True), end(1e-12, True)
    own = np.abs(best - good).max()
    located, cost = end(1e-9, True)
    blind, blind_cost = end(1e-9, False)
    assert own < 1e-10
    assert np.abs(located - best).max() < 0.1 * np.abs(blind - best).max()
    assert cost < blind_cost


def test_cables_of_a_symmetric_structure_slacken_together() -> None:
    """Four cables to a mass in the middle that swings along one of them: pairs share their instants."""
    nodes = {"centre": (0.0, 0.0, 0.0), "e": (1.0, 0.0, 0.0), "n": (0.0, 1.0, 0.0), "s": (0.0, -1.0, 0.0)}
    cross = Structure(
        nodes,
        cables={k: Cable(k, ("centre", k), rest_length=1.005, stiffness=STIFFNESS) for k in ("e", "n", "s")},
        supports=dict.fromkeys("ens", "xyz") | {"centre": "yz"},
        point_masses={"centre": MASS},
    )
    run = simulate(assemble(cross, velocities={"centre": (-3.0, 0.0, 0.0)}), 1.0)
    times = {k: [event.time for event in run.events if event.subject == k] for k in ("n", "s")}
    assert times["n"]
    assert times["n"] == times["s"]


def test_a_spring_that_only_touches_its_rest_length_does_not_chatter() -> None:
    """The T-bar's top spring comes back to its rest length every period, within round-off."""
    tbar = taut.generators.tbar()
    one_sided = tbar.changed("cable:*", law="cable")
    runs = [simulate(assemble(structure), 10.0, tolerance=1e-11) for structure in (tbar, one_sided)]
    assert np.abs(runs[0].nodes - runs[1].nodes).max() < 1e-9
    assert len(runs[1].events) < 20
    assert not any(event.change == "chatters" for event in runs[1].events)
    assert runs[1].counts["evaluations"] < 1.2 * runs[0].counts["evaluations"]


def test_a_cable_at_rest_at_its_rest_length_makes_no_events() -> None:
    run = simulate(assemble(on_a_leash()), 1.0)
    assert run.events == ()
    assert run.ok


def falling(**watch: object) -> taut.Plant:
    """A mass that falls from 1 m, 4.905 t^2."""
    structure = Structure(
        {"ball": (0.0, 0.0, 1.0), "floor": (0.0, 0.0, 0.0)}, supports={"floor": "xyz"}, point_masses={"ball": 1.0}
    )
    return assemble(structure, gravity=9.81, events=[Watch("look", **watch)])


def test_a_node_passes_a_plane_and_the_run_stops_there() -> None:
    plant = falling(node="ball", axis="z", level=0.5, then="stop")
    run = simulate(plant, 1.0)
    at = math.sqrt(2.0 * 0.5 / 9.81)
    assert run.ok
    assert "where it was to stop" in run.status
    assert run.time[-1] == pytest.approx(at, abs=1e-14)
    assert run.node("ball")[-1, 2] == pytest.approx(0.5, abs=1e-14)
    assert [event.change for event in run.events] == ["falling"]
    further = simulate(plant, 0.4, start=run)
    assert further.time[-1] == pytest.approx(0.4)
    assert len(further.events) == 1


@pytest.mark.parametrize(("speed", "first", "noted"), [(1.0, 0.1, False), (3.0, 0.125, True)])
def test_a_level_passed_up_and_down_again_within_a_step_is_noted_twice(speed: float, first: float, noted: bool) -> None:
    """A ball thrown up, whose place is a parabola, also where a step begins at the level. Neither time was noted."""
    ball = Structure({"ball": (0.0, 0.0, 0.0)}, point_masses={"ball": 1.0})
    watches = [Watch("look", node="ball", axis="z", level=speed * first - 0.5 * 9.81 * first**2)]
    watches += [Watch.at_time("then", first)] if noted else []
    plant = assemble(ball, gravity=9.81, velocities={"ball": (0.0, 0.0, speed)}, events=watches)
    run = simulate(plant, 0.5, every=0.5, verify=False)
    found = [event for event in run.events if event.change in ("rising", "falling")]
    assert [event.change for event in found] == ["rising", "falling"]
    assert [event.time for event in found] == pytest.approx([first, 2.0 * speed / 9.81 - first], abs=1e-12)


def test_other_things_to_watch() -> None:
    at = math.sqrt(2.0 * 0.25 / 9.81)
    distance = simulate(falling(nodes=("floor", "ball"), length=0.75), 0.4)
    tilted = simulate(falling(node="ball", normal=(0.0, 0.0, -2.0), level=-1.5), 0.4)
    for run, change in ((distance, "falling"), (tilted, "rising")):
        assert [event.change for event in run.events] == [change]
        assert run.events[0].time == pytest.approx(at, abs=1e-13)
    assert not simulate(falling(node="ball", axis="z", level=0.5, sense="rising"), 0.4).events


def test_what_never_happens_is_said() -> None:
    run = simulate(falling(node="ball", axis="z", level=7.0), 0.4)
    assert run.ok
    assert 'event "look" never happened' in run.summary()


def test_a_node_that_stays_in_the_plane_never_passes_it() -> None:
    run = simulate(falling(node="floor", axis="z", level=0.0), 0.4)
    assert run.events == ()


def test_a_tension_is_exceeded_when_it_should_be() -> None:
    limit = 20.0
    structure = on_a_leash(slack=0.3)
    plant = assemble(
        structure, velocities={"mass": (2.0, 0.0, 0.0)}, events=[Watch("pull", cable="leash", tension=limit)]
    )
    run = simulate(plant, 1.0, method="dp8", tolerance=1e-12)
    at = 0.15 + math.asin(limit / STIFFNESS / (2.0 / OMEGA)) / OMEGA
    pulls = [event for event in run.events if event.subject == "pull"]
    assert [event.change for event in pulls] == ["rising"]
    assert pulls[0].time == pytest.approx(at, abs=1e-12)


def test_a_leash_breaks_at_its_limit_and_the_mass_flies_on() -> None:
    limit, speed = 20.0, 2.0
    plant = assemble(
        on_a_leash(slack=0.3),
        velocities={"mass": (speed, 0.0, 0.0)},
        events=[Watch("snap", cable="leash", tension=limit, then="cut")],
    )
    run = simulate(plant, 1.0, every=0.01, method="dp8", tolerance=1e-12)
    strain = 0.5 * limit**2 / STIFFNESS
    after = math.sqrt(speed**2 - 2.0 * strain / MASS)
    assert run.velocities[-1, 1, 0] == pytest.approx(after, abs=1e-11)
    assert run.work[-1] == pytest.approx(-strain, abs=1e-11)
    assert np.abs(run.energy_violation).max() < 1e-11
    assert run.tension("leash")[-1] == 0.0
    assert run.cable_length[-1, 0] > 1.5


def standing_tower() -> Structure:
    tower = taut.generators.tower(stages=2, radius=0.5, height=1.0).supported("bottom*")
    return tower.changed("cable:*", rest_ratio=0.95, stiffness=4e4)


@pytest.mark.parametrize("member", ["cable", "bar"])
def test_a_member_of_a_tower_is_cut(member: str) -> None:
    """Positions and velocities go on without a jump, the energy drops by what a cable had stored, the rest plays on."""
    tower = standing_tower()
    at = 0.11
    other = simulate(assemble(tower, gravity=9.81), 0.2, every=0.01, method="dp8", tolerance=1e-11)
    # the cable that carries most then
    name = list(getattr(tower, f"{member}s"))[int(np.argmax(other.cable_tension[11])) if member == "cable" else 0]
    cut = Watch("cut", time=at, then="cut", cut=(f"{member}:{name}",))
    run = simulate(assemble(tower, gravity=9.81, events=[cut]), 0.2, every=0.01, method="dp8", tolerance=1e-11)
    before = run.time <= at + 1e-12
    np.testing.assert_allclose(run.nodes[before], other.nodes[before], atol=1e-9)
    np.testing.assert_allclose(run.velocities[before], other.velocities[before], atol=1e-7)
    assert np.abs(run.nodes[-1] - other.nodes[-1]).max() > 1e-3, "it matters"
    assert np.abs(run.energy_violation).max() < 1e-6
    here = int(np.flatnonzero(before)[-1])
    if member == "cable":
        k = list(tower.cables).index(name)
        strain = 0.5 * run.cable_tension[here, k] ** 2 / 4e4
        assert strain > 0.1
        assert run.work[-1] == pytest.approx(-strain, rel=1e-6)
        assert np.all(run.cable_tension[~before, k] == 0.0)
    else:
        assert np.all(run.bar_force[~before, 0] == 0.0)
        assert np.all(run.work == 0.0)
        ends = run.node(tower.bars[name].nodes[0]) - run.node(tower.bars[name].nodes[1])
        assert np.ptp(np.linalg.norm(ends, axis=1)[~before]) > 1e-4, "it does not keep its length"
    assert [event.time for event in run.events if event.subject == "cut"] == [at]


def test_a_momentum_does_not_jump_at_a_cut() -> None:
    robot = taut.generators.icosahedron(0.6, stiffness=600.0, rest_ratio=0.9)
    cut = Watch("cut", time=0.1, then="cut", cut=("cable:*1",))
    run = simulate(assemble(robot, events=[cut]), 0.2, every=0.01, method="dp8", tolerance=1e-11)
    masses = assemble(robot).tables["nodes"].share.reshape(-1, 3)
    momentum = (masses * run.velocities).sum(axis=1)
    assert np.abs(momentum).max() < 1e-10
    assert run.work[-1] < -0.1


def test_a_collapse_runs_from_cable_to_cable() -> None:
    """Every cable holds so much: the first to break loads the others, until none is left that is loaded."""
    nodes = {"mass": (0.0, 0.0, 0.0)} | {f"top{k}": (0.1 * k, 0.0, 1.0 + 0.02 * k) for k in range(4)}
    hung = Structure(
        nodes,
        cables={f"c{k}": Cable(f"c{k}", (f"top{k}", "mass"), stiffness=2000.0) for k in range(4)},
        supports={f"top{k}": "xyz" for k in range(4)},
        point_masses={"mass": 10.0},
    )
    limit = Watch("snap", cable="cable:*", tension=60.0, then="cut")
    run = simulate(assemble(hung, gravity=9.81, events=[limit]), 1.0, every=0.01)
    snaps = [event for event in run.events if event.subject == "snap"]
    assert len(snaps) == 4
    assert np.all(np.diff([event.time for event in snaps]) > 0.0)
    fall = run.velocities[-2:, 0, 2]
    assert np.diff(fall)[0] == pytest.approx(-9.81 * 0.01, rel=1e-6), "at the end it falls freely"


def test_a_run_with_events_and_cuts_goes_on_to_the_last_bit(tmp_path) -> None:
    robot = taut.generators.icosahedron(0.6, stiffness=600.0).changed("cable:*", damping=1.0, rest_ratio=1.01)
    random = np.random.default_rng(8)
    speeds = {node: tuple(random.normal(size=3)) for node in robot.nodes}
    events = [Watch("cut", time=0.05, then="cut", cut=("cable:*2",)), Watch("up", node="n1", axis="z", level=0.2)]
    node = next(iter(robot.nodes))
    events[1] = replace(events[1], node=node)
    plant = assemble(robot, velocities=speeds, events=events)
    whole = simulate(plant, 0.3, every=0.01)
    part = simulate(plant, 0.12, every=0.01)
    taut.save(part, tmp_path / "part.nc")
    part = taut.read(tmp_path / "part.nc")
    further = simulate(plant, 0.3, start=part)
    assert np.array_equal(whole.nodes, further.nodes)
    assert np.array_equal(whole.cable_tension, further.cable_tension)
    assert whole.events == further.events
    assert len(whole.events) > 10


@pytest.mark.slow
def test_loads_in_python_find_the_same_events() -> None:
    tower = standing_tower().changed("cable:*", rest_ratio=1.0)
    top = list(tower.nodes)[-1]
    wave = Sinusoid(800.0, 2.0)
    runs = [
        simulate(assemble(tower, loads=[Load(top, "x", signal)]), 0.1, every=0.05, tolerance=1e-9)
        for signal in (wave, lambda t: 800.0 * math.sin(2.0 * math.pi * 2.0 * t))
    ]
    assert len(runs[0].events) > 3
    assert [event.name for event in runs[0].events] == [event.name for event in runs[1].events]
    np.testing.assert_allclose(
        [event.time for event in runs[0].events], [event.time for event in runs[1].events], atol=1e-12
    )


def test_energy_is_kept_through_hundreds_of_events() -> None:
    run = thrown(
        replace(
            on_a_leash(slack=0.3),
            nodes={"wall": (0.0, 0.0, 0.0), "mass": (0.7, 0.0, 0.0), "other": (-0.6, 0.0, 0.0)},
            cables=on_a_leash().cables
            | {"back": Cable("back", ("other", "mass"), rest_length=1.2, stiffness=STIFFNESS)},
            supports={"wall": "xyz", "other": "xyz", "mass": "yz"},
        ),
        3.0,
        100.0,
        tolerance=1e-10,
    )
    assert len(run.events) > 200
    assert np.abs(run.energy_violation).max() < 5e-11


@pytest.mark.parametrize(
    ("watch", "message"),
    [
        ({}, "must watch one of node, nodes, cable, time"),
        ({"node": "mass", "time": 1.0}, "not node and time"),
        ({"node": "mass", "axis": "z"}, 'needs "level" beside "node"'),
        ({"node": "mass", "level": 1.0}, "needs an axis or a normal"),
        ({"node": "mas", "axis": "z", "level": 1.0}, 'no node "mas"; did you mean "mass"'),
        ({"node": "mass", "axis": "w", "level": 1.0}, '"w" is not an axis'),
        ({"node": "mass", "normal": (0.0, 0.0, 0.0), "level": 1.0}, "is not a direction"),
        ({"node": "mass", "axis": "z", "level": math.nan}, "nan is not a finite number"),
        ({"cable": "leesh", "tension": 1.0}, '"leesh" selects no cable; did you mean "leash"'),
        ({"cable": "leash", "tension": -1.0}, "-1 must be zero or more"),
        ({"cable": "leash", "tension": 1.0, "sense": "up"}, '"up" is not one of rising, falling, both'),
        ({"cable": "leash", "tension": 1.0, "then": "explode"}, '"explode" is not one of record, stop, cut'),
        ({"time": 1.0, "then": "cut"}, "says nothing of what to cut"),
        ({"time": 1.0, "cut": ("cable:leash",)}, 'members are cut by "then: cut"'),
        ({"time": 1.0, "then": "cut", "cut": ("node:mass",)}, "is not a member"),
        ({"time": -1.0}, "-1 s must be more than zero"),
        ({"cable": "leash", "tension": 0.0, "sense": "falling"}, "a cable's tension is never below zero"),
    ],
)
def test_what_makes_no_sense_is_said(watch: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        assemble(on_a_leash(), events=[Watch("w", **watch)])


def test_damping_of_the_whole_is_found_too() -> None:
    """Rayleigh's damping gives every cable a damper: the events are those of that damper."""
    stiff = Damping(stiffness=20.0 / STIFFNESS)
    plain = simulate(assemble(on_a_leash(20.0, slack=0.3), velocities={"mass": (2.0, 0.0, 0.0)}), 1.0)
    rayleigh = simulate(assemble(on_a_leash(slack=0.3), velocities={"mass": (2.0, 0.0, 0.0)}, damping=stiff), 1.0)
    assert [e.time for e in plain.events] == pytest.approx([e.time for e in rayleigh.events], abs=1e-14)


def test_chatter_is_left_to_the_law_as_given_and_said() -> None:
    """A tiny mass that bounces between two cables a thousand times a second, beside a mountain that swings in hours."""
    grain = Structure(
        {
            "a": (0.0, 0.0, 0.0),
            "b": (2.0, 0.0, 0.0),
            "grain": (1.0, 0.0, 0.0),
            "top": (0.0, 5.0, 0.0),
            "m": (1.0, 5.0, 0.0),
        },
        cables={
            "left": Cable("left", ("a", "grain"), rest_length=1.0, stiffness=10.0),
            "right": Cable("right", ("grain", "b"), rest_length=1.0, stiffness=10.0),
            "slow": Cable("slow", ("top", "m"), rest_length=1.0, stiffness=1.0, law="spring"),
        },
        supports={"a": "xyz", "b": "xyz", "top": "xyz", "grain": "yz", "m": "yz"},
        point_masses={"grain": 1e-6, "m": 1e9},
    )
    plant = assemble(grain, velocities={"grain": (1.0, 0.0, 0.0)})
    run = simulate(plant, 0.05, tolerance=1e-9)
    omega = math.sqrt(10.0 / 1e-6)
    assert run.ok
    assert {event.subject for event in run.events if event.change == "chatters"} == {"left", "right"}
    assert run.counts["events"] < 60
    assert "chatters" in run.events[-1].name
    # Two springs that take turns are one: the motion goes on, only less exactly.
    np.testing.assert_allclose(run.node("grain")[:, 0], 1.0 + np.sin(omega * run.time) / omega, atol=1e-7)
