"""Symmetry classes of gaits: derived from the robot's group, all of them, and real: in drives, and in how it moves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from test_gaits import told

import taut
from taut.errors import OptionError
from taut.generators import six_strut_robot
from taut.locomotion import GaitSymmetry, SinusoidSpace, Symmetry, gait_symmetries, gait_symmetry, symmetries
from taut.locomotion.gait_classes import point_group, symmetries_of_gaits
from taut.locomotion.gait_spaces import gait_space_from

ROBOT = six_strut_robot()
STRUTS = tuple(f"bar:{name}" for name in ROBOT.bars)

BY_HAND = {
    "C1/C1": "x1; x2; y1; y2; z1; z2",
    "Cs/Cs": "x1 x2; y1; y2; z1; z2",
    "C2v/C2v": "x1 x2; y1 y2; z1; z2",
    "D2h/D2h": "x1 x2; y1 y2; z1 z2",
    "Ci/C1": "x1 x2+1/2; y1 y2+1/2; z1 z2+1/2",
    "C2h/Cs": "x1 x2 still; y1 y2+1/2; z1 z2+1/2",
    "D2h/C2v": "x1 x2 still; y1 y2 still; z1 z2+1/2",
    "C3/C3": "x1 y1 z1; x2 y2 z2",
    "C3/C1-1": "x1 y1+1/3 z1+2/3; x2 y2+1/3 z2+2/3",
    "C3/C1-2": "x1 y1+2/3 z1+1/3; x2 y2+2/3 z2+1/3",
    "S6/C3": "x1 x2+1/2 y1 y2+1/2 z1 z2+1/2",
    "S6/C1-1": "x1 x2+1/2 y1+1/6 y2+2/3 z1+1/3 z2+5/6",
    "S6/C1-2": "x1 x2+1/2 y1+1/3 y2+5/6 z1+1/6 z2+2/3",
    "Th/Th": "x1 x2 y1 y2 z1 z2",
    "Th/D2h-1": "x1 x2 y1+1/3 y2+1/3 z1+2/3 z2+2/3",
    "Th/D2h-2": "x1 x2 y1+2/3 y2+2/3 z1+1/3 z2+1/3",
}
"""With u = s1 + s2 and v = s1 - s2 of every pair: mirrorings change the sign of single v, the turn of three brings x to
y to z. A half of a period, -1, goes with v where all u are nought; a third goes with u or with v or with both."""


@cache
def classes() -> dict[str, GaitSymmetry]:
    return {one.name: one for one in gait_symmetries(ROBOT, STRUTS)}


def matrix(symmetry: Symmetry) -> np.ndarray:
    """(6, 6) what it does to complex amplitudes of struts."""
    found = np.zeros((6, 6))
    for k, member in enumerate(STRUTS):
        found[STRUTS.index(symmetry.members[member]), k] = 1.0
    return found


def onto(rows: np.ndarray) -> np.ndarray:
    """(6, 6) the projector onto what rows (n, 6) make nought."""
    _, sizes, axes = np.linalg.svd(rows)
    rank = int((sizes > 1e-9).sum())
    return np.asarray(np.eye(6) - axes[:rank].conj().T @ axes[:rank])


def kept(elements: list[tuple[np.ndarray, float]]) -> np.ndarray:
    """The projector onto amplitudes a of which image and original differ by shifts of time alone: g a = a exp(-i s)."""
    rows = [one - np.exp(-2j * np.pi * shift) * np.eye(6) for one, shift in elements]
    return onto(np.vstack(rows).astype(complex))


def test_the_classes_are_those_found_by_hand() -> None:
    assert {name: one.words(STRUTS) for name, one in classes().items()} == BY_HAND
    assert next(iter(classes())) == "C1/C1"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_names_are_those_of_the_classes_whatever_the_order_of_members(seed: int) -> None:
    """Struts and nodes listed otherwise, the robot turned and mirrored: a wave does not become the wave back."""
    draw = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(draw.normal(size=(3, 3)))
    nodes = list(ROBOT.nodes)
    places = {nodes[k]: tuple(turn @ ROBOT.positions[k]) for k in draw.permutation(len(nodes))}
    bars = {name: ROBOT.bars[name] for name in draw.permutation(list(ROBOT.bars))}
    other, shuffled = replace(ROBOT, nodes=places, bars=bars), tuple(draw.permutation(STRUTS).tolist())
    found = gait_symmetries(other, shuffled)
    assert [one.name for one in found] == list(classes())
    group = [matrix(one) for one in symmetries(ROBOT)]
    for one in found:
        own, same = (
            kept([(matrix(g), shift) for g, shift in symmetries_of_gaits(robot, members, tied)])
            for robot, members, tied in ((other, shuffled, one), (ROBOT, STRUTS, classes()[one.name]))
        )
        assert min(np.abs(g @ same @ g.T - own).max() for g in group) < 1e-9, one.name


def test_every_choice_of_symmetries_leaves_one_of_the_classes() -> None:
    """By linear algebra instead of ties: amplitudes that symmetries drawn at random keep are those of a class."""
    group = [matrix(one) for one in symmetries(ROBOT)]
    known = []
    for one in classes().values():
        own = kept([(matrix(g), shift) for g, shift in symmetries_of_gaits(ROBOT, STRUTS, one)])
        assert np.trace(own).real == pytest.approx(len(one.free))
        known += [turn @ own @ turn.T for turn in group]
    draw, seen = np.random.default_rng(3), set()
    for _ in range(400):
        count = int(draw.integers(1, 4))
        picked = [(group[draw.integers(len(group))], float(draw.integers(6)) / 6.0) for _ in range(count)]
        left = kept(picked)
        if np.trace(left).real > 0.5:
            fits = [k for k, own in enumerate(known) if np.abs(own - left).max() < 1e-9]
            assert fits, picked
            seen.add(fits[0] // len(group))
    assert len(seen) > 12, "the draws come to most of them"


@pytest.mark.parametrize("name", BY_HAND)
def test_a_gait_is_brought_onto_itself_by_its_symmetries_and_by_no_others(name: str) -> None:
    space = SinusoidSpace(STRUTS, shared=("frequency",), symmetry=classes()[name])
    gait = space.gait(np.random.default_rng(5).random(space.size))
    assert isinstance(gait.frequency, float)
    times, period = np.linspace(2.0, 3.0, 13), 1.0 / gait.frequency
    drives = dict(zip(STRUTS, gait.drives(ROBOT), strict=True))

    def off(symmetry: Symmetry, shift: float) -> float:
        """[m] between what the images of struts do, and struts a part of a period later."""
        return max(
            float(np.abs(told(drives[symmetry.members[one]], times) - told(drives[one], times + shift * period)).max())
            for one in STRUTS
        )

    held = symmetries_of_gaits(ROBOT, STRUTS, classes()[name])
    assert max(off(symmetry, shift) for symmetry, shift in held) < 1e-12
    turns = [symmetry.turn for symmetry, _ in held]
    others = [one for one in symmetries(ROBOT) if not any(np.allclose(one.turn, turn) for turn in turns)]
    assert len(held) + len(others) == 24
    for one in others:
        assert min(off(one, shift / 6.0) for shift in range(6)) > 1e-4


@pytest.mark.parametrize("name", ["C3/C1-1", "S6/C1-2", "Th/D2h-1", "C2h/Cs"])
def test_the_robot_itself_moves_with_the_symmetry_of_its_gait(name: str) -> None:
    """Without weight, above the floor: begun a part of a period later, it is the same motion turned or mirrored."""
    robot = six_strut_robot(lift=2.0)
    space = SinusoidSpace(STRUTS, (0.03, 0.1), (2.0, 2.0), shared=("frequency",), symmetry=classes()[name])
    gait = space.gait(np.random.default_rng(8).random(space.size))

    @cache
    def places(shift: float) -> np.ndarray:
        """(T, n, 3) from the middle, of the gait that is so many periods ahead."""
        moved = replace(gait, phase=tuple(phase + 2.0 * np.pi * shift for phase in gait.phase))
        floor = taut.Ground("floor", friction=0.6)
        plant = taut.assemble(robot, gravity=0.0, ground=[floor], drives=moved.drives(robot))
        run = taut.simulate(plant, 1.5, every=0.02, method="impulses", step=1e-3, verify=False)
        return np.asarray(run.nodes - run.nodes.mean(axis=1, keepdims=True))

    names = list(robot.nodes)
    for symmetry, shift in symmetries_of_gaits(robot, STRUTS, classes()[name]):
        goes = [names.index(symmetry.nodes[node]) for node in names]
        assert np.abs(places(0.0)[:, goes] - places(shift) @ symmetry.turn.T).max() < 1e-9
        if shift:
            assert np.abs(places(0.0)[:, goes] - places(0.0) @ symmetry.turn.T).max() > 1e-2


def test_a_space_has_numbers_for_those_that_follow_none() -> None:
    space = SinusoidSpace(STRUTS, mean=(-0.01, 0.02), shared=("frequency",), symmetry=classes()["C2h/Cs"])
    assert space.names == (
        *("amplitude y1", "amplitude z1", "frequency", "phase y1", "phase z1"),
        *("mean x1", "mean y1", "mean z1"),
    )
    point = np.random.default_rng(1).random(space.size)
    gait = space.gait(point)
    assert gait.amplitude[:2] == (0.0, 0.0)
    assert gait.phase[3] - gait.phase[2] == pytest.approx(np.pi)
    assert space.point(gait) == pytest.approx(point)
    assert gait_space_from(space.data()) == space
    assert space.parameters(point)["drive:*.phase"][0].tolist() == list(gait.phase)
    shared = SinusoidSpace(STRUTS, symmetry=classes()["C2h/Cs"])
    assert shared.gait(np.full(shared.size, 0.5)).amplitude == pytest.approx((0.0, 0.0, 0.07, 0.07, 0.07, 0.07))
    other = SinusoidSpace(STRUTS, shared=("frequency",), symmetry=classes()["Ci/C1"])
    with pytest.raises(OptionError, match="the gait is not one of this space: by its symmetry"):
        space.point(other.gait(np.full(other.size, 0.3)))


def test_groups_have_their_names() -> None:
    every = [one.turn for one in symmetries(ROBOT)]
    proper = [turn for turn in every if np.linalg.det(turn) > 0.0]
    assert (point_group(every), point_group(proper), point_group(every[:1])) == ("Th", "T", "C1")
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    across, down = np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0])
    for name, makers in {
        "C4": [quarter],
        "S4": [quarter @ down],
        "C4v": [quarter, across],
        "C4h": [quarter, down],
        "D4": [quarter, across @ down],
        "D4h": [quarter, across, down],
        "D2d": [quarter @ down, across],
        "Cs": [down],
        "Ci": [-np.eye(3)],
        "Oh": [quarter, quarter[:, [2, 0, 1]][[2, 0, 1]], -np.eye(3)],
    }.items():
        assert point_group(generated(makers)) == name


def generated(makers: list[np.ndarray]) -> list[np.ndarray]:
    found = [np.eye(3)]
    for one in found:  # which grows
        found += [new for new in (one @ maker for maker in makers) if not any(np.allclose(new, old) for old in found)]
    return found


def test_what_is_no_symmetry_is_refused() -> None:
    with pytest.raises(OptionError, match='there is no symmetry "Th/D2h" of gaits of these members; did you mean'):
        gait_symmetry(ROBOT, STRUTS, "Th/D2h")
    with pytest.raises(OptionError, match='"bar:x\\*" is no member by itself'):
        gait_symmetries(ROBOT, ("bar:x*",))
    with pytest.raises(OptionError, match="a symmetry brings bar:x1 onto bar:.*, which does not move; name bar:"):
        gait_symmetries(ROBOT, STRUTS[:1])
    with pytest.raises(OptionError, match="symmetry C3/C3 is of 6 members, and 2 are to move"):
        SinusoidSpace(STRUTS[:2], symmetry=classes()["C3/C3"])
    with pytest.raises(OptionError, match="a symmetry in time wants one frequency"):
        SinusoidSpace(STRUTS, shared=("mean",), symmetry=classes()["C3/C3"])
    with pytest.raises(OptionError, match="each member follows one that follows itself"):
        GaitSymmetry("odd", (1, 1, 0), (0.0, 0.0, 0.0))
