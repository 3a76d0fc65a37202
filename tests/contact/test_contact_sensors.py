"""Contact as a sensor: what it measures, what controllers make of it, in files and step by step."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, inclined, point

import taut
from taut import Command, Controller, Ground, Load, ModelError, Sensor, Structure, assemble, simulate
from taut.structure.files import parse_model
from taut.structure.format.writing import model_text

MASS, HEIGHT, THRUST, RATE = 2.0, 0.2, 20.0, 200.0
FLOOR = Ground("floor", friction=0.4)
FALLEN = float(np.sqrt(2.0 * HEIGHT / GRAVITY))


def pushed(t: float, measured: np.ndarray, state: np.ndarray) -> list[float]:
    """As soon as the foot touches."""
    return [THRUST * measured[0]]


def hopper(**options: object) -> dict[str, object]:
    """A mass that falls on the floor, with a thruster along x."""
    made = Structure({"foot": (0.0, 0.0, HEIGHT)}, point_masses={"foot": MASS})
    return {
        "structure": made,
        "gravity": GRAVITY,
        "ground": [FLOOR],
        "loads": [Load("foot", "x", Command(), name="thrust")],
        **options,
    }


@pytest.mark.slow
def test_a_controller_acts_on_touch() -> None:
    """It thrusts from the first tick after the foot has touched: along the floor as the closed form says."""
    sensors = [
        Sensor("sole", "node:foot.touch", rate=RATE),
        Sensor("scale", "ground:floor.contact_normal", rate=RATE),
        Sensor("late", "node:foot.touch", rate=RATE, delay=0.05),
        Sensor("cell", "node:foot.contact_force.z", rate=RATE, noise=0.5, seed=3),
        Sensor("drag", "node:foot.contact_force.x"),
        Sensor("size", "node:foot.contact_size"),
    ]
    law = Controller("kick", ("sole",), ("thrust",), pushed, rate=RATE)
    plant = assemble(**hopper(sensors=sensors, controllers=[law]))  # type: ignore[arg-type]
    run = simulate(plant, 0.5, every=0.005, method="impulses", step=1e-3, verify=False)
    touch, scale, late, cell, drag, size = run.reading.T
    began = np.ceil(FALLEN * RATE) / RATE
    assert run.sensor_names == ("sole", "scale", "late", "cell", "drag", "size")
    assert np.array_equal(touch, (run.time > began - 1e-9).astype(float))
    assert np.array_equal(late, (run.time > began + 0.05 - 1e-9).astype(float))
    rests = run.time > began + 0.01
    assert scale[rests] == pytest.approx(MASS * GRAVITY, rel=1e-9)
    assert cell[rests].mean() == pytest.approx(MASS * GRAVITY, abs=0.25)
    assert 0.3 < cell[rests].std() < 0.7
    assert drag[rests] == pytest.approx(-0.4 * MASS * GRAVITY, rel=1e-9)
    assert size[rests] == pytest.approx(np.hypot(1.0, 0.4) * MASS * GRAVITY, rel=1e-9)
    gained = THRUST / MASS - 0.4 * GRAVITY
    assert run.nodes[-1, 0, 0] == pytest.approx(0.5 * gained * (0.5 - began) ** 2, rel=1e-9)


@pytest.mark.slow
def test_the_normal_is_that_of_the_ground() -> None:
    """On a slope of 10 degrees that holds: along its normal, along z, and in all."""
    quantities = ("node:a.contact_normal", "node:a.contact_force.z", "ground:slope.contact_size")
    plant = assemble(point(), gravity=GRAVITY, ground=[inclined(10.0, 0.5)], sensors=[Sensor(q, q) for q in quantities])
    run = simulate(plant, 0.01, method="impulses", step=1e-3, verify=False)
    assert run.reading[-1] == pytest.approx([np.cos(np.radians(10.0)) * GRAVITY, GRAVITY, GRAVITY], rel=1e-12)


@pytest.mark.slow
def test_contact_is_observed_step_by_step() -> None:
    """As samples of a run have it, from the same state."""
    observe = ["node:foot.touch", "ground:*.contact_force.z"]
    sim = taut.start(assemble(**hopper()), observe=observe, method="impulses", step=1e-3)  # type: ignore[arg-type]
    seen = np.array([sim.step(0.01) for _ in range(40)])
    assert np.array_equal(seen[:, 0], (seen[:, 1] > 0.0).astype(float))
    assert seen[:, 0].sum() == 40 - np.ceil(FALLEN / 0.01 - 1.0)
    assert seen[-1] == pytest.approx([1.0, MASS * GRAVITY], rel=1e-9)


TEXT = """
taut: 1
nodes: {a: [0, 0, 0.5], b: [1, 0, 0.8]}
bars: {ab: [a, b]}
properties: {"bar:*": {mass: 2}}
scenario:
  gravity: 9.81
  ground: {floor: {touched_by: ["node:a"]}}
  sensors: {sole: QUANTITY}
"""


def test_a_file_names_them() -> None:
    model = parse_model(TEXT.replace("QUANTITY", "{quantity: 'node:a.touch', rate: 100}"))
    assert model.scenario.sensors == (Sensor("sole", "node:a.touch", rate=100.0),)
    assert parse_model(model_text(model.structure, model.scenario)).scenario == model.scenario


@pytest.mark.parametrize(
    ("quantity", "message"),
    [
        ("node:b.touch", r'node "b" may touch no ground; name it in the touched_by of one, or measure something else'),
        ("ground:flor.touch", r'"ground:flor.touch": no ground "flor"; did you mean "floor"'),
        ("node:a.touch.z", r'"node:a.touch.z": touch has no axis; leave ".z" out'),
        ("node:a.contact_force", r"is 3 numbers"),
    ],
)
def test_what_cannot_be_measured(quantity: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_model(TEXT.replace("QUANTITY", f"'{quantity}'"))


def test_without_a_ground_there_is_no_touch() -> None:
    with pytest.raises(
        ModelError, match=r"node:a.touch is that of a contact, and there is no ground to touch; give one"
    ):
        assemble(point(), sensors=[Sensor("sole", "node:a.touch")])


def test_a_controller_at_every_evaluation_cannot_feel_contact() -> None:
    law = Controller("kick", ("node:foot.touch",), ("thrust",), pushed)
    with pytest.raises(ModelError, match=r'touch of node "foot" is found once a step; give the controller a rate'):
        assemble(**hopper(controllers=[law]))  # type: ignore[arg-type]
