"""Derivatives of what is computed, by every kind of parameter, against differences of eighth order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synthetic import Moves, class_2_tower, prism

import taut
from taut.measurement import AtRest, InMotion, Measurements, Unknown
from taut.measurement.computed_rest import RestModel
from taut.measurement.fitting import Fit, fit_of
from taut.numerics.differences import jacobian
from taut.statics import LoadCase
from taut.structure.structure import Structure

DEVIATIONS = {"node:*": 1e-3, "cable:*": 1.0, "bar:*": 1.0}
ROUNDING = 1e-8
"""Standard deviations: what is left of the last digits of an equilibrium, over the step of the differences."""

CASE = LoadCase(gravity=9.81, loads={"top1": (20.0, 5.0, -10.0)}, misfits={"cable:vertical*2": 1e-3})


def rope_prism() -> Structure:
    """A prism with a weight, and a cable whose stiffness follows from its material, which is warm."""
    rope = taut.Material("rope", 1000.0, 2e9, thermal_expansion=1e-4)
    return prism().weighted("top1", 2.0).changed("cable:vertical1", stiffness=None, material=rope, radius=0.002)


def everything(structure: Structure, unknowns: list[Unknown], case: LoadCase) -> Fit:
    """All nodes and forces measured."""
    members = (*(f"cable:{name}" for name in structure.cables), *(f"bar:{name}" for name in structure.bars))
    told = Measurements(
        np.zeros(1), tuple(structure.nodes), structure.positions[None], members, np.zeros((1, len(members)))
    )
    return fit_of(structure, [AtRest(told, case)], unknowns, DEVIATIONS)


def held_prism() -> Structure:
    return prism().changed("cable:top1", mode="length", rest_length=None, stiffness=None)


CASES = {
    "stiffness and rest lengths of a class-2 tower": (
        class_2_tower,
        [Unknown("cable:*", "stiffness"), Unknown("cable:*", "rest_length")],
        CASE,
    ),
    "factors": (
        rope_prism,
        [Unknown("cable:*", "stiffness", together=True), Unknown("cable:vertical*", "rest_length", together=True)],
        CASE,
    ),
    "a rope that is warm": (
        rope_prism,
        [Unknown("cable:vertical*", "stiffness"), Unknown("cable:vertical*", "rest_length")],
        replace(CASE, temperature=20.0),
    ),
    "lengths of bars and masses": (
        rope_prism,
        [Unknown("bar:*", "length"), Unknown("node:top1", "mass"), Unknown("bar:*", "mass", together=True)],
        CASE,
    ),
    "prestress beside stiffness": (
        rope_prism,
        [Unknown("cable:*", "prestress"), Unknown("cable:[tv]*", "stiffness")],
        CASE,
    ),
    "bars that give": (
        lambda: prism().changed("bar:*", law="compressible", stiffness=5e5),
        [
            Unknown("bar:*", "stiffness"),
            Unknown("bar:*", "rest_length"),
            Unknown("cable:*", "stiffness", together=True),
        ],
        CASE,
    ),
    "a held cable": (held_prism, [Unknown("cable:top1", "length"), Unknown("cable:top2", "stiffness")], CASE),
    "masses of cables": (rope_prism, [Unknown("cable:vertical1", "mass")], CASE),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_at_rest_are_exact(name: str) -> None:
    """Away from the start, so that nothing vanishes by chance."""
    made, unknowns, case = CASES[name]
    fit = everything(made(), unknowns, case)
    rng = np.random.default_rng(5)
    u = 0.003 * rng.normal(size=len(fit.of.parameters))
    told = fit.jacobian(u)
    seen = jacobian(lambda x: fit.residual(u + x), np.zeros(u.size), 1e-3)
    sizes = np.linalg.norm(seen, axis=0)
    assert (sizes > 1e-2).all(), "every parameter does something"
    assert (np.linalg.norm(told - seen, axis=0) <= 2e-8 * sizes + ROUNDING).all()


def test_what_is_computed_is_what_statics_computes_of_the_structure_that_is_made() -> None:
    for made, unknowns, case in CASES.values():
        if case.temperature:
            continue  # a rope's E A is a number there, its stiffness that at its rest length
        fit = everything(made(), unknowns, case)
        u = 0.003 * np.random.default_rng(7).normal(size=len(fit.of.parameters))
        (part,) = fit.parts
        assert isinstance(part, RestModel)
        stands = fit.stand(0, u)
        table = taut.statics.solve_cases(fit.of.made(fit.given(u)), {"case": case})
        assert stands is not None
        assert np.abs(stands.found.positions - table.nodes[0]).max() <= 1e-10
        assert np.abs(stands.forces - table.member_force[0]).max() <= 1e-6


def test_following_an_equilibrium_is_finding_it_from_the_drawing() -> None:
    fit = everything(class_2_tower(), [Unknown("cable:*", "rest_length", together=True)], CASE)
    part = fit.parts[0]
    assert isinstance(part, RestModel)
    here = part.stand(np.array([1.0]), None)
    assert here is not None
    assert here.slopes[0].any()
    followed, sought = part.stand(np.array([0.99]), here), part.stand(np.array([0.99]), None)
    assert followed is not None
    assert sought is not None
    assert np.abs(followed.computed - sought.computed).max() <= 1e-9


MOTION = {
    "stiffness, damping and masses": [
        Unknown("cable:*", "stiffness", together=True),
        Unknown("cable:vertical*", "damping"),
        Unknown("node:top*", "mass"),
        Unknown("bar:*", "mass", together=True),
    ],
    "rest lengths, bars and the start": [
        Unknown("cable:top*", "rest_length"),
        Unknown("bar:strut1", "length"),
        Unknown("start", "position"),
        Unknown("start", "velocity"),
    ],
    "proportional damping": [Unknown("damping", "stiffness"), Unknown("damping", "mass"), Unknown("damping", "node")],
}


def in_motion(unknowns: list[Unknown]) -> Fit:
    structure = prism().changed("cable:*", damping=5.0).weighted("top*", 1.0)
    scenario = taut.Scenario(
        loads=(taut.Load("top2", "y", taut.Sinusoid(40.0, 2.0)),),
        velocities={"top1": (0.3, 0.0, 0.0)},
        damping=taut.Damping(node=0.5, mass=0.3, stiffness=1e-4),
    )
    moves = Moves(structure, scenario, 0.2, 0.01)
    return fit_of(structure, [moves.measured(np.random.default_rng(0), 1e-3)], unknowns, DEVIATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", MOTION)
def test_derivatives_of_motion_are_good_to_six_digits_and_more(name: str) -> None:
    """Runs of equal steps are smooth: differences with steps ten times as long give the same derivatives."""
    fit = in_motion(MOTION[name])
    u = np.zeros(len(fit.of.parameters))
    told = fit.jacobian(u)
    seen = jacobian(lambda x: fit.residual(u + x), u, 3e-3)
    sizes = np.linalg.norm(seen, axis=0)
    assert (sizes > 1e-2).all(), "every parameter does something"
    assert (np.linalg.norm(told - seen, axis=0) <= 1e-6 * sizes).all()
    assert fit.rough <= 1e-4


def test_times_that_are_not_even_are_met_as_well() -> None:
    """By cubics between samples: as good as the runs themselves."""
    structure = prism().changed("cable:*", damping=5.0)
    scenario = taut.Scenario(velocities={"top1": (0.3, 0.0, 0.0)})
    moves = Moves(structure, scenario, 0.2, 0.001)
    odd = np.array([3, 10, 29, 71, 83, 100, 153, 187, 200])
    tension = moves.run.cable_tension[odd]
    names = tuple(f"cable:{name}" for name in structure.cables)
    seen = Measurements(moves.run.time[odd], moves.names, moves.run.nodes[odd][:, moves.at], names, tension)
    exact = fit_of(structure, [InMotion(seen, scenario)], [Unknown("bar:*", "mass", together=True)], DEVIATIONS)
    off = np.abs(exact.residual(np.zeros(1))).max()
    assert off <= 1e-3, "micrometres and millinewtons"
