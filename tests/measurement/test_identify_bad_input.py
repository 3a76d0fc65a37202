"""What cannot be asked of identification, and what is said then."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic import PUSHES, States, prism

import taut
from taut.errors import ModelError, OptionError, SelectionError
from taut.measurement import AtRest, Measurements, Unknown, identify
from taut.statics import LoadCase

DEVIATIONS = {"node:*": 2e-4, "cable:*": 2.0}
STIFFNESS = Unknown("cable:*", "stiffness", together=True)


def told() -> list[AtRest]:
    return States(prism(), PUSHES[1:2]).measured(np.random.default_rng(0), node=2e-4, tension=2.0)


def asked(structure: taut.Structure, *unknowns: Unknown, **options) -> None:
    identify(structure, told(), list(unknowns), **{"deviations": DEVIATIONS, **options})


@pytest.mark.parametrize(
    ("unknown", "error", "message"),
    [
        (Unknown("cable:tpo1", "stiffness"), SelectionError, 'selects no cable; did you mean "top1"'),
        (Unknown("top1", "stiffness"), SelectionError, "does not say of what kind"),
        (Unknown("cable:*", "stifness"), OptionError, 'is not one of stiffness, rest_length.*did you mean "stiffness"'),
        (Unknown("node:top1", "stiffness"), OptionError, "stiffness is a property of cables and bars, not of nodes"),
        (
            Unknown("bar:strut1", "rest_length"),
            OptionError,
            'bar "strut1" is rigid, so it has no rest_length; ask for its "length"',
        ),
        (Unknown("bar:strut1", "stiffness"), OptionError, 'bar "strut1" is rigid, so it has no stiffness'),
        (
            Unknown("cable:top1", "length"),
            OptionError,
            'cable "top1" is of mode spring, so nothing keeps its length; ask for its "rest_length"',
        ),
        (
            Unknown("cable:top1", "damping"),
            OptionError,
            'damping of cable "top1" is zero, from which a search cannot start',
        ),
        (Unknown("node:top1", "mass"), OptionError, 'mass of node "top1" is zero, from which a search cannot start'),
        (Unknown("cable:*", "stiffness", start=-1.0), OptionError, "start = -1.0 must be more than zero and finite"),
        (
            Unknown("cable:top1", "prestress"),
            OptionError,
            "cables top1 have no self-stress state together; choose more",
        ),
        (
            Unknown("cable:*", "prestress", together=True),
            OptionError,
            "a prestress has a number for each self-stress state",
        ),
        (Unknown("damping", "stifness"), OptionError, 'is not one of node, mass, stiffness; did you mean "stiffness"'),
        (Unknown("start", "speed"), OptionError, '"speed" is not one of position, velocity'),
    ],
)
def test_an_unknown_that_does_not_apply_is_refused(unknown: Unknown, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        asked(prism(), unknown)


def test_commanded_cables_have_no_rest_length() -> None:
    commanded = prism().changed("cable:top1", mode="tension", command=100.0)
    with pytest.raises(OptionError, match='cable "top1" is of mode tension, so it has no rest_length$'):
        asked(commanded, Unknown("cable:top1", "rest_length"))


def test_a_quantity_that_is_unknown_twice_is_refused() -> None:
    message = (
        r'stiffness of cable "top1" is unknown twice, by Unknown\("cable:\*", "stiffness"\) and Unknown\("cable:top1"'
    )
    with pytest.raises(OptionError, match=message):
        asked(prism(), STIFFNESS, Unknown("cable:top1", "stiffness"))
    with pytest.raises(OptionError, match='rest_length of cable "vertical1" is unknown twice'):
        asked(prism(), Unknown("cable:vertical*", "rest_length"), Unknown("cable:*", "prestress"))


def test_without_unknowns_or_observations_there_is_nothing_to_do() -> None:
    with pytest.raises(OptionError, match="nothing is unknown; name something"):
        asked(prism())
    with pytest.raises(OptionError, match="nothing was measured; give a state at rest or a motion"):
        identify(prism(), [], [STIFFNESS], deviations=DEVIATIONS)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_deviations_are_more_than_zero(value: float) -> None:
    with pytest.raises(OptionError, match=r'deviations\["node:\*"\] = .* must be a finite number, more than zero'):
        asked(prism(), STIFFNESS, deviations={"node:*": value, "cable:*": 2.0})


def test_a_deviation_that_is_missing_is_named() -> None:
    message = r"state 1: cable:bottom1 was measured, but its standard deviation is not given; "
    message += r'say deviations=\{"cable:\*": \.\.\.\} \[N\]'
    with pytest.raises(OptionError, match=message):
        asked(prism(), STIFFNESS, deviations={"node:*": 1e-3})
    with pytest.raises(SelectionError, match='"cable:rope" selects no cable'):
        asked(prism(), STIFFNESS, deviations={"node:*": 1e-3, "cable:rope": 1.0})
    walled = prism().with_constraints(taut.on_plane("wall", "top2", (1.0, 2.0, 0.5)))
    with pytest.raises(SelectionError, match='deviations: "constraint:wall" selects constraints; measured are nodes'):
        asked(walled, STIFFNESS, deviations={**DEVIATIONS, "constraint:wall": 1.0})


def test_a_later_deviation_wins() -> None:
    wide = identify(prism(), told(), [STIFFNESS], deviations={**DEVIATIONS, "cable:vertical*": 1e6, "node:*": 1e3})
    narrow = identify(prism(), told(), [STIFFNESS], deviations=DEVIATIONS)
    assert wide.standard_error[0] > 1.5 * narrow.standard_error[0]


def test_measured_names_that_the_structure_has_not_are_named() -> None:
    stray = AtRest(Measurements(np.zeros(1), ("tpo1",), np.zeros((1, 1, 3))), name="the first push")
    message = 'the first push: measured is node "tpo1", which the structure has not; did you mean "top1"'
    with pytest.raises(SelectionError, match=message):
        identify(prism(), [stray], [STIFFNESS], deviations=DEVIATIONS)


def test_a_measurement_of_nothing_is_named() -> None:
    blank = AtRest(Measurements(np.zeros(1), ("top1",), np.full((1, 1, 3), np.nan)))
    with pytest.raises(
        ModelError, match=r"state 2: every number is missing \(NaN\), so nothing was measured; leave it out"
    ):
        identify(prism(), [*told(), blank], [STIFFNESS], deviations=DEVIATIONS)


def test_where_nothing_at_all_is_determined_that_is_an_error() -> None:
    unloaded = States(prism(), [LoadCase()]).measured(np.random.default_rng(0), node=2e-4, tension=None)
    message = r"none of the unknowns can be told from what was measured: nothing measured depends on cable:\*.stiffness"
    with pytest.raises(OptionError, match=message):
        identify(prism(), unloaded, [STIFFNESS], deviations=DEVIATIONS)


def test_a_structure_that_does_not_stand_says_so() -> None:
    loose = taut.generators.prism(3)
    with pytest.raises(ModelError, match="is not held along x, where gravity and loads push it"):
        asked(loose, STIFFNESS)
    with pytest.raises(
        ModelError, match="the structure can move without any stiffness, so displacements have no answer"
    ):
        identify(loose, [AtRest(told()[0].measured)], [STIFFNESS], deviations=DEVIATIONS)


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match='noise = "loud" is not one of given, estimated'):
        asked(prism(), STIFFNESS, noise="loud")
    with pytest.raises(OptionError, match="iterations = 0 must be one or more"):
        asked(prism(), STIFFNESS, iterations=0)
    found = identify(prism(), told(), [STIFFNESS], deviations=DEVIATIONS)
    with pytest.raises(OptionError, match="confidence = 1.5 must be more than 0 and less than 1"):
        found.interval(1.5)
    with pytest.raises(OptionError, match="values has 2 numbers; there are 1 parameters"):
        found.inside(np.ones(2))
    with pytest.raises(OptionError, match='"cable:top1.stiffness" was not unknown'):
        found["cable:top1.stiffness"]
