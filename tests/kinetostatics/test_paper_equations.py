"""The library's postures of nodes and routes against the 22 equations of the paper in angles, corrected."""

from __future__ import annotations

import numpy as np
import pytest
from prismatic_robot import GRAVITY, POSTURE, around, robot, structure

from taut import Cable, Equilibrium
from taut.kinetostatics import Robot, posture, postures, sensitivity
from taut.papers.prismatic.cases import pull, unknowns_of
from taut.papers.prismatic.equations import (
    ACTIVE,
    ALL,
    COMPONENTS,
    LOOP,
    NODES,
    PASSIVE,
    PLATE_WEIGHT,
    ROBOT,
    Pull,
    by_tension,
    jacobian,
    moments,
    newton,
    nodes,
    residuals,
    unknowns,
)

EVEN = pull(90.0, 65.0)
INPUTS = ("cable:a*", "cable:p*")


def wires(found: Equilibrium) -> Pull:
    """Tensions as the paper has them; a1 is its first active wire, and so on."""
    return Pull(found.cable_tension[:3], found.cable_tension[3:6])


def test_their_wires_are_those_of_the_model() -> None:
    routes = [*ACTIVE, *PASSIVE, LOOP]
    assert [tuple(cable.route) for cable in structure().cables.values()] == routes


def test_unknowns_and_nodes_are_those_of_the_reference() -> None:
    places = nodes(POSTURE["q"])
    assert max(np.abs(places[name] - POSTURE["nodes"][k]).max() for k, name in enumerate(NODES)) < 1e-14
    again = unknowns(places, POSTURE["q"][18:])
    assert np.abs(again - POSTURE["q"]).max() < 1e-13


def test_the_slopes_are_those_of_the_reference() -> None:
    assert np.abs(residuals(POSTURE["q"], EVEN)).max() < 1e-11
    assert np.abs(jacobian(POSTURE["q"], EVEN) - POSTURE["J"]).max() < 1e-11
    assert np.abs(by_tension(POSTURE["q"], EVEN) - POSTURE["Js"]).max() < 1e-13


@pytest.mark.parametrize(
    "values",
    [{}, {"cable:a*": 65.0, "cable:p*": 90.0}, {"cable:a1": 91.0, "cable:a2": 90.5, "cable:p3": 65.4}],
    ids=["as Table 2", "as Table 1", "uneven"],
)
def test_postures_satisfy_them(values: dict[str, float]) -> None:
    """To 1e-10 N m, N and m; and full steps from near lead to the same."""
    found = posture(robot(inputs=INPUTS), values)
    assert found.ok, found.status
    q, pulls = unknowns_of(found), wires(found)
    assert np.abs(residuals(q, pulls)).max() < 1e-10
    near = q + 1e-3 * np.random.default_rng(0).normal(size=22)
    back, steps = newton(near, pulls)
    assert 0 < steps <= 6
    assert np.abs(back - q).max() < 1e-9
    places = nodes(back)
    assert max(np.abs(places[name] - found.structure.nodes[name]).max() for name in NODES) < 1e-10


def test_a_posture_that_is_none_does_not_satisfy_them() -> None:
    found = posture(robot(inputs=INPUTS))
    assert np.abs(residuals(unknowns_of(found), pull(90.0, 65.1))).max() > 0.05


def test_the_plate_answers_to_tensions_as_eq_26_says() -> None:
    found = posture(robot())
    told = sensitivity(robot(), found).plates["top"]
    q = unknowns_of(found)
    expected = -np.linalg.solve(jacobian(q, EVEN), by_tension(q, EVEN))
    assert np.abs(told[:, :3].T - expected[12:15]).max() < 1e-8 * np.abs(expected[12:15]).max()


def test_moments_about_upper_joints_are_those_of_the_forces_on_their_ends() -> None:
    """CE2 is implied by CE4, wherever the robot is; as printed they differ by weight (2 m_n + 3/2 m_L) g."""
    q = POSTURE["q"] + 0.1 * np.random.default_rng(3).normal(size=22)
    n, turning = nodes(q), moments(q, EVEN)[3:]
    ends = {"22": ("1a", 9), "21": ("1b", 12), "23": ("1c", 15)}
    lost = (2.0 * ROBOT.node_mass + 1.5 * ROBOT.bar_mass) * ROBOT.weight
    for corrections, apart in ((ALL, np.zeros(3)), ((COMPONENTS, PLATE_WEIGHT), lost)):
        force = residuals(q, EVEN, corrections)
        for k, head in enumerate(("21", "22", "23")):
            end, row = ends[head]
            bar = n[end] - n[head]
            assert turning[k] == pytest.approx(np.cross(bar, force[row : row + 3] + apart), abs=1e-10)
            assert np.linalg.norm(turning[k]) > 1.0


def test_from_five_centimetres_off_it_is_the_same_posture() -> None:
    found = [posture(robot(), start=around(structure().positions, 0.05, 100 + seed)) for seed in range(20)]
    same = [one for one in found if one.ok and np.abs(one.structure.positions - POSTURE["nodes"]).max() < 1e-9]
    assert len(same) >= 18


@pytest.mark.slow
def test_other_postures_from_far_are_named_and_satisfy_them_too() -> None:
    """From 40 cm off; B turned by 120 deg either way is told to be B."""
    told = postures(robot(), tries=20, spread=0.4, seed=0)
    assert len(told.found) >= 5
    assert np.abs(told.found[0].posture.structure.positions - POSTURE["nodes"]).max() < 1e-9
    for one in told.found:
        assert told.named(one.posture) == one.name
        assert np.abs(residuals(unknowns_of(one.posture), EVEN)).max() < 1e-10
    assert {one.copy for one in told.found} >= {"B turned by 120 deg about z", "B turned by -120 deg about z"}


def cut(above: float) -> Robot:
    """Active wires cut at their guides, with another tension above them."""
    pieces = [
        Cable(f"{name}{part}", ends, mode="tension", command=tension)
        for name, route in zip(("a1", "a2", "a3"), ACTIVE, strict=True)
        for part, ends, tension in (("above", route[:2], above), ("below", route[1:], 90.0))
    ]
    return Robot(structure().without("cable:a*").with_cables(*pieces), ("cable:a*",), gravity=GRAVITY)


def test_tensions_that_differ_at_a_guide_are_those_of_two_wires() -> None:
    found = posture(cut(92.0))
    assert found.ok, found.status
    q, steps = newton(POSTURE["q"], Pull(np.tile([92.0, 90.0], (3, 1)), EVEN.passive), ALL)
    assert steps > 0
    places = nodes(q)
    assert max(np.abs(places[name] - found.structure.nodes[name]).max() for name in NODES) < 1e-9
