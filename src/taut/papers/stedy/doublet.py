"""Soft and metallic bars under a doublet force: deviations and their ratios to the force (Figs. 17 and 18, Table 2)."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from taut.control.linearising import linearise
from taut.control.responses import doublet_response
from taut.mechanics.assemble import assemble
from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, about, at_least
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.stedy.cases import SHORT, upper_nodes
from taut.papers.stedy.linear import COORDINATES
from taut.papers.stedy.soft import DAMPER, TABLE, doublet_case, nylon

PUSH = 10.0
"""[N], by the text; the authors' script has 100."""
WIDTH = 1.0
"""[s], by the authors' script, whose norms are taken for 2 s."""


class Sizes(NamedTuple):
    """Of the liveliest coordinate of nodes 3 and 4, against the force: |y|_inf / |u|_2 and |y|_2 / |u|_2."""

    peak: float
    energy: float


def nylon_case(material: str, law: str = "cable", width: float = WIDTH) -> Case:
    name = f"tbar-{material}-doublet-{law}-{width:g}s"
    return doublet_case(name, nylon(material, damping=DAMPER, law=law), PUSH, width)


def deviations(bench: Bench, case: Case) -> np.ndarray:
    """Of x3 z3 x4 z4 from where they stand, (T, 4) [m]."""
    places = upper_nodes(bench.run(case))
    return np.asarray(places - places[0])


def sizes(time: np.ndarray, deviation: np.ndarray, width: float) -> Sizes:
    force = PUSH * math.sqrt(2.0 * width)
    energy = np.sqrt(np.trapezoid(deviation**2, time, axis=0))
    return Sizes(float(np.abs(deviation).max() / force), float(energy.max() / force))


def of_run(bench: Bench, material: str, law: str = "cable", width: float = WIDTH) -> Sizes:
    case = nylon_case(material, law, width)
    return sizes(bench.run(case).time, deviations(bench, case), width)


def of_model(material: str) -> Sizes:
    """By the linear model, with all stiffness in it."""
    plant = assemble(nylon(material, damping=DAMPER))
    answer = doublet_response(
        linearise(plant, inputs="node:n3.z", outputs=COORDINATES), SHORT[0], amplitude=PUSH, width=WIDTH, every=SHORT[1]
    )
    return sizes(answer.time, answer.output[:, :, 0], WIDTH)


def _ratio(material: str, which: str, bench: Bench) -> Measured:
    def told(found: Sizes) -> float:
        return float(getattr(found, which))

    return Measured(
        told(of_run(bench, material)),
        "Force and dampers (100 N s/m) are those of the text and the authors' script: 10 N on node 3, up and down for "
        "a second each. Strings without prestress go slack as soon as anything moves, so the T-bar gives more than any "
        "linear model says, however small the force. None of the variants beside it gives both columns of Table 2.",
        {
            "slack and taut instants": float(len(bench.run(nylon_case(material)).events)),
            "pulses of 2 s": told(of_run(bench, material, width=2.0)),
            "strings that push as they pull": told(of_run(bench, material, "spring")),
            "strings that push, pulses of 2 s": told(of_run(bench, material, "spring", 2.0)),
            "linear model": told(of_model(material)),
        },
    )


def _larger(bench: Bench) -> Measured:
    def ratio(law: str, width: float) -> float:
        soft, metal = (of_run(bench, material, law, width).peak for material in TABLE)
        return metal / soft

    return Measured(
        ratio("cable", WIDTH),
        "By mass, not by stiffness: the heavier bars swing slower and are damped less for it; at rest both give alike "
        "(fig19-compliance).",
        {
            "pulses of 2 s": ratio("cable", 2.0),
            "strings that push as they pull": ratio("spring", WIDTH),
            "strings that push, pulses of 2 s": ratio("spring", 2.0),
        },
    )


RATIOS = (
    ("peak", "|y|_inf / |u|_2", "m/(N s^0.5)", {"HDPE": 4.79e-4, "aluminium": 5.3e-4}),
    ("energy", "|y|_2 / |u|_2", "m/N", {"HDPE": 7.22e-4, "aluminium": 8.14e-4}),
)

CLAIMS = (
    Claim(
        "fig18-larger",
        "Fig. 18",
        "Under the same doublet the T-bar with metallic bars deviates further than that with soft ones.",
        1.0,
        "peak ratio",
        at_least(),
        _larger,
    ),
    *(
        Claim(
            f"table2-{which}-{name}",
            "Table 2",
            f"{words} of the nonlinear response to the doublet is {paper[material]} with bars of {material}.",
            paper[material],
            unit,
            about(0.01),
            partial(_ratio, material, which),
        )
        for which, words, unit, paper in RATIOS
        for name, material in (("soft", "HDPE"), ("metal", "aluminium"))
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    time = bench.run(nylon_case("HDPE")).time
    force, *axes = panels(figure, ["force on node 3, z", "node 3, z", "node 3, x", "node 4, x"])
    pulse = PUSH * np.select([time < WIDTH, time < 2.0 * WIDTH], [1.0, -1.0], 0.0)
    curves(force, time, {"doublet": pulse}, "force [N]")
    for one, column in zip(axes, (1, 0, 2), strict=True):
        lines = {material: deviations(bench, nylon_case(material))[:, column] for material in TABLE}
        pushing = {f"{material}, springs": deviations(bench, nylon_case(material, "spring")) for material in TABLE}
        curves(one, time, {**lines, **{word: line[:, column] for word, line in pushing.items()}}, "deviation [m]")


PICTURES = (
    Picture(
        "fig17-18",
        "Figs. 17 and 18: the doublet, and how soft and metallic bars answer; springs push as they pull.",
        ("fig18-larger", *(f"table2-{which}-{name}" for which, *_ in RATIOS for name in ("soft", "metal"))),
        _draw,
        (7.0, 5.4),
    ),
)
