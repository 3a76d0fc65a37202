"""A run with everything that a run file can hold, and its file."""

from __future__ import annotations

from pathlib import Path

import pytest

import taut
from taut.dynamics.trajectory import Trajectory
from taut.output.recording import save_run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def prism() -> Trajectory:
    """A run with everything a file can hold: loads, supports, notes."""
    model = taut.read_model(EXAMPLES / "prism.yaml", ["scenario.velocities={top1: [0, 0, 1]}"])
    scenario = model.scenario
    plant = taut.assemble(
        model.structure, gravity=scenario.gravity, loads=scenario.loads, velocities=scenario.velocities
    )
    return taut.simulate(plant, 0.05, every=0.01, model_text=model.text)


@pytest.fixture(scope="session")
def stored(prism: Trajectory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "prism.nc"
    save_run(prism, path)
    return path
