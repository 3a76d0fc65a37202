"""Rigid grounds by impulses, and watched events, in coordinates of joints: against the same machines in nodes, and at
rest."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_joints import X, Y, Z, moved, pendulum

sys.path.insert(0, str(Path(__file__).parent.parent / "contact"))
from on_ground import inclined, robot, slope

from taut import (
    Bar,
    Cable,
    CosineRamp,
    Ground,
    ModelError,
    Motion,
    OptionError,
    Plane,
    Structure,
    Trajectory,
    Watch,
    assemble,
    linearise,
    simulate,
)
from taut.mechanisms import CoordinateDrive, CoordinateMap, Joint, in_coordinates

FLOOR = Ground("floor", Plane(point=(0.0, 0.0, -1.1)), friction=0.5, restitution=0.3)
STEPS = (1e-3, 5e-4)


def strut(structure: Structure, bar: Bar) -> Joint:
    """Five coordinates of a bar: its middle, and two angles about axes across it."""
    a, b = (np.array(structure.nodes[node]) for node in bar.nodes)
    along = (b - a) / np.linalg.norm(b - a)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    axes = tuple(map(float, first)), tuple(map(float, np.cross(along, first)))
    return Joint(bar.name, tuple(map(float, 0.5 * (a + b))), bar.nodes, axes, (X, Y, Z))


def struck(plant: Any, duration: float, step: float) -> Trajectory:
    return simulate(plant, duration, every=duration / 20, method="impulses", step=step, verify=False)


def both(structure: Structure, joints: Any, duration: float, step: float, **options: Any) -> tuple[Trajectory, ...]:
    """A run in joints, and one in nodes."""
    drives = options.pop("drives", ())
    made = [assemble(structure, gravity=9.81, **options) for _ in range(2)]
    return struck(in_coordinates(made[0], joints, drives=drives), duration, step), struck(made[1], duration, step)


@pytest.mark.slow
def test_a_bar_on_a_slope_stays_or_slides_as_its_nodes_do() -> None:
    """Below the limit of friction it rests to the last bit or two; above it slides by g (sin - mu cos) t^2 / 2."""
    down, _ = slope(20.0)
    flat = Structure({"a": (0.0, 0.0, 0.0), "b": tuple(map(float, down))}, [Bar("ab", ("a", "b"), mass=2.0)])
    joints = [strut(flat, flat.bars["ab"])]

    def on(friction: float) -> Trajectory:
        plant = in_coordinates(assemble(flat, gravity=9.81, ground=[inclined(20.0, friction)]), joints)
        return struck(plant, 1.0, 1e-3)

    rests, slides = on(0.5), on(0.3)
    assert rests.ok
    assert np.abs(rests.nodes - rests.nodes[0]).max() < 3e-16
    assert np.abs(rests.velocities).max() < 3e-16
    assert rests.contact_force.sum(axis=1)[1:] == pytest.approx(np.tile([0.0, 0.0, 19.62], (20, 1)), abs=1e-9)
    assert (rests.contact_state[1:] == 1.0).all()
    pull = 9.81 * (np.sin(np.radians(20.0)) - 0.3 * np.cos(np.radians(20.0)))
    assert (slides.nodes[-1] - slides.nodes[0]) @ down == pytest.approx(0.5 * pull, rel=1e-9)
    assert np.abs(slides.energy_violation).max() < 1e-9


@pytest.mark.slow
def test_six_struts_land_as_their_nodes_do() -> None:
    """In thirty coordinates, and to the step's order; nothing is inside the floor, and the books are as in nodes."""
    made = robot(0.05, damping=5.0)
    joints, floor = [strut(made, bar) for bar in made.bars.values()], Ground("floor", friction=0.6)
    off = []
    for step in STEPS:
        run, nodal = both(made, joints, 0.3, step, ground=[floor])
        assert run.ok
        assert np.abs(nodal.contact_force).max() > 5.0
        assert run.nodes[..., 2].min() > -1e-10
        off.append(np.abs(run.nodes - nodal.nodes).max())
        assert np.abs(run.energy_violation).max() < 1.1 * np.abs(nodal.energy_violation).max() + 1e-6
        assert [event.subject for event in run.events[:3]] == [event.subject for event in nodal.events[:3]]
    assert off[0] < 0.2 * STEPS[0]
    assert off[1] < 0.7 * off[0]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [2, 1])
def test_a_double_pendulum_strikes_as_its_nodes_do(kept: int) -> None:
    """With both bars kept by joints, and with the second as a loop that is closed."""
    structure, joints = pendulum()
    off = []
    for step in STEPS:
        run, nodal = both(structure, joints[2 - kept :], 1.0, step, ground=[FLOOR])
        assert run.ok
        assert run.nodes[..., 2].min() > -1.1 - 1e-9
        off.append(np.abs(run.nodes - nodal.nodes).max())
        assert [event.name for event in run.events[:4]] == [event.name for event in nodal.events[:4]]
        assert np.abs(run.energy_violation).max() < step
    assert off[0] < 0.1 * STEPS[0]
    assert off[1] < 0.7 * off[0]


@pytest.mark.slow
def test_far_above_a_ground_impulses_are_of_second_order() -> None:
    """Against dp8 without a ground: the mass matrix changes, and a damper acts."""
    structure, joints = pendulum()
    deep = Ground("deep", Plane(point=(0.0, 0.0, -9.0)))
    wanted = moved(in_coordinates(assemble(structure, gravity=9.81), joints), 1.0).nodes
    plant = in_coordinates(assemble(structure, gravity=9.81, ground=[deep]), joints)
    off = [np.abs(struck(plant, 1.0, step).nodes - wanted).max() for step in (2e-3, 1e-3)]
    assert off[1] < 2e-5
    assert off[0] / off[1] == pytest.approx(4.0, abs=0.4)


@pytest.mark.slow
def test_the_tbar_falls_on_a_floor_as_its_nodes_do() -> None:
    made = Structure(
        {"n1": (-0.2, 0.0, 0.0), "n2": (0.2, 0.0, 0.0), "n3": (-0.7, 0.0, 0.6), "n4": (0.7, 0.0, 0.6)},
        [Bar("left", ("n1", "n3"), mass=1.0), Bar("right", ("n2", "n4"), mass=1.0)],
        [Cable("top", ("n3", "n4"), stiffness=8.0, rest_length=1.2)],
        supports={"n1": "xyz", "n2": "xyz", "n3": "y", "n4": "y"},
    )
    freed = Structure(made.nodes, made.bars.values(), made.cables.values(), supports={"n1": "xyz", "n2": "xyz"})
    joints = [Joint.revolute("left", "n1", Y, ("n3",)), Joint.revolute("right", "n2", Y, ("n4",))]
    floor = Ground("floor", Plane(point=(0.0, 0.0, -0.1)), friction=0.4, touched_by=("node:n3", "node:n4"))
    run = struck(in_coordinates(assemble(freed, gravity=9.81, ground=[floor]), joints), 1.0, 5e-4)
    nodal = struck(assemble(made, gravity=9.81, ground=[floor]), 1.0, 5e-4)
    assert run.nodes[:, 2:, 2].min() == pytest.approx(-0.1, abs=1e-9)
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-4


@pytest.mark.slow
def test_an_imposed_coordinate_drags_a_bar_over_the_floor_as_a_moved_support_does() -> None:
    """A hand that is led along x, and a bar that hangs on it and rubs; what leads it works as much, to the step's
    order."""
    nodes = {"hand": (0.0, 0.0, 0.5), "foot": (0.6, 0.1, 0.0)}
    bars, floor = [Bar("arm", ("hand", "foot"), mass=2.0)], Ground("floor", friction=0.4, touched_by=("node:foot",))
    way = CosineRamp(0.0, 0.25, 0.1, 0.6)  # which begins at rest
    led = Structure(nodes, bars, supports={"hand": "xyz"})
    free = Structure(nodes, bars)
    joints = [
        Joint.prismatic("slide", "hand", X, ("hand",)),
        Joint.universal("arm", "hand", (Y, Z), ("foot",), on="slide"),
    ]
    off = []
    for step in STEPS:
        plant = in_coordinates(
            assemble(free, gravity=9.81, ground=[floor]), joints, drives=[CoordinateDrive("slide", "value", way)]
        )
        run = struck(plant, 1.0, step)
        nodal = struck(
            assemble(led, gravity=9.81, ground=[floor], motions=[Motion("hand", "x", displacement=way)]), 1.0, step
        )
        assert run.ok
        assert np.abs(nodal.nodes[:, 1] - nodal.nodes[0, 1]).max() > 0.1
        off.append(np.abs(run.nodes - nodal.nodes).max())
        assert run.work[-1] == pytest.approx(nodal.work[-1], abs=20.0 * step)
    assert off[0] < 0.5 * STEPS[0]
    assert off[1] < 0.7 * off[0]


@pytest.mark.slow
def test_a_map_strikes_as_joints_do() -> None:
    """To the step's order: 4.4e-6 m were found, with the two turns of the hip counted in another way."""
    structure, joints = pendulum()

    def places(q: np.ndarray) -> np.ndarray:
        """Of a and b: both universal joints as products of rotations about x and y."""

        def about(axis: int, angle: Any) -> np.ndarray:
            c, s = np.cos(angle), np.sin(angle)
            rows = {0: [[1, 0, 0], [0, c, -s], [0, s, c]], 1: [[c, 0, s], [0, 1, 0], [-s, 0, c]]}
            return np.array(rows[axis], dtype=q.dtype)

        base = about(0, 0.3) @ about(1, -0.2)
        hip = about(0, q[0]) @ about(1, q[1]) @ np.linalg.inv(base)
        knee = about(1, q[2]) @ about(0, q[3])
        a = hip @ np.array([0.6, 0.1, -0.5])
        return np.array([a, a + hip @ knee @ np.array([0.2, 0.6, -0.5])])

    given = CoordinateMap(places, names=("h1", "h2", "k1", "k2"), values=(0.3, -0.2, 0.0, 0.0))
    made = [in_coordinates(assemble(structure, gravity=9.81, ground=[FLOOR]), one) for one in (joints, given)]
    by_joints, by_map = (struck(one, 0.5, 1e-3) for one in made)
    assert len(by_joints.events) > 2
    assert np.abs(by_map.nodes - by_joints.nodes).max() < 2e-5


@pytest.mark.slow
def test_a_string_beside_a_ground_goes_slack_and_catches_in_joints_too() -> None:
    """A bar on a hinge that falls into a cable held at a length, and onto the floor."""
    made = Structure(
        {"o": (0.0, 0.0, 0.0), "p": (1.0, 0.0, 0.1), "top": (1.0, 0.0, 0.8)},
        [Bar("op", ("o", "p"), mass=2.0)],
        [Cable("string", ("p", "top"), mode="length", command=0.9)],
        supports={"o": "xyz", "top": "xyz"},
    )
    floor = Ground("floor", Plane(point=(0.0, 0.0, -0.5)), touched_by=("node:p",))
    run, nodal = both(made, [Joint.universal("hinge", "o", (Y, Z), ("p",))], 0.6, 5e-4, ground=[floor])
    assert run.cable_length.max() < 0.9 + 1e-9
    assert nodal.tension("string").max() > 5.0
    assert np.abs(run.nodes - nodal.nodes).max() < 1e-3
    assert run.tension("string")[-1] == pytest.approx(nodal.tension("string")[-1], rel=1e-2)


# --- events that are watched


def watched(*events: Watch, **options: Any) -> Any:
    structure, joints = pendulum()
    return in_coordinates(assemble(structure, gravity=9.81, events=events, **options), joints)


def test_watched_events_are_located_as_in_nodes() -> None:
    structure, _ = pendulum()
    events = (
        Watch.at_plane("low", "b", "z", -1.05),
        Watch.at_tension("pulled", "cable:spring", 5.0),
        Watch.at_time("noon", 0.3),
    )
    run, nodal = moved(watched(*events), 1.0), moved(assemble(structure, gravity=9.81, events=events), 1.0)
    assert [event.name for event in run.events] == [event.name for event in nodal.events]
    assert len({event.subject for event in run.events}) >= 3
    assert [event.time for event in run.events] == pytest.approx([event.time for event in nodal.events], abs=1e-9)


def test_a_watched_event_stops_a_run_and_cuts_a_cable() -> None:
    """What the cable had stored is lost, and counts as work."""
    stopped = moved(watched(Watch.at_plane("low", "b", "z", -1.05, then="stop")), 1.0)
    assert stopped.status.startswith("finished at t = ")
    assert stopped.nodes[-1, 2, 2] == pytest.approx(-1.05, abs=1e-9)
    run = moved(watched(Watch.at_time("snap", 0.3, then="cut", cut="cable:spring")), 1.0)
    assert run.tension("spring")[run.time > 0.31].max() == 0.0
    assert run.tension("spring")[run.time < 0.29].max() > 1.0
    assert np.abs(run.energy_violation).max() < 1e-9


@pytest.mark.slow
def test_what_is_watched_is_noted_at_steps_on_a_ground() -> None:
    run = struck(watched(Watch.at_plane("low", "b", "z", -1.05, then="stop"), ground=[FLOOR]), 1.0, 1e-3)
    assert run.status.startswith("finished at t = ")
    assert run.nodes[-1, 2, 2] < -1.05 < run.nodes[-2, 2, 2]
    assert any("noted at the end of the step of 0.001 s" in note for note in run.notes)


# --- what is refused


@pytest.mark.slow
def test_what_does_not_go_with_joints_on_a_ground_is_refused_by_name() -> None:
    structure, joints = pendulum()
    plant = in_coordinates(assemble(structure, gravity=9.81, ground=[FLOOR]), joints)
    with pytest.raises(OptionError, match='follows smooth motion, but the ground "floor" is rigid'):
        simulate(plant, 0.1)
    with pytest.raises(OptionError, match='method "rattle2" needs a mass matrix that does not change'):
        simulate(in_coordinates(assemble(structure), joints), 0.1, method="rattle2", step=1e-3)
    with pytest.raises(OptionError, match='method "implicit3" follows smooth motion, but the ground "floor" is rigid'):
        simulate(plant, 0.1, method="implicit3")
    with pytest.raises(OptionError, match='method "impulses" is for structures that strike a ground'):
        simulate(in_coordinates(assemble(structure), joints), 0.1, method="impulses", step=1e-3)
    with pytest.raises(OptionError, match='the ground "floor" is touched or not'):
        linearise(plant)


@pytest.mark.slow  # half a minute of compiling
def test_what_starts_inside_a_ground_is_told() -> None:
    structure, joints = pendulum()
    high = Ground("floor", Plane(point=(0.0, 0.0, -0.9)))
    with pytest.raises(ModelError, match='at the start node "b" is 0.1 m inside the ground "floor"'):
        simulate(in_coordinates(assemble(structure, ground=[high]), joints), 0.1, method="impulses", step=1e-3)


def test_what_joints_keep_is_not_cut() -> None:
    structure, joints = pendulum()
    events = [Watch.at_time("snap", 0.3, then="cut", cut="bar:ab")]
    with pytest.raises(ModelError, match='events.snap: cuts bar "ab", which joints keep as it is'):
        in_coordinates(assemble(structure, events=events), joints)
    assert in_coordinates(assemble(structure, events=events), joints[1:]).things


def test_tensions_of_held_cables_are_not_watched() -> None:
    structure, joints = pendulum()
    tied = Structure(
        structure.nodes,
        structure.bars.values(),
        [Cable("string", ("b", "far"), mode="length", command=1.0)],
        supports=structure.supports,
    )
    with pytest.raises(OptionError, match='the tension of cable "string" cannot be watched in generalised coordinates'):
        in_coordinates(assemble(tied, events=[Watch.at_tension("taut", "cable:string", 5.0)]), joints)
