"""Every claim of the thesis on pulleys keeps its verdict. Runs under control take minutes each, so most are slow."""

from __future__ import annotations

import numpy as np
import pytest

from taut.mechanics.trees.equations import TreeEquations
from taut.papers.bench import Bench
from taut.papers.claims import CANNOT, NOT_REPRODUCED, REPRODUCED, Finding
from taut.papers.paper import paper_named
from taut.papers.pulleys.controlled_runs import Controlled, UntilLost, begun
from taut.papers.pulleys.manipulator_cases import STRUTS, Law, law_of
from taut.papers.pulleys.ringing import frequencies, ringing
from taut.papers.pulleys.strut_cases import (
    KNOTS,
    LEANING,
    _along,
    _sides,
    kicked_task,
    still_torques,
    strut_of,
    strut_task,
)
from taut.papers.pulleys.strut_control import NOMINAL
from taut.structure.generators.pulleys import manipulator

PAPER = paper_named("pulleys")

EXPECTED = {
    "torque-energy": NOT_REPRODUCED,
    "freedoms-strut": REPRODUCED,
    "freedoms-manipulator": REPRODUCED,
    "phi-constant": REPRODUCED,
    "variants": REPRODUCED,
    "simscape": CANNOT,
    "spline": REPRODUCED,
    "spline-order": NOT_REPRODUCED,
    "strut-phi-2e08": NOT_REPRODUCED,
    "strut-psi-2e08": NOT_REPRODUCED,
    "strut-phi-2e09": NOT_REPRODUCED,
    "strut-psi-2e09": NOT_REPRODUCED,
    "strut-phi-2e10": REPRODUCED,
    "strut-psi-2e10": NOT_REPRODUCED,
    "strut-trend": REPRODUCED,
    "strut-held": NOT_REPRODUCED,
    "settling": REPRODUCED,
    "track-z": REPRODUCED,
    "track-x": REPRODUCED,
    "printed-z": NOT_REPRODUCED,
    "printed-x": NOT_REPRODUCED,
    "mismatch-z": NOT_REPRODUCED,
    "mismatch-x": REPRODUCED,
    "undamped-x": NOT_REPRODUCED,
    "unfed-x": NOT_REPRODUCED,
    "why-x": REPRODUCED,
    "ringing-strut-2e09": REPRODUCED,
    "ringing-strut-2e10": REPRODUCED,
    "ringing-manipulator": REPRODUCED,
    "predictive-strut-small": REPRODUCED,
    "predictive-strut-far": REPRODUCED,
    "predictive-manipulator-small": REPRODUCED,
    "predictive-manipulator-far": REPRODUCED,
}


QUICK = ("spline", "freedoms", "torque-energy", "ringing-strut")


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=[] if c.id.startswith(QUICK) else [pytest.mark.slow]) for c in PAPER.claims],
    ids=lambda claim: claim.id,
)
def test_a_claim_keeps_its_verdict(claim, bench: Bench) -> None:
    finding = Finding(claim, bench.once(f"claim {claim.id}", lambda: claim.measure(bench)))
    assert finding.verdict == EXPECTED[claim.id], f"{finding.measured.ours} {claim.unit}; {finding.reason}"
    assert finding.reason or finding.verdict == REPRODUCED


def test_the_spline_of_table_5_6_has_two_sides_at_its_knots() -> None:
    """A run from the knot at 3 s to the one at 7 s: 'left' takes what leads up to it, 'right' what follows the next."""
    jump = [_along(2, 3.0, 7.0, side)(0.0)[2] for side in ("left", "inside")]
    assert abs(jump[0][1] - jump[1][1]) > 0.8
    ahead = [_along(2, 3.0, 7.0, side)(4.0)[2] for side in ("right", "inside")]
    assert abs(ahead[0][0] - ahead[1][0]) > 0.8
    for t in (0.0, 1.7, 4.0):
        values, rates, _ = _along(2, 3.0, 7.0, "inside")(t)
        h = 1e-6
        near = [_along(2, 3.0, 7.0, "inside")(t + off)[0] for off in (h, -h)]
        assert rates == pytest.approx((near[0] - near[1]) / (2.0 * h), abs=1e-8)
    assert values == pytest.approx([angle[3] for angle in LEANING], abs=1e-14)
    assert KNOTS[3] == 7.0


def test_a_step_counted_in_tenths_of_milliseconds_ends_past_the_knot_at_3_s() -> None:
    assert [_sides(k, "inside") for k in range(4)] == [(k, k) for k in range(4)]
    assert [_sides(k, "left")[0] for k in range(4)] == [0, 0, 1, 2]
    assert [_sides(k, "counted") for k in range(4)] == [(0, 0), (0, 2), (1, 2), (2, 3)]


@pytest.mark.slow
@pytest.mark.parametrize("modulus", NOMINAL)
def test_table_5_7_is_within_5_percent_of_an_independent_computation(modulus: float, bench: Bench) -> None:
    run: Controlled = bench.made(strut_task(modulus))
    phi, psi = NOMINAL[modulus]
    assert run.worst[0] == pytest.approx(phi, rel=0.01)
    if modulus < 1e10:  # psi of the stiffest hangs on one stage at a knot: 8.2e-5 here, 1.30e-4 there
        assert run.worst[1] == pytest.approx(psi, rel=0.05)


def test_strains_ring_at_a_frequency_of_the_linear_model(bench: Bench) -> None:
    run: Controlled = bench.made(kicked_task(2e9))
    model = frequencies(strut_of(2e9), still_torques(2e9))
    assert model[0] == pytest.approx(24.1, abs=0.1)
    assert ringing(run.time[1:], run.strain[1:, -1]) == pytest.approx(model[0], rel=0.05)


def test_a_tone_is_found_beside_what_grows() -> None:
    t = np.linspace(0.0, 0.4, 201)
    assert ringing(t, t**3 - t + 1e-3 * np.sin(2.0 * np.pi * 31.0 * t)) == pytest.approx(31.0, rel=0.01)


def test_a_tree_begins_where_another_ended() -> None:
    tree = manipulator()
    q, v = TreeEquations(tree).start()
    v = np.arange(v.size) * 1e-3
    again = TreeEquations(begun(tree, q, v)).start()
    assert np.array_equal(again[0], q)
    assert np.array_equal(again[1], v)


def test_the_law_of_the_manipulator_holds_what_the_thesis_moves() -> None:
    law = law_of(Law(), "x")
    height = law.wanted(0.0)[0][2]
    side = np.sqrt(0.5)
    assert height == pytest.approx(side * (1.0 + np.sqrt(2.0 / 3.0)), rel=1e-12)
    assert law.wanted(5.0)[0] == pytest.approx([0.0, -0.35, height])
    assert law_of(Law(), "z").wanted(15.0)[0] == pytest.approx([0.0, 0.0, height + 0.25])
    decision = law.decide(0.0, *law.equations.start())
    assert decision.free == STRUTS


def test_a_machine_that_is_lost_has_no_torques_any_more() -> None:
    law = law_of(Law(), "z")
    q, v = law.equations.start()
    guarded = UntilLost(law)
    assert np.abs(guarded(0.0, q, v)).min() > 1.0
    assert guarded.lost == np.inf
    q[0] += 0.2
    assert not guarded(0.1, q, v).any()
    assert guarded.lost == 0.1
    q[0] -= 0.2
    assert not guarded(0.2, q, v).any()
