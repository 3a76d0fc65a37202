"""Maps over a workspace against postures that are found one by one; the compiled solver from one to the next."""

from __future__ import annotations

import numpy as np
import pytest
from prismatic_robot import GRAVITY, robot

from taut.errors import OptionError
from taut.kinetostatics import (
    PlatePosition,
    PostureSolver,
    Robot,
    TensionSum,
    plate_stiffness,
    posture,
    reach,
    sensitivity,
    workspace,
)
from taut.kinetostatics.map_points import serpentine
from taut.kinetostatics.mode_stiffness import reduced_stiffness


def test_two_newton_steps_from_one_posture_to_the_next() -> None:
    """At 1 kHz along the circle: a thirtieth of a millimetre, some thousandths of a newton."""
    made = robot()
    solver = PostureSolver(made, posture(made))
    for number in range(1, 50):
        values = made.values + 0.005 * number * np.array([1.0, -0.3, -0.7])
        assert solver.solve(values) <= 1e-8
    found = posture(made, values)
    assert np.abs(found.structure.positions - solver.positions).max() < 1e-9
    assert solver.static_multipliers[0] == pytest.approx(found.cable_tension[6], abs=1e-7)


def test_a_singular_matrix_is_told() -> None:
    """A node on two bars in one line."""
    import taut

    bars = [taut.Bar(name, (name, "mid"), mass=1.0) for name in ("left", "right")]
    places = {"left": (-1.0, 0.0, 0.0), "right": (1.0, 0.0, 0.0), "mid": (0.0, 0.0, 0.0)}
    made = taut.Structure(places, bars=bars, supports={"left": "xyz", "right": "xyz"})
    solver = PostureSolver(Robot(made, ("bar:*",), loads={"mid": (0.0, 0.0, 1.0)}))
    assert np.isnan(solver.solve(solver.values))


def test_stiff_wires_beside_a_rigid_bar_are_not_taken_for_singular() -> None:
    """A post between two stays, one of them wound in by 1 mm: where it leans does not depend on how stiff both are."""
    import taut

    places = {"foot": (0, 0, 0), "left": (-1, 0, 0), "right": (1, 0, 0), "top": (0, 0, 1)}
    tops = []
    for stiffness in (1e3, 1e9):
        stays = [taut.Cable(x, (x, "top"), stiffness=stiffness, rest_length=1.4) for x in ("left", "right")]
        post = taut.Bar("post", ("foot", "top"), mass=1.0)
        held = {"foot": "xyz", "left": "xyz", "right": "xyz", "top": "y"}
        made = Robot(taut.Structure(places, bars=[post], cables=stays, supports=held), ("cable:left",))
        solver = PostureSolver(made, posture(made))
        assert solver.solve(np.array([1.399]), steps=6, tolerance=1e-12 * stiffness) <= 1e-9 * stiffness
        tops.append(solver.positions[3].copy())
    assert tops[0][0] == pytest.approx(-1e-3 / np.sqrt(2.0), rel=0.02), "to first order"
    assert tops[1] == pytest.approx(tops[0], abs=1e-12)


def test_a_map_has_the_postures_of_its_commands() -> None:
    made = robot("length", "spring")
    grid = {"cable:a1": np.linspace(1.63, 1.642, 4), "cable:a2": np.linspace(1.631, 1.641, 3)}
    found = workspace(made, grid)
    assert found.found.shape == (4, 3)
    assert found.found.all()
    for at in ((0, 0), (3, 2), (2, 1)):
        one = posture(made, found.values[at])
        assert found.values[at][:2] == pytest.approx([grid["cable:a1"][at[0]], grid["cable:a2"][at[1]]])
        assert np.abs(found.nodes[at] - one.structure.positions).max() < 1e-8
        assert found.member_force[at] == pytest.approx(one.member_force, abs=1e-5)
        assert found.lowest_stiffness[at] == pytest.approx(reduced_stiffness(one)[0][0], rel=1e-6)
        stiff = np.linalg.inv(plate_stiffness(one, "top").compliance[:3, :3])
        assert found.plate_stiffness[at] == pytest.approx(np.linalg.eigvalsh(stiff)[0], rel=1e-6)
        moved = sensitivity(made, one).plates["top"][:, :3].T * made.scale
        sizes = np.linalg.svd(moved, compute_uv=False)
        assert found.dexterity[at] == pytest.approx(sizes[-1] / sizes[0], rel=1e-5)


def test_what_cannot_be_is_not_found() -> None:
    found = workspace(robot("length", "spring"), {"cable:a*": [1.636, 1.5]}, stiffness=False)
    assert found.found.tolist() == [True, False]
    assert np.isnan(found.nodes[1]).all()


def test_wrenches_are_borne_where_no_tension_leaves_its_limits() -> None:
    made = robot("length", "spring")
    wrenches = [(0.0, 0.0, -15.0, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0, 0.0, 0.1)]
    found = workspace(made, {"cable:a*": [1.634, 1.64]}, wrenches=wrenches, lowest=60.0, highest=150.0, stiffness=False)
    for number, length in enumerate((1.634, 1.64)):
        tensions = []
        for wrench in wrenches:
            places = found.nodes[number, 9:]  # a moment is one where the plate stands, which may have turned
            arm = places - places.mean(axis=0)
            turn = np.array([0.0, 0.0, wrench[5]])
            spun = np.cross(turn, arm) / (arm**2).sum() if turn.any() else np.zeros((3, 3))
            loads = {n: tuple(np.array(wrench[:3]) / 3.0 + spun[k]) for k, n in enumerate(("21", "22", "23"))}
            under = Robot(made.structure, made.inputs, gravity=GRAVITY, loads=loads)
            one = posture(under, {"cable:a*": length})
            assert one.ok
            tensions.append(one.cable_tension)
        least, most = np.min(tensions), np.max(tensions)
        assert found.wrench_margin[number] == pytest.approx(min(least - 60.0, 150.0 - most), abs=1e-9)
    assert found.wrench_feasible.tolist() == [bool(margin >= 0.0) for margin in found.wrench_margin]


def test_a_map_of_what_is_reached() -> None:
    made = robot("length", "spring")
    axes = {"x": np.linspace(-0.02, 0.02, 3), "y": [0.0, 0.01], "z": [1.595, 2.5]}
    found = reach(made, axes, lambda x, y, z: [PlatePosition("top", (x, y, z))])
    assert found.reached[:, :, 0].all()
    assert not found.reached[:, :, 1].any()
    assert np.abs(found.nodes[2, 1, 0, 9:].mean(axis=0) - [0.02, 0.01, 1.595]).max() < 1e-6
    assert (found.error[:, :, 1] > 0.1).all()
    assert np.isnan(found.values[0, 0, 1]).all()
    flat = reach(
        made, {"x": [0.0, 0.01]}, lambda x: [PlatePosition("top", (x, 0.0, None)), TensionSum(("cable:a*",), 270.0)]
    )
    assert flat.reached.all()


@pytest.mark.parametrize("shape", [(3, 4), (2, 4, 3), (3, 3, 2, 2), (5,)])
def test_a_grid_is_gone_over_from_neighbour_to_neighbour(shape: tuple[int, ...]) -> None:
    way = np.array(list(serpentine(shape)))
    assert len({tuple(at) for at in way}) == np.prod(shape)
    assert (np.abs(np.diff(way, axis=0)).sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: workspace(robot(), {"cable:p1": [1.0]}), '"cable:p1" is no input; they are cable:a1'),
        (lambda: workspace(robot(), {"cable:a1": []}), "must be finite numbers in a row"),
        (lambda: workspace(robot(), {"cable:a1": [90.0]}, wrenches=[(1.0, 2.0)]), "must be six finite numbers"),
        (lambda: workspace(robot(), {"cable:a1": [90.0]}, plate="tip"), 'no plate "tip"; did you mean "top"'),
        (lambda: workspace(robot(), {"cable:a1": [90.0]}, lowest=np.nan), "cannot be between lowest = nan N and"),
        (lambda: workspace(robot(), {"cable:a1": [90.0]}, lowest=9.0, highest=5.0), "between lowest = 9 N and highest"),
    ],
)
def test_maps_that_make_no_sense(call: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()  # type: ignore[operator]
