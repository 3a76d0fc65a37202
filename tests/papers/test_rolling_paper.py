"""What holds of the rolling report and what does not; its own model against taut's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reproduced_page import told

import taut
from taut.papers.bench import Bench
from taut.papers.claims import NOT_REPRODUCED, REPRODUCED, Finding, Measured
from taut.papers.rolling import actuation, cases, contact, refinement, stiff_struts
from taut.papers.rolling.paper import PAPER
from taut.papers.rolling.penalty import GRAVITY, Soil, energy, followed

EXPECTED = {
    "sec2-prestress": REPRODUCED,
    "appC-edges": NOT_REPRODUCED,
    "sec24-manifold": NOT_REPRODUCED,
    "eq5-frame": NOT_REPRODUCED,
    "sec35-definite": NOT_REPRODUCED,
    "sec35-masses": NOT_REPRODUCED,
    "eq3-forces": REPRODUCED,
    "appA1-signs": NOT_REPRODUCED,
    "appA2-jump": NOT_REPRODUCED,
    "sec63-gradient": REPRODUCED,
    "sec63-up": NOT_REPRODUCED,
    "sec24-map": REPRODUCED,
    "eq5-bodies": REPRODUCED,
    "sec35-blocks": REPRODUCED,
    "sec24-views": REPRODUCED,
    "sec66-edge": REPRODUCED,
    "sec66-halving": REPRODUCED,
    "sec24-equivalent": REPRODUCED,
    "appA3-order": NOT_REPRODUCED,
    "appA3-freedoms": NOT_REPRODUCED,
    "sec61-weight": NOT_REPRODUCED,
    "sec61-exact": NOT_REPRODUCED,
    "sec61-limit": REPRODUCED,
    "sec61-rest": REPRODUCED,
    "sec61-drop": NOT_REPRODUCED,
    "fig4-penetration": NOT_REPRODUCED,
    "fig4-sticks": NOT_REPRODUCED,
    "sec34-slides": REPRODUCED,
    "appB-power": NOT_REPRODUCED,
    "appB-work": NOT_REPRODUCED,
    "abstract-time": REPRODUCED,
    "fig2-smooth": REPRODUCED,
    "fig2-plateau": REPRODUCED,
    "fig2-gain": REPRODUCED,
    "fig3-drift": REPRODUCED,
    "sec6-same": NOT_REPRODUCED,
    "sec65-viable": REPRODUCED,
    "fig5-roll": REPRODUCED,
    "sec5-search": REPRODUCED,
    "sec67-improved": REPRODUCED,
    "sec52-fitness": NOT_REPRODUCED,
}

SLOW = {"fig5-roll", "sec67-improved", "fig2-plateau", "fig2-gain", "sec5-search", "sec52-fitness"}


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


def measured(bench: Bench, name: str) -> Measured:
    (claim,) = PAPER.chosen([name])
    return bench.once(f"claim {name}", lambda: claim.measure(bench))


def test_every_claim_has_a_verdict_and_every_picture_a_claim() -> None:
    assert [claim.id for claim in PAPER.claims] == list(EXPECTED)
    assert {name for picture in PAPER.pictures for name in picture.claims} <= set(EXPECTED)
    assert {picture.name for picture in PAPER.pictures} >= {"fig2", "fig3", "fig4", "fig5"}


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=[pytest.mark.slow] if c.id in SLOW else []) for c in PAPER.claims],
    ids=lambda claim: claim.id,
)
def test_a_claim_keeps_its_verdict(claim, bench: Bench) -> None:
    finding = Finding(claim, measured(bench, claim.id))
    assert finding.verdict == EXPECTED[claim.id], f"{finding.measured.ours} {claim.unit}; {finding.reason}"
    assert finding.reason or finding.verdict == REPRODUCED


def test_depths_are_those_of_springs(bench: Bench) -> None:
    assert contact.resting(bench, 1e5) == pytest.approx(3.0 * GRAVITY / 3e5, rel=1e-5)
    assert measured(bench, "sec61-drop").ours == pytest.approx(4.2e-3, abs=1e-4)
    assert measured(bench, "fig4-penetration").ours == pytest.approx(GRAVITY * math.cos(cases.SLOPE) / 1e5, rel=1e-9)


def test_the_longest_step_is_that_of_the_strut_alone(bench: Bench) -> None:
    assert stiff_struts.limit(bench, 1e6) == pytest.approx(1e-3, rel=2e-3)
    off = list(measured(bench, "sec66-edge").beside.values())[-1]
    assert off < 1.0, "rigid struts are stable at twenty times that step, if not accurate"  # type: ignore[operator]


def test_a_strut_swings_by_the_root_of_its_stiffness(bench: Bench) -> None:
    found = stiff_struts.stretches(bench)
    assert found[-2] / found[-1] == pytest.approx(math.sqrt(10.0), rel=0.02)


def test_friction_on_a_slope(bench: Bench) -> None:
    found = measured(bench, "fig4-sticks")
    assert 1e-3 < found.ours < 1e-2  # type: ignore[operator]
    assert found.beside["impulses [m]"] < 1e-15  # type: ignore[operator]
    assert found.beside["F_t / F_n by impulses"] == pytest.approx(math.tan(cases.SLOPE), rel=1e-12)
    slides = measured(bench, "sec34-slides")
    assert slides.beside["by impulses"] == pytest.approx(1.0, abs=1e-9)
    assert list(slides.beside.values())[1] == pytest.approx(1.0, abs=1e-3)


def test_torques_are_those_of_changed_lengths(bench: Bench) -> None:
    """Of one strut and one cable, by balances with lengths a thousandth off, instead of derivatives."""
    made = cases.robot().changed("bar:*", law="compressible", stiffness=1e6, length=0.6 + 40.0 * math.sqrt(6.0) / 1e6)
    for node, place in made.nodes.items():
        made = made.supported(node) if place[2] < 1e-9 else made
    told = actuation.torques(bench)
    for selector, row, own in (
        ("bar:x2", told["bar:*"][1], "length"),
        ("cable:c10", told["cable:*"][9], "rest_length"),
    ):
        kind, name = selector.split(":")
        length = getattr(getattr(made, f"{kind}s")[name], own)
        centres = [
            taut.balance(
                made.changed(selector, **{own: length * (1.0 + sign * 1e-3)}), gravity=GRAVITY
            ).structure.positions.mean(axis=0)[:2]
            for sign in (1.0, -1.0)
        ]
        found = 3.0 * GRAVITY * (centres[0] - centres[1]) / 2e-3
        assert found == pytest.approx(row, rel=1e-3, abs=1e-3)


def test_turning_the_robot_turns_its_torques(bench: Bench) -> None:
    struts = actuation.torques(bench)["bar:*"]
    turn = np.array([[-0.5, -math.sqrt(0.75)], [math.sqrt(0.75), -0.5]])
    assert any(np.allclose(struts[[3, 5, 1]], struts[[1, 3, 5]] @ one, atol=1e-6) for one in (turn, turn.T))


def test_the_reports_model_keeps_its_energy_and_falls_as_bodies_do() -> None:
    springs = cases.springs(damping=0.0)
    start = cases.robot(1.0).positions
    flight = followed(start, cases.moving(), 0.25, springs, None, 0.3, 2e-5, samples=30)
    told = energy(springs, None, 0.25, flight)
    assert np.ptp(told) < 1e-7
    fallen = flight.places[-1].mean(axis=0) - start.mean(axis=0) - 0.3 * cases.moving().mean(axis=0)
    assert fallen == pytest.approx([0.0, 0.0, -0.5 * GRAVITY * 0.09], abs=1e-12)


@pytest.mark.slow
def test_the_reports_model_flies_as_struts_that_give_way_do() -> None:
    """taut's compressible bars, by an adaptive method of order eight."""
    made = cases.robot(damping=0.0)
    length = 0.6 + cases.PULL * math.sqrt(6.0) / cases.ROD
    soft = made.changed("bar:*", law="compressible", stiffness=cases.ROD, length=length)
    speeds = {n: tuple(map(float, v)) for n, v in zip(made.nodes, cases.moving(), strict=True)}
    plant = taut.assemble(soft, gravity=GRAVITY, velocities=speeds)
    run = taut.simulate(plant, 0.5, method="dp8", tolerance=1e-12, verify=False)
    flight = followed(made.positions, cases.moving(), 0.25, cases.springs(damping=0.0), None, 0.5, 2e-5, samples=5)
    assert flight.places[-1] == pytest.approx(run.nodes[-1], abs=1e-9)


@pytest.mark.slow
def test_figure_2_on_the_ground(bench: Bench) -> None:
    errors = refinement.landed_errors(bench)
    assert errors[0] == pytest.approx(4.4e-3, rel=0.05)
    assert errors[2] < 1e-3


def test_the_switch_holds_no_more_than_the_cone_allows() -> None:
    """On a slope steeper than friction holds, the mass goes, however slow the switch takes sticking to be."""
    steep = Soil(normal=(math.sin(0.7), 0.0, math.cos(0.7)), friction=0.3, slip_speed=1e-3)
    start = np.array([steep.normal]) * -GRAVITY * math.cos(0.7) / 1e5
    gone = followed(start, np.zeros((1, 3)), 1.0, None, steep, 1.0, 1e-4, samples=10).places[-1, 0] - start[0]
    wanted = 0.5 * GRAVITY * (math.sin(0.7) - 0.3 * math.cos(0.7))
    assert float(np.linalg.norm(gone)) == pytest.approx(wanted, rel=1e-3)


def test_the_page_of_reproductions_tells_the_same() -> None:
    """Numbers there are of one machine and day; claims and verdicts are not."""
    assert told("rolling") == EXPECTED


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(taut, "Compliance"), reason="grounds that give way are not in this version")
@pytest.mark.parametrize(("friction", "law", "apart"), [(0.0, "bristle", 1e-13), (0.6, "threshold", 1e-9)])
def test_grounds_that_give_way_are_those_of_the_report(friction: float, law: str, apart: float) -> None:
    """Struts that give way, dropped from 10 cm, by equal steps of rk4 in both; without dampers in the ground, which
    taut bounds otherwise."""
    gives = taut.Compliance(1e5, 0.0, law, tangential_damping=80.0, threshold=1e-3)
    made, length = cases.robot(0.1), 0.6 + cases.PULL * math.sqrt(6.0) / cases.ROD
    soft = made.changed("bar:*", law="compressible", stiffness=cases.ROD, length=length)
    plant = taut.assemble(soft, gravity=GRAVITY, ground=[taut.Ground("floor", friction=friction, compliance=gives)])
    options = {"method": "rk4", "step": 1e-4, "correction": "none", "locate": False, "verify": False}
    run = taut.simulate(plant, 0.5, every=0.01, **options)
    soil = Soil(damping=0.0, friction=friction)
    drop = followed(made.positions, np.zeros((12, 3)), 0.25, cases.springs(), soil, 0.5, 1e-4, samples=50)
    assert drop.deepest.max() > 1e-3
    assert np.abs(run.nodes - drop.places).max() < apart
