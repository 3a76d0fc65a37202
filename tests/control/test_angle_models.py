"""Angles that are held or driven, as inputs and outputs of linear models, against runs of the plant itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from taut import (
    Angle,
    Bar,
    Cable,
    CosineRamp,
    Drive,
    OptionError,
    SelectionError,
    Structure,
    assemble,
    balance,
    linearise,
    simulate,
)
from taut.structure.drives import QUANTITIES

OVER = 0.5
"""Seconds that the elbow takes."""


def arm(by: Any = 0.0) -> Any:
    """Two bars with an elbow that is held, on a spring, at rest under its weight."""
    structure = Structure(
        {"shoulder": (0.0, 0.0, 0.0), "elbow": (1.0, 0.0, 0.2), "hand": (1.6, 0.0, -0.5), "hook": (0.8, 0.0, 1.2)},
        [Bar("upper", ("shoulder", "elbow"), mass=2.0), Bar("lower", ("elbow", "hand"), mass=1.0)],
        [Cable("spring", ("elbow", "hook"), stiffness=200.0, rest_length=0.8, damping=3.0)],
        supports={"shoulder": "xyz", "hook": "xyz", "elbow": "y", "hand": "y"},
        angles=[Angle.elbow("bend", ("shoulder", "elbow", "hand"))],
    )
    rest = balance(structure, gravity=9.81).structure
    return assemble(rest, gravity=9.81, drives=[Drive("motor", "angle:bend", "angle", by=by)])


SEEN = ["node:hand.x", "node:hand.z", "angle:bend.torque", "angle:bend.angle", "cable:spring.tension"]


@pytest.mark.slow
def test_a_driven_angle_moves_the_plant_as_the_model_says() -> None:
    model = linearise(arm(), inputs="drive:motor", outputs=SEEN)
    assert model.inputs == ("angle:bend.angle_acceleration",)
    assert model.states == ("mode 1", "mode 1 rate", "angle:bend.angle", "angle:bend.angle_rate")

    def acceleration(t: float) -> float:
        return 0.5 * (math.pi / OVER) ** 2 * math.cos(math.pi * t / OVER)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return model.A @ x + model.B[:, 0] * acceleration(t)

    times = np.linspace(0.0, 0.48, 13)  # until just before it stops
    motion = solve_ivp(rate, (0.0, 0.48), np.zeros(4), t_eval=times, rtol=1e-11, atol=1e-12).y
    wanted = (model.C @ motion).T + np.outer([acceleration(t) for t in times], model.D[:, 0])
    errors = []
    for amplitude in (2e-3, 1e-3):
        run = simulate(
            arm(CosineRamp(0.0, amplitude, 0.0, OVER)), 0.48, every=0.04, method="dp5", tolerance=1e-11, verify=False
        )
        assert run.finished, run.status
        places = run.node("hand")
        shown = [places[:, 0], places[:, 2], run.angle_torque[:, 0], run.drive_value[:, 0], run.cable_tension[:, 0]]
        moved = (np.column_stack(shown) - model.offset) / amplitude
        errors.append(np.abs((moved - wanted) / np.abs(wanted).max(axis=0)).max())
    assert errors[1] < 5e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1), "relative, so the error itself falls by four"


@pytest.mark.slow
def test_every_quantity_that_can_be_driven_is_an_input_by_the_drives_name() -> None:
    drivers = {
        "rest_length": ("cable:stay", "rest_length"),
        "length": ("bar:rigid", "length_acceleration"),
        "tension": ("cable:pull", "tension"),
        "force_density": ("cable:draw", "force_density"),
        "force": ("bar:jack", "force"),
        "angle": ("angle:bend", "angle_acceleration"),
        "torque": ("angle:lean", "torque"),
    }
    assert drivers.keys() == QUANTITIES.keys()
    structure = Structure(
        {
            "o": (0, 0, 0),
            "a": (1, 0, 0.5),
            "b": (0.5, 0.8, 0.6),
            "p": (0.5, 0.1, 1.0),
            "r": (0, 0, 2),
            "s": (0.5, 0, 2.4),
        },
        [
            Bar("jack", ("o", "p"), mass=1.0, law="pneumatic", force=20.0),
            Bar("rigid", ("o", "r"), mass=1.0),
            Bar("fore", ("r", "s"), mass=1.0),
        ],
        [
            Cable("stay", ("a", "p"), stiffness=200.0, rest_length=0.5),
            Cable("pull", ("b", "p"), mode="tension", command=5.0),
            Cable("draw", ("o", "p"), mode="force_density", command=5.0),
        ],
        supports=dict.fromkeys("oab", "xyz"),
        point_masses={"p": 1.0},
        angles=[Angle.elbow("bend", ("o", "r", "s")), Angle("lean", ("o", "a"), "bar:rigid", mode="free")],
    )
    for quantity, (member, port) in drivers.items():
        plant = assemble(structure, drives=[Drive("motor", member, quantity, by=0.0)])
        assert linearise(plant, inputs="drive:motor", outputs="node:p.x").inputs == (f"{member}.{port}",)


@pytest.mark.slow
def test_what_is_no_port_of_an_angle_is_told() -> None:
    with pytest.raises(OptionError, match='"angle:bend.torque": the angle is held at its value; take .angle_accelera'):
        linearise(arm(), inputs="angle:bend.torque")
    with pytest.raises(SelectionError, match=r'"push" is no input of an angle; there are angle_acceleration, torque'):
        linearise(arm(), inputs="angle:bend.push")
    with pytest.raises(
        SelectionError, match=r'"angle:bend" does not say which output of the angle: write .*torque" or'
    ):
        linearise(arm(), outputs="angle:bend")
