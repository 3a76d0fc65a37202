"""Places where coordinates say nothing, such as axes that come to lie along what they turn: a run that one stops says
so, and so does a run that went over it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_joints import X, Y, pendulum

import taut
from taut import Bar, Structure, Trajectory, assemble, simulate
from taut.mechanisms import CoordinateMap, GeneralisedPlant, Joint, in_coordinates

PLACE = 'axes of a joint, of "knee", "hip", come to lie along what they turn, so that coordinates say nothing'
TOLD = f"{PLACE}; the motion may be another from there on, so do not trust it beyond: choose other axes, or nodes"


def bent() -> GeneralisedPlant:
    """The second bar cannot leave a band of directions by turning about x and then y, and would at t = 0.17 s."""
    structure, (_, hip) = pendulum()
    knee = Joint.universal("knee", "a", (X, Y), ("b",), on="hip")
    return in_coordinates(assemble(structure, gravity=9.81), [knee, hip])


def followed(plant: Any, **options: Any) -> Trajectory:
    return simulate(plant, 0.5, every=0.05, verify=False, **options)


@pytest.fixture(scope="module")
def nodal() -> Trajectory:
    return followed(assemble(pendulum()[0], gravity=9.81), method="dp8", tolerance=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"method": "implicit4", "tolerance": 1e-5}, {"method": "dp5", "tolerance": 1e-4}],
    ids=["implicit4", "dp5"],
)
def test_a_run_that_goes_over_says_when(options: dict[str, Any], nodal: Trajectory) -> None:
    """And it is another motion beyond, as nodes show."""
    run = followed(bent(), **options)
    assert run.finished
    (note,) = (one for one in run.notes if "say nothing" in one)
    assert note.startswith("at t = 0.1700")
    assert note.endswith(TOLD)
    off = np.abs(run.nodes - nodal.nodes).max(axis=(1, 2))
    assert off[run.time < 0.17].max() < 1e-3
    assert off[-1] > 0.1


@pytest.mark.slow
def test_a_run_that_cannot_go_over_says_why() -> None:
    """Whatever was sampled last: what is told is told of where it stopped."""
    run = followed(bent(), method="implicit3", tolerance=1e-5)
    assert not run.finished
    assert run.status.startswith(f"stopped at t = 0.170081 s: {PLACE} there (a pivot of ")


@pytest.mark.slow
def test_the_last_step_is_looked_at_too() -> None:
    """A step that goes over and is the last of the run is not kept by its end, but its samples are."""
    run = simulate(bent(), 0.1701, every=0.1701, method="implicit4", tolerance=1e-5, verify=False)
    assert run.finished
    assert any("say nothing" in note for note in run.notes)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["implicit4", "rk4"])
def test_turning_far_in_a_step_is_not_taken_for_it(method: str) -> None:
    """A rod that turns by 2 rad in every step, and swings in good coordinates."""
    rod = Structure(
        {"o": (0.0, 0.0, 0.0), "p": (1.0, 0.0, 0.0)}, [Bar("op", ("o", "p"), mass=1.0)], supports={"o": "xyz"}
    )
    plant = in_coordinates(assemble(rod), [Joint("hinge", "o", ("p",), (Y,), rates=(20.0,))])
    run = simulate(plant, 2.0, every=0.1, method=method, step=0.1, verify=False)
    assert run.coordinate[-1, 0] == pytest.approx(40.0, rel=1e-6)
    assert not any("say nothing" in note for note in run.notes)
    structure, joints = pendulum()
    good = simulate(
        in_coordinates(assemble(structure, gravity=9.81), joints), 2.0, method=method, step=0.01, verify=False
    )
    assert good.finished
    assert not any("say nothing" in note for note in good.notes)


@pytest.mark.slow
def test_a_map_is_told_in_its_own_words() -> None:
    """x = q^2 / 2 of a mass that comes in: q says nothing at x = 0, and x cannot go on below."""
    structure = Structure({"p": (0.5, 0.0, 0.0)}, point_masses={"p": 1.0})

    def squared(q: np.ndarray) -> np.ndarray:
        return np.array([[0.5 * q[0] ** 2, 0.0 * q[0], 0.0 * q[0]]])

    given = CoordinateMap(squared, names=("q",), values=(1.0,), rates=(-1.0,))
    plant = in_coordinates(assemble(structure), given)
    run = simulate(plant, 1.0, every=0.05, method="implicit4", tolerance=1e-4, verify=False)
    told = " ".join((run.status, *run.notes))
    assert "coordinates come to say nothing" in told
    assert "choose other coordinates" in told


def test_stepping_by_hand_goes_back_without_a_word() -> None:
    """States that are restored lie on no way: from one to another nothing is passed."""
    structure, joints = pendulum()
    turned = [joints[0], replace(joints[1], rates=(9.0, 0.0))]
    sim = taut.start(in_coordinates(assemble(structure), turned), method="rk4", step=0.01)
    kept = sim.state
    for _ in range(2):
        for _ in range(10):
            sim.step(0.05)
        later = sim.state
        sim.restore(kept)
    sim.restore(later)
    sim.step(0.05)
    assert not any("say nothing" in note for note in sim.trajectory().notes)
