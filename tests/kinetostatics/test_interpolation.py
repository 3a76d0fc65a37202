"""Between the solved postures of a map: what is interpolated against what is solved exactly; maps in several sheets."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from prismatic_robot import robot

from taut.errors import OptionError
from taut.kinetostatics import InterpolatedMap, PostureSolver, WorkspaceMap, interpolated, posture, workspace
from taut.kinetostatics.interpolation_errors import exact_postures, rounded_up
from taut.kinetostatics.stencils import stencil

CENTRE = 1.6360883594875042


@cache
def area(half: float = 0.006, count: int = 7, inputs: tuple[str, ...] = ("a1", "a2", "a3")) -> WorkspaceMap:
    values = np.linspace(CENTRE - half, CENTRE + half, count)
    return workspace(robot("length", "spring"), {f"cable:{name}": values for name in inputs})


@cache
def smooth() -> InterpolatedMap:
    return interpolated(area())


def test_on_the_grid_a_posture_is_itself() -> None:
    shown = smooth()
    for at in ((0, 0, 0), (3, 1, 6), (6, 6, 6)):
        one = shown.at([values[k] for values, k in zip(area().axes.values(), at, strict=True)])
        np.testing.assert_array_equal(one.nodes, area().nodes[at])
        np.testing.assert_array_equal(one.member_force, area().member_force[at])
        assert one.lowest_stiffness == area().lowest_stiffness[at]


@pytest.mark.slow
def test_the_error_bounds_a_fresh_sample_of_exact_postures() -> None:
    """With 95 % confidence 99 % of all are within; of 120 fresh ones no more than 5 may be beyond."""
    shown, random = smooth(), np.random.default_rng(20261)
    assert shown.error is not None
    assert shown.error.drawn == 299
    assert shown.error.share == pytest.approx(0.99, abs=1e-4)
    beyond, typical = 0, []
    for place in random.uniform(CENTRE - 0.006, CENTRE + 0.006, (120, 3)):
        exact = posture(robot("length", "spring"), place)
        assert exact.ok
        one = shown.at(place)
        off = np.linalg.norm(one.nodes - exact.structure.positions, axis=1).max()
        force = np.abs(one.member_force - exact.member_force).max()
        typical.append(off)
        beyond += off > shown.error.nodes or force > shown.error.member_force
    assert beyond <= 5
    assert 1e-3 * shown.error.nodes < np.median(typical) < shown.error.nodes < 2e-6, "a micrometre or two"
    assert shown.error.missed == 0


def test_of_six_points_the_error_falls_with_the_sixth_power() -> None:
    errors = []
    for count in (7, 13):
        given = area(0.012, count, ("a1",))
        place = given.axes["cable:a1"][count // 2 : count // 2 + 2].mean()
        exact = posture(robot("length", "spring"), {"cable:a1": place})
        errors.append(np.abs(interpolated(given, drawn=0).at([place]).nodes - exact.structure.positions).max())
    assert 2**5.5 < errors[0] / errors[1] < 2**6.5


def test_polynomials_of_fifth_degree_are_met() -> None:
    given = area()
    mesh = np.meshgrid(*((values - CENTRE) / 0.006 for values in given.axes.values()), indexing="ij")
    made = lambda x, y, z: (1 + x) ** 5 * (2 - y) ** 5 + z**5 - 3 * x**2 * y**3 * z**4  # noqa: E731
    shown = interpolated(replace(given, dexterity=made(*mesh)), drawn=0)
    assert shown.error is None
    for place in np.random.default_rng(0).uniform(-1, 1, (20, 3)):
        assert shown.at(CENTRE + 0.006 * place).dexterity == pytest.approx(made(*place), abs=1e-9)


def test_near_a_hole_fewer_points_carry_and_in_its_cells_none() -> None:
    given = smooth().area
    found = given.found.copy()
    found[3, 3, 3] = False
    holed = replace(given, found=found)
    step = 0.012 / 6
    corner = CENTRE - 0.006
    assert stencil(holed, corner + step * np.array([3.5, 3.5, 2.5])) is None
    assert stencil(holed, corner + step * np.array([4.5, 3.5, 3.5])).rows.size == 8
    assert stencil(given, corner + step * np.array([4.5, 3.5, 3.5])).rows.size == 216
    on_plane = np.array([corner + 3.4 * step, corner + 2.6 * step, given.axes["cable:a3"][2]])
    assert stencil(holed, on_plane) is not None, "a plane of the grid beside the hole"


def test_cells_whose_corners_are_of_different_sheets_have_no_posture() -> None:
    given = smooth().area
    joined = given.joined.copy()
    joined[3, 3, 3, 0] = False
    torn = replace(given, joined=joined)
    corner, step = CENTRE - 0.006, 0.012 / 6
    assert stencil(torn, corner + step * np.array([3.5, 3.5, 3.5])) is None
    assert stencil(torn, corner + step * np.array([4.5, 3.5, 3.5])) is not None


def test_sheets_are_told_apart() -> None:
    """Let out far, the robot leans to one of three sides: neighbours that lean to different sides are not joined. Small
    steps of plain Newton from one to the other, which know nothing of tangents, say the same."""
    far = area(0.02, 7)
    made = robot("length", "spring")
    solver = PostureSolver(made)
    leads = {True: [], False: []}
    for axis in range(3):
        both = far.found & np.roll(far.found, -1, axis=axis)
        index = np.argwhere(both)
        index = index[index[:, axis] < 6]
        for at in np.random.default_rng(axis).permutation(index)[:40]:
            here, there = tuple(at), tuple(at + np.eye(3, dtype=int)[axis])
            solver.place(far.nodes[here])
            for share in np.linspace(0.0, 1.0, 129):
                solver.solve((1.0 - share) * far.values[here] + share * far.values[there], steps=10, tolerance=1e-9)
            same = np.abs(solver.positions - far.nodes[there]).max() < 1e-5
            leads[bool(far.joined[(*here, axis)])].append(same)
    assert np.mean(leads[True]) == 1.0
    assert len(leads[True]) > 80
    assert leads[False]
    assert not any(leads[False])
    near = area()
    inner = [near.joined[..., axis].take(range(6), axis=axis) for axis in range(3)]
    assert all(one.all() for one in inner)
    assert not any(near.joined[..., axis].take(6, axis=axis).any() for axis in range(3))


def test_exact_postures_are_those_of_posture() -> None:
    places = np.random.default_rng(3).uniform(CENTRE - 0.005, CENTRE + 0.005, (4, 3))
    solved = exact_postures(smooth().area, places)
    for k, place in enumerate(places):
        one = posture(robot("length", "spring"), place)
        assert np.abs(solved.nodes[k] - one.structure.positions).max() < 1e-8


def test_an_axis_may_fall_and_move_several_inputs() -> None:
    falling = workspace(robot("length", "spring"), {"cable:a*": np.linspace(1.64, 1.632, 5)})
    shown = interpolated(falling)
    assert list(shown.area.axes["cable:a*"]) == sorted(falling.axes["cable:a*"])
    assert falling.joined[:, 0].tolist() == [False, True, True, True, True], "each to the next greater"
    assert stencil(shown.area, np.array([1.6375])).rows.size == 5
    one = shown.at({"cable:a*": 1.6375})
    exact = posture(robot("length", "spring"), {"cable:a*": 1.6375})
    assert np.abs(one.nodes - exact.structure.positions).max() <= shown.error.nodes
    assert [one.name for one in shown.area.inputs_of("cable:a*")] == ["cable:a1", "cable:a2", "cable:a3"]


def test_a_cable_that_never_pushes_does_not_push_between() -> None:
    given = smooth().area
    force = given.member_force.copy()
    force[..., 0] = np.where(np.arange(7)[:, None, None] < 3, 0.0, 5.0)
    between = [CENTRE - 0.006 + 1.5 * 0.002, CENTRE, CENTRE]
    shown = interpolated(replace(given, member_force=force), drawn=0).at(between)
    assert shown.member_force[0] >= 0.0
    force[0, 0, 0, 0] = -1e-3
    assert interpolated(replace(given, member_force=force), drawn=0).at(between).member_force[0] < 0.0


def test_stated_numbers_are_never_less() -> None:
    for value in np.random.default_rng(0).lognormal(0.0, 8.0, 500).tolist():
        assert value <= rounded_up(value) <= 1.11 * value
    assert rounded_up(0.0) == 0.0
    assert rounded_up(0.01) == 0.01


def test_maps_are_tables() -> None:
    columns = area().columns()
    assert columns["found"].shape == (343,)
    assert columns["cable:a2"][1] == columns["cable:a2"][0]
    assert columns["cable:a3"][1] > columns["cable:a3"][0]
    np.testing.assert_array_equal(columns["node:21.z"], area().nodes[..., 9, 2].ravel())
    np.testing.assert_array_equal(columns["cable:saddle.force"], area().member_force[..., 6].ravel())
    np.testing.assert_array_equal(columns["lowest_stiffness"], area().lowest_stiffness.ravel())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smooth().at({"cable:a1": 1.636}), "a number for each of cable:a1, cable:a2, cable:a3"),
        (lambda: smooth().at({"cable:a4": 1.6}), 'no axis "cable:a4"; did you mean'),
        (lambda: smooth().at([1.636, 1.636, 1.7]), "cable:a3 = 1.7 is outside of the map, which goes from 1.63009 to"),
        (lambda: interpolated(area(), drawn=-1), "drawn = -1 must be zero or more"),
        (lambda: interpolated(workspace(robot("length", "spring"), {"cable:a1": [1.636]})), "has one value, 1.636"),
        (lambda: interpolated(workspace(robot("length", "spring"), {"cable:a1": [1.636] * 2})), "1.636 twice"),
        (
            lambda: interpolated(workspace(robot("length", "spring"), {"cable:a*": [1.4, 1.5]})),
            "no posture was found at",
        ),
        (lambda: workspace(robot("length", "spring"), {"cable:a1": [0.0, 1.6]}), "cable:a1 = 0 m makes no length"),
        (
            lambda: workspace(robot("length", "spring"), {"cable:a*": [1.6], "cable:a1": [1.6]}),
            '"cable:a1" is moved by "cable:a\\*" and by "cable:a1"',
        ),
        (
            lambda: workspace(robot("length", "tension", ("cable:a*", "cable:p*")), {"cable:*": [1.6]}),
            "moves inputs in N and m together; part them",
        ),
    ],
)
def test_maps_that_cannot_be_interpolated(call: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()  # type: ignore[operator]
