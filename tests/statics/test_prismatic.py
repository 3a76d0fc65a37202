"""The prismatic robot of Yeshmukhametov and Koganezawa (2023) against an independent model of it: posture, forces and
the tangent stiffness on the constraint manifold, with wires commanded by tension, sprung, or held at their lengths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import null_space

import taut
from taut.statics import counts, stability
from taut.statics.equilibrium_equations import equations_of
from taut.statics.linearised import linearised
from taut.statics.network import network
from taut.statics.slackening import stepped

ROOT = Path(__file__).parents[2]
REFERENCE = np.load(ROOT / "tests" / "data" / "posture_sa90_sp65.npz")
GRAVITY = 9.80665


def robot(active: str = "length", passive: str = "spring") -> taut.Structure:
    made = taut.read_model(ROOT / "examples" / "prismatic.yaml").structure
    if active == "tension":
        made = made.changed("cable:a*", mode="tension", command=90.0)
    if passive == "tension":
        made = made.changed("cable:p*", mode="tension", command=65.0)
    if passive == "length":
        made = made.changed("cable:p*", mode="length", command=float(REFERENCE["Lp"][0]))
    return made


def reduced(found: taut.statics.Equilibrium) -> np.ndarray:
    """Eigenvalues of the tangent stiffness on the motions that constraints allow [N/m]."""
    view = linearised(found)
    ways = null_space(view.rows.toarray(), rcond=1e-9)
    return np.linalg.eigvalsh(ways.T @ view.stiffness.toarray() @ ways)


def test_the_example_is_the_reference_posture_in_balance() -> None:
    made = robot()
    assert tuple(made.nodes) == tuple(map(str, REFERENCE["names"]))
    assert np.abs(made.positions - REFERENCE["nodes"]).max() < 1e-12
    found = taut.balance(made, gravity=GRAVITY)
    assert found.ok, found.status
    assert not found.notes
    assert found.residual < 1e-9
    assert np.abs(found.structure.positions - made.positions).max() < 1e-12
    assert found.cable_tension[:3] == pytest.approx([90.0] * 3, rel=1e-10)
    assert found.cable_tension[3:6] == pytest.approx([65.0] * 3, rel=1e-10)
    assert found.cable_tension[6] == pytest.approx(REFERENCE["lam"][9], rel=1e-9)
    assert found.bar_force == pytest.approx(REFERENCE["lam"][:6], rel=1e-9)


@pytest.mark.parametrize(
    ("active", "passive", "reference", "lowest"),
    [
        ("tension", "tension", "eig_tension_tension", -3.34),
        ("tension", "spring", "eig_pas_spring", -0.29),
        ("length", "tension", "eig_act_locked_pas_tension", -1.14),
        ("length", "spring", "eig_act_locked_pas_spring", 2.60),
        ("length", "length", "eig_all_locked", 2.64),
    ],
)
def test_the_reduced_stiffness_by_how_wires_are_commanded(
    active: str, passive: str, reference: str, lowest: float
) -> None:
    found = taut.balance(robot(active, passive), gravity=GRAVITY)
    assert found.ok, found.status
    values = reduced(found)
    assert values == pytest.approx(REFERENCE[reference], rel=1e-7, abs=1e-7)
    assert values[0] == pytest.approx(lowest, abs=0.005)
    unstable = [note for note in found.notes if note.startswith("unstable: the energy falls in 2 directions")]
    assert bool(unstable) == (lowest < 0.0)


@pytest.mark.parametrize(
    ("active", "passive", "verdict", "lowest"),
    [
        ("tension", "tension", "unstable", -3.33859566),
        ("length", "tension", "unstable", -1.14351407),
        ("length", "length", "prestress-stable", 2.6397167),
    ],
)
def test_the_certificate_has_the_same_numbers_where_nothing_stretches(
    active: str, passive: str, verdict: str, lowest: float
) -> None:
    told = stability(taut.balance(robot(active, passive), gravity=GRAVITY))
    assert told.verdict == verdict
    assert told.stiffness == pytest.approx(lowest, rel=1e-6)
    assert "Super-stability is not claimed" in told.sentence


def test_counts_and_prestress() -> None:
    told = counts(robot())
    assert (told.members, told.free_coordinates, told.rank, told.mechanisms) == (13, 24, 13, 11)
    found = taut.prestress(robot(), {"cable:a*": 90.0, "cable:p*": 65.0}, gravity=GRAVITY)
    assert not found.notes, "with this weight there is one set of forces, and it is the one asked for"
    assert found.cable_tension[6] == pytest.approx(REFERENCE["lam"][9], rel=1e-9)
    assert found.residual < 1e-9


@pytest.mark.parametrize("seed", [0, 3])
def test_from_three_centimetres_away_it_finds_its_posture_again(seed: int) -> None:
    """Bars and held wires are all off their lengths there, some wires slack."""
    made = robot()
    problem = equations_of(network(made, gravity=GRAVITY))
    shift = 0.03 * np.random.default_rng(seed).normal(size=made.positions.shape)
    found, _ = stepped(problem, problem.setting, problem.setting, made.positions + shift)
    assert found.converged
    assert np.abs(found.positions - made.positions).max() < 1e-12
