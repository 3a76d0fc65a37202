"""Plates and angles at rest: equilibrium, stiffness and frequencies against a model of six coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import taut
from taut import Angle, Bar, Cable, Plate, Structure
from taut.structure.plates import body_of

CORNERS = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.1, 0.0), "c": (0.4, 0.9, 0.0), "d": (-0.1, 0.7, 0.0)}
ANCHORS = {"A": (-0.2, -0.1, 1.2), "B": (1.3, 0.0, 1.1), "C": (0.5, 1.2, 1.3)}
STIFFNESS, REST, GRAVITY = 300.0, 1.05, 9.81
STRAIGHT = np.eye(3)


def hung(**fields: Any) -> Structure:
    cables = [Cable(n, (n.lower(), n), rest_length=REST, stiffness=STIFFNESS) for n in ANCHORS]
    plates = [Plate("lid", tuple(CORNERS), mass=2.0, **fields)]
    return Structure(
        {**CORNERS, **ANCHORS}, cables=cables, supports=dict.fromkeys(ANCHORS, "xyz"), plates=plates, name="lid"
    )


THIN = hung()
THICK = hung(thickness=0.2)
BESIDE = hung(inertia=(0.2, 0.3, 0.35, 0.02, -0.01, 0.03), centre=(0.4, 0.3, -0.2))
CASES = pytest.mark.parametrize("structure", [THIN, THICK, BESIDE], ids=["thin", "thick", "beside"])


class SixCoordinates:
    """The lid by the place of its centre and a turn from where it starts."""

    def __init__(self, structure: Structure) -> None:
        body = body_of(structure, structure.plates["lid"])
        assert body is not None
        self.body = body
        self.arms = np.array([*CORNERS.values()]) - body.centre
        self.ties = np.array([*ANCHORS.values()])

    def nodes(self, x: np.ndarray, turned: np.ndarray = STRAIGHT) -> np.ndarray:
        turn = Rotation.from_rotvec(x[3:]).as_matrix() @ turned
        return np.asarray(self.body.centre + x[:3] + self.arms @ turn.T)

    def energy(self, x: np.ndarray, turned: np.ndarray = STRAIGHT) -> float:
        lengths = np.linalg.norm(self.nodes(x, turned)[:3] - self.ties, axis=1)
        stretch = lengths - REST  # taut, and smooth for differences
        return float(0.5 * STIFFNESS * stretch @ stretch + self.body.mass * GRAVITY * x[2])

    def settled(self) -> tuple[np.ndarray, np.ndarray]:
        """The place and the turn at which the energy is least, by Newton's method on differences."""
        place, turned = np.zeros(3), np.eye(3)
        for _ in range(60):
            here = np.append(place, np.zeros(3))
            energy = lambda x: self.energy(x, turned)  # noqa: B023, E731
            slope, bend = gradient(energy, here), hessian(energy, here)
            lifted = bend + max(0.0, 1.0 - np.linalg.eigvalsh(bend)[0]) * np.eye(6)
            step = -np.linalg.solve(lifted, slope)
            step *= min(1.0, 0.2 / np.abs(step).max())
            place, turned = place + step[:3], Rotation.from_rotvec(step[3:]).as_matrix() @ turned
        return place, turned

    def frequencies(self, place: np.ndarray, turned: np.ndarray) -> np.ndarray:
        bend = hessian(lambda x: self.energy(x, turned), np.append(place, np.zeros(3)))
        mass = np.zeros((6, 6))
        mass[:3, :3], mass[3:, 3:] = self.body.mass * np.eye(3), turned @ self.body.inertia @ turned.T
        return np.asarray(np.sqrt(eigh(bend, mass, eigvals_only=True)) / (2.0 * np.pi))


WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Of differences of eighth order."""


def gradient(function: Callable[[np.ndarray], float], x: np.ndarray, step: float = 5e-3) -> np.ndarray:
    ways = np.eye(x.size) * step
    return np.array(
        [
            sum(w * (function(x + k * d) - function(x - k * d)) for k, w in enumerate(WEIGHTS, start=1)) / step
            for d in ways
        ]
    )


def hessian(function: Callable[[np.ndarray], float], x: np.ndarray, step: float = 2e-2) -> np.ndarray:
    """With a turn, symmetric where the gradient is zero."""
    ways = np.eye(x.size) * step
    found = [
        sum(w * (gradient(function, x + k * d) - gradient(function, x - k * d)) for k, w in enumerate(WEIGHTS, start=1))
        / step
        for d in ways
    ]
    return 0.5 * (np.array(found) + np.array(found).T)


@pytest.mark.slow
@pytest.mark.parametrize("structure", [THIN, THICK, BESIDE], ids=["thin", "thick", "beside"])
def test_a_plate_on_three_cables_stands_and_swings_as_a_body_of_six_coordinates(structure: Structure) -> None:
    model = SixCoordinates(structure)
    place, turned = model.settled()
    rest = taut.balance(structure, gravity=GRAVITY)
    assert rest.ok
    assert rest.residual < 1e-9
    expected = model.nodes(np.append(place, np.zeros(3)), turned)
    assert np.abs(expected - np.array([*CORNERS.values()])).max() > 0.05
    found = np.array([rest.structure.nodes[name] for name in CORNERS])
    assert np.abs(found - expected).max() < 1e-9
    lengths = np.linalg.norm(expected[:3] - model.ties, axis=1)
    assert rest.cable_tension == pytest.approx(STIFFNESS * (lengths - REST), rel=1e-8)
    assert rest.reaction.sum(axis=0) == pytest.approx([0.0, 0.0, 2.0 * GRAVITY], abs=1e-9)
    swings = taut.modes(rest, 6)
    assert swings.frequency == pytest.approx(model.frequencies(place, turned), rel=1e-7)


@CASES
def test_modes_are_the_eigenvalues_of_the_linear_model(structure: Structure) -> None:
    rest = taut.balance(structure, gravity=GRAVITY)
    model = taut.linearise(taut.assemble(rest.structure, gravity=GRAVITY), inputs=["node:a"], outputs=["node:a"])
    rates = np.linalg.eigvals(model.A)
    found = np.sort(np.abs(rates.imag[rates.imag > 1e-3])) / (2.0 * np.pi)
    assert found == pytest.approx(taut.modes(rest, 6).frequency, rel=1e-8)


@pytest.mark.slow
def test_a_plate_swings_in_a_run_as_its_lowest_mode_says() -> None:
    rest = taut.balance(THICK, gravity=GRAVITY)
    mode = taut.modes(rest, 1)
    period = 1.0 / mode.frequency[0]
    size = np.abs(mode.shapes[0][:4]).max()  # of the corners; the point beside them comes after
    push = {n: tuple(1e-5 * v / size) for n, v in zip(rest.structure.nodes, mode.shapes[0], strict=True)}
    push = {n: v for n, v in push.items() if n in CORNERS}
    plant = taut.assemble(rest.structure, gravity=GRAVITY, velocities=push)
    run = taut.simulate(plant, period, every=period / 4.0, method="dp8", tolerance=1e-12)
    moved = run.nodes[:, :4] - run.nodes[0, :4]
    top = 1e-5 * period / (2.0 * math.pi)
    assert np.abs(moved[-1]).max() < 1e-3 * top
    assert np.abs(moved[1]).max() == pytest.approx(top, rel=1e-3)


def test_a_stable_plate_is_certified_and_sensitivities_are_those_of_differences() -> None:
    rest = taut.balance(THIN, gravity=GRAVITY)
    verdict = taut.stability(rest)
    assert verdict.verdict == "prestress-stable"
    assert not verdict.super_stable  # whose theorem is of bars and cables
    assert (verdict.mechanisms, verdict.rigid_motions) == (3, 0)
    slope = taut.statics.derivatives(rest, "rest_length", "cable:A")
    step = 1e-4

    def at(change: float) -> np.ndarray:
        return taut.balance(THIN.changed("cable:A", rest_length=REST + change), gravity=GRAVITY).structure.positions

    by_differences = (at(step) - at(-step)) / (2.0 * step)
    assert slope.nodes[0] == pytest.approx(by_differences, abs=1e-5)


def test_a_plate_counts_as_a_body_in_self_stress_and_prestress() -> None:
    # A mast between a lid and the ground: six cables hold six motions of the lid, and the mast prestresses them.
    feet = {f"{k}": (2.0 * math.cos(k * math.pi / 3.0), 2.0 * math.sin(k * math.pi / 3.0), 0.0) for k in range(6)}
    lid = {f"l{k}": (math.cos(a), math.sin(a), 1.0) for k, a in enumerate((0.5, 2.6, 4.7))}
    nodes = {**feet, **lid, "top": (0.0, 0.0, 1.0), "base": (0.0, 0.0, 0.0)}
    pairs = [("0", "l0"), ("1", "l0"), ("2", "l1"), ("3", "l1"), ("4", "l2"), ("5", "l2")]
    structure = Structure(
        nodes,
        [Bar("mast", ("base", "top"), mass=1.0)],
        [Cable(a + b, (a, b), stiffness=1e3) for a, b in pairs],
        supports=dict.fromkeys((*feet, "base"), "xyz"),
        plates=[Plate("lid", (*lid, "top"), mass=3.0)],
    )
    found = taut.statics.counts(structure)
    assert (found.self_stress_states, found.mechanisms) == (1, 0)
    tight = taut.prestress(structure, {"bar:mast": -60.0})
    assert tight.ok
    assert tight.cable_tension.min() > 1.0
    assert tight.residual < 1e-9
    assert taut.stability(tight).verdict == "first-order rigid"
    again = taut.balance(tight.structure)
    assert np.abs(again.structure.positions - tight.structure.positions).max() < 1e-10
    assert again.cable_tension == pytest.approx(tight.cable_tension, rel=1e-8)
    swings = taut.modes(tight, 3)
    model = taut.linearise(taut.assemble(tight.structure), inputs=["node:top"], outputs=["node:top"])
    rates = np.linalg.eigvals(model.A).imag
    assert swings.frequency == pytest.approx(np.sort(rates[rates > 1e-3])[:3] / (2.0 * np.pi), rel=1e-8)


def boom(value: float | None = None) -> Structure:
    """A rod whose angle with the ground is held, with a weight at its tip and a cable that helps."""
    slope = 0.5
    nodes = {
        "o": (0.0, 0.0, 0.0),
        "x": (1.0, 0.0, 0.0),
        "y": (0.0, -1.0, 0.0),
        "tip": (2.0 * math.cos(slope), 0.0, 2.0 * math.sin(slope)),
        "mast": (0.0, 0.0, 2.0),
    }
    return Structure(
        nodes,
        [Bar("rod", ("o", "tip"), mass=3.0)],
        [Cable("stay", ("tip", "mast"), rest_length=1.8, stiffness=100.0)],
        supports=dict.fromkeys(("o", "x", "y", "mast"), "xyz"),
        angles=[Angle("lift", ("o", "x"), "bar:rod", ("o", "y"), value)],
    )


@pytest.mark.slow
def test_a_held_angle_bears_what_the_cable_does_not() -> None:
    structure = boom()
    rest = taut.balance(structure, gravity=GRAVITY)
    assert rest.ok
    tip, mast = (np.array(structure.nodes[n]) for n in ("tip", "mast"))
    pull = 100.0 * (np.linalg.norm(mast - tip) - 1.8) * (mast - tip) / np.linalg.norm(mast - tip)
    moment = np.cross(tip, pull + np.array([0.0, 0.0, -1.5 * GRAVITY]))[1]  # about y, which turns it down
    assert rest.structure.positions == pytest.approx(structure.positions, abs=1e-12)
    assert rest.angle_torque == pytest.approx([moment], rel=1e-9)
    run = taut.simulate(taut.assemble(rest.structure, gravity=GRAVITY), 0.1, every=0.05)
    assert run.angle_torque[-1] == pytest.approx(rest.angle_torque, rel=1e-9)
    # Out of the plane it swings, and in no other way: over its angle about y the rod goes up and down on a cone.
    model = taut.linearise(taut.assemble(rest.structure, gravity=GRAVITY), inputs=["node:tip"], outputs=["node:tip"])
    rates = np.linalg.eigvals(model.A)
    swings = taut.modes(rest, 6)
    assert swings.frequency.size == 1
    assert np.abs(rates).max() == pytest.approx(2.0 * np.pi * abs(swings.frequency[0]), rel=1e-8)

    def energy(y: np.ndarray) -> float:
        """Of the one way it can go: the tip at (r cos s, y, r sin s) with r^2 + y^2 = 4."""
        out, slope = np.sqrt(4.0 - y[0] ** 2), 0.5
        place = np.array([out * math.cos(slope), y[0], out * math.sin(slope)])
        stretch = np.linalg.norm(mast - place) - 1.8
        return float(0.5 * 100.0 * stretch**2 + 1.5 * GRAVITY * place[2])

    stiffness = hessian(energy, np.zeros(1))[0, 0]
    assert (2.0 * np.pi * swings.frequency[0]) ** 2 == pytest.approx(
        stiffness / (3.0 / 3.0), rel=1e-7
    )  # m / 3 at the tip


def test_form_finding_refuses_plates_and_angles_by_name() -> None:
    with pytest.raises(taut.ModelError, match="plates.lid: form-finding moves every node by itself"):
        taut.formfind(THIN)
    with pytest.raises(taut.ModelError, match="angles.lift: form-finding moves every node by itself"):
        taut.formfind(boom())


def test_gravity_on_a_centre_that_no_node_reaches_is_refused_where_no_point_can_be_added() -> None:
    with pytest.raises(taut.ModelError, match="plates.lid.centre: is not in the plane of its nodes, where gravity"):
        taut.prestress(BESIDE, gravity=GRAVITY)


def test_derivatives_by_a_support_that_holds_a_corner() -> None:
    """Nodes and reactions against differences of whole balances; the rows of the plate stiffen its held corner too."""
    nodes = {**CORNERS, **ANCHORS}
    cables = [Cable(n, (n.lower(), n), rest_length=0.7, stiffness=STIFFNESS) for n in "BC"]
    cables += [Cable("side", ("d", "A"), rest_length=0.9, stiffness=STIFFNESS)]
    held = dict.fromkeys((*ANCHORS, "a"), "xyz")
    lid = Structure(nodes, cables=cables, supports=held, plates=[Plate("lid", tuple(CORNERS), mass=2.0)])
    rest = taut.balance(lid, gravity=GRAVITY)
    assert rest.ok
    found = taut.statics.derivatives(rest, "position", "node:a")
    h = 1e-5
    ways = {f"{sign}{k}": tuple(float(f"{sign}1") * h * np.eye(3)[k]) for k in range(3) for sign in "+-"}
    cases = {way: taut.statics.LoadCase(gravity=GRAVITY, settlements={"a": move}) for way, move in ways.items()}
    table = taut.statics.solve_cases(rest.structure, cases)
    assert table.ok
    place = list(cases).index
    for k in range(3):
        ahead, back = place(f"+{k}"), place(f"-{k}")
        nodes_by = (table.nodes[ahead] - table.nodes[back]) / (2.0 * h)
        reaction_by = (table.reaction[ahead] - table.reaction[back]) / (2.0 * h)
        assert np.abs(found.nodes[k] - nodes_by).max() < 1e-6
        assert np.abs(found.reaction[k] - reaction_by).max() < 1e-5 * np.abs(reaction_by).max()
