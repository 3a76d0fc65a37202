"""Gaits become drives: what each member is told, from a smooth start on, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taut
from taut.generators import six_strut_robot
from taut.locomotion import PatternGait, SinusoidGait, TableGait, random_members

ROBOT = six_strut_robot()
STRUTS = tuple(f"bar:{name}" for name in ROBOT.bars)


def told(drive: taut.Drive, times: Any) -> np.ndarray:
    """What a drive asks for at times, by numpy."""
    return np.array([_at(drive.signal, float(t)) for t in times])


def _at(signal: Any, t: float) -> float:
    if isinstance(signal, taut.SmoothStart):
        s = min(max((t - signal.start) / signal.over, 0.0), 1.0)
        return s**3 * (10.0 - 15.0 * s + 6.0 * s * s) * _at(signal.signal, t)
    if isinstance(signal, taut.Sinusoid):
        return signal.mean + signal.amplitude * float(np.sin(2.0 * np.pi * signal.frequency * t + signal.phase))
    from scipy.interpolate import CubicHermiteSpline

    times, values = np.array(signal.times), np.array(signal.values)
    slopes = np.gradient(values, times, edge_order=2)
    return float(CubicHermiteSpline(times, values, slopes)(np.clip(t, times[0], times[-1])))


def test_sinusoids_have_sizes_rates_and_phases_of_their_own() -> None:
    gait = SinusoidGait(("bar:x*", "bar:y1"), (0.05, 0.02), 1.5, (0.3, 2.0), mean=-0.01, start=0.5, over=0.25)
    one, other = gait.drives(ROBOT)
    assert (one.name, one.member, one.quantity) == ("x*", "bar:x*", "length")
    times = np.linspace(1.0, 3.0, 40)
    assert told(one, times) == pytest.approx(-0.01 + 0.05 * np.sin(3.0 * np.pi * times + 0.3))
    assert told(other, times) == pytest.approx(-0.01 + 0.02 * np.sin(3.0 * np.pi * times + 2.0))


def test_nothing_jumps_at_the_start() -> None:
    gaits = [
        SinusoidGait(STRUTS, 0.05, 1.0, 1.0, mean=0.02, start=0.2),
        TableGait(STRUTS, (0.0, 1.0, 2.0), ((0.03,) * 6, (-0.02,) * 6, (0.01,) * 6), start=0.2),
        PatternGait(STRUTS, (0.02, 0.0, -0.02, 0.01), 1.0, 5.0, phase=1.0, start=0.2),
    ]
    for gait in gaits:
        for drive in gait.drives(ROBOT):
            values = told(drive, [0.0, 0.2, 0.2 + 1e-3, 0.3])
            assert values[:2] == pytest.approx([0.0, 0.0], abs=1e-15)
            assert abs(values[2]) < 1e-8
            assert abs(values[3]) > 1e-6


def test_cables_are_driven_by_their_rest_lengths() -> None:
    drives = SinusoidGait(("cable:c1", "bar:x1"), 0.01, 1.0).drives(ROBOT)
    assert [drive.quantity for drive in drives] == ["rest_length", "length"]


def test_a_table_goes_through_its_rows_and_begins_again() -> None:
    rows = ((0.0, 0.01), (0.02, 0.03), (-0.01, 0.0), (0.005, -0.02))
    times = (0.0, 0.3, 0.5, 0.8)
    gait = TableGait(("bar:x1", "bar:x2"), times, rows, period=1.0, turns=3, over=1e-6)
    for column, drive in enumerate(gait.drives(ROBOT)):
        for turn in range(3):
            seen = told(drive, np.array(times[1:]) + turn)
            assert seen == pytest.approx([row[column] for row in rows[1:]], abs=1e-12)
        assert told(drive, [3.0, 9.0]) == pytest.approx([rows[0][column]] * 2), "it ends as it began, and stays"
        inside = np.linspace(0.9, 1.7, 30)
        assert told(drive, inside) == pytest.approx(told(drive, inside + 1.0), abs=1e-12)


def test_groups_follow_one_pattern_each_at_its_phase() -> None:
    pattern = tuple(0.02 * np.sin(2.0 * np.pi * np.arange(24) / 24))
    gait = PatternGait(("bar:x*", "bar:y*", "bar:z*"), pattern, 2.0, 8.0, phase=(0.0, 2.0, 4.1), over=1e-6)
    times = np.linspace(0.5, 7.5, 60)
    for drive, phase in zip(gait.drives(ROBOT), (0.0, 2.0, 4.1), strict=True):
        assert told(drive, times) == pytest.approx(0.02 * np.sin(np.pi * times + phase), abs=1e-5)
    late, early = (PatternGait(("bar:x1",), (0.0, 0.01, 0.03, 0.0), 1.0, 5.0, p, over=1e-6) for p in (0.0, 1.234))
    (one,), (two,) = late.drives(ROBOT), early.drives(ROBOT)
    assert told(two, times[:30]) == pytest.approx(told(one, times[:30] + 1.234 / (2.0 * np.pi)), abs=1e-12)


def test_a_random_subset_is_the_same_for_the_same_seed() -> None:
    drawn = random_members(ROBOT, "cable:*", share=0.2, seed=3)
    assert drawn == random_members(ROBOT, "cable:*", share=0.2, seed=3)
    assert drawn != random_members(ROBOT, "cable:*", share=0.2, seed=4)
    sizes = [len(random_members(ROBOT, "cable:*", share=0.2, seed=seed)) for seed in range(400)]
    assert np.mean(sizes) == pytest.approx(0.2 * 24, abs=0.3)
    assert min(len(random_members(ROBOT, "bar:*", share=0.01, seed=seed)) for seed in range(50)) == 1
    assert len(random_members(ROBOT, "bar:*", share=1.0, seed=0)) == 6


def test_a_plant_takes_them_and_a_model_file_keeps_them(tmp_path: Any) -> None:
    drives = (
        *SinusoidGait(("bar:x*",), 0.02, 1.0).drives(ROBOT),
        *TableGait(("bar:y1",), (0.0, 1.0, 2.0), ((0.0,), (0.01,), (0.0,))).drives(ROBOT),
        *PatternGait(("cable:c1",), (0.0, 0.01, 0.0), 1.0, 2.0).drives(ROBOT),
    )
    plant = taut.assemble(ROBOT, gravity=9.81, drives=drives)
    assert plant.drive_names == ("x*:x1", "x*:x2", "y1", "c1")
    taut.save(taut.Model(ROBOT, taut.Scenario(drives=drives), "", "", ""), tmp_path / "gait.yaml")
    assert taut.read_model(tmp_path / "gait.yaml").scenario.drives == drives


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: SinusoidGait((), 0.1, 1.0), "a gait needs members to move"),
        (lambda: SinusoidGait(STRUTS, 0.1, 1.0, (0.0, 1.0)), "2 numbers for phase and 6 entries of members; give one"),
        (lambda: SinusoidGait(STRUTS, 0.1, 0.0), "frequency = 0 Hz must be more than zero"),
        (lambda: SinusoidGait(STRUTS, 0.1, 1.0, over=0.0), "over = 0 s must be more than zero: what sets in at once"),
        (lambda: TableGait(STRUTS, (0.0, 1.0), ((0.0, 1.0),) * 2), "changes are 2 x 2, and have to be 2 x 6"),
        (lambda: TableGait(("bar:x1",), (1.0, 0.0), ((0.0,),) * 2), "each later than the one before"),
        (
            lambda: TableGait(("bar:x1",), (0.0, 1.0), ((0.0,),) * 2, period=0.5),
            "period = 0.5 s must be longer than the table, 1 s: its last row is followed by the first",
        ),
        (lambda: TableGait(("bar:x1",), (0.0, 1.0), ((0.0,),) * 2, period=2.0, turns=0), "turns = 0 must be 1 or more"),
        (lambda: PatternGait(STRUTS, (0.1, 0.0), 1.0, 1.0), "a pattern of 2 changes is none; give three or more"),
        (lambda: PatternGait(STRUTS, (0.1, 0.0, 0.1), 0.0, 1.0), "period = 0 s and duration = 1 s must be more"),
        (lambda: SinusoidGait(("bar:q*",), 0.1, 1.0), "q"),
        (lambda: SinusoidGait(("x1",), 0.1, 1.0), "does not say of what kind"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, text: str) -> None:
    with pytest.raises(taut.TautError, match=text):
        make().drives(ROBOT)


def test_members_of_two_kinds_cannot_be_one_group() -> None:
    mixed = ROBOT.changed("cable:c1", mode="tension", command=40.0, rest_length=None, stiffness=None, damping=0.0)
    with pytest.raises(
        taut.OptionError, match='"cable:\\*" selects members driven by rest_length and by tension; part'
    ):
        SinusoidGait(("cable:*",), 0.01, 1.0).drives(mixed)


def test_a_share_outside_is_refused() -> None:
    with pytest.raises(taut.OptionError, match="share = 1.5 must be more than 0, and 1 or less"):
        random_members(ROBOT, share=1.5, seed=0)
    with pytest.raises(taut.OptionError, match="seed = -1 must be zero or more"):
        random_members(ROBOT, share=0.5, seed=-1)
