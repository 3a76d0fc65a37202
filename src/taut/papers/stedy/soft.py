"""T-bars with compressible bars of several materials, and their runs (section 3, Figs. 15 to 19, Table 2)."""

from __future__ import annotations

import math

from taut.papers.bench import Case
from taut.papers.stedy.cases import SHORT, TOLERANCE
from taut.papers.stedy.minimal import BASE
from taut.structure.generators import tbar
from taut.structure.records import Material
from taut.structure.scenario import Doublet, Load, Scenario
from taut.structure.structure import Structure

MATERIALS = {
    "HDPE": Material("HDPE", density=960.0, youngs_modulus=1e9, poisson_ratio=0.46),
    "aluminium": Material("aluminium", density=2700.0, youngs_modulus=68e9, poisson_ratio=0.30),
    "light steel": Material("light steel", density=500.0, youngs_modulus=200e9, poisson_ratio=0.30),
}
"""The first two by Table 2; the last has the density of Table 1 and the modulus of the authors' script for Fig. 15."""

TABLE = ("HDPE", "aluminium")
"""The columns of Table 2."""

STRING = 2e9 * math.pi * 0.001**2 / BASE
"""Stiffness of a string of nylon [N/m], Table 1."""

PRINTED = "compressible as printed"
"""Bars that move by eqs. (53) to (56) as they stand."""

DAMPER = 100.0
"""Beside every string [N s/m], by the authors' script for Table 2."""


def sprung(material: str) -> Structure:
    """The T-bar of Table 1 with bars that are compressible cylinders."""
    return tbar().changed("bar:*", material=MATERIALS[material], law="compressible", inertia="cylinder")


def nylon(material: str, *, damping: float = 0.0, law: str = "spring") -> Structure:
    """That of Table 2: strings at their rest lengths, as in the authors' script, so that nothing is prestressed.

    law: "spring" for strings that push as they pull, which is what linear models see; "cable" for strings.
    """
    bars = tbar(stiffness=STRING, rest_ratio=1.0).changed("bar:*", material=MATERIALS[material], law="compressible")
    return bars.changed("bar:*", inertia="cylinder").changed("cable:*", damping=damping, law=law)


def soft_case(
    material: str,
    bars: str = "compressible",
    *,
    tolerance: float = TOLERANCE,
    correction: str = "energy",
    method: str = "dp8",
) -> Case:
    """Ten seconds of the T-bar of Table 1. By dp8, since bars ring on undamped and have to be followed."""
    word = bars.replace(" ", "-")
    return Case(
        f"tbar-{material.replace(' ', '-')}-{word}-{tolerance:.0e}-{correction}",
        sprung(material),
        Scenario(duration=SHORT[0], every=SHORT[1], method=method, tolerance=tolerance, correction=correction),
        bars=None if bars == PRINTED else bars,
        printed=bars == PRINTED,
    )


def doublet_case(name: str, structure: Structure, amplitude: float, width: float) -> Case:
    """Ten seconds under a force on node 3: up for `width` seconds, down for as long, then none."""
    pulse = Load("n3", "z", Doublet(amplitude, width))
    scenario = Scenario(duration=SHORT[0], every=SHORT[1], method="dp8", tolerance=TOLERANCE, loads=(pulse,))
    return Case(name, structure, scenario)
