"""Robots on grounds in lanes: each has the bits that it would have alone, whoever goes beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from on_ground import GRAVITY, frame, inclined, robot, slope

import taut
from taut import Compliance, Drive, Ground, Plane, Plant, Sinusoid, SmoothStart, Terrain, assemble, ensemble, simulate
from taut.mechanics.batch import alike, varied
from taut.mechanics.capabilities import features_of, goes_in_lanes
from taut.numerics.packing import part

STEP, END, EVERY = 1e-3, 0.3, 0.03
COUNT = 19
"""Not a multiple of the lanes, so that the last group is not full."""
KEPT = ("nodes", "velocities", "contact_force", "work", "energy_violation")
ROUGH = Ground("floor", friction=0.6, restitution=0.2)


def wound(ground: Ground = ROUGH, *, lift: float = 0.02, amplitude: float = 0.04, **options: Any) -> Plant:
    """A robot whose first eight cables are wound; in all tests, so that they share what is compiled."""
    made = robot(lift, damping=options.pop("damping", 0.0))
    drives = [
        Drive(name, f"cable:{name}", "rest_length", by=SmoothStart(Sinusoid(amplitude, 3.0, 0.7 * k), 0.0, 0.1))
        for k, name in enumerate(list(made.cables)[:8])
    ]
    return assemble(made, gravity=options.pop("gravity", GRAVITY), ground=[ground], drives=drives, **options)


def velocities(plant: Plant, speed: float = 0.5) -> np.ndarray:
    return speed * np.random.default_rng(2).normal(size=(COUNT, *plant.positions.shape))


def alone(plant: Plant, **options: Any) -> taut.Trajectory:
    given = {"method": "impulses", "step": STEP, "every": EVERY, "verify": False} | options
    return simulate(plant, END, locate=False, **given)


def assert_same(together: taut.Ensemble, k: int, single: taut.Trajectory) -> None:
    for name in KEPT:
        assert np.array_equal(together.samples[name][k], getattr(single, name)), name


@pytest.mark.slow
def test_robots_with_a_gait_move_as_each_would_alone() -> None:
    plant = wound()
    assert goes_in_lanes(features_of(plant))
    start = velocities(plant)
    many = ensemble(plant, END, velocities=start, method="impulses", step=STEP, every=EVERY, fields=KEPT)
    assert set(many.status) == {"finished"}
    assert any("not logged" in note for note in many.notes[0])
    assert np.abs(many.contact_force).max() > 10.0
    assert np.ptp(many.nodes[:, -1], axis=0).min() > 1e-3, "variants that do not differ are no test"
    variants = varied(plant, positions=None, velocities=start, cables={}, loads=None)
    for k in (0, 7, 15, 16, COUNT - 1):
        assert_same(many, k, alone(variants.single(k)))


@pytest.mark.slow
def test_bits_depend_on_no_one_else_and_on_no_thread() -> None:
    plant, random = wound(), np.random.default_rng(5)
    parameters = {
        "drive:*.phase": random.uniform(0.0, 6.0, (COUNT, 8)),
        "drive:*.amplitude": random.uniform(0.0, 0.05, (COUNT, 8)),
        "ground:floor.friction": random.uniform(0.2, 0.9, COUNT),
    }
    options = {"every": EVERY, "fields": KEPT}
    whole = taut.rollout(plant, parameters, END, threads=1, **options)
    order = random.permutation(COUNT)
    mixed = taut.rollout(plant, {name: rows[order] for name, rows in parameters.items()}, END, threads=2, **options)
    few = taut.rollout(plant, {name: rows[3:5] for name, rows in parameters.items()}, END, **options)
    for name in KEPT:
        assert np.array_equal(whole.samples[name][order], mixed.samples[name]), name
        assert np.array_equal(whole.samples[name][3:5], few.samples[name]), name


@pytest.mark.slow
def test_one_that_fails_costs_the_others_nothing() -> None:
    plant = wound()
    start, places = velocities(plant), np.repeat(plant.positions[None], COUNT, axis=0)
    start[5] *= 1e4  # a step turns its bars too far
    places[17, :, 2] -= 0.1
    many = ensemble(
        plant, END, positions=places, velocities=start, method="impulses", step=STEP, every=EVERY, fields=KEPT
    )
    assert "inside the ground" in many.status[17]
    assert not many.status[5].startswith("finished")
    others = [k for k in range(COUNT) if k not in (5, 17)]
    assert {many.status[k] for k in others} == {"finished"}
    variants = varied(plant, positions=places, velocities=start, cables={}, loads=None)
    for k in (4, 18):
        assert_same(many, k, alone(variants.single(k)))


@pytest.mark.slow
def test_what_sticks_stays_in_every_lane() -> None:
    """Robots on slopes of up to 12 degrees, their cables damped: once they have settled, nothing creeps."""
    tilts = np.linspace(0.0, 12.0, 17)
    plants = [
        wound(lift=0.0, amplitude=0.0, damping=20.0, gravity=tuple(map(float, -GRAVITY * slope(-tilt)[1])))
        for tilt in tilts
    ]
    assert alike(plants).side_by_side
    many = ensemble(plants, 3.5, method="impulses", step=STEP, every=0.5, fields=KEPT)
    below = plants[0].positions[:, 2] < 1e-9
    assert below.sum() == 3
    late = many.nodes[:, -2:, below]
    along = many.contact_force[:, -1].reshape(len(plants), -1, 3)[:, :, :2].sum(axis=1)
    assert np.allclose(along[:, 0], -3.0 * GRAVITY * np.sin(np.radians(tilts)), atol=1e-3)
    assert np.abs(late[:, 1] - late[:, 0]).max() < 1e-12


@pytest.mark.slow
def test_the_order_of_plants_that_damp_and_that_do_not_changes_nothing() -> None:
    """How a step begins hangs on whether anything damps, which in lanes is asked for all of them."""
    plants = [wound(lift=0.02 + 0.001 * k, damping=20.0 * (k % 3 > 0)) for k in range(COUNT)]
    assert {bool(plant.dampers) for plant in plants} == {True, False}
    options = {"method": "impulses", "step": STEP, "every": EVERY, "fields": KEPT}
    many, back = (ensemble(order, END, **options) for order in (plants, plants[::-1]))
    apart = ensemble(sorted(plants, key=lambda plant: bool(plant.dampers)), END, **options)
    places = sorted(range(COUNT), key=lambda k: bool(plants[k].dampers))
    for name in KEPT:
        assert np.array_equal(many.samples[name], back.samples[name][::-1]), name
        assert np.array_equal(many.samples[name][places], apart.samples[name]), name
    for k in (0, 1):
        assert_same(many, k, alone(plants[k]))


@pytest.mark.slow
def test_contacts_make_no_energy() -> None:
    plant = wound(amplitude=0.0)
    many = ensemble(plant, END, velocities=velocities(plant), method="impulses", step=STEP, every=EVERY, fields=KEPT)
    assert many.work[:, -1].max() < -1e-2
    assert np.diff(many.work, axis=1).max() <= 1e-12
    assert np.abs(many.energy_violation).max() < 1e-2


def test_drives_that_change_at_other_times_go_one_by_one() -> None:
    first, later = wound(), wound()
    drives = tuple(replace(drive, by=SmoothStart(Sinusoid(0.04, 3.0), 0.0, 0.2)) for drive in later.given.drives)
    later = assemble(later.structure, gravity=GRAVITY, ground=[ROUGH], drives=drives)
    assert not alike([first, later]).side_by_side


@pytest.mark.parametrize(
    ("structure", "ground"),
    [
        (robot(0.1), Ground("hills", Terrain(((0.0, 0.1), (0.1, 0.0)), corner=(-5.0, -5.0), spacing=(10.0, 10.0)))),
        (frame(0.0, 0.3, 0.4), Ground("floor")),
    ],
)
def test_other_contacts_go_one_by_one(structure: taut.Structure, ground: Ground) -> None:
    assert not goes_in_lanes(features_of(assemble(structure, gravity=GRAVITY, ground=[ground])))


@pytest.mark.slow
@pytest.mark.parametrize("law", ["bristle", "regularised", "threshold"])
def test_grounds_that_give_way_push_every_lane_as_alone(law: str) -> None:
    floor = Ground(
        "floor", friction=0.6, static_friction=0.8, compliance=Compliance(1e5, 50.0, friction_law=law, threshold=0.01)
    )
    plant = assemble(robot(0.02), gravity=GRAVITY, ground=[floor])
    start = velocities(plant)
    options = {"method": "rk4", "step": STEP, "correction": "none", "every": EVERY}
    many = ensemble(plant, END, velocities=start, fields=KEPT, **options)
    assert set(many.status) == {"finished"}
    assert np.abs(many.contact_force).max() > 10.0
    variants = varied(plant, positions=None, velocities=start, cables={}, loads=None)
    for k in (0, 7, 15, 16, COUNT - 1):
        assert_same(many, k, alone(variants.single(k), method="rk4", correction="none"))


def test_a_table_of_too_many_parts_is_refused() -> None:
    """It would stand in the place of the next one."""
    wide = type("Wide", (), {"_fields": tuple(f"part{k}" for k in range(49))})
    with pytest.raises(TypeError, match="more than 48 parts"):
        part(0, wide, "part0")


def test_planes_that_slope_are_planes() -> None:
    assert isinstance(inclined(10.0, 0.5).shape, Plane)
    assert goes_in_lanes(features_of(wound(inclined(10.0, 0.5), lift=0.5)))
