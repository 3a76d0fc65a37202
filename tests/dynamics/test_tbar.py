"""The T-bar of Hsu, Tadiparthi and Bhattacharya against an exact trajectory and against a model in its two angles."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from minimal_models import Rod, TBar, followed

from taut import Correction, Load, Sinusoid, Structure, Trajectory, assemble, read_model, simulate

ROOT = Path(__file__).resolve().parents[2]
MODEL = read_model(ROOT / "examples" / "tbar.yaml")
HEIGHT = 5.0 / math.sqrt(2.0)
MASS = 6.25 * math.pi  # [kg] of a bar: 500 kg/m^3, radius 0.05 m, length 5 m


def upper_nodes(values: np.ndarray) -> np.ndarray:
    """x3 z3 x4 z4 of (T, 4, 3) positions or velocities."""
    return values[:, 2:, ::2].reshape(-1, 4)


def energy_by_hand(run: Trajectory) -> np.ndarray:
    """Thin bars about their fixed ends, and four springs [J]."""
    kinetic = 0.5 * (MASS / 3.0) * np.sum(upper_nodes(run.velocities) ** 2, axis=1)
    sides = [(0, 1, HEIGHT), (1, 2, 0.9 * HEIGHT), (2, 3, HEIGHT), (3, 0, 0.9 * HEIGHT)]
    stretches = [np.linalg.norm(run.nodes[:, j] - run.nodes[:, i], axis=1) - rest for i, j, rest in sides]
    return kinetic + 50.0 * np.sum(np.square(stretches), axis=0)


# --- against the exact motion


@pytest.fixture(scope="module")
def exact() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, positions and velocities x3 z3 x4 z4, good to 3e-15."""
    with np.load(ROOT / "tests" / "data" / "stedy_tbar_rigid_10s.npz") as file:
        data = dict(file)
    return data["t"], data["q"] + data["q_lo"], data["v"] + data["v_lo"]


def tbar_run(correction: Correction | str, tolerance: float = 1e-10) -> Trajectory:
    return simulate(assemble(MODEL.structure), 10.0, every=0.01, tolerance=tolerance, correction=correction)


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return tbar_run("energy")


def test_the_example_file_asks_for_this_run() -> None:
    scenario = MODEL.scenario
    asked = (scenario.duration, scenario.every, scenario.method, scenario.tolerance, scenario.correction)
    assert asked == (10.0, 0.01, "dp5", 1e-10, "energy")
    assert (scenario.gravity, scenario.loads) == ((0.0, 0.0, 0.0), ())


def test_positions_and_velocities_are_those_of_the_exact_motion(run: Trajectory, exact) -> None:
    times, places, speeds = exact
    assert run.ok
    np.testing.assert_allclose(run.time, times, rtol=0.0, atol=1e-12)
    assert np.abs(upper_nodes(run.nodes) - places).max() <= 2e-10
    assert np.abs(upper_nodes(run.velocities) - speeds).max() <= 5e-10
    assert np.ptp(upper_nodes(run.nodes), axis=0).min() > 0.1, "a T-bar that does not move is no test"


def test_bars_keep_their_length_on_the_output_grid(run: Trajectory) -> None:
    for i, j in ((0, 2), (1, 3)):
        assert np.abs(np.linalg.norm(run.nodes[:, j] - run.nodes[:, i], axis=1) - 5.0).max() <= 2e-13


def test_energy_stays_on_the_output_grid(run: Trajectory) -> None:
    assert np.abs(energy_by_hand(run) - 12.5).max() <= 1e-10
    np.testing.assert_allclose(run.energy_kinetic + run.energy_elastic, energy_by_hand(run), rtol=1e-13)


def test_held_coordinates_do_not_move(run: Trajectory) -> None:
    assert np.array_equal(run.nodes[:, :2], np.broadcast_to(run.nodes[0, :2], run.nodes[:, :2].shape))
    assert not run.nodes[:, :, 1].any()
    assert not run.velocities[:, :, 1].any()


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10])
def test_each_correction_comes_closer_than_the_one_before(tolerance: float, exact) -> None:
    runs = {kind: tbar_run(kind, tolerance) for kind in ("none", "constraints", "energy", "baumgarte")}
    error = {kind: np.abs(upper_nodes(run.nodes) - exact[1]).max() for kind, run in runs.items()}
    assert error["energy"] <= error["constraints"] <= error["none"]
    length = {kind: run.length_violation.max() for kind, run in runs.items()}
    drift = {kind: np.abs(run.energy_violation).max() for kind, run in runs.items()}
    assert length["constraints"] <= 2e-13
    assert length["energy"] <= 2e-13
    assert length["energy"] < length["baumgarte"] < length["none"], "feedback damps the gaps, it does not close them"
    assert drift["energy"] <= 2e-12 * 12.5, "twice the default tolerance of what is there"
    assert drift["energy"] < drift["constraints"] < drift["none"]


@pytest.mark.parametrize("kind", ["constraints", "energy"])
def test_the_metric_does_not_matter_where_all_coordinates_weigh_the_same(kind: str) -> None:
    by_mass, plain = (tbar_run(Correction(kind, metric=metric)) for metric in ("mass", "euclidean"))
    assert np.abs(by_mass.nodes - plain.nodes).max() <= 1e-12


def test_the_metric_matters_where_they_do_not_and_both_hold_the_constraints() -> None:
    heavy = assemble(tbar().weighted("n3", 200.0).supported("n1", ""))  # and n1 hangs free, in the plane or not
    runs = {}
    for metric in ("mass", "euclidean"):
        # At a loose tolerance the corrections are large enough to tell them apart.
        runs[metric] = simulate(heavy, 2.0, tolerance=1e-4, correction=Correction("constraints", metric=metric))
        assert runs[metric].length_violation.max() <= 2e-13
    fine = simulate(heavy, 2.0, tolerance=1e-11)
    error = {metric: np.abs(run.nodes - fine.nodes).max() for metric, run in runs.items()}
    assert 1e-9 < np.abs(runs["mass"].nodes - runs["euclidean"].nodes).max() <= sum(error.values())
    assert max(error.values()) < 1e-2


# --- against the two angles


def tbar(inertia: str = "thin", damping: float = 0.0) -> Structure:
    return MODEL.structure.changed("bar:*", inertia=inertia).changed("cable:*", damping=damping)


def shaking(t: float) -> np.ndarray:
    """The loads of `LOADS` by hand: forces on n3 and n4, x and z [N]."""
    wave = 2.0 * math.pi * 0.7 * t
    return np.array([[5.0 + 40.0 * math.sin(wave + 0.3), 0.0], [0.0, 25.0 * math.sin(2.0 * wave)]])


LOADS = (Load("n3", "x", Sinusoid(40.0, 0.7, 0.3, mean=5.0)), Load("n4", "z", Sinusoid(25.0, 1.4)))
VARIANTS: dict[str, tuple[float, float, Callable[[float], np.ndarray] | None]] = {
    "free": (0.0, 0.0, None),
    "damped": (30.0, 0.0, None),
    "heavy": (0.0, 9.81, None),
    "loaded": (0.0, 0.0, shaking),
    "all together": (30.0, 9.81, shaking),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("inertia", ["thin", "cylinder"])
def test_nodes_move_as_the_two_angles_say(inertia: str, variant: str) -> None:
    damping, gravity, load = VARIANTS[variant]
    plant = assemble(tbar(inertia, damping), gravity=gravity, loads=LOADS if load else ())
    run = simulate(plant, 4.0, every=0.05, tolerance=1e-11)
    rod = Rod(MASS, 5.0, 0.05 if inertia == "cylinder" else 0.0)
    model = TBar(rod, HEIGHT, 100.0, 0.9 * HEIGHT, HEIGHT, damping, gravity, load or (lambda t: np.zeros((2, 2))))
    states = followed(model.rate, [math.pi / 4.0, 3.0 * math.pi / 4.0, 0.0, 0.0, 0.0], run.time)
    ends = [model.ends(state) for state in states]
    assert np.abs(upper_nodes(run.nodes) - [place for place, _ in ends]).max() <= 1e-9
    assert np.abs(upper_nodes(run.velocities) - [speed for _, speed in ends]).max() <= 1e-8
    assert np.abs(run.work - states[:, 4]).max() <= 1e-8 * max(1.0, np.abs(states[:, 4]).max())
    if load:
        forces = np.array([load(t) for t in run.time])
        np.testing.assert_allclose(
            run.load_force, np.column_stack([forces[:, 0, 0], forces[:, 1, 1]]), rtol=0, atol=1e-12
        )


def test_the_radius_term_of_the_inertia_moves_the_top_by_what_the_notes_say(exact) -> None:
    thick = simulate(assemble(tbar("cylinder")), 10.0, every=0.01, tolerance=1e-10)
    assert np.abs(upper_nodes(thick.nodes) - exact[1]).max() == pytest.approx(2.2e-4, rel=0.05)
