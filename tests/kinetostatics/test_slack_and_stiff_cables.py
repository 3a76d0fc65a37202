"""Held cables that are slack in a posture, wires so stiff that a step of a grid would slacken them, nothing that can
move: where plain steps of Newton's method fail."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from prismatic_robot import GRAVITY, posture_of, structure

import taut
from taut.kinetostatics import (
    NodePosition,
    PlatePosition,
    PostureSolver,
    Robot,
    TensionSum,
    follow,
    inverse_kinematics,
    posture,
    sensitivity,
    workspace,
)
from taut.kinetostatics.tangents import LengthSlopes, tangent

WEIGHT = 2.0 * 9.81


@cache
def hanging() -> Robot:
    """2 kg on a spring of 1000 N/m, which is let out, beside a rope of 1.1 m that is slack at first."""
    spring = taut.Cable("spring", ("hook", "weight"), stiffness=1000.0, rest_length=1.0)
    rope = taut.Cable("rope", ("hook", "weight"), mode="length", command=1.1)
    made = taut.Structure(
        {"hook": (0.0, 0.0, 0.0), "weight": (0.0, 0.0, -1.0 - WEIGHT / 1000.0)},
        cables=[spring, rope],
        supports={"hook": "xyz", "weight": "xy"},
        point_masses={"weight": 2.0},
    )
    return Robot(made, ("cable:spring",), gravity=9.81)


@pytest.mark.slow
@pytest.mark.parametrize("length", [1.0, 1.05, 1.08, 1.081, 1.09, 1.2])
def test_a_rope_takes_over_where_it_tightens(length: float) -> None:
    """At its start the spring is slack with most of these lengths, so that nothing there is stiff at all."""
    found = posture(hanging(), [length])
    assert found.ok, found.status
    low = min(length + WEIGHT / 1000.0, 1.1)
    pull = max(1000.0 * (low - length), 0.0)
    assert found.structure.nodes["weight"][2] == pytest.approx(-low, abs=1e-12)
    assert found.cable_tension == pytest.approx([pull, WEIGHT - pull], abs=1e-9)
    moved = sensitivity(hanging().at(found), found).nodes[0, 1, 2]
    assert moved == pytest.approx(-1.0 if low < 1.1 else 0.0, abs=1e-9)


@pytest.mark.slow
def test_inverse_kinematics_goes_as_far_as_the_rope() -> None:
    found = inverse_kinematics(hanging(), [NodePosition("weight", (None, None, -1.0999))])
    assert found.ok, found.status
    assert found.values == pytest.approx([1.0999 - WEIGHT / 1000.0], abs=1e-9)
    short = inverse_kinematics(hanging(), [NodePosition("weight", (None, None, -1.12))])
    assert not short.ok
    assert short.posture.structure.nodes["weight"][2] == pytest.approx(-1.1, abs=1e-9)
    path = follow(hanging(), lambda t: [NodePosition("weight", (None, None, -1.02 - 0.07 * t))], [0.0, 0.5, 1.0])
    assert path.ok, path.status


@pytest.mark.slow
def test_a_map_goes_on_where_nothing_can_move() -> None:
    """Steps are longer than the spring is stretched."""
    found = workspace(hanging(), {"cable:spring": [1.0, 1.04, 1.08, 1.12, 1.16]})
    assert found.nodes[[0, 1, 2], 1, 2] == pytest.approx([-1.01962, -1.05962, -1.09962], abs=1e-9)
    assert found.lowest_stiffness[:3] == pytest.approx(1000.0)
    assert found.nodes[-1, 1, 2] == pytest.approx(-1.1, abs=1e-9)
    assert found.lowest_stiffness[-1] == np.inf


def test_a_robot_with_a_slack_rope_stands_where_it_stood_without() -> None:
    held = structure("length", "spring")
    length = 1.05 * float(np.linalg.norm(np.subtract(held.nodes["21"], held.nodes["02"])))
    roped = held.with_cables(taut.Cable("rope", ("21", "02"), mode="length", command=length))
    made, bare = Robot(roped, ("cable:a*",), gravity=GRAVITY), Robot(held, ("cable:a*",), gravity=GRAVITY)
    values = bare.values + np.array([0.003, -0.001, 0.0])
    one, other = posture(made, values), posture(bare, values)
    assert one.ok, one.status
    assert one.cable_tension[-1] == 0.0
    assert np.abs(one.structure.positions - other.structure.positions).max() < 1e-10
    assert np.abs(sensitivity(made, one).nodes - sensitivity(bare, other).nodes).max() < 1e-7
    solver = PostureSolver(made, one)
    assert solver.slack.tolist() == [False] * 4 + [True]
    assert solver.solve(values, steps=1) < 1e-8
    grid = {"cable:a1": values[0] + np.array([0.0, 0.001])}
    assert workspace(made, grid).lowest_stiffness == pytest.approx(workspace(bare, grid).lowest_stiffness, rel=1e-6)


@cache
def stiff() -> Robot:
    """Active wires of 1e5 N/m: 90 N stretch them by 0.9 mm."""
    made = structure("length", "spring").changed("cable:a*", mode="spring", stiffness=1e5, command=None)
    length = 1.6360883594875042
    for name, pull in zip(("a1", "a2", "a3"), posture_of("length", "spring").cable_tension, strict=False):
        made = made.changed(f"cable:{name}", rest_length=length - float(pull) / 1e5)
    return Robot(made, ("cable:a*",), gravity=GRAVITY)


def test_stiff_wires_have_exact_tangents() -> None:
    rest = posture(stiff())
    exact = sensitivity(stiff(), rest)
    found = tangent(PostureSolver(stiff(), rest), LengthSlopes(stiff().problem))
    assert found is not None
    assert np.abs(found.by_input.T.reshape(exact.nodes.shape) - exact.nodes).max() < 1e-9
    assert np.abs(found.force_by_input.T - exact.member_force).max() < 1e-9 * np.abs(exact.member_force).max()


def test_stiff_wires_are_led_along_paths_and_over_maps_by_more_than_they_are_stretched() -> None:
    def aside(time: float) -> list[PlatePosition | TensionSum]:
        return [PlatePosition("top", (0.01 * time, 0.0, None)), TensionSum(("cable:a*",), 270.0)]

    path = follow(stiff(), aside, np.linspace(0.0, 1.0, 6))
    assert path.ok, path.status
    assert path.corrections.max() <= 4
    found = workspace(stiff(), {"cable:a1": stiff().values[0] + np.array([-0.009, -0.003, 0.003, 0.009])})
    assert found.found.all()
    for at in range(4):
        one = posture(stiff(), found.values[at])
        assert np.abs(found.nodes[at] - one.structure.positions).max() < 1e-8
