"""A controller that acts at every evaluation, under implicit steps in coordinates of joints: a motor at an elbow that
acts as a spring and a damper would, beside these themselves, and beside explicit steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_implicit_joints import DURATION, apart, moved

from taut import Angle, Bar, Command, Controller, Drive, Structure, assemble
from taut.control import LinearLaw
from taut.mechanisms import GeneralisedPlant, Joint, in_coordinates
from taut.numerics.differences import jacobian

SOFT, FIRM = (40.0, 2.0), (2e5, 400.0)
"""Gains of the elbow [N m/rad] and of its rate [N m s/rad]: slower than the arm swings, and some 500 times faster."""
REST, NEAR = 1.9, 2.3
"""[rad] What the elbow is led to by each; it stands at 2.31 at the start."""
MEASURED = ("angle:elbow.angle", "angle:elbow.angle_rate")
NODES = ("o", "a", "b")

pytestmark = pytest.mark.slow  # of one Spec, with controllers


PLACES = {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.1, -0.5), "b": (0.8, 0.7, -1.0)}


def universal(name: str, ends: tuple[str, str], on: str | None = None) -> Joint:
    """About the normal of the arm's plane, and then across it, so that its axes stay across the bar."""
    normal = np.cross(PLACES["a"], np.subtract(PLACES["b"], PLACES["a"]))
    across = np.cross(np.subtract(PLACES[ends[1]], PLACES[ends[0]]), normal)
    axes = tuple(map(float, normal)), tuple(map(float, across))
    return Joint.universal(name, ends[0], axes, (ends[1],), on=on)


def in_joints(elbow: Angle, **options: Any) -> GeneralisedPlant:
    structure = Structure(
        PLACES,
        [Bar("oa", ("o", "a"), mass=1.0), Bar("ab", ("a", "b"), mass=0.7)],
        supports={"o": "xyz"},
        point_masses={"b": 0.4},
        angles=[elbow],
    )
    joints = [universal("hip", ("o", "a")), universal("knee", ("a", "b"), on="hip")]
    return in_coordinates(assemble(structure, gravity=9.81, **options), joints)


def led(gains: tuple[float, float], law: Any = None, rest: float = REST, **limits: Any) -> GeneralisedPlant:
    """By a controller."""
    gain = LinearLaw(-np.array([gains]), measured_offset=np.array([rest, 0.0]))
    pd = Controller("pd", MEASURED, ("motor",), law or gain, **limits)
    motor = Drive("motor", "angle:elbow", "torque", to=Command())
    return in_joints(Angle.elbow("elbow", NODES, mode="free"), drives=[motor], controllers=[pd])


def sprung(gains: tuple[float, float], rest: float = REST) -> GeneralisedPlant:
    """By a spring and a damper."""
    return in_joints(Angle.elbow("elbow", NODES, rest, mode="free", stiffness=gains[0], damping=gains[1]))


def test_its_slopes_are_in_the_newton_matrix() -> None:
    """S by differences of eighth order, with steps a thousand times as long; without the controller it is another."""
    s, draw = 0.01, np.random.default_rng(2)
    y, base = np.array([[0.2], [0.3]]) * draw.normal(size=(2, 12)) * np.repeat([1.0, 3.0, 0.0], 4)
    force = draw.normal(size=4)

    def solved(plant: GeneralisedPlant) -> tuple[np.ndarray, np.ndarray]:
        pack, operations = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.operations()
        state, before = (np.concatenate([one[:9], plant.internal]) for one in (y, base))

        def unbalanced(shift: np.ndarray) -> np.ndarray:
            out, there = np.zeros(4), state.copy()
            there[:8] += np.concatenate([shift, shift / s])
            operations["newton_residual"](pack, 0.0, there, before, s, out)
            return out

        operations["recall_multipliers"](pack)
        matrix, found = -jacobian(unbalanced, np.zeros(4), 1e-3), np.zeros(4)
        assert operations["factor_newton"](pack, 0.0, state, before, s) == 0
        operations["solve_newton"](pack, force, np.zeros(0), found, 0.0)
        return found, np.linalg.solve(matrix, force)

    (by_controller, wanted), (by_spring, _), (without, _) = (
        solved(p) for p in (led(FIRM), sprung(FIRM), led((0.0, 0.0)))
    )
    assert by_controller == pytest.approx(wanted, rel=1e-6)
    assert by_controller == pytest.approx(by_spring, rel=1e-6)
    assert np.abs(by_controller - without).max() > 0.5 * np.abs(without).max()


@pytest.mark.parametrize(("method", "order"), [("implicit3", 3), ("implicit4", 4)])
def test_the_order_is_the_full_one(method: str, order: int) -> None:
    plant = led(SOFT)
    wanted, steps = moved(plant, "dp8", 1e-12), DURATION / 40 * 0.5 ** np.arange(3)
    assert np.abs(wanted.drive_power).max() > 10.0
    wrong = [apart(moved(plant, method, 1e-11, step=float(h)), wanted) for h in steps]
    assert np.log2(wrong[0] / wrong[1]) == pytest.approx(order, abs=0.15)
    assert np.log2(wrong[1] / wrong[2]) == pytest.approx(order, abs=0.15)


def test_it_agrees_with_explicit_steps() -> None:
    """dp8 at 1e-12, and the spring and the damper; the work of the motor too."""
    plant = led(SOFT)
    wanted, run, twin = moved(plant, "dp8", 1e-12), moved(plant, "implicit4", 1e-12), moved(sprung(SOFT), "dp8", 1e-12)
    assert apart(wanted, twin) < 1e-11
    assert apart(run, wanted) < 1e-10
    assert run.work == pytest.approx(wanted.work, abs=1e-9)
    assert np.abs(run.energy_violation).max() < 1e-9


def test_newton_converges_as_fast_as_with_a_spring_and_a_damper() -> None:
    """A firm hand, some 500 times faster than the swing: as many steps and as many evaluations as of the spring that it
    stands for, and far fewer than explicit steps take."""
    plant = led(FIRM, rest=NEAR)
    run, twin = moved(plant, "implicit4", 1e-8), moved(sprung(FIRM, NEAR), "implicit4", 1e-8)
    wanted = moved(plant, "dp8", 1e-11)
    assert apart(run, twin) < 1e-9
    assert run.counts["steps"] == pytest.approx(twin.counts["steps"], abs=2)
    assert run.counts["evaluations"] == pytest.approx(twin.counts["evaluations"], rel=0.02)
    assert apart(run, wanted) < 1e-6
    assert 3 * run.counts["steps"] < wanted.counts["steps"]


def test_a_law_in_python_and_one_at_its_limit() -> None:
    """The law as a function of one's own; and a motor that gives no more than 10 N m, whose slope jumps there."""

    def law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
        return np.array([-SOFT[0] * (measured[0] - REST) - SOFT[1] * measured[1]])

    run, same = moved(led(SOFT, law), "implicit4", 1e-8), moved(led(SOFT), "implicit4", 1e-8)
    assert apart(run, same) < 1e-12
    weak = led(SOFT, lowest=-10.0, highest=10.0)
    wanted, run = moved(weak, "dp8", 1e-11), moved(weak, "implicit4", 1e-9)
    torque = wanted.angle_torque[:, 0]
    assert np.abs(torque[0]) == pytest.approx(10.0)
    assert np.abs(torque).min() < 8.0
    assert apart(run, wanted) < 1e-7
