"""Implicit steps in coordinates of joints and of maps: against explicit ones, the same machines in nodes, and the
equations of a stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_joints import X, Y, pendulum
from test_maps import by_map, of_map

from taut import (
    Bar,
    Cable,
    Command,
    Compliance,
    Controller,
    CosineRamp,
    Ground,
    Load,
    OptionError,
    Plane,
    Structure,
    Trajectory,
    assemble,
    simulate,
)
from taut.control import LinearLaw
from taut.mechanics.plant import Plant
from taut.mechanics.points.operations.implicit_stages import KIND, Stages
from taut.mechanics.tables import part_of
from taut.mechanisms import CoordinateDrive, GeneralisedPlant, Joint, in_coordinates
from taut.numerics.differences import jacobian
from taut.numerics.packing import reals_of

S = 0.01
"""The time of a stage [s]."""
MULTIPLIER = part_of(KIND, Stages, "multiplier")
DURATION = 0.5
MEDIUM, STIFF = (1e6, 2e3), (1e7, 1e5)
"""Stiffness [N/m] and damping [N s/m] of a tendon: its length settles at 700 and 50,000 1/s or faster, and the arm
swings at about 3 1/s."""


def arm(stiffness: float, damping: float, *more: Bar, **options: Any) -> Plant:
    """Two bars one after the other, and a tendon from the first end to the last, which holds the elbow."""
    nodes = {"o": (0.0, 0.0, 0.0), "a": (0.6, 0.1, -0.5), "b": (0.8, 0.7, -1.0), "c": (1.5, 0.9, -0.3)}
    taut = (1.0 - 1e-5) * float(np.linalg.norm(nodes["b"]))
    structure = Structure(
        nodes,
        [Bar("oa", ("o", "a"), mass=1.0), Bar("ab", ("a", "b"), mass=0.7), *more],
        [Cable("tendon", ("o", "b"), stiffness=stiffness, rest_length=taut, damping=damping)],
        supports={"o": "xyz", "c": "xyz"},
        point_masses={"b": 0.4},
    )
    return assemble(structure, gravity=9.81, **options)


def jointed(plant: Plant, **more: Any) -> GeneralisedPlant:
    knee = Joint.universal("knee", "a", (Y, X), ("b",), on="hip")
    return in_coordinates(plant, [knee, Joint.universal("hip", "o", (X, Y), ("a",))], **more)


ROD = Bar("bc", ("b", "c"), mass=0.5)
"""It closes a loop: from the last end of the arm to a support."""


def moved(plant: Any, method: str, tolerance: float, duration: float = DURATION, **more: Any) -> Trajectory:
    run = simulate(
        plant, duration, every=duration / 20, method=method, tolerance=tolerance, **{"verify": False, **more}
    )
    assert run.finished, run.status
    return run


def apart(run: Trajectory, other: Trajectory) -> float:
    return float(np.abs(run.nodes - other.nodes).max())


# --- the equations of a stage


def stage() -> tuple[GeneralisedPlant, Any, np.ndarray, np.ndarray, np.ndarray]:
    """An arm with a rod somewhere, moving, its pack, a state, a base, and the rod's force, which is in the pack."""
    plant, draw = jointed(arm(1e3, 20.0, ROD)), np.random.default_rng(2)
    pack = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    y, base = np.array([[0.2], [0.3]]) * draw.normal(size=(2, 9)) * np.repeat([1.0, 10.0, 0.0], (4, 4, 1))
    assert plant.observed(pack, np.zeros(1), y[None])["cable_tension"][0, 0] > 10.0
    operations, push = plant.operations(), np.array([7.0])
    operations["recall_multipliers"](pack)
    reals_of(pack, MULTIPLIER)[:] = push
    return plant, pack, y, base, push


def unbalanced(plant: GeneralisedPlant, pack: Any, y: np.ndarray, base: np.ndarray) -> np.ndarray:
    out = np.zeros(4)
    plant.operations()["newton_residual"](pack, 0.0, y, base, S, out)
    return out


@pytest.mark.slow
def test_the_residual_is_that_of_the_equations_of_motion() -> None:
    plant, pack, y, base, push = stage()
    mass, rows, force, _ = plant.terms_at(0.0, y[:4], y[4:8])
    wanted = S * S * (force + rows.T @ push) - S * mass @ (y[4:8] - base[4:8])
    assert np.abs(wanted).max() > 1e-2
    assert unbalanced(plant, pack, y, base) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.slow
def test_what_is_solved_is_the_linearised_stage() -> None:
    """S by differences of eighth order, with steps a thousand times as long, and numpy's own solver."""
    plant, pack, y, base, push = stage()

    def moved_by(shift: np.ndarray) -> np.ndarray:
        return unbalanced(plant, pack, y + np.concatenate([shift, shift / S, [0.0]]), base)

    matrix, rows = -jacobian(moved_by, np.zeros(4), 1e-3), plant.terms_at(0.0, y[:4], y[4:8])[1]
    assert np.abs(matrix - matrix.T).max() > 1e-3, "velocity terms are in it"
    operations = plant.operations()
    assert operations["factor_newton"](pack, 0.0, y, base, S) == 0
    draw = np.random.default_rng(6)
    force, rates, direction = draw.normal(size=4), draw.normal(size=1), np.zeros(4)
    operations["solve_newton"](pack, force, rates, direction, 2.0)
    whole = np.block([[matrix, -rows.T], [rows, np.zeros((1, 1))]])
    wanted = np.linalg.solve(whole, np.concatenate([force, rates]))
    assert direction == pytest.approx(wanted[:4], rel=1e-7)
    assert reals_of(pack, MULTIPLIER) - push == pytest.approx(2.0 * wanted[4:], rel=1e-7)


# --- order


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("implicit3", 3), ("implicit4", 4)])
def test_the_order_without_loops_is_the_full_one(method: str, order: int) -> None:
    """Also of implicit4, of which rigid bars in nodes leave order 3. Samples are at ends of steps."""
    structure, joints = pendulum()
    plant = in_coordinates(assemble(structure, gravity=9.81), joints)
    wanted, steps = moved(plant, "dp8", 1e-12), DURATION / 40 * 0.5 ** np.arange(3)
    wrong = [apart(moved(plant, method, 1e-11, step=float(h)), wanted) for h in steps]
    assert np.log2(wrong[0] / wrong[1]) == pytest.approx(order, abs=0.1)
    assert np.log2(wrong[1] / wrong[2]) == pytest.approx(order, abs=0.1)


# --- stiff machines, in joints and in nodes


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), (ROD,)], ids=["open", "loop"])
@pytest.mark.parametrize("law", [MEDIUM, STIFF], ids=["medium", "stiff"])
def test_a_stiff_arm_moves_as_its_nodes_do(law: tuple[float, float], more: tuple[Bar, ...]) -> None:
    """By the same method in the same steps both are as far from the truth as their steps say; by a small tolerance
    both are within 1e-8 m of dp8. With the rod the tendon slackens on the way."""
    nodal = arm(*law, *more)
    plant = jointed(nodal)
    assert plant.constraint_names == tuple(f'bar "{bar.name}"' for bar in more)
    wanted = moved(plant, "dp8", 1e-11)
    assert np.abs(wanted.nodes[-1] - wanted.nodes[0]).max() > 0.2
    assert [event.change for event in wanted.events] == ["slack"] * len(more)
    for method, allowed in (("implicit3", 1e-4), ("implicit4", 2e-5)):
        run, twin = moved(plant, method, 1e-9, step=0.01), moved(nodal, method, 1e-9, step=0.01)
        assert apart(run, wanted) < allowed
        assert apart(twin, wanted) < allowed
    run, twin = moved(plant, "implicit4", 1e-10), moved(nodal, "implicit4", 1e-10)
    assert apart(run, wanted) < 1e-8
    assert apart(twin, wanted) < 1e-8
    assert apart(run, twin) < 1e-8
    assert np.abs(run.velocities - wanted.velocities).max() < 1e-7
    assert run.length_violation.max() < 1e-13
    assert run.work == pytest.approx(wanted.work, abs=1e-10)
    assert np.abs(run.energy_violation).max() < 1e-8


@pytest.mark.slow
def test_what_is_stiff_takes_far_fewer_steps() -> None:
    """Both at 1e-6, and both right to that; the explicit run says that it was stiff."""
    plant = jointed(arm(*STIFF))
    wanted, explicit, run = moved(plant, "dp8", 1e-10), moved(plant, "dp5", 1e-6), moved(plant, "implicit4", 1e-6)
    assert apart(explicit, wanted) < 1e-5
    assert apart(run, wanted) < 1e-5
    assert run.counts["steps"] < 200
    assert explicit.counts["steps"] > 80 * run.counts["steps"]
    assert explicit.counts["evaluations"] > 20 * run.counts["evaluations"]
    assert any('the run is stiff, and method "implicit3" or "implicit4" can take longer' in n for n in explicit.notes)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.02, 0.01, 0.007, 0.005])
def test_steps_over_a_kink_are_solved(step: float) -> None:
    """The stiff tendon slackens, and stages come to stand beside the kink of its law: differences across it would not
    get there."""
    plant = jointed(arm(*STIFF, ROD))
    wanted, run = moved(plant, "dp8", 1e-10), moved(plant, "implicit4", 1e-8, step=step)
    assert apart(run, wanted) < 0.2 * step**2


@pytest.mark.slow
def test_stiff_springs_and_dampers_of_joints() -> None:
    """A knee that resists turning by 1e4 N m s/rad in one axis and 2e5 N m/rad in the other."""
    structure, joints = pendulum()
    knee = replace(joints[0], stiffness=(0.0, 2e5), damping=(1e4, 400.0), rates=(0.0, 1.0))
    plant = in_coordinates(assemble(structure, gravity=9.81), [knee, joints[1]])
    wanted, run = moved(plant, "dp8", 1e-11), moved(plant, "implicit4", 1e-10)
    assert apart(run, wanted) < 1e-8
    assert 10 * run.counts["steps"] < wanted.counts["steps"]
    assert run.work == pytest.approx(wanted.work, abs=1e-8)


@pytest.mark.slow
def test_loops_that_depend_on_one_another() -> None:
    """A beam on three cranks of equal length: two rods close loops, of which one would do."""
    x = (0.0, 1.0, 2.5)
    nodes = {f"o{k}": (at, 0.0, 0.0) for k, at in enumerate(x)} | {
        f"a{k}": (at + 0.3, 0.0, -0.4) for k, at in enumerate(x)
    }
    structure = Structure(
        nodes,
        [*(Bar(f"crank{k}", (f"o{k}", f"a{k}"), mass=0.5) for k in range(3)), Bar("beam", ("a0", "a2"), mass=2.0)],
        [Cable("tendon", ("o0", "a2"), stiffness=1e5, rest_length=2.7, damping=1e4)],
        supports={f"o{k}": "xyz" for k in range(3)},
        point_masses={"a1": 0.3},
    )
    joints = [Joint.revolute("crank", "o0", Y, ("a0",)), Joint.revolute("beam", "a0", Y, ("a1", "a2"), on="crank")]
    plant = in_coordinates(assemble(structure, gravity=9.81), joints)
    assert plant.constraint_names == ('bar "crank1"', 'bar "crank2"')
    wanted, run = moved(plant, "dp8", 1e-11), moved(plant, "implicit4", 1e-10)
    assert any("1 constraint depends on others" in note for note in run.notes)
    assert np.abs(run.coordinate[-1] - run.coordinate[0]).max() > 0.1
    assert apart(run, wanted) < 1e-8
    assert run.length_violation.max() < 1e-12


# --- what compiles a loop of its own


@pytest.mark.slow
def test_an_imposed_coordinate_takes_the_torque_that_explicit_steps_say() -> None:
    """At stages and between, with its work; the other angle of the hip and the knee answer."""
    lifted = CoordinateDrive("hip.1", "value", CosineRamp(0.0, 0.4, 0.05, 0.4))
    plant = jointed(arm(*MEDIUM, ROD), drives=[lifted])
    assert plant.constraint_names == ('bar "bc"', 'coordinate "hip.1"')
    wanted, run = moved(plant, "dp8", 1e-11), moved(plant, "implicit4", 1e-10)
    assert apart(run, wanted) < 1e-8
    assert run.coordinate[:, 0] == pytest.approx(wanted.coordinate[:, 0], abs=1e-14)
    assert run.multiplier == pytest.approx(wanted.multiplier, abs=1e-4)
    assert run.work == pytest.approx(wanted.work, abs=1e-8)
    assert abs(wanted.work[-1]) > 0.5
    assert np.abs(run.energy_violation).max() < 1e-7


@pytest.mark.slow
def test_a_map_moves_as_joints_do() -> None:
    structure, joints = pendulum()
    twin = in_coordinates(assemble(structure, gravity=9.81), joints)
    run, wanted = (moved(plant, "implicit4", 1e-9) for plant in (by_map(of_map()), twin))
    assert apart(run, wanted) < 1e-11
    assert run.counts["steps"] == wanted.counts["steps"]


@pytest.mark.slow
def test_a_controller_at_every_evaluation_is_in_the_matrix() -> None:
    """A firm hand that holds the last end at its height, which implicit steps in nodes refuse."""
    law = LinearLaw(np.array([[-1e5, -1e4]]), measured_offset=np.array([-1.0, 0.0]), command_offset=10.0)
    hand = Controller("hand", ("node:b.position.z", "node:b.velocity.z"), ("push",), law, rate=None)
    nodal = arm(*MEDIUM, loads=[Load("b", "z", Command(), name="push")], controllers=[hand])
    with pytest.raises(OptionError, match='the controller "hand" decides at every evaluation'):
        simulate(nodal, 0.1, method="implicit4")
    plant = jointed(nodal)
    wanted, run = moved(plant, "dp8", 1e-11), moved(plant, "implicit4", 1e-9)
    assert np.abs(wanted.nodes[-1] - wanted.nodes[0]).max() > 0.05
    assert apart(run, wanted) < 1e-7
    assert 5 * run.counts["steps"] < wanted.counts["steps"]


# --- what is refused


@pytest.mark.slow
def test_what_jumps_is_refused_by_name() -> None:
    """Rigid grounds too: `test_joints_on_ground.py`."""
    structure, joints = pendulum()
    rubbing = Compliance(1e4, friction_law="threshold")
    mat = Ground("mat", Plane(point=(0.0, 0.0, -1.5)), friction=0.5, compliance=rubbing)
    plant = in_coordinates(assemble(structure, ground=[mat]), joints)
    with pytest.raises(OptionError, match='the ground "mat" has friction by a threshold of speed, which jumps'):
        simulate(plant, 0.1, method="implicit3")
