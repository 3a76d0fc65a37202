"""Stiffness, masses and damping from markers on a prism that moves."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace

import numpy as np
import pytest
from synthetic import Moves, States, prism

import taut
from taut.control import LinearLaw
from taut.measurement import AtRest, InMotion, Measurements, Unknown, identify
from taut.statics import LoadCase
from taut.structure.scenario import RUN_OPTIONS

MARKER = 2e-4
DEVIATIONS = {"node:*": MARKER, "cable:*": 2.0}
SHAKEN = taut.Scenario(loads=(taut.Load("top2", "y", taut.Sinusoid(60.0, 2.5)),), velocities={"top1": (0.3, 0.0, 0.0)})
STRUCK = taut.Scenario(velocities={"top1": (0.3, 0.0, 0.0), "top2": (0.0, 0.4, 0.0)})
UNKNOWNS = [
    Unknown("cable:*", "stiffness", together=True),
    Unknown("cable:*", "damping", together=True),
    Unknown("node:top*", "mass", together=True),
]
TWO = (SHAKEN, replace(STRUCK, loads=(taut.Load("top1", "x", taut.Sinusoid(40.0, 4.0)),)))
TRUTH = np.array([1.08, 1.4, 1.1])


def nominal() -> taut.Structure:
    return prism().changed("cable:*", damping=5.0).weighted("top*", 1.0)


def built() -> taut.Structure:
    return prism().changed("cable:*", stiffness=1.08e4, damping=7.0).weighted("top*", 1.1)


def test_stiffness_masses_and_damping_of_a_prism_that_is_shaken() -> None:
    moves = Moves(built(), SHAKEN, 0.4, 0.01)
    told = moves.measured(np.random.default_rng(0), MARKER)
    found = identify(nominal(), [told], UNKNOWNS, deviations=DEVIATIONS)
    assert found.ok
    assert found.fits
    assert not found.undetermined
    assert not found.notes
    assert found.inside(TRUTH)
    assert (found.standard_error / found.estimate < [0.02, 0.1, 0.02]).all(), "it is not vague"
    assert found.structure.point_masses["top1"] == pytest.approx(float(found.estimate[2]))
    again = taut.simulate(found.plants[0], 0.4, every=0.01)
    assert np.abs(again.nodes - moves.run.nodes).max() <= 5.0 * MARKER


def test_without_a_known_force_only_ratios_are_told() -> None:
    """The same motion with all masses, stiffness and damping twice as large."""
    told = Moves(built(), STRUCK, 0.3, 0.01).measured(np.random.default_rng(0), MARKER)
    unknowns = [*UNKNOWNS, Unknown("bar:*", "mass", together=True)]
    found = identify(nominal(), [told], unknowns, deviations=DEVIATIONS)
    assert found.fits
    assert len(found.undetermined) == 2, "bars on supports move like masses at their upper ends"
    assert all(sentence.startswith("only together: ") for sentence in found.undetermined)
    ratio = found["cable:*.damping"] / found["cable:*.stiffness"]
    assert ratio == pytest.approx(1.4 / 1.08, rel=0.1)
    scaled = Moves(
        built().changed("cable:*", stiffness=2.16e4, damping=14.0).weighted("top*", 2.2).changed("bar:*", mass=2.0),
        STRUCK,
        0.1,
        0.01,
    )
    lighter = Moves(built().changed("bar:*", mass=1.0), STRUCK, 0.1, 0.01)
    assert np.abs(scaled.run.nodes - lighter.run.nodes).max() <= 1e-8


def test_motion_and_rest_together_tell_what_neither_does() -> None:
    """A state under a known load gives the scale that the free motion lacks."""
    moving = Moves(built(), STRUCK, 0.3, 0.01).measured(np.random.default_rng(0), MARKER)
    (still,) = States(built(), [LoadCase(loads={"top1": (100.0, 0.0, -100.0)})]).measured(
        np.random.default_rng(1), node=MARKER, tension=None
    )
    found = identify(nominal(), [moving, still], UNKNOWNS, deviations=DEVIATIONS)
    assert found.fits
    assert not found.undetermined
    assert found.inside(TRUTH, 0.999)
    assert len(found.plants) == len(found.equilibria) == 1


def test_a_start_that_is_not_known_is_found_too() -> None:
    unsure = replace(SHAKEN, velocities={})
    told = Moves(built(), SHAKEN, 0.2, 0.01).measured(np.random.default_rng(0), MARKER)
    blind = identify(nominal(), [InMotion(told.measured, unsure)], UNKNOWNS, deviations=DEVIATIONS)
    assert blind.fits is False, "it did not start at rest"
    unknowns = [*UNKNOWNS, Unknown("start", "velocity")]
    found = identify(nominal(), [InMotion(told.measured, unsure)], unknowns, deviations=DEVIATIONS)
    assert found.fits
    assert found.names[3] == "start.velocity 1"
    speeds = found.plants[0].velocities
    own = taut.simulate(taut.assemble(built(), velocities=SHAKEN.velocities), 1e-4).velocities[0]
    assert np.abs(speeds - own).max() <= 0.05
    assert np.abs((found.estimate[:3] - TRUTH) / found.standard_error[:3]).max() <= 3.5


@pytest.mark.slow
def test_two_motions_count_together() -> None:
    """Each with a start of its own."""
    each = [Moves(built(), one, 0.2, 0.01).measured(np.random.default_rng(k), MARKER) for k, one in enumerate(TWO)]
    (still,) = States(built(), [LoadCase()]).measured(np.random.default_rng(1), node=MARKER, tension=None)
    found = identify(nominal(), [each[0], still, each[1]], UNKNOWNS, deviations=DEVIATIONS)
    assert found.fits
    assert found.inside(TRUTH, 0.99)
    alone = identify(nominal(), each[:1], UNKNOWNS, deviations=DEVIATIONS)
    assert (found.standard_error < alone.standard_error).all()
    twice = identify(nominal(), [each[0], each[0]], UNKNOWNS, deviations=DEVIATIONS)
    np.testing.assert_allclose(twice.estimate, alone.estimate, rtol=1e-5)
    np.testing.assert_allclose(twice.standard_error * np.sqrt(2.0), alone.standard_error, rtol=1e-3)


def test_assemble_takes_all_that_a_scenario_says_of_physics() -> None:
    told = {*taut.Scenario().physics, *RUN_OPTIONS, "joints"}  # the coordinates are not physics
    assert told == {one.name for one in fields(taut.Scenario)}
    assert {*taut.Scenario().physics} <= {*inspect.signature(taut.assemble).parameters}
    assert {*RUN_OPTIONS} <= {*inspect.signature(taut.simulate).parameters}


@pytest.mark.slow
def test_sensors_controllers_and_events_of_a_scenario_act() -> None:
    """A load by feedback from a sensor that is off by much, and a cable that is cut on the way."""
    law = LinearLaw([[-300.0]], command_offset=20.0)
    scenario = taut.Scenario(
        loads=(taut.Load("top2", "y", taut.Command(5.0), name="push"),),
        sensors=(taut.Sensor("place", "node:top2.position.y", rate=100.0, bias=0.2),),
        controllers=(taut.Controller("hand", ("place",), ("push",), law, rate=100.0),),
        events=(taut.Watch.at_time("snap", 0.1, then="cut", cut=("cable:top1",)),),
    )
    told = Moves(built(), scenario, 0.2, 0.01).measured(np.random.default_rng(0), MARKER)
    found = identify(nominal(), [told], UNKNOWNS, deviations=DEVIATIONS)
    assert found.fits
    assert found.inside(TRUTH, 0.99)
    for name in ("controllers", "events"):
        blind = InMotion(told.measured, replace(scenario, **{name: ()}))
        assert identify(nominal(), [blind], UNKNOWNS, deviations=DEVIATIONS).fits is False


def test_tensions_over_time_count_as_well() -> None:
    run = Moves(built(), SHAKEN, 0.3, 0.01).run
    rng = np.random.default_rng(0)
    names = ("cable:vertical1", "cable:top2")
    at = [list(built().cables).index(name.removeprefix("cable:")) for name in names]
    pulls = run.cable_tension[:, at]
    told = Measurements(run.time, member_names=names, tension=pulls + 2.0 * rng.normal(size=pulls.shape))
    found = identify(nominal(), [InMotion(told, SHAKEN)], UNKNOWNS, deviations=DEVIATIONS)
    assert found.fits
    assert found.inside(TRUTH, 0.99)


def test_damping_in_proportion_is_found() -> None:
    scenario = replace(SHAKEN, damping=taut.Damping(stiffness=2e-3, mass=0.8))
    told = Moves(prism(), scenario, 0.4, 0.01).measured(np.random.default_rng(0), MARKER)
    guess = replace(scenario, damping=taut.Damping(stiffness=1e-3, mass=1.5))
    unknowns = [Unknown("damping", "stiffness"), Unknown("damping", "mass")]
    found = identify(prism(), [InMotion(told.measured, guess)], unknowns, deviations=DEVIATIONS)
    assert found.names == ("damping.stiffness", "damping.mass")
    assert found.units == ("s", "1/s")
    assert found.fits
    assert found.inside(np.array([2e-3, 0.8]), 0.99)
    assert found.plants[0].given.damping.stiffness == pytest.approx(found.estimate[0])


def test_a_wrong_model_of_the_motion_is_rejected() -> None:
    """Damping that is not there in the model."""
    told = Moves(built(), SHAKEN, 0.4, 0.01).measured(np.random.default_rng(0), MARKER)
    bare = prism().weighted("top*", 1.0)
    found = identify(bare, [told], [UNKNOWNS[0], UNKNOWNS[2]], deviations=DEVIATIONS)
    assert found.fits is False
    assert "motion 1: node:" in found.verdict


def test_steps_that_are_too_long_for_the_measurement_are_noted() -> None:
    told = Moves(built(), SHAKEN, 0.3, 0.02).measured(np.random.default_rng(0), MARKER)
    coarse = InMotion(told.measured, replace(SHAKEN, step=0.01))
    found = identify(nominal(), [coarse], UNKNOWNS, deviations=DEVIATIONS)
    assert any(
        note.startswith("motion 1: steps of half 0.01 s move computed numbers by up to ") for note in found.notes
    )


def test_a_motion_that_begins_before_zero_is_refused() -> None:
    told = Measurements(np.array([-0.1, 0.1]), ("top1",), np.zeros((2, 1, 3)))
    with pytest.raises(taut.OptionError, match="motion 1: measured from -0.1 to 0.1 s, but a motion starts at t = 0"):
        identify(nominal(), [InMotion(told, SHAKEN)], UNKNOWNS, deviations=DEVIATIONS)


def test_scenarios_that_share_no_damping_are_refused() -> None:
    told = Moves(built(), SHAKEN, 0.1, 0.01).measured(np.random.default_rng(0), MARKER)
    other = replace(SHAKEN, damping=taut.Damping(stiffness=1e-3))
    with pytest.raises(taut.OptionError, match="have different damping, of which one is unknown; give all the same"):
        identify(
            nominal(),
            [told, InMotion(told.measured, other)],
            [Unknown("damping", "stiffness", start=1e-3)],
            deviations=DEVIATIONS,
        )


def test_nothing_at_rest_depends_on_damping() -> None:
    (still,) = States(built(), [LoadCase()]).measured(np.random.default_rng(1), node=MARKER, tension=None)
    with pytest.raises(taut.OptionError, match="nothing at rest depends on damping; give a motion"):
        identify(nominal(), [still], [Unknown("damping", "mass", start=0.1)], deviations=DEVIATIONS)
    with pytest.raises(taut.OptionError, match="nothing at rest depends on a start; give a motion"):
        identify(nominal(), [still], [Unknown("start", "position")], deviations=DEVIATIONS)
    with pytest.raises(taut.OptionError, match="nothing measured depends on cable:\\*.damping"):
        identify(nominal(), [AtRest(still.measured)], [UNKNOWNS[1]], deviations=DEVIATIONS)
