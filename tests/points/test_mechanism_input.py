"""What is told where a mechanism is given badly: almost straight elbows, starts that do not fit, dependent loops, and
drives that tear a cable. All with the loop of the imposed motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from taut import Cable, CosineRamp, Drive, ModelError, Structure, Trajectory, assemble, simulate
from taut.mechanisms import in_coordinates
from taut.papers.mechanism.cases import drives
from taut.papers.mechanism.model import AT_START, SIDE, in_joints
from taut.structure.straight_angles import straight_notes


def with_cables(structure: Structure, *cables: Cable) -> Structure:
    made = {**structure.cables, **{cable.name: cable for cable in cables}}
    return replace(structure, cables=list(made.values()))  # type: ignore[arg-type]


def run(structure: Structure, joints: tuple, driven: tuple[Drive, ...], duration: float = 0.01) -> Trajectory:
    plant = in_coordinates(assemble(structure, drives=driven), joints)
    return simulate(plant, duration, every=duration, method="dp8", tolerance=1e-10, verify=False)


@pytest.mark.slow
def test_an_almost_straight_elbow_is_told_with_its_condition_number() -> None:
    """Of how far the ends are apart, rho^2 / (L_s^2 sin theta): by differences of eq. (1)."""
    assert straight_notes(in_joints(np.radians([-40.0, -60.0, -60.0]))[0]) == ()
    theta = np.radians([-4.0, -30.0, -30.0])
    structure, joints = in_joints(theta)
    (note,) = straight_notes(structure)
    step = 1e-6
    near, here, far = np.sqrt(1.0 + np.cos(theta[0] + np.array([-step, 0.0, step])))
    wanted = here / abs((far - near) / (2.0 * step))
    assert 'angle "theta1" is 176 deg, almost straight: how far its ends are apart hardly tells it there' in note
    assert f"(a condition number of {wanted:.1e})" in note
    held = tuple(
        replace(one, to=CosineRamp(float(np.pi + angle), float(np.pi + angle), 1.0, 3.0))
        for one, angle in zip(drives(AT_START), theta, strict=True)
    )
    assert note in run(structure, joints, held).notes


@pytest.mark.slow
def test_an_elbow_that_straightens_in_a_run_is_told_after_it() -> None:
    """By samples: when it came within 5 degrees, and the worst condition number, that of eq. (1) at 3 degrees."""
    begun, ended = np.radians([-12.0, -30.0, -30.0]), np.radians([-3.0, -30.0, -30.0])
    structure, joints = in_joints(begun)
    assert straight_notes(structure) == ()
    way = tuple(
        replace(one, to=CosineRamp(float(np.pi + a), float(np.pi + b), 0.0, 0.5))
        for one, a, b in zip(drives(AT_START), begun, ended, strict=True)
    )
    plant = in_coordinates(assemble(structure, drives=way), joints)
    found = simulate(plant, 0.5, every=0.01, method="dp8", tolerance=1e-10, verify=False)
    (note,) = (one for one in found.notes if "almost straight" in one)
    passed = 0.5 / np.pi * np.arccos(1.0 - 2.0 * 7.0 / 9.0)
    first = 0.01 * np.ceil(passed / 0.01)
    wanted = 2.0 * (1.0 + np.cos(ended[0])) / abs(np.sin(ended[0]))
    assert f'angle "theta1" comes within 5 deg of 0 or pi at t = {first:.6g} s; at t = 0.5 s it is 177 deg' in note
    assert f"(a condition number of {wanted:.1e})" in note
    part = simulate(plant, 0.45, every=0.01, method="dp8", tolerance=1e-10, verify=False)
    assert note not in part.notes
    further = simulate(plant, 0.5, method="dp8", tolerance=1e-10, verify=False, start=part)
    assert [one for one in further.notes if "almost straight" in one] == [note]


@pytest.mark.slow
def test_a_start_that_does_not_fit_is_brought_onto_the_loops_and_told() -> None:
    structure, joints = in_joints()
    longer = with_cables(structure, Cable("C1C2", ("C1", "C2"), command=SIDE + 0.003, mode="length"))
    found = run(longer, joints, drives())
    assert any("start positions did not fit the constraints and were projected onto them" in one for one in found.notes)
    assert found.length_violation.max() < 1e-12


@pytest.mark.slow
def test_a_start_that_cannot_fit_is_refused() -> None:
    structure, joints = in_joints()
    longer = with_cables(structure, Cable("C1C2", ("C1", "C2"), command=3.0 * SIDE, mode="length"))
    with pytest.raises(ModelError, match=r'cable "C\dC\d"'):
        run(longer, joints, drives())


@pytest.mark.slow
def test_loops_that_depend_on_one_another_are_named() -> None:
    structure, joints = in_joints()
    twice = with_cables(structure, Cable("again", ("C2", "C1"), rest_length=SIDE, mode="length"))
    found = run(twice, joints, drives())
    told = " ".join(found.notes)
    assert 'cable "again"' in told
    assert 'cable "C1C2"' in told
    assert found.finished


@pytest.mark.slow
def test_a_drive_that_tears_a_cable_ends_the_run_with_its_name_and_time() -> None:
    """A side of the platform that is to be longer than both others together, which it would be from 0.5 s on."""
    structure, joints = in_joints()
    pull = Drive("winch", "cable:C1C2", "length", to=CosineRamp(SIDE, 3.0 * SIDE, 0.0, 1.0))
    found = run(structure, joints, (*drives(), pull), duration=1.0)
    assert not found.finished
    assert found.status.startswith("stopped at t = 0.5 s")
    assert any('of cable "C1C2", cable "C2C3", cable "C3C1" nearly depended on one another at t = 0.5 s' in one
               for one in found.notes)  # fmt: skip
