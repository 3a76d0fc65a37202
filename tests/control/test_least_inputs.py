"""Least inputs within bounds: against exact answers in fractions, against conditions of optimality, and on a prism."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from taut import Bar, Cable, OptionError, Structure, assemble
from taut.control import FreeAccelerations, bounded_inverse_dynamics, least_inputs, near_rigid_inputs

DATA = np.load(Path(__file__).parents[1] / "data" / "pulleys_qp_cases.npz")
WAYS = ("direct", "null space")
CABLES = [f"cable:{name}.tension" for name in ("top*", "side*", "cross*")]


def exactly(case: int, on: list[int]) -> np.ndarray:
    """The answer of a case whose strain changes `on` lie on their bounds, in fractions."""
    rows = [list(row) for row in np.hstack([DATA["B"][case], -DATA["As"][case]])]
    rows += [[1.0 if column == 3 + j else 0.0 for column in range(6)] for j in on]
    right = [*DATA["rhs"][case], *(DATA["lo"][case][j] for j in on)]
    table = [[Fraction(float(number)) for number in (*row, one)] for row, one in zip(rows, right, strict=True)]
    for k in range(6):
        best = max(range(k, 6), key=lambda i: abs(table[i][k]))
        table[k], table[best] = table[best], table[k]
        for i in range(6):
            share = table[i][k] / table[k][k] if i != k else Fraction(0)
            table[i] = [a - share * b for a, b in zip(table[i], table[k], strict=True)]
    return np.array([float(table[k][6] / table[k][k]) for k in range(6)])


def off(found: np.ndarray, known: np.ndarray) -> float:
    return float(np.abs(found - known).max() / np.abs(known).max())


@pytest.mark.parametrize("way", WAYS)
def test_the_cases_are_solved_to_round_off(way: str) -> None:
    """Against fractions to 1e-12. The file's own answers miss their equations by up to 1.4e-10 and are 3.5e-11 off."""
    for case in range(30):
        found = near_rigid_inputs(
            DATA["B"][case],
            DATA["As"][case],
            DATA["rhs"][case],
            least_change=DATA["lo"][case],
            strain_unit=1e7 / DATA["E"][case],
            way=way,
        )
        on = [j for j in range(3) if found.strain_changes[j] <= DATA["lo"][case][j] * (1.0 - 1e-9)]
        assert len(on) == 1, "one strain lies on its bound, and six equations have one answer"
        exact = exactly(case, on)
        assert off(found.inputs, exact[:3]) < 1e-12
        assert off(found.strain_changes, exact[3:]) < 1e-12
        assert off(found.inputs, DATA["x"][case][:3]) < 5e-12
        assert off(found.strain_changes, DATA["x"][case][3:]) < 5e-11
        assert found.relaxed == ()
        assert found.unbalanced < 1e-14
        # The best: no step along what equations leave free, away from the bound, makes inputs smaller.
        along = np.linalg.svd(np.hstack([DATA["B"][case], -DATA["As"][case]]))[2][-1]
        along *= np.sign(along[3 + on[0]])
        assert along[:3] @ found.inputs > 0.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(6))
def test_at_random_nothing_is_better(seed: int, way: str) -> None:
    """u = B^T nu + mu with mu of the sign of the bound that u lies on: the conditions of optimality."""
    rng = np.random.default_rng(seed)
    push = rng.normal(size=(4, 9))
    needed = push @ rng.uniform(-0.5, 1.5, 9)
    found = least_inputs(push, needed, lowest=-0.5, highest=1.5, way=way)
    u = found.inputs
    assert u.min() >= -0.5 - 1e-12
    assert u.max() <= 1.5 + 1e-12
    assert push @ u == pytest.approx(needed, abs=1e-12)
    inside = (u > -0.5 + 1e-9) & (u < 1.5 - 1e-9)
    nu = np.linalg.lstsq(push[:, inside].T, u[inside], rcond=None)[0]
    mu = u - push.T @ nu
    assert np.abs(mu[inside]).max() < 1e-10
    assert np.all(mu[u <= -0.5 + 1e-9] >= -1e-10)
    assert np.all(mu[u >= 1.5 - 1e-9] <= 1e-10)


def test_free_accelerations_cost_what_they_are_off_their_damping() -> None:
    """min |u|^2 + w |a + k r|^2 with B u - M a = needed, by the normal equations."""
    rng = np.random.default_rng(3)
    push, mass, needed, rate = rng.normal(size=(5, 4)), rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3)
    free = FreeAccelerations(mass, rate, weight=10.0, damping=7.0)
    found = near_rigid_inputs(push, np.zeros((5, 0)), needed, free=free)
    rows = np.hstack([push, -mass])
    cost = np.diag([1.0] * 4 + [10.0] * 3)
    system = np.block([[cost, rows.T], [rows, np.zeros((5, 5))]])
    right = np.concatenate([np.zeros(4), -70.0 * rate, needed])
    known = np.linalg.solve(system, right)
    assert found.inputs == pytest.approx(known[:4], rel=1e-10, abs=1e-12)
    assert found.free_accelerations == pytest.approx(known[4:7], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_bounds_that_leave_no_way_are_moved_least_and_told(way: str) -> None:
    """Two winches pull 12 N together, and each may pull 5: half a newton more each; with others it is known too."""
    found = least_inputs(
        np.array([[1.0, 1.0]]), np.array([12.0]), lowest=0.0, highest=5.0, names=("left", "right"), way=way
    )
    assert found.inputs == pytest.approx([6.0, 6.0], abs=1e-5)
    assert [str(one) for one in found.relaxed] == [
        "left: 6, 1 beyond its most, 5",
        "right: 6, 1 beyond its most, 5",
    ]
    pushing = least_inputs(np.array([[1.0]]), np.array([-3.0]), lowest=0.0, names=("cable",), way=way)
    assert str(pushing.relaxed[0]) == "cable: -3, 3 beyond its least, 0"
    assert least_inputs(np.array([[1.0, 1.0]]), np.array([9.0]), highest=5.0, way=way).relaxed == ()


def test_what_inputs_do_not_reach_is_told() -> None:
    found = least_inputs(np.array([[1.0], [0.0]]), np.array([3.0, 4.0]))
    assert found.inputs == pytest.approx([3.0])
    assert found.unbalanced == pytest.approx(0.8)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OptionError, match=r"push of shape \(2, 3\) does not fit 4 equations: give \(4, ...\)"):
        least_inputs(np.zeros((2, 3)), np.zeros(4))
    with pytest.raises(OptionError, match=r'way = "newton" is none; there are direct and null space'):
        least_inputs(np.zeros((2, 3)), np.zeros(2), way="newton")
    with pytest.raises(OptionError, match=r"lowest, 1 at place 0, is above highest, 0; nothing lies between"):
        least_inputs(np.zeros((2, 3)), np.zeros(2), lowest=1.0, highest=0.0)


# --- a plant of nodes


def crossed_prism() -> Structure:
    """Three struts on the ground, three cables around the top, two from each foot upwards: nine for six freedoms."""
    turn = 2.0 * np.pi / 3.0
    feet = {f"f{k}": (np.cos(turn * k), np.sin(turn * k), 0.0) for k in range(3)}
    tops = {f"t{k}": (0.8 * np.cos(turn * k + 2.8), 0.8 * np.sin(turn * k + 2.8), 1.5) for k in range(3)}
    cables = [Cable(f"top{k}", (f"t{k}", f"t{(k + 1) % 3}"), rest_length=1.0, stiffness=100.0) for k in range(3)]
    cables += [Cable(f"side{k}", (f"f{(k + 1) % 3}", f"t{k}"), rest_length=1.4, stiffness=100.0) for k in range(3)]
    cables += [Cable(f"cross{k}", (f"f{(k + 2) % 3}", f"t{k}"), rest_length=1.4, stiffness=100.0) for k in range(3)]
    bars = [Bar(f"b{k}", (f"f{k}", f"t{k}"), mass=1.0) for k in range(3)]
    return Structure({**feet, **tops}, bars, cables, supports=dict.fromkeys(feet, "xyz"))


def twisting(structure: Structure, mean: float = 2.8, count: int = 11) -> tuple[np.ndarray, np.ndarray]:
    """The top turns to and fro, and its height follows from the struts' length."""
    time = np.linspace(0.0, 0.5, count)
    angle = mean + 0.15 * np.sin(3.0 * time)
    length = np.linalg.norm(structure.positions[3] - structure.positions[0])
    flat = 1.0 + 0.64 - 1.6 * np.cos(angle)
    places = np.tile(structure.positions, (count, 1, 1))
    for k in range(3):
        phase = angle + 2.0 * np.pi / 3.0 * k
        places[:, 3 + k] = np.stack([0.8 * np.cos(phase), 0.8 * np.sin(phase), np.sqrt(length**2 - flat)], axis=1)
    return time, places


def test_cables_hold_a_prism_along_a_motion_and_only_pull() -> None:
    structure = crossed_prism()
    plant = assemble(structure, gravity=9.81)
    time, places = twisting(structure)
    found = bounded_inverse_dynamics(plant, time, places, actuators=CABLES)
    assert found.effort.min() >= -1e-10
    assert (found.effort < 1e-9).any(axis=1).all(), "some cable is let go"
    assert found.relaxed == ()
    assert found.unbalanced.max() < 1e-12
    # Without bounds less is enough, and it would have to push.
    unbounded = bounded_inverse_dynamics(plant, time, places, actuators=CABLES, lowest=-np.inf)
    assert unbounded.effort.min() < -0.1
    assert np.all(np.linalg.norm(unbounded.effort, axis=1) < np.linalg.norm(found.effort, axis=1))
    way = bounded_inverse_dynamics(plant, time, places, actuators=CABLES, way="null space")
    assert way.effort == pytest.approx(found.effort, abs=1e-8)
    taut = bounded_inverse_dynamics(plant, time, places, actuators=CABLES, lowest=2.0)
    assert taut.effort.min() == pytest.approx(2.0, abs=1e-9)
    assert taut.relaxed == ()
    _check_newton(structure, time, places, taut.effort)


def _check_newton(structure: Structure, time: np.ndarray, places: np.ndarray, effort: np.ndarray) -> None:
    """Euler's equation of every strut about its foot, written out, with accelerations by differences."""
    second = np.gradient(np.gradient(places, time, axis=0, edge_order=2), time, axis=0, edge_order=2)
    middle = len(time) // 2
    order = [*(f"top{k}" for k in range(3)), *(f"side{k}" for k in range(3)), *(f"cross{k}" for k in range(3))]
    spot = {name: places[middle, k] for k, name in enumerate(structure.nodes)}
    speed = {name: second[middle, k] for k, name in enumerate(structure.nodes)}
    for k in range(3):
        # About its foot a thin strut has m L^2 / 3: m r x a / 3 = m r x g / 2 + r x (pull of cables).
        r, pull = spot[f"t{k}"] - spot[f"f{k}"], np.zeros(3)
        for name, tension in zip(order, effort[middle], strict=True):
            ends = list(structure.cables[name].route)
            if f"t{k}" in ends:
                other = ends[1 - ends.index(f"t{k}")]
                way = spot[other] - spot[f"t{k}"]
                pull += tension * way / np.linalg.norm(way)
        turning = np.cross(r, speed[f"t{k}"]) / 3.0 - np.cross(r, pull) - np.cross(r, [0.0, 0.0, -9.81]) / 2.0
        assert np.linalg.norm(turning) < 0.02 * np.linalg.norm(np.cross(r, pull))


def test_cables_that_would_have_to_push_are_told() -> None:
    """With less twist than 150 degrees between feet and tops no tensions hold three struts up."""
    structure = crossed_prism()
    plant = assemble(structure, gravity=9.81)
    assert bounded_inverse_dynamics(plant, *twisting(structure, 2.8), actuators=CABLES).relaxed == ()
    time, places = twisting(structure, 2.4)
    length = np.linalg.norm(places[0, 3] - places[0, 0])
    assert length == pytest.approx(np.linalg.norm(structure.positions[3] - structure.positions[0]), rel=1e-12)
    found = bounded_inverse_dynamics(plant, time, places, actuators=CABLES)
    when, first = found.relaxed[0]
    assert when == 0.0
    assert str(first).startswith("cable:")
    assert "beyond its least, 0" in str(first)
    with pytest.raises(OptionError, match=r"lowest of shape \(2,\) does not fit: give one number, or 9"):
        bounded_inverse_dynamics(plant, time, places, actuators=CABLES, lowest=[0.0, 1.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"lowest": [0.0, 0.0, 0.0]}, r"lowest of shape \(3,\) does not fit: give one number, or 2, one for each"),
        ({"highest": np.nan}, r"highest has no number \(NaN\); give inf, or -inf, where there is no bound"),
        ({"highest": 1.0, "names": ["motor"]}, r"names has 1 names; give 2, one for each"),
        ({"push": np.full((2, 2), np.nan)}, r"push must have finite numbers only"),
        ({"needed": np.array([np.inf, 1.0])}, r"needed must have finite numbers only"),
        ({"needed": np.ones((2, 1))}, r"needed of shape \(2, 1\) does not fit: give one number for each equation"),
    ],
)
def test_what_makes_no_sense_is_told(wrong: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"push": np.eye(2), "needed": np.array([5.0, 5.0])}
    with pytest.raises(OptionError, match=message):
        least_inputs(**given | wrong)
