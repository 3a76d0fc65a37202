"""The Ball with a payload, pushed along three axes: motion and violations in space (Figs. 13 and 14)."""

from __future__ import annotations

from typing import Any

from taut.papers.bench import Bench, Case
from taut.papers.claims import SAME_ORDER, Claim, Measured, at_most
from taut.papers.drawing import curves, largest_so_far, magnitudes, panels
from taut.papers.paper import Picture
from taut.papers.stedy.arm import arm_case, predictable
from taut.papers.stedy.cases import TOLERANCE, bar_length_errors, brief, left_alone, moved, pushed
from taut.papers.stedy.tbar import worst_energy, worst_length
from taut.statics.balancing import balance
from taut.statics.certificates import stability

DURATION, EVERY = 20.0, 0.01
"""The paper does not say how long; as long as the Arm."""


def ball_case(correction: str = "energy", tolerance: float = TOLERANCE) -> Case:
    return pushed("ball", DURATION, EVERY, tolerance, correction)


def _rest(bench: Bench) -> Measured:
    case = left_alone("ball")
    verdict = stability(balance(case.structure, gravity=case.scenario.gravity)).verdict
    return Measured(moved(bench.run(case)), beside={"stability": verdict})


def _length(bench: Bench) -> Measured:
    seen = predictable(bench, ball_case(), ball_case(tolerance=1e-11))
    return Measured(
        worst_length(bench, ball_case()),
        "The paper does not say how long it simulated; here 20 s, as for the Arm.",
        {
            "without correction [m]": worst_length(bench, ball_case("none")),
            "can be trusted": str(seen),
            "slack and taut instants in the first second": float(len(bench.run(brief("ball", 300.0)).events)),
            "the same with 30 sin(t) N": float(len(bench.run(brief("ball", 30.0)).events)),
        },
    )


def _energy(bench: Bench) -> Measured:
    return Measured(
        worst_energy(bench, ball_case()), beside={"without correction [J]": worst_energy(bench, ball_case("none"))}
    )


def _order(bench: Bench) -> Measured:
    ball, arm = worst_length(bench, ball_case()), worst_length(bench, arm_case())
    return Measured(ball / arm, beside={"Ball [m]": ball, "Arm [m]": arm})


CLAIMS = (
    Claim(
        "sec4-ball-rest",
        "section 4",
        "The Ball's strings are prestressed for equilibrium under gravity: left alone, it stays for a second.",
        TOLERANCE,
        "m",
        at_most(),
        _rest,
    ),
    Claim(
        "fig13-energy",
        "Fig. 13(b)",
        "The energy violation stays below the threshold of the correction.",
        TOLERANCE,
        "J",
        at_most(),
        _energy,
    ),
    Claim(
        "fig14-length",
        "Fig. 14",
        "The bar lengths stay below the threshold of the correction.",
        TOLERANCE,
        "m",
        at_most(),
        _length,
    ),
    Claim(
        "fig14-order",
        "Fig. 14",
        "In space the violations keep the order of those of the Arm.",
        1.0,
        "error ratio",
        at_most(SAME_ORDER),
        _order,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    motion, begin, energy, lengths = panels(
        figure, ["motion", "the first second", "energy", "bar lengths: largest so far"]
    )
    run, loose = bench.run(ball_case()), bench.run(ball_case("none"))
    early = run.time <= 1.0
    for axes, kept in ((motion, slice(None)), (begin, early)):
        lines = {f"node {name[1:]}, {axis}": run.node(name)[kept, "xyz".index(axis)] for name, axis in PUSHED}
        curves(axes, run.time[kept], lines, "coordinate [m]")
    for axes, what, values in (
        (energy, "energy violation [J]", lambda seen: seen.energy_violation),
        (lengths, "length error [m]", lambda seen: largest_so_far(bar_length_errors(seen).max(axis=1))),
    ):
        magnitudes(axes, run.time, {"uncorrected": values(loose), "corrected": values(run)}, what, paper=TOLERANCE)


PUSHED = (("n4", "x"), ("n7", "y"), ("n8", "z"))
"""The nodes at the top, each along the axis it is pushed."""

PICTURES = (
    Picture(
        "fig13-14",
        "Figs. 13 and 14: Ball, motion and violations.",
        ("fig13-energy", "fig14-length", "fig14-order"),
        _draw,
        (7.0, 5.4),
    ),
)
