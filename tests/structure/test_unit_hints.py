"""Millimetres and MPa are hinted at, and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import generators

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def told(structure: taut.Structure) -> list[str]:
    assert not structure.check(), "hints are no problems"
    return [str(hint) for hint in structure.hints()]


REMEDY = "if coordinates are in millimetres, divide them by 1000"


def test_coordinates_in_millimetres() -> None:
    prism = generators.prism(3, radius=500.0, height=1000.0)
    (hint,) = told(prism)
    thin = r'bar "strut1" is 1.39e\+05 times as long as its radius'
    assert re.fullmatch(rf"nodes: the structure is 1\d\d\d m across and {thin}; {REMEDY}", hint)
    assert not told(prism.placed(prism.positions / 1000.0).changed("cable:*", rest_ratio=0.9))
    light = prism.changed("bar:*", mass=2.0, radius=None)
    (hint,) = told(light)
    assert re.fullmatch(rf"nodes: the structure is 1\d\d\d m across and weighs 6 kg; {REMEDY}", hint)
    assert not told(light.changed("bar:*", mass=1e3)), "a large and heavy structure is meant"


def test_radii_in_millimetres() -> None:
    thick = generators.prism(3).changed("bar:strut1", radius=12.0)
    assert told(thick) == ["bars.strut1.radius: 12 m is very thick; if it is in millimetres, write 0.012"]


@pytest.mark.parametrize(
    ("modulus", "said"),
    [
        (2.1e5, "210000 Pa is softer than rubber; if it is in MPa, write 2.1e+11"),
        (900.0, "900 Pa is softer than rubber; if it is in MPa, write 9e+08"),
        (210.0, "210 Pa is softer than rubber; if it is in GPa, write 2.1e+11"),
        (1e6, ""),
        (1e9, ""),
    ],
)
def test_moduli_in_other_units(modulus: float, said: str) -> None:
    made = generators.prism(3).changed("cable:*", material=taut.Material("steel", youngs_modulus=modulus), radius=0.01)
    assert told(made) == ([f"materials.steel.youngs_modulus: {said}"] if said else [])


def test_strengths_in_mpa() -> None:
    steel = taut.Material("steel", yield_stress=250.0)
    made = generators.prism(3).changed("bar:*", material=steel)
    assert told(made) == ["materials.steel.yield_stress: 250 Pa is very little; if it is in MPa, write 2.5e+08"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_example_is_suspected(path: Path) -> None:
    assert not taut.read_model(path).structure.hints()


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        *(generators.tbar, generators.dbar, lambda: generators.prism(3), lambda: generators.tower(300)),
        *(lambda: generators.needle_tower(6), lambda: generators.x_mast(200), generators.icosahedron),
        *(generators.truncated_tetrahedron, generators.truncated_octahedron),
        *(lambda: generators.planar_lattice(60, 40), lambda: generators.lattice(12, 10, 8)),
        *(lambda: generators.lattice(400, 1, 1), generators.geiger_dome, generators.hollow_bridge),
        *(generators.prismatic_robot, lambda: generators.prismatic_robot(4, 3)),
    ],
)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0])
def test_no_generator_is_suspected(make: Callable[[], taut.Structure], scale: float) -> None:
    made = make()
    grown = replace(made, nodes={name: tuple(scale * np.array(place)) for name, place in made.nodes.items()})
    assert not made.hints()
    left = [hint for hint in grown.hints() if hint.path[-1] != "rest_length"]  # which did not shrink along
    assert scale > 1.0 or not left, "smaller is never too large"


def test_an_empty_structure_has_none() -> None:
    assert taut.Structure({}).hints() == []


def test_a_structure_with_problems_has_no_hints() -> None:
    """They need its lengths; `check` says what is wrong."""
    far = {"a": (0.0, 0.0, 0.0), "b": (500.0, 0.0, 0.0)}
    astray = taut.Structure(far, bars=[taut.Bar("bar", ("a", "c"), mass=1.0, radius=0.1)])
    assert astray.check()
    assert not astray.hints()


def test_a_structure_before_form_finding_has_hints() -> None:
    """It needs no stiffness, which `check` misses of cables and of bars that give way."""
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}
    bars = [taut.Bar("strut", ("a", "b"), radius=20.0, law="compressible", mass=1.0)]
    drawn = taut.Structure(nodes, bars, [taut.Cable("tie", ("a", "b"))])
    assert [problem.path[-1] for problem in drawn.check()] == ["stiffness", "stiffness"]
    assert [str(hint) for hint in drawn.hints()] == [
        "bars.strut.radius: 20 m is very thick; if it is in millimetres, write 0.02"
    ]


def test_rest_lengths_in_millimetres_and_moduli_as_stiffnesses() -> None:
    nodes = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}
    mast = taut.Structure(nodes, [taut.Bar("mast", ("a", "b"), mass=1.0)])
    drawn = mast.with_cables(*(taut.Cable(name, ("a", "b"), 995.0, 2.1e11) for name in ("one", "two")))
    assert told(drawn) == [
        "cables.one.rest_length: 995 m is 995 times as long as the cable is now; if it is in millimetres, write 0.995 "
        "... and 1 more like it",
        "cables.one.stiffness: 2.1e+11 N/m is as much as a modulus has in Pa; a stiffness is E A / length "
        "... and 1 more like it",
    ]
    assert not told(drawn.changed("cable:*", rest_length=10.0, stiffness=1e9)), "slack or thick is meant"
