"""Faces, base, way, slip and cost of runs that are known: rolled by hand, or slid down a slope."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from rolled import as_run, rolled

import taut
from taut.generators import six_strut_robot
from taut.locomotion import (
    base_polygon,
    course_of,
    drive_cost,
    faces_below,
    locomotion_of,
    slip_distance,
    stands,
    touching_nodes,
)
from taut.locomotion.slipping import tangential_speed

ROBOT = six_strut_robot()
SIDE = 0.6 * math.sqrt(6.0) / 4.0


def lying(places: list[np.ndarray], seconds: list[float], every: float = 0.01) -> taut.Trajectory:
    """On each of several places for some time."""
    rows = [np.repeat(one[None], round(time / every), axis=0) for one, time in zip(places, seconds, strict=True)]
    nodes = np.concatenate(rows)
    return as_run(ROBOT, every * np.arange(len(nodes)), nodes)


def test_faces_follow_one_another_over_their_edges() -> None:
    places = rolled(ROBOT, 12)
    run = lying(places, [0.3] * 12)
    found = stands(run)
    assert len(found) == 12
    assert [one.begin for one in found] == pytest.approx(0.3 * np.arange(12))
    names = list(ROBOT.nodes)
    for stand, where in zip(found, places, strict=True):
        low = np.flatnonzero(where[:, 2] < 1e-9)
        assert set(stand.face) == {names[k] for k in low}
        assert len(low) == 3
        assert stand.borne == pytest.approx(stand.end - stand.begin)
    for one, other in pairwise(found):
        assert len(set(one.face) & set(other.face)) == 2, "neighbours share an edge"
    assert locomotion_of(run).face_changes == 11


def test_a_face_counts_when_it_is_held() -> None:
    a, b, c = rolled(ROBOT, 3)
    run = lying([a, b, a, b, c], [0.5, 0.05, 0.2, 0.3, 0.08])
    assert [round(one.begin, 9) for one in stands(run)] == [0.0, 0.75]
    assert len(stands(run, hold=0.06)) == 3
    assert len(stands(run, hold=0.0)) == 5
    assert stands(run)[0].end == pytest.approx(0.75), "back on a face without another in between is one stand"
    with pytest.raises(taut.OptionError, match="hold = -1 s must be zero or more"):
        stands(run, hold=-1.0)


def test_flight_and_a_node_alone_do_not_count() -> None:
    a, b = rolled(ROBOT, 2)
    high = b + np.array([0.0, 0.0, 0.1])
    assert len(stands(lying([a, high, a], [0.3, 0.3, 0.3]))) == 1
    assert len(set(faces_below(lying([a, high], [0.3, 0.3])))) == 2, "below the centre it is all the same"


def test_nodes_may_come_down_in_turn() -> None:
    a, b = rolled(ROBOT, 2)
    run = lying([a, b], [0.3, 0.3])
    state = run.contact_state.copy()
    down = np.flatnonzero(b[:, 2] < 1e-9)
    state[30:, down] = 0.0
    for k, node in enumerate(down):
        state[35 + 5 * k, node] = 1.0
    found = stands(replace(run, contact_state=state))
    assert len(found) == 2
    assert found[1].borne == 0.0
    state[:, down[0]] = 0.0
    assert len(stands(replace(run, contact_state=state))) < 2


def test_a_flat_robot_has_no_face() -> None:
    flat = ROBOT.positions * np.array([1.0, 1.0, 0.0])
    run = lying([ROBOT.positions, flat], [0.3, 0.3])
    assert faces_below(run)[-1] == ()
    assert len(stands(run)) == 1


def test_triangles_in_one_plane_are_one_face() -> None:
    corners = {f"{x}{y}{z}": (float(x), float(y), float(z)) for x in (0, 1) for y in (0, 1) for z in (0, 1)}
    box = taut.Structure(corners, point_masses=dict.fromkeys(corners, 1.0))
    run = as_run(box, np.array([0.0, 0.1]), np.repeat(box.positions[None], 2, axis=0))
    assert faces_below(run)[0] == ("000", "010", "100", "110")


def test_the_base_is_the_triangle_below_counter_clockwise() -> None:
    run = lying([ROBOT.positions], [0.1])
    names, corners = base_polygon(run)
    assert set(names) == set(stands(run, hold=0.0)[0].face)
    (a, b), (c, d) = (corners[1] - corners[0])[:2], (corners[2] - corners[0])[:2]
    assert 0.5 * (a * d - b * c) == pytest.approx(math.sqrt(3.0) / 4.0 * SIDE**2)
    lifted = as_run(ROBOT, np.array([0.0, 0.1]), np.repeat(ROBOT.positions[None] + [0.0, 0.0, 0.1], 2, axis=0))
    assert base_polygon(lifted)[0] == ()


def test_the_way_of_the_centre() -> None:
    time = np.linspace(0.0, 2.0, 201)
    along = np.stack([3.0 * time, -4.0 * time, 0.2 * np.sin(9.0 * time)], axis=1)
    run = as_run(ROBOT, time, ROBOT.positions[None] + along[:, None])
    found = course_of(run)
    assert found.distance == pytest.approx(10.0)
    assert found.length == pytest.approx(10.0), "up and down is no way"
    assert found.direction == pytest.approx(math.atan2(-4.0, 3.0))
    assert found.centre[0] == pytest.approx(ROBOT.positions.mean(axis=0), abs=1e-12)


def test_what_slides_slips_as_far_as_it_goes_and_what_sticks_not_at_all() -> None:
    """A mass on a slope: 0.5 (sin - mu cos) g t^2; and the same held by friction."""
    angle = math.atan(0.2)
    for friction in (0.1, 0.4):
        slope = taut.Ground("slope", taut.Plane((0.2, 0.0, 1.0)), friction=friction)
        made = taut.Structure({"s": (0.0, 0.0, 0.0)}, point_masses={"s": 5.0})
        plant = taut.assemble(made, gravity=9.81, ground=[slope])
        run = taut.simulate(plant, 1.0, every=0.01, method="impulses", step=1e-3, verify=False)
        wanted = max(0.5 * 9.81 * (math.sin(angle) - friction * math.cos(angle)), 0.0)
        assert slip_distance(run)[0] == pytest.approx(wanted, rel=1e-4, abs=1e-12)
        assert touching_nodes(run)[1:].all()


def test_slip_is_along_the_ground_that_is_touched() -> None:
    """Straight up from a slope is not along it, nor is what happens off the ground."""
    run = lying([ROBOT.positions], [0.5])
    hop = replace(run, velocities=np.broadcast_to([0.0, 0.0, 1.0], run.nodes.shape))
    assert not slip_distance(hop).any()
    slide = replace(run, velocities=np.broadcast_to([0.3, 0.4, 1.0], run.nodes.shape))
    down = ROBOT.positions[:, 2] < 1e-9
    assert slip_distance(slide)[down] == pytest.approx(np.full(3, 0.5 * 0.49))
    assert not slip_distance(slide)[~down].any()
    assert tangential_speed(slide)[0, down] == pytest.approx(np.full(3, 0.5))
    once = np.zeros_like(run.contact_state)
    once[10] = 1.0
    assert not slip_distance(replace(slide, contact_state=once)).any(), "a touch at one instant is no way"


def test_energy_put_in_is_that_above_zero() -> None:
    time = np.linspace(0.0, 2.0, 4001)
    power = np.stack([5.0 * np.sin(2.0 * np.pi * time), np.full(time.size, 1.5), np.linspace(-1.0, 1.0, time.size)], 1)
    run = replace(
        lying([ROBOT.positions], [40.01]),
        time=time,
        drive_power=power,
        drive_rate=-0.2 * power,
        drive_force=-power,
        drive_names=("a", "b", "c"),
    )
    found = drive_cost(run)
    assert found.positive == pytest.approx(5.0 * 2.0 / np.pi + 3.0 + 0.5, rel=1e-6)
    assert found.net == pytest.approx(3.0, abs=1e-9)
    assert found.peak_speed == pytest.approx(1.0)
    assert found.peak_force == pytest.approx(5.0)
    coarse = replace(run, time=time[::4000], drive_power=np.array([[-1.0], [3.0]]))
    assert drive_cost(coarse).positive == pytest.approx(0.5 * 3.0 * 1.5), "a line through two samples, cut at zero"


def test_cost_of_transport_is_energy_over_weight_and_distance() -> None:
    time = np.linspace(0.0, 2.0, 101)
    moved = ROBOT.positions[None] + np.outer(time, [1.0, 0.0, 0.0])[:, None]
    run = as_run(ROBOT, time, moved, drive_power=np.full((101, 1), 10.0))
    found = locomotion_of(replace(run, drive_names=("a",)))
    assert found.cost_of_transport == pytest.approx(20.0 / (3.0 * 9.81 * 2.0))
    assert found.speed == pytest.approx(1.0)
    assert "2 m in 2 s, 0 deg" in found.summary()
    assert "energy             20 J put in by drives, 20 J net" in found.summary()
    still = locomotion_of(as_run(ROBOT, time, np.repeat(ROBOT.positions[None], 101, axis=0)))
    assert math.isinf(still.cost_of_transport)
    assert "cost_of_transport" not in still.numbers()


def test_drives_do_the_work_of_a_robot_that_only_breathes() -> None:
    """Its feet stick and nothing damps: what drives put in net is what its energy changes by, to the step's order."""
    robot = six_strut_robot(damping=0.0)
    gait = taut.locomotion.SinusoidGait(("bar:x1", "bar:y2"), 0.01, 1.0, (0.0, 2.0))
    plant = taut.assemble(robot, gravity=9.81, ground=[taut.Ground("floor", friction=5.0)], drives=gait.drives(robot))
    run = taut.simulate(plant, 2.3, every=1e-3, method="impulses", step=1e-3, verify=False)
    energy = run.energy_kinetic + run.energy_elastic + run.energy_gravity
    found = drive_cost(run)
    assert abs(found.net) > 0.05
    assert found.net == pytest.approx(energy[-1] - energy[0], abs=5e-3)
    assert found.positive > found.net


def test_what_is_missing_is_said() -> None:
    run = lying([ROBOT.positions], [0.3])
    with pytest.raises(taut.OptionError, match="has no ground; give assemble one, and simulate method='impulses'"):
        locomotion_of(replace(run, contact_names=()))
    with pytest.raises(taut.OptionError, match="does not say its gravity"):
        course_of(replace(run, options={}))
    with pytest.raises(taut.OptionError, match="has no gravity, so that there is no down"):
        course_of(replace(run, options={"gravity": [0.0, 0.0, 0.0]}))
    with pytest.raises(taut.OptionError, match="one sample goes nowhere"):
        course_of(lying([ROBOT.positions], [0.01]))
