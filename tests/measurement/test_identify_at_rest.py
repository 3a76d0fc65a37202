"""Stiffness, lengths, prestress and masses from states at rest: found, with intervals, or said not to be told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, t
from synthetic import PUSHES, States, class_2_tower, off_drawing, prism

import taut
from taut.measurement import AtRest, Measurements, Unknown, identify
from taut.statics import LoadCase

NODE, TENSION = 2e-4, 2.0
DEVIATIONS = {"node:*": NODE, "cable:*": TENSION}
LOOSE = "cable:[rtv]*"
"""Cables that are not between supports."""


def truth_of(structure: taut.Structure, selector: str = LOOSE) -> np.ndarray:
    chosen = [structure.cables[name] for name in structure.select(selector)]
    return np.array([cable.stiffness for cable in chosen] + [cable.rest_length for cable in chosen], dtype=float)


BOTH = [Unknown(LOOSE, "stiffness"), Unknown(LOOSE, "rest_length")]


@pytest.mark.parametrize("made", [prism, class_2_tower])
def test_without_noise_the_truth_is_found(made) -> None:
    truth = off_drawing(made(), 1, LOOSE)
    told = States(truth).measured(np.random.default_rng(0), node=0.0, tension=0.0)
    found = identify(made(), told, BOTH, deviations=DEVIATIONS)
    assert found.ok
    assert not found.undetermined
    assert found.chi_square <= 1e-6
    assert np.abs(found.estimate / truth_of(truth) - 1.0).max() <= 1e-6
    assert found["cable:top1.stiffness"] == pytest.approx(truth.cables["top1"].stiffness, rel=1e-6)
    for name, cable in found.structure.cables.items():
        assert cable.rest_length == pytest.approx(truth.cables[name].rest_length, rel=1e-8)
    assert [len(one.cable_tension) for one in found.equilibria] == [len(truth.cables)] * len(PUSHES)
    assert np.abs(found.equilibria[1].structure.positions[-3:] - told[1].measured.nodes[0][-3:]).max() <= 1e-8


def test_with_noise_the_statement_holds_together() -> None:
    """One trial: covariance, correlation, intervals and the test of the fit say the same."""
    truth = off_drawing(prism(), 1, LOOSE)
    told = States(truth).measured(np.random.default_rng(3), node=NODE, tension=TENSION)
    found = identify(prism(), told, BOTH, deviations=DEVIATIONS)
    assert found.fits
    assert found.verdict.startswith("the model fits: chi-square ")
    assert found.residual.size == 4 * (9 + 9) == len(found.residual_names)
    assert found.freedom == found.residual.size - 12
    assert found.chi_square == pytest.approx(float(found.residual @ found.residual))
    assert found.p_value == pytest.approx(float(chi2.sf(found.chi_square, found.freedom)))
    assert np.allclose(np.diag(found.correlation), 1.0)
    assert np.abs(found.correlation).max() <= 1.0 + 1e-12
    assert np.allclose(found.correlation, found.correlation.T)
    ends = np.log(found.interval(0.95) / found.estimate[:, None])
    assert np.allclose(ends, np.array([-1.959964, 1.959964]) * (found.standard_error / found.estimate)[:, None])
    assert found.inside(found.estimate)
    assert found.inside(truth_of(truth), 0.9999)
    assert not found.inside(1.2 * truth_of(truth))
    assert not found.inside(-truth_of(truth))
    table = found.columns()
    assert list(table) == ["parameter", "unit", "start", "estimate", "standard_error", "lower", "upper"]
    assert table["parameter"][0] == "cable:top1.stiffness"
    assert table["unit"][0] == "N/m"


@pytest.mark.slow
def test_the_covariance_is_that_of_the_estimates_over_many_trials() -> None:
    """30 repeats of 2 parameters: the scatter of estimates is the covariance that each states."""
    truth = prism().changed("cable:vertical*", stiffness=1.1e4)
    states = States(truth, PUSHES[1:3])
    unknowns = [
        Unknown("cable:vertical*", "stiffness", together=True),
        Unknown("cable:top*", "stiffness", together=True),
    ]
    trials = [
        identify(
            prism(),
            states.measured(np.random.default_rng(k), node=NODE, tension=TENSION),
            unknowns,
            deviations=DEVIATIONS,
        )
        for k in range(30)
    ]
    estimates, stated = np.array([one.estimate for one in trials]), trials[0].covariance
    spread = np.cov(estimates.T)
    whitened = np.linalg.solve(np.linalg.cholesky(stated), (estimates - estimates.mean(axis=0)).T)
    total = float((whitened**2).sum())
    low, high = chi2.ppf([0.001, 0.999], 2 * 29)
    assert low <= total <= high
    assert np.sign(spread[0, 1]) == np.sign(stated[0, 1])
    assert estimates.mean(axis=0) == pytest.approx([1.1, 1.0], abs=4.0 * float(np.sqrt(np.diag(stated).max() / 30)))


def test_repeated_readings_count_each_by_itself() -> None:
    """Four rows of one state halve the standard errors of one row."""
    truth = prism()
    (once,) = States(truth, PUSHES[1:2]).measured(np.random.default_rng(0), node=0.0, tension=0.0)
    rows = [np.repeat(part, 4, axis=0) for part in (once.measured.nodes, once.measured.tension)]
    four = Measurements(np.arange(4.0), once.measured.node_names, rows[0], once.measured.member_names, rows[1])
    unknowns = [Unknown("cable:vertical*", "stiffness")]
    alone = identify(truth, [once], unknowns, deviations=DEVIATIONS)
    many = identify(truth, [AtRest(four, once.case)], unknowns, deviations=DEVIATIONS)
    assert np.allclose(many.standard_error, 0.5 * alone.standard_error)
    assert many.residual_names[-1] == "state 1: cable:vertical3.tension, row 3"


def test_a_missing_number_is_not_counted_and_says_nothing() -> None:
    told = States(prism(), PUSHES[1:2]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    measured = told[0].measured
    nodes = measured.nodes.copy()
    nodes[0, 0, 1] = np.nan
    holed = Measurements(measured.time, measured.node_names, nodes, measured.member_names, measured.tension)
    whole = identify(prism(), told, BOTH[:1], deviations=DEVIATIONS)
    found = identify(prism(), [AtRest(holed, told[0].case)], BOTH[:1], deviations=DEVIATIONS)
    assert found.residual.size == whole.residual.size - 1
    assert "state 1: node:top1.y" not in found.residual_names
    assert (found.standard_error >= whole.standard_error * (1.0 - 1e-9)).all()


def test_prestress_is_one_number_of_a_prism() -> None:
    """Its one self-stress state: the same forces as `taut.prestress` gives, scaled."""
    truth = prism()
    truth = truth.changed("cable:*", force_density=1.0).changed("cable:vertical*", force_density=600.0)
    truth = truth.changed("cable:top*", force_density=600.0 / np.sqrt(3.0)).changed("cable:bottom*", rest_ratio=1.0)
    nominal = prism().changed("cable:bottom*", rest_ratio=1.0)
    told = States(truth, PUSHES[:2]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    found = identify(nominal, told, [Unknown("cable:*", "prestress")], deviations=DEVIATIONS)
    assert found.names == ("cable:*.prestress",)
    assert found.units == ("N",)
    strongest = max(taut.balance(truth).cable_tension)
    assert abs(found.estimate[0] - strongest) <= 3.0 * found.standard_error[0]
    assert found.standard_error[0] <= 0.02 * strongest
    assert found.fits
    assert abs(found.start[0] / strongest - 1.0) > 0.05, "it began elsewhere"


def test_masses_are_told_by_gravity() -> None:
    truth = prism().weighted("top1", 3.0).weighted("top2", 1.5).changed("bar:*", mass=1.4)
    nominal = prism().weighted("top1", 2.0).weighted("top2", 2.0)
    unknowns = [Unknown("node:top[12]", "mass"), Unknown("bar:*", "mass", together=True)]
    cases = [LoadCase(gravity=9.81), LoadCase(gravity=(5.0, 0.0, -8.0))]
    told = States(truth, cases).measured(np.random.default_rng(0), node=1e-5, tension=0.05)
    found = identify(nominal, told, unknowns, deviations={"node:*": 1e-5, "cable:*": 0.05})
    own = taut.generators.prism(3).bars["strut1"]
    mass = own.material.density * np.pi * own.radius**2 * 1.390328  # type: ignore[union-attr, operator]
    assert np.abs((found.estimate - [3.0, 1.5, 1.4 / mass]) / found.standard_error).max() <= 3.0
    assert found.fits
    still = States(truth, PUSHES[:2]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    with pytest.raises(taut.OptionError, match="nothing measured depends on node:top1.mass"):
        identify(nominal, still, unknowns, deviations=DEVIATIONS)


# --- what cannot be told


def test_positions_at_rest_without_load_do_not_tell_the_scale_of_stiffness() -> None:
    told = States(off_drawing(prism(), 1, LOOSE), PUSHES[:1]).measured(
        np.random.default_rng(0), node=NODE, tension=None
    )
    found = identify(prism(), told, [Unknown("cable:[tv]*", "stiffness")], deviations=DEVIATIONS)
    assert found.undetermined == ("nothing measured depends on stiffness of cable:[tv]* all by one factor",)
    assert not found.determined.any()
    assert np.isinf(found.standard_error).all()
    assert found.interval().tolist() == [[0.0, np.inf]] * 6
    assert np.isnan(found.correlation).all()
    assert found.freedom == 9 - 5
    # Held at the start along that direction: the factors around the mean are found all the same.
    assert float(np.exp(np.mean(np.log(found.estimate / found.start)))) == pytest.approx(1.0, abs=0.05)


def test_one_load_tells_it() -> None:
    told = States(off_drawing(prism(), 1, LOOSE), PUSHES[:2]).measured(
        np.random.default_rng(0), node=NODE, tension=None
    )
    found = identify(prism(), told, [Unknown("cable:[tv]*", "stiffness")], deviations=DEVIATIONS)
    assert not found.undetermined
    assert found.determined.all()


def test_stiffness_and_rest_length_of_one_cable_only_together() -> None:
    """One tension of a cable between supports says nothing of which it is; the direction is the true one."""
    nominal = prism()
    told = States(nominal, PUSHES[1:2]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    unknowns = [
        Unknown("cable:bottom1", "stiffness"),
        Unknown("cable:bottom1", "rest_length"),
        Unknown("cable:top*", "stiffness"),
    ]
    found = identify(nominal, told, unknowns, deviations=DEVIATIONS)
    (sentence,) = found.undetermined
    assert sentence.startswith("only together: cable:bottom1.")
    k, rest = found.estimate[:2]
    length = float(np.sqrt(3.0)) / 2.0
    assert f"cable:bottom1.rest_length +{(length - rest) / rest:.3g} %" in sentence, "d rest / dk at constant tension"
    assert found.determined.tolist() == [False, False, True, True, True]
    assert np.isfinite(found.correlation[2:, 2:]).all()
    # The tension is met, whichever of both it is put down to.
    measured = told[0].measured.tension[0, told[0].measured.member_names.index("cable:bottom1")]
    assert k * (length - rest) == pytest.approx(measured, rel=1e-6)


def test_what_is_undetermined_does_not_disturb_the_rest() -> None:
    """With and without an idle unknown: the same estimates and errors."""
    told = States(off_drawing(prism(), 1, LOOSE), PUSHES).measured(np.random.default_rng(0), node=NODE, tension=None)
    alone = identify(prism(), told, BOTH, deviations=DEVIATIONS)
    beside = identify(prism(), told, [*BOTH, Unknown("cable:bottom1", "stiffness")], deviations=DEVIATIONS)
    assert beside.undetermined == ("nothing measured depends on cable:bottom1.stiffness",)
    assert beside["cable:bottom1.stiffness"] == 1e4
    assert np.allclose(beside.estimate[:-1], alone.estimate, rtol=1e-6)
    assert np.allclose(beside.standard_error[:-1], alone.standard_error, rtol=1e-5)


def test_fewer_numbers_than_unknowns_leave_directions_open() -> None:
    (told,) = States(prism(), PUSHES[1:2]).measured(np.random.default_rng(0), node=NODE, tension=None)
    nodes = told.measured.nodes[:, :1].copy()
    few = AtRest(Measurements(np.zeros(1), ("top1",), nodes), told.case)
    found = identify(prism(), [few], BOTH, deviations=DEVIATIONS)
    assert len(found.undetermined) == 12 - 2, "its strut keeps it on a sphere"
    assert found.freedom == 1
    nodes[0, 0, 2] = np.nan
    fewer = AtRest(Measurements(np.zeros(1), ("top1",), nodes), told.case)
    found = identify(prism(), [fewer], BOTH, deviations=DEVIATIONS)
    assert len(found.undetermined) == 12 - 2
    assert found.freedom == 0
    assert found.fits is None
    assert np.isnan(found.p_value)
    assert found.verdict.startswith("there are no more measured numbers than unknowns")
    assert found.chi_square <= 1e-6, "two numbers can be met"


def test_what_is_nearly_undetermined_is_named_with_its_number() -> None:
    """A load of a tenth of a newton tells the scale of stiffness in principle only."""
    cases = [LoadCase(), LoadCase(loads={"top1": (0.1, 0.0, 0.0)})]
    told = States(prism(), cases).measured(np.random.default_rng(0), node=NODE, tension=None)
    found = identify(prism(), told, [Unknown("cable:[tv]*", "stiffness")], deviations=DEVIATIONS)
    assert not found.undetermined
    assert found.condition > 1e4
    assert any(note.startswith("nearly undetermined, with a condition number of ") for note in found.notes)
    assert any(
        note.startswith("the standard error is larger than the estimate: cable:top1.stiffness (")
        for note in found.notes
    )


# --- whether the model is right


def test_a_cable_of_another_class_left_out_is_rejected() -> None:
    truth = prism().changed("cable:top1", stiffness=2e4)
    told = States(truth).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    wrong = identify(prism(), told, [Unknown("cable:vertical*", "stiffness")], deviations=DEVIATIONS)
    assert wrong.fits is False
    assert not wrong.ok
    assert wrong.p_value < 1e-6
    assert wrong.verdict.startswith("the model does not fit: chi-square ")
    assert "standard deviations from what is computed" in wrong.verdict
    right = identify(prism(), told, [Unknown("cable:[tv]*", "stiffness")], deviations=DEVIATIONS)
    assert right.fits


def test_the_bound_of_rejection_is_one_in_a_hundred() -> None:
    told = States(prism(), PUSHES[1:2]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    found = identify(prism(), told, BOTH[:1], deviations=DEVIATIONS)
    rarely, rarer = (float(chi2.isf(chance, found.freedom)) for chance in (0.0101, 0.0099))
    assert replace(found, chi_square=rarely).fits is True
    assert replace(found, chi_square=rarer).fits is False


def test_a_load_that_was_forgotten_is_rejected() -> None:
    told = States(prism(), PUSHES[1:3]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    forgotten = [told[0], AtRest(told[1].measured, LoadCase(), name="the second push")]
    unknowns = [Unknown("cable:top*", "stiffness", together=True), Unknown("cable:vertical*", "rest_length")]
    found = identify(prism(), forgotten, unknowns, deviations=DEVIATIONS)
    assert found.fits is False
    assert "farthest off is " in found.verdict


def test_right_models_are_rejected_as_rarely_as_is_said() -> None:
    """At 1 %, of 60 trials hardly any; probabilities are spread evenly."""
    states = States(prism(), PUSHES[1:2])
    unknowns = [Unknown("cable:vertical*", "stiffness", together=True)]
    trials = [
        identify(
            prism(),
            states.measured(np.random.default_rng(k), node=NODE, tension=TENSION),
            unknowns,
            deviations=DEVIATIONS,
        )
        for k in range(60)
    ]
    chances = np.sort([one.p_value for one in trials])
    assert np.count_nonzero(chances < 0.01) <= 4
    assert np.abs(chances - (np.arange(60) + 0.5) / 60).max() <= 1.95 / np.sqrt(60), "Kolmogorov's bound at 0.1 %"


def test_noise_can_be_estimated_and_intervals_are_students() -> None:
    """Deviations ten times too small: the factor is found, and the intervals are as wide as they should be."""
    told = States(prism()).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    small = {"node:*": NODE / 10.0, "cable:*": TENSION / 10.0}
    found = identify(prism(), told, BOTH[:1], deviations=small, noise="estimated")
    assert found.fits is None
    assert found.ok
    assert found.noise_factor == pytest.approx(10.0, rel=0.25)
    assert found.verdict == f"the noise is {found.noise_factor:.3g} times the deviations given, if the model is right"
    given = identify(prism(), told, BOTH[:1], deviations=DEVIATIONS)
    assert np.allclose(found.estimate, given.estimate, rtol=1e-6)
    assert np.allclose(found.standard_error, given.standard_error * given.noise_factor, rtol=1e-5)
    reach = np.log(found.interval(0.9)[:, 1] / found.estimate)
    assert np.allclose(reach, float(t.ppf(0.95, found.freedom)) * found.standard_error / found.estimate)
    assert identify(prism(), told, BOTH[:1], deviations=small).fits is False


def test_deviations_that_are_too_large_are_noted() -> None:
    told = States(prism()).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    found = identify(prism(), told, BOTH[:1], deviations={"node:*": 5 * NODE, "cable:*": 5 * TENSION})
    assert found.fits
    assert f"residuals are smaller than the deviations say, by a factor of {found.noise_factor:.2g}" in found.notes[0]
    assert found.noise_factor == pytest.approx(0.2, rel=0.3)


def test_a_cable_that_is_slack_is_named() -> None:
    loose = prism().changed("cable:top1", rest_length=2.0)
    case = LoadCase(loads={"top1": (0.0, 0.0, -5.0)})
    told = States(loose, [case]).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    found = identify(loose, told, [Unknown("cable:*", "stiffness")], deviations=DEVIATIONS)
    assert "nothing measured depends on cable:top1.stiffness" in found.undetermined
    assert any(note.startswith("state 1: slack, so nothing is told of their stiffness: ") for note in found.notes)


def test_a_search_that_is_cut_short_says_so() -> None:
    truth = off_drawing(prism(), 1, LOOSE)
    told = States(truth).measured(np.random.default_rng(0), node=NODE, tension=TENSION)
    found = identify(prism(), told, BOTH, deviations=DEVIATIONS, iterations=1)
    assert not found.ok
    assert found.status.startswith("not converged after ")
    assert "start nearer, or allow more iterations" in found.status


def test_a_search_from_afar_arrives() -> None:
    """Stiffness off by a factor of three, with a start that is told."""
    truth = prism().changed("cable:*", stiffness=3e4)
    told = States(truth).measured(np.random.default_rng(0), node=0.0, tension=0.0)
    unknowns = [Unknown("cable:*", "stiffness", together=True, start=0.8), Unknown("cable:vertical*", "rest_length")]
    found = identify(prism(), told, unknowns, deviations=DEVIATIONS)
    assert found.ok
    assert found.start[0] == 0.8
    assert found.estimate[0] == pytest.approx(3.0, rel=1e-6)
