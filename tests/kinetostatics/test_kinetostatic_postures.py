"""Postures against an independent model, from far, in several copies; what is told where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from prismatic_robot import GRAVITY, POSTURE, around, posture_of, robot, structure
from scipy.spatial.transform import Rotation

import taut
from taut.errors import OptionError
from taut.kinetostatics import Robot, plate_stiffness, posture, postures, stiffness_by_mode
from taut.kinetostatics.symmetry import copied, described, symmetries

MODES = {
    "all tensions constant": "eig_tension_tension",
    "active tensions, passive springs": "eig_pas_spring",
    "active lengths locked, passive tensions": "eig_act_locked_pas_tension",
    "active lengths locked, passive springs": "eig_act_locked_pas_spring",
    "all lengths locked": "eig_all_locked",
}


def is_reference(found: taut.Equilibrium) -> bool:
    return bool(np.abs(found.structure.positions - POSTURE["nodes"]).max() < 1e-10)


def test_the_posture_of_commanded_tensions_is_the_reference() -> None:
    start = around(structure().positions, 0.02, 5)
    found = posture(robot(), start=start)
    assert found.ok, found.status
    assert np.abs(found.structure.positions - POSTURE["nodes"]).max() < 1e-10
    assert np.abs(found.cable_tension[:3] - 90.0).max() < 1e-8
    assert np.abs(found.cable_tension[3:6] - 65.0).max() < 1e-8
    assert found.cable_tension[6] == pytest.approx(POSTURE["lam"][9], abs=1e-8)
    assert np.abs(found.bar_force - POSTURE["lam"][:6]).max() < 1e-8
    assert found.residual < 1e-10
    assert found.notes[0].startswith("unstable: the energy falls in 2 directions")


def test_its_stiffness_under_five_ways_to_command_its_cables() -> None:
    found = stiffness_by_mode(posture(robot()), robot())
    assert list(found) == list(MODES)
    for name, key in MODES.items():
        assert found[name].stiffness == pytest.approx(POSTURE[key], rel=1e-6)
        assert np.array_equal(np.sign(found[name].stiffness), np.sign(POSTURE[key]))
        assert found[name].stable == (POSTURE[key][0] > 0.0)
    assert [one.unstable for one in found.values()] == [2, 2, 2, 0, 0]
    softest = found["all tensions constant"].softest
    assert np.linalg.norm(softest) == pytest.approx(1.0)
    assert not softest[:3].any(), "the base is held"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("active", "passive"), [("tension", "tension"), ("tension", "spring"), ("length", "spring"), ("length", "length")]
)
def test_from_five_centimetres_off_it_comes_back(active: str, passive: str) -> None:
    """Any other posture that is found is one by the equations of statics, and named."""
    made = robot(active, passive, ("cable:a*", "cable:p*"))
    everything = postures(made, tries=20, spread=0.05, seed=1)
    found = [posture(made, start=around(structure().positions, 0.05, seed)) for seed in range(20)]
    assert sum(one.ok for one in found) >= 18
    assert sum(is_reference(one) for one in found) >= 18
    for one in found:
        if one.ok:
            assert one.residual < 1e-7
            assert everything.named(one) or not is_reference(one)


def test_the_robot_turned_as_a_whole_has_the_same_postures_turned() -> None:
    turn = Rotation.from_rotvec([0.3, -1.1, 0.7])
    made = robot("tension", "spring")
    moved = Robot(
        made.structure.placed(turn.apply(made.structure.positions)),
        made.inputs,
        gravity=tuple(turn.apply([0.0, 0.0, -GRAVITY])),
    )
    values = {"cable:a1": 91.0, "cable:a2": 90.5}
    one, other = posture(made, values), posture(moved, values)
    assert one.ok
    assert other.ok
    assert np.abs(turn.apply(one.structure.positions) - other.structure.positions).max() < 1e-9
    assert other.cable_tension == pytest.approx(one.cable_tension, rel=1e-9)
    lowest = [stiffness_by_mode(each, made)["all lengths locked"].stiffness for each in (one, other)]
    assert lowest[0] == pytest.approx(lowest[1], rel=1e-7)
    twice = np.kron(np.eye(2), turn.as_matrix())
    stiff = plate_stiffness(one, "top").stiffness
    assert stiff is not None
    expected = twice @ stiff @ twice.T
    assert plate_stiffness(other, "top").stiffness == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def test_plate_stiffness_is_what_a_wrench_does() -> None:
    """Against loads on the nodes of the plate, balanced again."""
    made = robot("length", "spring")
    rest = posture(made)
    told = plate_stiffness(rest, "top")
    assert told.stiffness is not None
    assert np.linalg.eigvalsh(told.stiffness).min() > 0.0
    nodes = [list(made.structure.nodes).index(name) for name in ("21", "22", "23")]
    force = np.array([0.0002, -0.0001, 0.0003])
    shift = []
    for sign in (1.0, -1.0):
        loads = {name: tuple(sign * force / 3.0) for name in ("21", "22", "23")}
        found = posture(Robot(made.structure, made.inputs, gravity=GRAVITY, loads=loads), start=rest)
        shift.append(found.structure.positions[nodes].mean(axis=0))
    measured = 0.5 * (shift[0] - shift[1])
    assert measured == pytest.approx(told.compliance[:3, :3] @ force, rel=1e-4, abs=1e-12)


def toggle() -> Robot:
    """Two springy bars over a span, which snap through: above, below, and flat."""
    bars = [taut.Bar(n, (n, "top"), law="compressible", stiffness=1000.0, length=1.04) for n in ("left", "right")]
    places = {"left": (-1.0, 0.0, 0.0), "right": (1.0, 0.0, 0.0), "top": (0.0, 0.0, 0.25)}
    made = taut.Structure(places, bars=bars, supports={"left": "xyz", "right": "xyz", "top": "y"})
    return Robot(made, ("bar:*",))


def test_mirrored_postures_are_recognised() -> None:
    found = postures(toggle(), tries=30, spread=0.6, seed=3)
    heights = {one.name: float(one.posture.structure.positions[2, 2]) for one in found.found}
    assert sorted(round(height, 6) for height in heights.values()) == [-0.285657, 0.0, 0.285657]
    standing = [one for one in found.found if abs(one.posture.structure.positions[2, 2]) > 0.1]
    assert not standing[0].copy
    assert standing[1].copy == f"{standing[0].name} mirrored across the plane square to z"
    flat = next(one for one in found.found if abs(one.posture.structure.positions[2, 2]) < 0.1)
    assert not flat.copy
    assert flat.posture.notes[0].startswith("unstable")


def test_turned_copies_are_recognised_and_mirror_images_of_a_chiral_robot_are_none() -> None:
    made, places = robot(), around(POSTURE["nodes"], 0.03, 7)
    places[:3] = POSTURE["nodes"][:3]
    assert {described(turn) for turn, _ in symmetries(made)} >= {"turned by 120 deg about z"}
    # The base goes 01 -> 03 -> 02, and everything above with it.
    to = {"01": "03", "03": "02", "02": "01", "11": "13", "12": "11", "13": "12"}
    to |= {"1a": "1c", "1c": "1b", "1b": "1a", "21": "22", "22": "23", "23": "21"}
    names = list(made.structure.nodes)
    image = np.empty_like(places)
    image[[names.index(to[name]) for name in names]] = Rotation.from_euler("z", 120, degrees=True).apply(places)
    assert copied(made, places, image) == "turned by 120 deg about z"
    mirrored = {"02": "03", "03": "02", "11": "12", "12": "11", "1a": "1b", "1b": "1a", "21": "22", "22": "21"}
    other = np.empty_like(places)
    other[[names.index(mirrored.get(name, name)) for name in names]] = places * [1.0, -1.0, 1.0]
    assert np.abs(other[:3] - places[:3]).max() < 1e-12, "the base is where it was"
    assert copied(made, places, other) == "", "bars would follow, wires do not"
    assert copied(made, places, around(places, 0.01, 1)) == ""


def test_driven_by_sinusoids_of_five_millimetres_nodes_go_in_circles_that_grow_with_their_height() -> None:
    """As in Figure 10. Of the nodes at 674, 907 and 1597 mm: root mean squares of distances from the middle of
    their ways."""
    made = robot("length", "spring")
    angles = np.linspace(0.0, 2.0 * np.pi, 25)[:-1, None] + 2.0 * np.pi / 3.0 * np.arange(3)
    rest, places = posture_of("length", "spring"), []
    for values in made.values + 0.005 * np.cos(angles):
        rest = posture(made, values, start=rest)
        assert rest.ok, rest.status
        assert rest.cable_tension.min() > 50.0
        places.append(rest.structure.positions)
    middle = np.mean(places, axis=0)
    assert middle[[6, 3, 9], 2] == pytest.approx([0.674, 0.907, 1.597], abs=1e-3)
    radius = np.sqrt(np.mean(((places - middle)[:, :, :2] ** 2).sum(axis=2), axis=0))
    assert radius[6:9] == pytest.approx(5.555e-3, abs=1e-6)
    assert radius[3:6] == pytest.approx(7.259e-3, abs=1e-6)
    assert radius[9:] == pytest.approx(18.923e-3, abs=1e-6)
    assert radius[:3].max() < 1e-15, "the base is held"


# --- where there is none


def test_tensions_without_a_posture_say_how_near_it_came_and_why() -> None:
    found = posture(robot(), {"cable:a1": 150.0})
    assert not found.ok
    assert "no posture was found with cable:a1 150 N, cable:a2 90 N" in found.status
    assert "at the nearest shape" in found.status
    assert "N is left at node" in found.status
    assert "its posture ends, or leaps, after 1" in found.status
    assert "% of the way, at cable:a1 9" in found.status
    assert found.residual > 1.0


def test_lengths_without_a_shape_name_what_is_off() -> None:
    found = posture(robot("length", "spring"), {"cable:a*": 1.6})
    assert not found.ok
    assert 'no shape was found in which "saddle" is not 0.1' in found.status


def test_a_held_cable_that_would_push_is_slack() -> None:
    made = robot("length", "spring")
    found = posture(made, {"cable:a*": 1.66})
    assert (found.cable_tension >= 0.0).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"cable:a1": -1.0}, r"values: cable:a1 = -1 N makes no tension; it must be zero or more: a cable only pulls"),
        ({"cable:p1": 60.0}, r'values: "cable:p1" is no input; did you mean "cable:a1"\?; inputs are cable:a1'),
        ([90.0, 90.0], r"values has shape \(2,\); there are 3 inputs: cable:a1, cable:a2, cable:a3"),
        ([90.0, 90.0, np.nan], r"values: cable:a3 = nan N"),
    ],
)
def test_commands_that_make_no_sense(values: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        posture(robot(), values)  # type: ignore[arg-type]


def test_other_questions_that_make_no_sense() -> None:
    with pytest.raises(OptionError, match="its nodes are not those of the robot"):
        posture(robot(), start=posture(toggle()))
    with pytest.raises(OptionError, match=r"start must be finite numbers of shape \(12, 3\)"):
        posture(robot(), start=np.zeros((3, 3)))
    with pytest.raises(OptionError, match='no plate "tip"; did you mean "top"'):
        plate_stiffness(posture(robot()), "tip")
    with pytest.raises(OptionError, match='cable "a1" cannot be a spring: its stiffness is not known; give it one'):
        stiffness_by_mode(posture(robot()), {"all": {"cable:*": "spring"}})
    with pytest.raises(OptionError, match='inputs: "node:21" selects nodes'):
        _ = Robot(structure(), ("node:21",)).commanded
