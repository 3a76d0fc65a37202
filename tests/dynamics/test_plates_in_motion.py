"""Plates in motion against Euler's equations, and against the same body made of bars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import taut
from taut import Bar, Cable, Plate, Structure, Trajectory
from taut.structure.plates import body_of

SPIN, DRIFT = np.array([0.4, 3.0, -0.7]), np.array([0.1, -0.2, 0.3])
SQUARE = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.1, 0.2), "c": (1.1, 1.2, 0.1), "d": (-0.2, 0.9, -0.1)}
FLAT = {"a": (0.0, 0.0, 0.5), "b": (1.0, 0.0, 0.5), "c": (1.2, 1.0, 0.5), "d": (-0.1, 0.8, 0.5)}
STEPS: dict[str, dict[str, Any]] = {
    "dp8": {"tolerance": 1e-12},
    "dp5": {"tolerance": 1e-10},
    "rk4": {"step": 1e-3},
    "rattle4": {"step": 1e-3},
    "implicit4": {"tolerance": 1e-8},
}


def body(nodes: dict[str, tuple[float, float, float]], **fields: Any) -> Structure:
    return Structure(nodes, plates=[Plate("body", tuple(nodes), **fields)])


THIN = body(FLAT, mass=2.0)
THICK = body(FLAT, mass=2.0, thickness=0.3)
SPATIAL = body(SQUARE, mass=2.0, inertia=(0.3, 0.5, 0.6, 0.05, -0.02, 0.04), centre=(0.4, 0.3, 0.2))
BESIDE = body(FLAT, mass=2.0, inertia=(0.3, 0.5, 0.6, 0.05, -0.02, 0.04), centre=(0.4, 0.3, 0.2))


def thrown(structure: Structure) -> dict[str, tuple[float, float, float]]:
    centre = body_of(structure, structure.plates["body"]).centre  # type: ignore[union-attr]
    return {n: tuple(DRIFT + np.cross(SPIN, np.array(p) - centre)) for n, p in structure.nodes.items()}  # type: ignore[misc]


def by_euler(structure: Structure, times: np.ndarray, gravity: float) -> np.ndarray:
    """(T, n, 3) with R' = w x R and (I w)' = 0, I = R I0 R^T."""
    found = body_of(structure, structure.plates["body"])
    assert found is not None
    still = found.inertia

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        turn, w = y[:9].reshape(3, 3), y[9:]
        inertia = turn @ still @ turn.T
        return np.concatenate(
            [np.cross(w, turn, axisb=0, axisc=0).ravel(), np.linalg.solve(inertia, -np.cross(w, inertia @ w))]
        )

    start = np.append(np.eye(3).ravel(), SPIN)
    done = solve_ivp(rate, (0.0, times[-1]), start, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times)
    turns = done.y[:9].T.reshape(-1, 3, 3)
    centres = found.centre + times[:, None] * DRIFT + 0.5 * times[:, None] ** 2 * np.array([0.0, 0.0, -gravity])
    return np.asarray(centres[:, None] + np.einsum("tij,nj->tni", turns, structure.positions - found.centre))


def flight(structure: Structure, method: str = "dp8", gravity: float = 0.0, **more: Any) -> Trajectory:
    plant = taut.assemble(structure, gravity=gravity, velocities=thrown(structure))
    return taut.simulate(plant, 1.0, every=0.05, method=method, **{**STEPS.get(method, {}), **more})


def momenta(structure: Structure, run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Of the plate as a body, from where its nodes are: linear, and angular about its centre."""
    found = []
    for places, speeds in zip(run.nodes, run.velocities, strict=True):
        now = structure.placed(places[: len(structure.nodes)])
        whole = body_of(now, now.plates["body"])
        assert whole is not None
        arms = now.positions - whole.centre
        cross = np.concatenate([np.cross(np.eye(3), arm).T for arm in arms])
        rows = np.hstack([np.tile(np.eye(3), (len(arms), 1)), cross])
        motion = np.linalg.lstsq(rows, speeds[: len(arms)].ravel(), rcond=None)[0]
        found.append(np.append(whole.mass * motion[:3], whole.inertia @ motion[3:]))
    every = np.array(found)
    return every[:, :3], every[:, 3:]


@pytest.mark.parametrize("structure", [THIN, THICK, SPATIAL, BESIDE], ids=["thin", "thick", "spatial", "beside"])
def test_a_thrown_plate_turns_by_eulers_equations(structure: Structure) -> None:
    run = flight(structure, gravity=2.0)
    count = len(structure.nodes)
    assert np.abs(run.nodes[:, :count] - by_euler(structure, run.time, 2.0)).max() < 1e-10
    assert np.abs(run.energy_violation).max() < 1e-11


def test_energy_and_momentum_of_a_thrown_plate_are_those_of_the_body() -> None:
    run = flight(BESIDE)
    linear, angular = momenta(BESIDE, run)
    whole = body_of(BESIDE, BESIDE.plates["body"])
    assert whole is not None
    energy = 0.5 * whole.mass * DRIFT @ DRIFT + 0.5 * SPIN @ whole.inertia @ SPIN
    assert np.abs(run.energy_kinetic - energy).max() < 1e-12
    assert np.abs(linear - whole.mass * DRIFT).max() < 1e-11
    assert np.abs(angular - whole.inertia @ SPIN).max() < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize(("method", "close"), [("dp5", 1e-8), ("rk4", 1e-9), ("rattle4", 1e-8), ("implicit4", 1e-6)])
def test_every_method_agrees(method: str, close: float) -> None:
    run = flight(THICK, method)
    assert np.abs(run.nodes[:, :4] - by_euler(THICK, run.time, 0.0)).max() < close


@pytest.mark.slow
def test_corrections_and_solvers_agree() -> None:
    right = by_euler(THICK, np.linspace(0.0, 1.0, 21), 0.0)
    for correction in ("none", "constraints", "energy"):
        run = flight(THICK, "dp5", correction=correction)
        assert np.abs(run.nodes[:, :4] - right).max() < 1e-7
    plant = taut.assemble(THICK, velocities=thrown(THICK), solver="iterative")
    run = taut.simulate(plant, 1.0, every=0.05, method="dp8", tolerance=1e-12)
    assert np.abs(run.nodes[:, :4] - right).max() < 1e-9


def test_an_ensemble_of_plates_goes_one_by_one_and_agrees() -> None:
    plant = taut.assemble(THICK, velocities=thrown(THICK))
    speeds = np.stack([plant.velocities, 0.5 * plant.velocities])
    both = taut.ensemble(plant, 0.2, every=0.1, velocities=speeds, method="dp8", tolerance=1e-12)
    alone = taut.simulate(plant, 0.2, every=0.1, method="dp8", tolerance=1e-12)
    assert both.ok.all()
    assert np.abs(both.nodes[0] - alone.nodes).max() < 1e-12
    assert np.abs(both.nodes[1] - alone.nodes).max() > 0.01


TRIANGLE = {"a": (0.0, 0.0, 1.0), "b": (0.9, 0.1, 1.0), "c": (0.3, 0.8, 1.0)}
MASSES = {"a": 0.5, "b": 1.2, "c": 0.8}


def hung(**how: Any) -> Structure:
    """A triangle on three cables from above."""
    above = {f"{n}'": (x, y + 0.1, z + 1.0) for n, (x, y, z) in TRIANGLE.items()}
    cables = [Cable(n, (n, f"{n}'"), rest_length=0.98, stiffness=400.0) for n in TRIANGLE]
    return Structure({**TRIANGLE, **above}, cables=cables, supports=dict.fromkeys(above, "xyz"), **how)


def as_bars() -> Structure:
    """Of bars with half their mass at either end, and point masses that make up the rest."""
    bars = [Bar(x + y, (x, y), mass=0.2, inertia="lumped") for x, y in ("ab", "bc", "ca")]
    return hung(bars=bars, point_masses={n: m - 0.2 for n, m in MASSES.items()})


def as_plate() -> Structure:
    """With the inertia of three point masses, along its own axes."""
    frame_x = np.subtract(TRIANGLE["b"], TRIANGLE["a"])
    frame_x = frame_x / np.linalg.norm(frame_x)
    axes = np.array([frame_x, np.cross([0.0, 0.0, 1.0], frame_x), [0.0, 0.0, 1.0]])
    masses = np.array([*MASSES.values()])
    own = (np.array([*TRIANGLE.values()]) - TRIANGLE["a"]) @ axes.T
    centre = masses @ own / masses.sum()
    arms = own - centre
    tensor = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    inertia = (*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2])
    return hung(plates=[Plate("body", tuple(TRIANGLE), mass=masses.sum(), centre=tuple(centre), inertia=inertia)])


@pytest.mark.slow
def test_a_triangle_of_bars_and_a_plate_of_the_same_inertia_move_alike() -> None:
    runs = [
        taut.simulate(taut.assemble(one, gravity=9.81), 1.0, every=0.05, method="dp8", tolerance=1e-11)
        for one in (as_bars(), as_plate())
    ]
    assert np.ptp(runs[0].nodes[:, :3], axis=0).max() > 0.05
    assert np.abs(runs[0].nodes[:, :3] - runs[1].nodes[:, :3]).max() < 1e-9
    assert np.abs(runs[0].cable_tension - runs[1].cable_tension).max() < 1e-6
    assert np.abs(runs[0].reaction - runs[1].reaction).max() < 1e-6
    assert np.abs(runs[0].energy_kinetic - runs[1].energy_kinetic).max() < 1e-9


@pytest.mark.slow
def test_a_plate_that_loses_a_cable_keeps_its_balance_of_energy_and_its_run_file(tmp_path: Path) -> None:
    cut = taut.Watch.at_time("snap", 0.3, then="cut", cut=("cable:b",))
    plant = taut.assemble(as_plate(), gravity=9.81, events=[cut])
    run = taut.simulate(plant, 0.8, every=0.05, method="dp8", tolerance=1e-11)
    assert any("snap" in event.name for event in run.events), [event.name for event in run.events]
    assert np.abs(run.energy_violation).max() < 1e-9
    assert run.node("b")[-1, 2] < 0.9 < run.node("a")[0, 2]
    taut.save(run, tmp_path / "run.nc")
    back = taut.read(tmp_path / "run.nc")
    assert back.structure == run.structure
    assert back.nodes.tobytes() == run.nodes.tobytes()
    half = taut.simulate(plant, 0.4, every=0.05, method="dp8", tolerance=1e-11)
    whole = taut.simulate(plant, 0.8, every=0.05, method="dp8", tolerance=1e-11, start=half)
    assert np.abs(whole.nodes[-1] - run.nodes[-1]).max() < 1e-12


@pytest.mark.slow
def test_a_held_plate_gives_the_reactions_of_its_weight() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "b": (2.0, 0.0, 0.0), "c": (2.0, 1.0, 0.0), "d": (0.0, 1.0, 0.0)}
    held = {"a": "xyz", "b": "yz", "d": "z"}
    lid = Structure(nodes, supports=held, plates=[Plate("lid", tuple(nodes), mass=3.0, thickness=0.1)])
    falls = taut.Watch.at_plane("falls", "c", "z", -1e-9)
    run = taut.simulate(taut.assemble(lid, gravity=10.0, events=[falls]), 0.1, every=0.05)
    assert run.events == ()
    assert np.abs(run.nodes[-1, :4] - lid.positions).max() < 1e-12
    up = dict(zip(run.supports, run.reaction[-1], strict=True))
    assert up["b"] == pytest.approx([0.0, 0.0, 15.0], abs=1e-9)
    assert up["d"] == pytest.approx([0.0, 0.0, 15.0], abs=1e-9)
    assert up["a"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_a_start_that_does_not_turn_as_a_body_is_projected_and_said() -> None:
    plant = taut.assemble(THICK, velocities={"a": (0.0, 0.0, 1.0)})
    run = taut.simulate(plant, 0.01, every=0.01)
    assert any("did not fit supports, bars and constraints" in note for note in run.notes)
    assert run.rate_violation.max() < 1e-10
