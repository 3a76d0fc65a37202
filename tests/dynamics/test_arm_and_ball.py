"""The Arm and the Ball of the stedy paper against trajectories that were computed elsewhere to 2e-13 and 2e-15 m."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taut import Trajectory, assemble, read_model, simulate

HERE = Path(__file__).resolve().parents[1]


def followed(name: str, amplitude: float, every: float, **options: object) -> Trajectory:
    """A second of the example with another amplitude of its loads [N]."""
    path = HERE.parent / "examples" / f"{name}.yaml"
    loads = [load.name for load in read_model(path).scenario.loads]
    model = read_model(path, [f"scenario.loads.{load}.signal.sinusoid.amplitude={amplitude}" for load in loads])
    plant = assemble(model.structure, gravity=model.scenario.gravity, loads=model.scenario.loads)
    return simulate(plant, 1.0, every=every, **options)


@pytest.mark.parametrize(
    ("name", "amplitude", "options", "within"),
    [
        ("ball", 30.0, {"tolerance": 1e-10}, 1e-10),
        ("ball", 30.0, {"method": "dp8", "tolerance": 1e-13}, 1e-12),
        ("arm", 100.0, {"method": "dp8", "tolerance": 1e-13}, 1e-9),
    ],
)
def test_a_second_of_it(name: str, amplitude: float, options: dict, within: float) -> None:
    with np.load(HERE / "data" / f"stedy_{name}{amplitude:g}_rigid.npz") as file:
        known = dict(file)
    run = followed(name, amplitude, float(known["t"][1]), **options)
    assert run.ok
    np.testing.assert_allclose(run.time, known["t"], atol=1e-12)
    assert np.abs(run.nodes - known["q"].reshape(run.nodes.shape)).max() <= within
    assert np.ptp(run.nodes, axis=0).max() > 0.01, "it moves"
    assert (run.cable_tension == 0.0).any(), "some string slackens"
