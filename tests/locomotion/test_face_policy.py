"""Policies by the face below: symmetries of the robot, tables of rolls made of a few, the law that picks one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numba
import numpy as np
import pytest
from example_scripts import script
from scipy.spatial.transform import Rotation

import taut
from taut import OptionError
from taut.locomotion import FacePolicy, Roll, by_symmetry, course_of, stands, symmetries
from taut.locomotion.face_policy import CHOSEN, rolling_law

ROBOT = taut.generators.six_strut_robot()
STRUTS = tuple(f"bar:{name}" for name in ROBOT.bars)
ROLLS = script("roll_to_a_goal").ROLLS


@cache
def table() -> tuple[Roll, ...]:
    return by_symmetry(ROBOT, STRUTS, ROLLS)


@numba.njit
def decided(places: np.ndarray, state: np.ndarray, out: np.ndarray) -> None:
    out[:] = rolling_law(0.0, places, state)


def test_the_robot_has_twelve_turns_and_twelve_mirrorings() -> None:
    found = symmetries(ROBOT)
    assert np.allclose(found[0].turn, np.eye(3))
    assert sorted(round(float(np.linalg.det(one.turn))) for one in found) == [-1] * 12 + [1] * 12
    places = ROBOT.positions - ROBOT.positions.mean(axis=0)
    names = list(ROBOT.nodes)
    for one in found:
        assert np.allclose(one.turn @ one.turn.T, np.eye(3))
        goes = [names.index(one.nodes[name]) for name in names]
        assert np.allclose(places @ one.turn.T, places[goes], atol=1e-9)
        for name, bar in ROBOT.bars.items():
            image = ROBOT.bars[one.members[f"bar:{name}"].removeprefix("bar:")]
            assert {one.nodes[node] for node in bar.nodes} == set(image.nodes)
    lopsided = taut.Structure({"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 2, 0), "d": (0, 0, 3)})
    assert len(symmetries(lopsided)) == 1


def test_symmetries_do_not_hang_on_the_size_and_tell_members_side_by_side_apart() -> None:
    off = 1e-8 * np.random.default_rng(0).normal(size=ROBOT.positions.shape)
    for size in (1e-3, 1.0, 1e3):
        assert len(symmetries(ROBOT.placed(size * (ROBOT.positions + off)))) == 24, size
    twice = {f"{name}, too": replace(cable, name=f"{name}, too") for name, cable in ROBOT.cables.items()}
    doubled = replace(ROBOT, cables={**ROBOT.cables, **twice})
    for one in symmetries(doubled):
        assert set(one.members.values()) == set(one.members)
    assert all(name == image for name, image in symmetries(doubled)[0].members.items())
    one_more = replace(ROBOT, cables={**ROBOT.cables, "c1, too": twice["c1, too"]})
    assert len(symmetries(one_more)) < 24, "what brings that cable onto one that is alone is none"
    with pytest.raises(OptionError, match="all nodes lie in one plane"):
        symmetries(taut.generators.tbar())


def test_three_rolls_make_all_sixty() -> None:
    """Three edges of eight closed faces and of twelve open ones; each lies between two nodes of its face."""
    flags = {(frozenset(roll.face), frozenset(roll.over)) for roll in table()}
    assert len(flags) == len(table()) == 60
    assert len({face for face, _ in flags}) == 20
    with pytest.raises(OptionError, match="a symmetry takes members out of the policy; name .*bar:x2"):
        by_symmetry(ROBOT, ("bar:x1",), [Roll(("x2b", "y2b", "z2b"), ("y2b", "z2b"), (0.1,))])


def _way(one: np.ndarray, other: np.ndarray, middle: np.ndarray, bearing: float) -> np.ndarray:
    """(2,) the way across an edge from the middle of its face and along it, seen from above."""
    edge = (other - one) / np.linalg.norm(other - one)
    across = one - middle - ((one - middle) @ edge) * edge
    return np.asarray(np.cos(bearing) * across[:2] / np.linalg.norm(across[:2]) + np.sin(bearing) * edge[:2])


@pytest.mark.parametrize("face_down", [pytest.param("closed", marks=pytest.mark.slow), "open"])
def test_the_law_picks_the_way_nearest_to_the_heading(face_down: str) -> None:
    """Against the same by numpy, of robots turned about the vertical at random."""
    draw = np.random.default_rng(5)
    robot = taut.generators.six_strut_robot(face_down=face_down)
    names = list(robot.nodes)
    picked = set()
    for _ in range(20):
        turn, heading = draw.uniform(-np.pi, np.pi, 2)
        places = Rotation.from_rotvec([0.0, 0.0, turn]).apply(robot.positions) + draw.normal(size=3)
        policy = FacePolicy(STRUTS, table(), heading)
        state, out = np.array(policy.controller(robot).state), np.zeros(6)
        low = np.flatnonzero(places[:, 2] < places[:, 2].min() + 1e-6)
        fitting = [roll for roll in table() if {names.index(node) for node in roll.face} == set(low.tolist())]
        assert len(fitting) == 3
        middle = places[low].mean(axis=0)

        ways = [_way(*(places[names.index(node)] for node in roll.over), middle, roll.bearing) for roll in fitting]
        wanted = fitting[int(np.argmax(np.array(ways) @ [np.cos(heading), np.sin(heading)]))]
        ticks = []
        for _ in range(policy.held + policy.rested + 1):
            decided(places.ravel(), state, out)
            ticks.append(out.tolist())
        assert table()[int(state[CHOSEN])] == wanted
        assert ticks[0] == ticks[policy.held - 1] == ticks[-1] == list(wanted.changes)
        assert not np.any(ticks[policy.held : -1])
        picked.add(frozenset(wanted.over))
    assert len(picked) == 3


def test_a_face_without_a_roll_commands_nothing() -> None:
    policy = FacePolicy(STRUTS, tuple(roll for roll in table() if set(roll.face) != {"x2b", "y2b", "z2b"}))
    state, out = np.array(policy.controller(ROBOT).state), np.ones(6)
    decided(ROBOT.positions.ravel(), state, out)
    assert not out.any()
    assert state[CHOSEN] == -1


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(OptionError, match="the edge a d is none of the face a b c; name two of its nodes"):
        Roll(("a", "b", "c"), ("a", "d"), (0.0,))
    with pytest.raises(OptionError, match="give at least one roll"):
        FacePolicy(STRUTS, ())
    with pytest.raises(OptionError, match="the roll over a b has 1 changes for 6 members"):
        FacePolicy(STRUTS, (Roll(("a", "b", "c"), ("a", "b"), (0.0,)),))
    robot, roll = taut.generators.six_strut_robot(), Roll(("x2b", "y2b", "z2b"), ("y2b", "z2b"), (0.0, 0.1))
    with pytest.raises(OptionError, match='"bar:x\\*" is no member by itself; name each, as "bar:x1"'):
        by_symmetry(robot, ("bar:x*",), [roll])
    with pytest.raises(OptionError, match="a roll has 2 changes for 6 members; give one each"):
        by_symmetry(robot, tuple(f"bar:{name}" for name in robot.bars), [roll])
    with pytest.raises(OptionError, match='there is no node "x2c"; did you mean'):
        FacePolicy(STRUTS, (Roll(("x2c", "y2b", "z2b"), ("y2b", "z2b"), (0.0,) * 6),)).controller(ROBOT)


@pytest.mark.slow
def test_a_robot_rolls_along_its_heading_by_a_controller() -> None:
    """Compiled, in one run; and in a rollout with noise, each variant by itself."""
    for heading in (0.0, 2.0):
        policy = FacePolicy(STRUTS, table(), heading)
        plant = taut.assemble(
            ROBOT,
            gravity=9.81,
            ground=[taut.Ground("floor", friction=0.6)],
            drives=policy.drives(ROBOT),
            controllers=[policy.controller(ROBOT)],
        )
        run = taut.simulate(plant, 5 * policy.turn, every=0.02, method="impulses", step=1e-3, verify=False)
        assert run.ok
        gone = course_of(run)
        assert gone.distance > 1.0
        # Ways from a closed face are 120 degrees apart, so that one is within 60 degrees of any heading.
        assert abs(np.angle(np.exp(1j * (gone.direction - heading)))) < np.pi / 3.0
        assert len(stands(run)) >= 5
        many = taut.rollout(plant, {}, 5 * policy.turn, seeds=range(3), noise={"velocities": 0.02})
        assert many.ok.all()
        ways = taut.locomotion.measures_of(many, ["distance"]).distance
        assert (ways > 1.0).all()
        assert np.ptp(ways) > 0.0
