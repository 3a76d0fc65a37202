"""Motions that must be the same: turned and moved elsewhere, in another order; and what free flight conserves."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import Case, cases
from scipy.spatial.transform import Rotation

from taut import LinearConstraint, Load, Structure, Trajectory, assemble, on_plane, simulate
from taut.generators import icosahedron

SOME = settings(max_examples=40, derandomize=True, deadline=None)
AXES = "xyz"


def turned(case: Case, rotation: np.ndarray, shift: np.ndarray) -> Case:
    """The same case seen from elsewhere: its vectors turned, its places moved too."""
    loads = []
    for load in case.loads:
        wave = load.signal
        for axis, share in zip(AXES, rotation[:, AXES.index(load.axis)], strict=True):
            parts = {
                field: share * getattr(wave, field) for field in ("value", "mean", "amplitude") if hasattr(wave, field)
            }
            loads.append(Load(load.node, axis, replace(wave, **parts)))
    rows = []
    for row in case.structure.constraints.values():
        normals: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3))
        for node, axis, coefficient in row.terms:
            normals[node][AXES.index(axis)] += coefficient
        terms = [(n, a, float(c)) for n, v in normals.items() for a, c in zip(AXES, rotation @ v, strict=True)]
        rows.append(LinearConstraint(row.name, tuple(terms)))
    return replace(
        case,
        structure=replace(case.structure.moved(rotation, shift), constraints=rows),
        gravity=tuple((rotation @ case.gravity).tolist()),
        loads=tuple(loads),
        velocities=case.velocities @ rotation.T,
    )


def acceleration(case: Case) -> np.ndarray:
    out = np.zeros_like(case.state)
    case.plant.operations()["rate"](case.plant.pack, case.time, case.state, out)
    size = case.structure.positions.size
    return out[size : 2 * size].reshape(-1, 3)


def short_run(case: Case) -> Trajectory:
    """Fixed steps, so that both runs of a pair step alike."""
    return simulate(case.plant, 0.1, every=0.02, method="rk4", step=0.005, correction="constraints")


@SOME
@given(cases(supports="nodes"), st.integers(0, 2**32 - 1))
def test_a_structure_moves_the_same_wherever_it_stands_and_looks(case: Case, seed: int) -> None:
    rotation = Rotation.random(rng=seed).as_matrix()
    shift = np.array([2.0, -1.0, 0.5])
    other = turned(case, rotation, shift)
    here, there = acceleration(case), acceleration(other)
    assert np.abs(here @ rotation.T - there).max() <= 1e-11 * max(1.0, np.abs(here).max())
    runs = [short_run(case), short_run(other)]
    assert all(run.ok for run in runs)
    scale = max(1.0, np.abs(runs[0].velocities).max())
    assert np.abs(runs[0].nodes @ rotation.T + shift - runs[1].nodes).max() <= 1e-11 * scale
    assert np.abs(runs[0].velocities @ rotation.T - runs[1].velocities).max() <= 1e-10 * scale
    np.testing.assert_allclose(runs[0].cable_tension, runs[1].cable_tension, rtol=0.0, atol=1e-8 * scale)


@pytest.mark.slow
@SOME
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_and_members_does_not_matter(case: Case, random) -> None:
    structure = case.structure

    def shuffled(items):
        items = list(items)
        random.shuffle(items)
        return items

    names = shuffled(structure.nodes)
    bars = [replace(b, nodes=tuple(shuffled(b.nodes))) for b in shuffled(structure.bars.values())]
    cables = [replace(c, route=tuple(shuffled(c.route))) for c in shuffled(structure.cables.values())]
    places = [list(structure.nodes).index(name) for name in names]
    mixed = replace(
        case,
        structure=replace(
            structure,
            nodes={name: structure.nodes[name] for name in names},
            bars=bars,
            cables=cables,
            constraints=shuffled(structure.constraints.values()),
        ),
        velocities=case.velocities[places],
    )
    runs = [short_run(case), short_run(mixed)]
    scale = max(1.0, np.abs(runs[0].velocities).max())
    assert np.abs(runs[0].nodes[:, places] - runs[1].nodes).max() <= 1e-12 * scale
    assert np.abs(runs[0].velocities[:, places] - runs[1].velocities).max() <= 1e-11 * scale
    for name in structure.cables:
        np.testing.assert_allclose(runs[0].tension(name), runs[1].tension(name), rtol=0.0, atol=1e-9 * scale)


@SOME
@given(cases(guided=False))
def test_a_constraint_on_a_bystander_changes_nothing(case: Case) -> None:
    """A structure of class 1 without guides is solved bar by bar, with any guide by the sparse saddle."""
    structure = case.structure
    crowd = replace(
        structure,
        nodes={**structure.nodes, "bystander": (9.0, 9.0, 9.0)},
        point_masses={**structure.point_masses, "bystander": 1.0},
        constraints=[on_plane("its own plane", "bystander", (1.0, 2.0, 3.0))],
    )
    velocities = np.vstack([case.velocities, np.zeros(3)])
    runs = [short_run(case), short_run(replace(case, structure=crowd, velocities=velocities))]
    scale = max(1.0, np.abs(runs[0].velocities).max())
    assert np.abs(runs[0].nodes - runs[1].nodes[:, :-1]).max() <= 1e-12 * scale
    assert np.abs(runs[0].velocities - runs[1].velocities[:, :-1]).max() <= 1e-11 * scale
    np.testing.assert_allclose(runs[0].bar_force, runs[1].bar_force, rtol=0.0, atol=1e-8 * scale)
    np.testing.assert_allclose(runs[0].reaction, runs[1].reaction, rtol=0.0, atol=1e-8 * scale)


def momenta(case: Case, run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Momentum [kg m/s] and angular momentum about the origin [kg m^2/s], a row a sample."""
    flat = run.velocities.reshape(run.time.size, -1) @ case.dense.mass
    carried = flat.reshape(run.velocities.shape)
    return carried.sum(axis=1), np.cross(run.nodes, carried).sum(axis=1)


@SOME
@pytest.mark.parametrize("correction", ["none", "constraints", "energy"])
@given(case=cases(supports="none", loaded=False, damped=False, heavy=False, guided=False))
def test_free_flight_keeps_momentum_and_angular_momentum(correction: str, case: Case) -> None:
    run = simulate(case.plant, 0.5, every=0.1, tolerance=1e-10, correction=correction)
    assert run.ok
    linear, angular = momenta(case, run)
    scale = max(1.0, np.abs(linear).max(), np.abs(angular).max())
    # Runge-Kutta keeps what is linear in the state, and no correction moves the centre of mass.
    assert np.abs(linear - linear[0]).max() <= 1e-12 * scale
    assert np.abs(angular - angular[0]).max() <= 1e-8 * scale


@SOME
@given(cases(supports="none", guided=False))
def test_an_energy_correction_leaves_momenta_alone(case: Case) -> None:
    size, random = case.structure.positions.size, np.random.default_rng(0)
    shift, swing = random.normal(size=(2, size))
    q, v = case.structure.positions.ravel(), case.velocities.ravel()
    case.plant.operations()["keep_momentum"](case.plant.pack, case.state, shift, swing)

    def momentum(step: complex) -> np.ndarray:
        carried = (case.dense.mass @ (v + step * swing)).reshape(-1, 3)
        places = (q + step * shift).reshape(-1, 3)
        return np.concatenate([carried.sum(axis=0), np.cross(places, carried).sum(axis=0)])

    scale = np.abs(momentum(1.0)).max() + np.abs(momentum(0.0)).max() + 1.0
    change = momentum(1e-30j).imag / 1e-30
    assert np.abs(change[:3]).max() <= 1e-11 * scale
    if len(case.structure.nodes) > 3:  # a single bar, or two of them in a line, has no turn about itself
        about = change[3:] - np.cross(centre_of(case, shift.reshape(-1, 3)), momentum(0.0)[:3])
        assert np.abs(about).max() <= 1e-9 * scale


def centre_of(case: Case, places: np.ndarray) -> np.ndarray:
    mass = case.dense.mass.reshape(len(case.structure.nodes), 3, -1, 3)[:, 0, :, 0]
    return np.asarray(mass.sum(axis=0) @ places / mass.sum())


@SOME
@given(cases(supports="none", loaded=False, guided=False))
def test_a_falling_structure_gains_momentum_from_its_weight_alone(case: Case) -> None:
    case = replace(case, damping=replace(case.damping, node=0.0, mass=0.0))  # dampers of cables are internal
    run = simulate(case.plant, 0.5, every=0.1, tolerance=1e-10, correction="constraints")
    linear, angular = momenta(case, run)
    weight = case.dense.weight.reshape(-1, 3).sum(axis=0)
    scale = max(1.0, np.abs(linear).max(), np.abs(angular).max())
    assert np.abs(linear - linear[0] - np.outer(run.time, weight)).max() <= 1e-12 * scale
    # About the falling centre of mass angular momentum stays: weight has no moment there.
    mass = case.dense.mass.reshape(len(case.structure.nodes), 3, -1, 3)[:, 0, :, 0]
    centre = np.einsum("ij,tjk->tk", mass, run.nodes) / mass.sum()
    about = angular - np.cross(centre, linear)
    assert np.abs(about - about[0]).max() <= 1e-8 * scale


@SOME
@given(cases(loaded=False, heavy=False))
def test_energy_never_rises_without_loads(case: Case) -> None:
    run = simulate(case.plant, 0.5, every=0.05, tolerance=1e-10)
    total = run.energy_kinetic + run.energy_elastic
    assert np.diff(total).max() <= 1e-9 * max(1.0, total[0])
    assert np.diff(run.work).max() <= 0.0


def test_a_mirrored_structure_moves_as_the_mirror_image() -> None:
    structure: Structure = icosahedron(rest_ratio=0.9).changed("cable:cable1", rest_ratio=0.5)
    mirror = np.diag([1.0, 1.0, -1.0])
    runs = [
        simulate(assemble(shape), 0.2, method="rk4", step=1e-3, correction="constraints")
        for shape in (structure, structure.moved(mirror))
    ]
    assert np.abs(runs[0].nodes - structure.positions).max() > 1e-3
    assert np.abs(runs[0].nodes @ mirror - runs[1].nodes).max() <= 1e-12
