"""Every claim of the mechanism paper keeps its verdict; the numbers behind them are known from elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from reproduced_page import told

from taut.papers.bench import Bench
from taut.papers.claims import NOT_REPRODUCED, REPRODUCED, Finding, Measured
from taut.papers.mechanism import equations
from taut.papers.mechanism.kinematics import angles_in_closed_form, equilibria
from taut.papers.mechanism.model import AT_END, AT_START, END, START, at_rest, in_joints, rest, universal_angles
from taut.papers.mechanism.torque_runs import falling, threshold
from taut.papers.paper import paper_named

PAPER = paper_named("mechanism")

EXPECTED = {
    "sec2-nine": REPRODUCED,
    "sec2-six": REPRODUCED,
    "sec2-unique": NOT_REPRODUCED,
    "sec4-start": REPRODUCED,
    "psi-first": REPRODUCED,
    "psi-second": REPRODUCED,
    "psi-third": NOT_REPRODUCED,
    "eq39-torque": REPRODUCED,
    "sec4-struts": REPRODUCED,
    "eq40-slope": REPRODUCED,
    "eq41-signs": REPRODUCED,
    "eq16-sign": NOT_REPRODUCED,
    "eq21-size": NOT_REPRODUCED,
    "eq35-size": NOT_REPRODUCED,
    "fig3-still": REPRODUCED,
    "fig3-end": REPRODUCED,
    "fig3-delay": REPRODUCED,
    "fig4-position": REPRODUCED,
    "sec4-velocity": REPRODUCED,
    "sec4-energy": REPRODUCED,
    "kick-forms": REPRODUCED,
    "sec4-order": NOT_REPRODUCED,
    "sec4-filtered": REPRODUCED,
    "fig3-underdamped": REPRODUCED,
    "sec4-dampers": REPRODUCED,
    "sec4-joints": REPRODUCED,
    "sec4-unstable": NOT_REPRODUCED,
    "sec4-collapse": NOT_REPRODUCED,
    "sec4-pd": REPRODUCED,
    "sec4-limit": REPRODUCED,
    "sec4-cartesian": REPRODUCED,
}

QUICK = (
    *(claim for claim in EXPECTED if claim.startswith(("sec2-unique", "psi"))),
    *("sec4-start", "sec4-struts"),
)
"""Statics and linear models; the imposed motion in joints takes minutes to compile."""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


def measured(bench: Bench, name: str) -> Measured:
    (claim,) = PAPER.chosen([name])
    return bench.once(f"claim {name}", lambda: claim.measure(bench))


def test_every_claim_has_an_expected_verdict() -> None:
    assert list(EXPECTED) == [claim.id for claim in PAPER.claims]


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=[] if c.id in QUICK else [pytest.mark.slow]) for c in PAPER.claims],
    ids=lambda claim: claim.id,
)
def test_a_claim_keeps_its_verdict(claim, bench: Bench) -> None:
    finding = Finding(claim, measured(bench, claim.id))
    assert finding.verdict == EXPECTED[claim.id], f"{finding.measured.ours} {claim.unit}; {finding.reason}"
    assert finding.reason or finding.verdict == REPRODUCED


def test_the_page_tells_these_verdicts() -> None:
    assert told("mechanism") == EXPECTED


# --- the numbers behind them


def test_the_closed_form_stands_where_the_paper_starts() -> None:
    assert at_rest(AT_START) == pytest.approx(START, abs=1e-14)
    assert np.degrees(angles_in_closed_form(END)) == pytest.approx([-70.5474131, -97.12763502, -84.00317775], abs=1e-8)
    assert at_rest(AT_END) - END == pytest.approx([-2e-6, 1.3e-4, -7e-5], abs=5e-6)
    alpha, beta = universal_angles(rest(AT_START), 1)
    assert np.degrees([alpha, beta]) == pytest.approx([65.90516, 45.0], abs=1e-5)


@pytest.mark.slow
def test_equations_written_out_are_those_of_the_plant() -> None:
    """M, forces and rows of the paper's equations against the plant in joints, at a state at random."""
    from taut import assemble
    from taut.mechanisms import in_coordinates

    structure, joints = in_joints()
    plant = in_coordinates(assemble(structure), joints)
    draw = np.random.default_rng(2)
    u = np.concatenate([equations.start(), AT_START]) + 0.1 * draw.normal(size=12)
    v = draw.normal(size=12)
    order = [0, 1, 2, 3, 4, 9, 5, 6, 10, 7, 8, 11]  # theta of a leg after its alpha and beta
    mass, rows, force, _ = plant.terms_at(0.0, u[order], v[order])
    found = equations.terms(u, v)
    assert mass == pytest.approx(found.mass[np.ix_(order, order)], abs=1e-12)
    assert force == pytest.approx(found.force[order], abs=1e-9)
    for k in range(3):  # theirs are of lengths squared
        own, theirs = rows[k], found.rows[k][order]
        assert np.outer(own, theirs) == pytest.approx(np.outer(theirs, own), abs=1e-12)


@pytest.mark.slow
def test_there_are_eight_equilibria_at_psi_f_too() -> None:
    found = equilibria(AT_END, starts=60, seed=3)
    assert len(found) == 8
    ends = np.array([places[3:].mean(axis=0) for places, _ in found])
    assert np.abs(ends) == pytest.approx(np.tile(np.abs(at_rest(AT_END)), (8, 1)), abs=1e-5)


@pytest.mark.slow
def test_growth_and_the_limit_of_pd(bench: Bench) -> None:
    model = falling(bench)
    assert np.sort(model.poles.real)[::-1][:2] == pytest.approx([7.963, 2.989], abs=5e-4)
    assert threshold(model, 50.0) == pytest.approx(1331.94, abs=0.01)


@pytest.mark.slow
def test_energies_are_those_of_the_reference(bench: Bench) -> None:
    found = measured(bench, "sec4-energy").beside
    assert found["work of the actuators [J]"] == pytest.approx(1260.3782, abs=5e-4)
    assert found["elastic energy gained [J]"] == pytest.approx(1252.8719, abs=5e-4)
    assert found["dissipated [J]"] == pytest.approx(7.5063, abs=5e-4)
    assert found["balance of energies, worst in joints [J]"] < 1e-9
    ends = measured(bench, "fig3-end").beside
    wanted = (1.005464, 0.202847, 1.823824), (0.99999772, 0.20424931, 1.82566892)
    for time, place in zip((3, 10), wanted, strict=True):
        assert [ends[f"{axis}({time}) [m]"] for axis in "xyz"] == pytest.approx(place, abs=1e-6)
    assert ends["nodes against joints, largest over 10 s [m]"] < 1e-12
    kick = measured(bench, "kick-forms").beside
    assert max(kick["energy drift over 5 s in nodes"], kick["energy drift over 5 s in joints"]) < 1e-10


@pytest.mark.slow
def test_collapse_is_as_linear_models_foretell(bench: Bench) -> None:
    found = measured(bench, "sec4-collapse").beside
    for error, time in ((1e-3, 2.52), (1e-6, 3.41), (1e-9, 4.28), (1e-12, 5.15)):
        seen = found[f"0.1 rad off from {error:g} rad [s]"]
        # Torques are rounded, which is an error of some 1e-12 rad and more itself.
        assert abs(seen - time) < 0.03 if error > 1e-10 else 4.4 < seen < time + 0.1
        linear = found[f"the same by linear models along the motion, {error:g} rad [s]"]
        assert linear == pytest.approx(time, abs=0.04)
