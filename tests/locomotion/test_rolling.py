"""The robot of examples/rolling.yaml rolls: over ten faces in ten seconds, at other steps and from other starts too."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.locomotion import Locomotion, SinusoidGait, locomotion_of
from taut.output.model_runs import assembled

EXAMPLE = Path(__file__).parents[2] / "examples" / "rolling.yaml"


def went(duration: float, step: float, seed: int | None = None, friction: float = 0.6) -> Locomotion:
    """As the example has it, or tilted and out of phase by about 0.01 rad each."""
    model = taut.read_model(EXAMPLE, [f"scenario.ground.floor.friction={friction}"])
    robot, scenario = model.structure, model.scenario
    if seed is not None:
        draw = np.random.default_rng(seed)
        robot = taut.generators.six_strut_robot(turned=tuple(map(float, 0.01 * draw.normal(size=3))))
        waves = [drive.by.signal for drive in scenario.drives]
        phases = tuple(float(wave.phase + 0.01 * draw.normal()) for wave in waves)
        members = tuple(drive.member for drive in scenario.drives)
        gait = SinusoidGait(members, waves[0].amplitude, waves[0].frequency, phases)
        scenario = replace(scenario, drives=gait.drives(robot))
    plant = assembled(robot, scenario)
    return locomotion_of(taut.simulate(plant, duration, every=0.01, method="impulses", step=step, verify=False))


def test_it_rolls_over_its_edges() -> None:
    found = went(4.0, 1e-3)
    assert found.face_changes >= 5
    assert found.distance > 1.8
    assert found.slip < 0.2 * found.distance, "it rolls, it does not slide"
    shared = [len(set(one.face) & set(other.face)) for one, other in pairwise(found.stands)]
    assert max(shared) == 2
    assert found.energy_positive > found.energy_net > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("step", [1e-3, 5e-4, 2.5e-4])
def test_it_changes_its_face_ten_times_in_ten_seconds_whatever_the_start(step: float) -> None:
    """Rolling is chaotic: no two of these are at the same place in the end, and most are to do it. All nine do."""
    found = [went(10.0, step, seed) for seed in (None, *range(8))]
    changes, distances = [one.face_changes for one in found], np.array([one.distance for one in found])
    assert np.count_nonzero(np.array(changes) >= 10) >= 8, changes
    assert distances.mean() == pytest.approx(6.0, abs=0.3)
    assert distances.std() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.2, 1.0])
def test_it_rolls_on_slippery_and_on_rough_floors(friction: float) -> None:
    found = [went(10.0, 1e-3, seed, friction) for seed in range(4)]
    assert min(one.face_changes for one in found) >= 10
    slip = np.mean([one.slip for one in found])
    assert slip > 2.0 if friction == 0.2 else slip < 0.5


def test_the_example_says_what_a_gait_makes() -> None:
    scenario = taut.read_model(EXAMPLE).scenario
    phases = tuple(drive.by.signal.phase for drive in scenario.drives)
    robot = taut.generators.six_strut_robot()
    gait = SinusoidGait(tuple(f"bar:{name}" for name in robot.bars), 0.1, 0.95, phases)
    assert gait.drives(robot) == scenario.drives


def test_a_length_that_begins_elsewhere_is_told_where_it_leads_into_the_ground() -> None:
    robot = taut.generators.six_strut_robot()
    drives = [
        taut.Drive(name, f"bar:{name}", "length", by=taut.Sinusoid(0.1, 1.0, 1.5 * k))
        for k, name in enumerate(robot.bars)
    ]
    plant = taut.assemble(robot, gravity=9.81, ground=[taut.Ground("floor", friction=0.6)], drives=drives)
    with pytest.raises(
        taut.ModelError, match=r"inside .*, after lengths at t = 0 moved nodes .* by a SmoothStart\); lift"
    ):
        taut.simulate(plant, 0.1, method="impulses", step=1e-3, verify=False)
