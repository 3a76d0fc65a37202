"""Sensors: every quantity against the outputs of the run or a closed form, and their faults against what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from taut import Angle, Bar, Cable, Damping, Drive, Load, Plate, Sensor, Sinusoid, Structure, assemble, simulate, start
from taut.numerics.noise import fill_normal

G = 9.81


def held(**options: Any) -> Any:
    """A plate carried by cables of every mode, a thick bar, a telescoping one and a compressible one."""
    structure = Structure(
        {
            "a": (0.0, 0.0, 1.0),
            "b": (1.0, 0.0, 1.1),
            "c": (0.0, 1.0, 1.0),
            "p": (0.0, 0.0, 0.0),
            "q": (1.1, 0.0, 0.0),
            "r": (0.0, 1.1, 0.0),
            "s": (0.5, 0.5, 2.0),
        },
        bars=[
            Bar("thick", ("p", "a"), mass=1.0, radius=0.2, inertia="cylinder"),
            Bar("tele", ("a", "s"), mass=0.5),
            Bar("soft", ("q", "s"), mass=0.4, law="compressible", stiffness=3000.0),
        ],
        cables=[
            Cable("one", ("b", "q"), stiffness=500.0, rest_length=1.0),
            Cable("over", ("c", "s", "b"), stiffness=300.0, rest_length=2.0),
            Cable("pull", ("c", "r"), mode="tension", command=20.0),
        ],
        plates=[Plate("deck", ("a", "b", "c"), mass=2.0)],
        supports={"p": "xyz", "q": "xyz", "r": "xyz"},
        angles=[Angle("bend", ("p", "a"), ("p", "q"))],
    )
    drives = [Drive("reach", "bar:tele", "length", by=Sinusoid(0.02, 1.0))]
    return assemble(structure, gravity=G, drives=drives, damping=Damping(stiffness=1e-3), **options)


@pytest.mark.slow
def test_every_quantity_is_what_the_run_shows() -> None:
    observed = [
        "node:s.position",
        "node:s.velocity",
        "cable:*.length",
        "cable:*.tension",
        "bar:*.tension",
        "angle:bend.torque",
        "bar:*.length_rate",
        "node:s.acceleration",
        "node:s.specific_force.z",
    ]
    corner = Sensor("corner", Angle("x", ("s", "b"), ("s", "c")))
    turn = Sensor("turn", Angle("x", ("p", "b"), ("p", "c"), about="plate:deck"))
    sim = start(held(), observe=[*observed, corner, turn], tolerance=1e-11)
    rows = []
    for _ in range(8):
        rows.append(dict(zip(sim.outputs, sim.step(0.025), strict=True)))
    run = sim.trajectory()
    small = 1e-4
    for k, row in enumerate(rows, start=1):
        s = list(run.structure.nodes).index("s")
        for axis, name in enumerate("xyz"):
            assert row[f"node:s.position.{name}"] == run.nodes[k, s, axis]
            assert row[f"node:s.velocity.{name}"] == run.velocities[k, s, axis]
        for c, name in enumerate(run.structure.cables):
            assert row[f"cable:{name}.length"] == pytest.approx(run.cable_length[k, c], abs=1e-12)
            assert row[f"cable:{name}.tension"] == pytest.approx(run.cable_tension[k, c], abs=1e-9)
        for b, name in enumerate(run.structure.bars):
            assert row[f"bar:{name}.tension"] == pytest.approx(run.bar_force[k, b], abs=1e-8)
        assert row["angle:bend.torque"] == pytest.approx(run.angle_torque[k, 0], abs=1e-8)
        assert row["bar:tele.length_rate"] == pytest.approx(run.drive_rate[k, 0], abs=1e-11)
        at = dict(zip(run.structure.nodes, run.nodes[k], strict=True))
        u, v = at["b"] - at["s"], at["c"] - at["s"]
        assert row["corner"] == pytest.approx(np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v)), abs=1e-9)
        assert row["node:s.specific_force.z"] == pytest.approx(row["node:s.acceleration.z"] + G, abs=1e-12)
    # The acceleration is the rate of the velocity, by differences of two short steps.
    kept = sim.state
    sim.restore(kept)
    before, speed = sim.velocities.copy(), sim.observe()
    sim.step(small)
    after = sim.velocities
    place = list(sim.outputs).index("node:s.acceleration.x")
    middle = 0.5 * (speed + sim.observe())[place : place + 3]
    s = list(run.structure.nodes).index("s")
    assert np.allclose((after - before)[s] / small, middle, rtol=1e-4, atol=1e-4)


def spinning(rates: tuple[float, float, float]) -> Any:
    """A free plate that turns about its centre of mass, without gravity."""
    corners = {"a": (1.0, 0.0, 0.0), "b": (-0.5, 0.8, 0.0), "c": (-0.5, -0.8, 0.0)}
    structure = Structure(corners, plates=[Plate("p", ("a", "b", "c"), mass=3.0, inertia=(1.0, 1.0, 1.0))])
    velocities = {name: tuple(np.cross(rates, place)) for name, place in corners.items()}
    return assemble(structure, velocities=velocities)


@pytest.mark.slow
def test_a_gyroscope_and_an_accelerometer_on_a_spinning_plate() -> None:
    """A body of equal moments keeps turning as it does: the accelerometer feels w x (w x r)."""
    rates = np.array([0.7, -1.1, 2.0])
    observed = [f"plate:p.{what}.{axis}" for what in ("rotation_rate", "specific_force") for axis in "xyz"]
    sim = start(spinning((0.7, -1.1, 2.0)), observe=observed, tolerance=1e-12)
    for _ in range(5):
        seen = sim.step(0.1)
        a, b, c = sim.nodes[:3]
        x = (b - a) / np.linalg.norm(b - a)
        z = np.cross(x, c - a)
        z /= np.linalg.norm(z)
        axes = np.array([x, np.cross(z, x), z])
        assert np.abs(seen[:3] - axes @ rates).max() < 1e-9
        assert np.abs(seen[3:] - axes @ np.cross(rates, np.cross(rates, a))).max() < 1e-8


@pytest.mark.slow
def test_an_accelerometer_shows_gravity_at_rest_and_nothing_in_free_fall() -> None:
    corners = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.0, 1.0, 0.0)}
    plate = [Plate("p", ("a", "b", "c"), mass=3.0)]
    observed = ["plate:p.specific_force.z", "node:b.specific_force.z", "node:b.acceleration.z"]
    falling = start(assemble(Structure(corners, plates=plate), gravity=G), observe=observed)
    assert np.allclose(falling.step(0.1), [0.0, 0.0, -G], atol=1e-9)
    still = Structure(corners, plates=plate, supports={"a": "xyz", "b": "yz", "c": "z"})
    standing = start(assemble(still, gravity=G), observe=observed)
    assert np.allclose(standing.step(0.1), [G, G, 0.0], atol=1e-9)


# --- faults


def still(**options: Any) -> Sensor:
    return Sensor("s", "cable:c.tension", **options)


def readings(sensor: Sensor, count: int) -> np.ndarray:
    """Of a node at rest, whose cable carries 50 N."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c", ("a", "b"), stiffness=100.0, rest_length=0.5)],
        supports={"a": "xyz", "b": "yz"},
        point_masses={"b": 1.0},
    )
    plant = assemble(structure, loads=[Load("b", "x", 50.0)])
    sim = start(plant, observe=[sensor], keep=False)
    return np.array([sim.step(0.01)[0] for _ in range(count)])


def test_noise_is_normal_white_and_as_large_as_it_says() -> None:
    out = np.empty(200_000)
    fill_normal(7, 3, 0, out)
    assert stats.kstest(out, "norm").pvalue > 1e-3
    assert abs(out.mean()) < 4.0 / np.sqrt(out.size)
    assert abs(out.var() - 1.0) < 4.0 * np.sqrt(2.0 / out.size)
    for lag in (1, 2, 7):
        assert abs(np.mean(out[lag:] * out[:-lag])) < 4.0 / np.sqrt(out.size)
    others = [np.empty(20_000) for _ in range(3)]
    for other, key in zip(others, ((7, 4, 0), (8, 3, 0), (7, 3, 20_000)), strict=True):
        fill_normal(*key, other)
        assert abs(np.corrcoef(other, out[:20_000])[0, 1]) < 4.0 / np.sqrt(20_000)
    seen = readings(still(noise=0.2, bias=1.5, seed=11), 2000)
    assert abs(seen.mean() - 51.5) < 4.0 * 0.2 / np.sqrt(2000)
    assert abs(seen.std() - 0.2) < 4.0 * 0.2 / np.sqrt(4000)
    assert np.array_equal(seen, readings(still(noise=0.2, bias=1.5, seed=11), 2000))
    assert not np.array_equal(seen, readings(still(noise=0.2, bias=1.5, seed=12), 2000))


def test_a_resolution_rounds() -> None:
    seen = readings(still(resolution=0.3, noise=0.2), 500)
    assert np.abs(seen / 0.3 - np.rint(seen / 0.3)).max() < 1e-9
    assert np.unique(np.rint(seen / 0.3)).size > 2


def test_sensors_without_controllers_show_readings_in_runs() -> None:
    """One at its own rate, whose value stands, one that measures whenever someone looks; a weight bounces."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "s": (0.0, 0.0, -1.2)},
        cables=[Cable("c", ("a", "s"), stiffness=300.0, rest_length=1.0)],
        supports={"a": "xyz"},
        point_masses={"s": 1.0},
    )
    sensors = [Sensor("slow", "node:s.position.z", rate=20.0, delay=0.05), Sensor("now", "node:s.position.z", bias=1.0)]
    run = simulate(assemble(structure, gravity=G, sensors=sensors), 0.2, every=0.0125, verify=False)
    height = run.node("s")[:, 2]
    assert np.ptp(height) > 0.1
    assert run.sensor_names == ("slow", "now")
    assert np.abs(run.reading[:, 1] - 1.0 - height).max() < 1e-12
    for k, t in enumerate(run.time):
        measured = max(np.floor(t * 20.0 + 1e-9) - 1.0, 0.0) / 20.0
        assert run.reading[k, 0] == pytest.approx(np.interp(measured, run.time, height), abs=1e-9)


@pytest.mark.slow
def test_observations_are_those_of_the_trajectory_noise_and_all() -> None:
    noisy = Sensor("noisy", "cable:one.tension", noise=0.5)
    sim = start(held(), observe=[noisy])
    seen = [sim.step(0.01)[0] for _ in range(5)]
    assert np.array_equal(sim.trajectory().reading[-1], seen[-1:])
    assert np.std(seen - sim.trajectory().tension("one")[1:]) > 0.1


def test_names_with_dots_are_measured_too() -> None:
    """As inputs and outputs of linear models are told."""
    structure = Structure(
        {"p.x": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)},
        cables=[Cable("c.length", ("p.x", "b"), stiffness=100.0, rest_length=0.5)],
        supports={"b": "xyz"},
        point_masses={"p.x": 1.0},
    )
    sim = start(assemble(structure), observe=["node:p.x.position.y", "cable:c.length"])
    assert sim.outputs == ("node:p.x.position.y", "cable:c.length.tension")
