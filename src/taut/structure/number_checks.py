"""What is wrong with the size of a number, and with those of a material."""

from __future__ import annotations

import math
from collections.abc import Iterator

from taut.errors import Problem
from taut.structure.magnitudes import SMALLEST, size_problem
from taut.structure.records import Material


def number_problems(
    path: tuple[str, ...], value: float | None, unit: str, *, zero: bool = False, sign: bool = True
) -> Iterator[Problem]:
    """What is wrong with a number; zero: it may be that, sign: it must not be negative."""
    if value is None:
        return
    if math.isfinite(value) and sign and (value < 0.0 or (value == 0.0 and not zero)):
        yield Problem(path, f"{value:g} {unit} must be {'zero or more' if zero else 'more than zero'}")
    elif wrong := size_problem(value, unit, least=SMALLEST if sign else 0.0):
        yield Problem(path, wrong)


def material_problems(path: tuple[str, ...], material: Material | None) -> Iterator[Problem]:
    if material is not None:
        where = (*path, "material")
        yield from number_problems((*where, "density"), material.density, "kg/m^3", zero=True)
        yield from number_problems((*where, "youngs_modulus"), material.youngs_modulus, "Pa")
        yield from number_problems((*where, "yield_stress"), material.yield_stress, "Pa")
        yield from number_problems((*where, "thermal_expansion"), material.thermal_expansion, "1/K", sign=False)
        ratio = material.poisson_ratio
        if ratio is not None and not -1.0 < ratio <= 0.5:
            limits = "must be more than -1 and at most 0.5, as for every isotropic material"
            yield Problem((*where, "poisson_ratio"), f"{ratio:g} {limits}")
