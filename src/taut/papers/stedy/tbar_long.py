"""The T-bar for 200 s, its verticals shortened more and more: what the energy correction is worth (Figs. 7 to 9)."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, at_least, at_most
from taut.papers.drawing import largest_so_far, magnitudes, panels
from taut.papers.paper import Picture
from taut.papers.stedy.cases import LONG, PRINTED, RATIOS, TOLERANCE, bar_length_errors, errors, tbar_case
from taut.papers.stedy.tbar import worst_energy, worst_length

TOLERANCES = (1e-10, 1e-6)
"""Of Figs. 7 and 8."""


def long_case(correction: str, tolerance: float, ratio: float) -> Case:
    """correction: "energy", "constraints" for the paper's runs without energy correction, or the paper's own."""
    return tbar_case(correction, tolerance, ratio, LONG)


def worst_motion(bench: Bench, correction: str, tolerance: float, ratio: float) -> float:
    """Against the minimum realisation [m]."""
    return float(errors(bench, long_case(correction, tolerance, ratio), ratio, LONG).max())


def gain(bench: Bench, tolerance: float, ratio: float, kind: str = "energy") -> float:
    """Error of the motion without the energy correction / with it."""
    return worst_motion(bench, "constraints", tolerance, ratio) / worst_motion(bench, kind, tolerance, ratio)


def _stronger(bench: Bench) -> Measured:
    spared = {}
    for tolerance in TOLERANCES:
        without, with_it = (worst_motion(bench, kind, tolerance, 0.5) for kind in ("constraints", "energy"))
        spared[tolerance] = without - with_it
    fine, coarse = TOLERANCES
    return Measured(
        spared[coarse] / spared[fine],
        "In metres, which is what the paper compares. As a factor the correction is worth more at the finer tolerance.",
        {
            **{f"error spared at {tolerance:.0e} [m]": value for tolerance, value in spared.items()},
            **{f"error without / with, at {tolerance:.0e}": gain(bench, tolerance, 0.5) for tolerance in TOLERANCES},
        },
    )


def _deformation(bench: Bench) -> Measured:
    gains = [gain(bench, TOLERANCE, ratio) for ratio in RATIOS]
    named = zip(RATIOS, gains, strict=True)
    coarse = {f"error without / with, {ratio:.0%}, 1e-06": gain(bench, 1e-6, ratio) for ratio in RATIOS}
    return Measured(
        min(large / small for large, small in pairwise(gains)),
        "The smaller of the two ratios of what the correction is worth: at 50 to 70 %, and at 70 to 90 %.",
        {**{f"error without / with, {ratio:.0%}, 1e-10": value for ratio, value in named}, **coarse},
    )


def _lengths(tolerance: float, bench: Bench) -> Measured:
    kept = {kind: worst_length(bench, long_case(kind, tolerance, 0.5)) for kind in ("constraints", "energy")}
    return Measured(
        max(kept.values()),
        beside={
            "without correction [m]": worst_length(bench, long_case("none", tolerance, 0.5)),
            "corrected as printed, eq. (45) [m]": worst_length(bench, long_case(PRINTED, tolerance, 0.5)),
        },
    )


def _energy(tolerance: float, bench: Bench) -> Measured:
    return Measured(
        worst_energy(bench, long_case("energy", tolerance, 0.5)),
        beside={
            "constraints corrected, energy not [J]": worst_energy(bench, long_case("constraints", tolerance, 0.5)),
            "without correction [J]": worst_energy(bench, long_case("none", tolerance, 0.5)),
            "corrected as printed, eq. (45) [J]": worst_energy(bench, long_case(PRINTED, tolerance, 0.5)),
        },
    )


def _deformation_as_printed(bench: Bench) -> Measured:
    gains = {ratio: gain(bench, TOLERANCE, ratio, PRINTED) for ratio in RATIOS}
    behind = {
        ratio: worst_motion(bench, PRINTED, TOLERANCE, ratio) / worst_motion(bench, "energy", TOLERANCE, ratio)
        for ratio in RATIOS
    }
    return Measured(
        min(large / small for large, small in pairwise(gains.values())),
        "Eq. (45) weighs metres, metres a second and joules alike; taut's correction weighs by mass and by a time of "
        "the structure.",
        {
            **{f"error without / with eq. (45), {ratio:.0%}": value for ratio, value in gains.items()},
            **{f"error with eq. (45) / with ours, {ratio:.0%}": value for ratio, value in behind.items()},
        },
    )


def _threshold(bench: Bench) -> Measured:
    kept = {
        (what, tolerance): of(bench, long_case(PRINTED, tolerance, 0.5))
        for what, of in VIOLATIONS
        for tolerance in TOLERANCES
    }
    work = {
        tolerance: float(np.abs(bench.run(long_case(PRINTED, tolerance, 0.5)).work).max()) for tolerance in TOLERANCES
    }
    return Measured(
        max(kept.values()),
        "The largest of lengths [m] and energy [J] at both tolerances. Nothing works on this T-bar: what the "
        "correction books as work is error of energy that stays in the motion.",
        {
            **{f"{what}, tolerance {tolerance:.0e}": value for (what, tolerance), value in kept.items()},
            **{f"booked as work, tolerance {tolerance:.0e} [J]": value for tolerance, value in work.items()},
        },
    )


VIOLATIONS = (("length [m]", worst_length), ("energy [J]", worst_energy))


def _kept(number: int, tolerance: float) -> tuple[Claim, Claim]:
    """Lengths and energy of Fig. 7 or 8."""
    bound = "below the threshold of the correction"
    return (
        Claim(
            f"fig{number}-length",
            f"Fig. {number}(c, d)",
            f"Over 200 s at tolerance {tolerance:.0e} and 50 % the bar lengths stay {bound}.",
            TOLERANCE,
            "m",
            at_most(),
            partial(_lengths, tolerance),
        ),
        Claim(
            f"fig{number}-energy",
            f"Fig. {number}(b)",
            f"Over 200 s at tolerance {tolerance:.0e} and 50 % the energy violation with correction stays {bound}.",
            TOLERANCE,
            "J",
            at_most(),
            partial(_energy, tolerance),
        ),
    )


CLAIMS = (
    *_kept(7, 1e-10),
    *_kept(8, 1e-6),
    Claim(
        "fig8-stronger",
        "Figs. 7(a), 8(a)",
        "At 50 % the energy correction has a considerably stronger effect at tolerance 1e-6 than at 1e-10.",
        1.0,
        "error ratio",
        at_least(10.0),
        _stronger,
    ),
    Claim(
        "fig9-deformation",
        "Fig. 9",
        "The energy correction is worth more the larger the deformation: most at 50, least at 90 % rest length.",
        1.0,
        "error ratio",
        at_least(2.0),
        _deformation,
    ),
    Claim(
        "fig9-printed",
        "Fig. 9, eq. (45)",
        "Corrected as printed, too, the larger the deformation the more the energy correction is worth.",
        1.0,
        "error ratio",
        at_least(2.0),
        _deformation_as_printed,
    ),
    Claim(
        "alg1-threshold",
        "Algorithm 1",
        "Iterated as printed, lengths and energy stay below the threshold: here for 200 s at 50 %.",
        TOLERANCE,
        "m, J",
        at_most(),
        _threshold,
    ),
)

WORDS = {"energy": "with energy correction", "constraints": "without", PRINTED: "printed: eq. (45)"}


def _draw(tolerance: float, bench: Bench, figure: Any) -> None:
    """All three runs at 50 %."""
    runs = {kind: bench.run(long_case(kind, tolerance, 0.5)) for kind in WORDS}
    off = {kind: errors(bench, long_case(kind, tolerance, 0.5), 0.5, LONG) for kind in WORDS}
    time = runs["energy"].time
    motion, energy, first, second = panels(figure, ["node 3, x: largest error so far", "energy", "bar 1", "bar 2"])
    magnitudes(motion, time, {WORDS[kind]: largest_so_far(off[kind][:, 0]) for kind in WORDS}, "error [m]")
    magnitudes(energy, time, {WORDS[kind]: runs[kind].energy_violation for kind in WORDS}, "energy violation [J]")
    for bar, axes in enumerate((first, second)):
        lengths = {WORDS[kind]: bar_length_errors(run)[:, bar] for kind, run in runs.items()}
        magnitudes(axes, time, lengths, "length error [m]", paper=TOLERANCE)


def _draw_ratios(bench: Bench, figure: Any) -> None:
    time = bench.run(long_case("energy", TOLERANCE, 0.9)).time
    titles = [f"node 3, {axis}: largest error so far" for axis in "xz"]
    for column, axes in enumerate(panels(figure, titles)):
        lines = {}
        for ratio, kind in product(RATIOS, WORDS):
            off = errors(bench, long_case(kind, TOLERANCE, ratio), ratio, LONG)[:, column]
            lines[f"{ratio:.0%} {WORDS[kind].split()[0]}"] = largest_so_far(off)
        magnitudes(axes, time, lines, "error [m]")


PICTURES = (
    *(
        Picture(
            f"fig0{number}",
            f"Fig. {number}: T-bar at 50 %, tolerance {tolerance:.0e}: with, without, and as printed.",
            (f"fig{number}-length", f"fig{number}-energy", "fig8-stronger"),
            partial(_draw, tolerance),
            (7.0, 5.4),
        )
        for number, tolerance in ((7, 1e-10), (8, 1e-6))
    ),
    Picture(
        "fig09",
        "Fig. 9: T-bar at 50, 70 and 90 %, tolerance 1e-10, with and without energy correction, and as printed.",
        ("fig9-deformation", "fig9-printed"),
        _draw_ratios,
        (7.0, 3.6),
    ),
)
