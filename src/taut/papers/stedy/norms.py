"""Norms of the linear models with soft and metallic bars (Table 2), and how the printed ones came about."""

from __future__ import annotations

import math
from functools import partial
from itertools import chain, combinations, product

import numpy as np

from taut.control.linear_model import LinearModel
from taut.control.linearising import linearise
from taut.control.norms import Norm, h2_norm, hinf_norm
from taut.control.splitting import split
from taut.mechanics.assemble import assemble, assembled_as_printed
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about
from taut.papers.paper import Picture
from taut.papers.stedy.linear import COORDINATES, FIXED
from taut.papers.stedy.minimal import BASE
from taut.papers.stedy.soft import DAMPER, TABLE, nylon

SPEEDS = ["node:n3.velocity.xz", "node:n4.velocity.xz"]
UP = [["node:n3.force.z", "node:n4.force.z"], ["node:n3.position.z", "node:n4.position.z"]]

PAPER = {"h2": {"HDPE": 0.1059, "aluminium": 0.1752}, "hinf": {"HDPE": 0.1718, "aluminium": 0.4832}}


def physical(material: str) -> LinearModel:
    """Forces on nodes 3 and 4 to their places and speeds, with all that Table 2's script sets."""
    plant = assemble(nylon(material, damping=DAMPER))
    return linearise(plant, inputs=COORDINATES, outputs=[*COORDINATES, *SPEEDS])


def as_in_script(material: str) -> LinearModel:
    """A of (59) with what the authors' script does on top: its dampers have L^2 where L is meant.

    Nothing is prestressed, so A has no stiffness; T is without the energy of bars that stretch.
    """
    plant = assembled_as_printed(nylon(material, damping=DAMPER / BASE**2))
    return linearise(plant, inputs=COORDINATES, outputs=[*COORDINATES, *SPEEDS], held=FIXED)


def decaying(model: LinearModel) -> LinearModel:
    """What dies away; what does not, here all the integrators, is cut off, as their `stabsep` does."""
    part = split(model).decaying
    names = tuple(f"state {k}" for k in range(1, part.size + 1))
    return LinearModel(part.A, part.B, part.C, model.D, names, model.inputs, model.outputs)


def places(model: LinearModel) -> LinearModel:
    return model.chosen(outputs=[name for name in model.outputs if "position" in name])


def _hinf(material: str, bench: Bench) -> Measured:
    right = hinf_norm(places(physical(material)))
    whole = as_in_script(material)
    script = decaying(whole)
    return Measured(
        right.value,
        "The printed value comes out of A in (59) with no stiffness at all (sigma and Psi fixed at zero), dampers too "
        f"weak by the square of a string's length ({BASE**2:.3g}; the authors' script has L^2 where L is meant), "
        "the integrators that are left cut off, vertical forces in and vertical places out. What is called a "
        "norm is then mass / damping^2, so the two columns are as their masses, 2.8125. In- and outputs are a fit: the "
        "paper does not name them.",
        {
            "that computation: f_z3, f_z4 to z3, z4": hinf_norm(script.chosen(inputs=UP[0], outputs=UP[1])).value,
            "that computation: all forces to all places": hinf_norm(places(script)).value,
            "that computation with nothing cut off": _finite(hinf_norm(whole)),
            "ours is reached at [Hz]": right.frequency,
            "ours with speeds among the outputs": hinf_norm(physical(material)).value,
        },
    )


def _finite(norm: Norm) -> float | str:
    return "infinite" if math.isinf(norm.value) else norm.value


def _h2(material: str, bench: Bench) -> Measured:
    script = decaying(as_in_script(material))
    nearest, count = bench.once("all in- and outputs of Table 2", _nearest)
    return Measured(
        h2_norm(places(physical(material))).value,
        "Not found by any road. The computation that gives the printed |G|_inf gives another |G|_2, and none of the "
        f"{count} choices among its four forces and eight states gives both columns to the digits printed (0.05 %). "
        "With stiffness in the model the H2 norm of places does not depend on mass: both columns are alike.",
        {
            "computation of |G|_inf: f_z3, f_z4 to z3, z4": h2_norm(script.chosen(inputs=UP[0], outputs=UP[1])).value,
            "computation of |G|_inf: all forces to all states": h2_norm(script).value,
            "nearest choice of in- and outputs, off by [%]": 100.0 * nearest,
            "ours with speeds among the outputs": h2_norm(physical(material)).value,
        },
    )


def _nearest() -> tuple[float, int]:
    """How near any choice of in- and outputs comes to both printed H2 norms, as a share, and how many there are."""
    tables = [_energies(decaying(as_in_script(material))) for material in TABLE]
    wanted = np.array([PAPER["h2"][material] for material in TABLE])
    rows, columns = tables[0].shape
    off = [
        float(np.abs(np.sqrt([table[np.ix_(shown, pushed)].sum() for table in tables]) / wanted - 1.0).max())
        for shown, pushed in product(_choices(rows), _choices(columns))
    ]
    return min(off), len(off)


def _energies(model: LinearModel) -> np.ndarray:
    """Squares of the H2 norms from each input to each output, (p, m): those of several add up."""
    return np.array(
        [
            [h2_norm(model.chosen(inputs=[pushed], outputs=[shown])).value ** 2 for pushed in model.inputs]
            for shown in model.outputs
        ]
    )


def _choices(count: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(count), size) for size in range(1, count + 1)))


CLAIMS = tuple(
    Claim(
        f"table2-{which}-{name}",
        "Table 2",
        f"{words} of the linear system with bars of {material} is {PAPER[which][material]}.",
        PAPER[which][material],
        "m/N" if which == "hinf" else "m/(N s^0.5)",
        about(0.01),
        partial(measure, material),
    )
    for which, words, measure in (("h2", "|G|_2", _h2), ("hinf", "|G|_inf", _hinf))
    for name, material in (("soft", "HDPE"), ("metal", "aluminium"))
)

PICTURES: tuple[Picture, ...] = ()
