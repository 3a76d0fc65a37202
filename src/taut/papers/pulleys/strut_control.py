"""Section 5.3: the single strut along Table 5.6 by near-rigid inverse dynamics, Table 5.7 and Figs. 5.9 to 5.11."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from taut.papers.bench import Bench, Task
from taut.papers.claims import Claim, Measured, about, at_least, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.pulleys.controlled_runs import STRESS, Controlled
from taut.papers.pulleys.strut_cases import strut_task

TABLE = {2e8: (8.403e-3, 8.293e-3), 2e9: (1.080e-3, 8.105e-4), 2e10: (2.162e-4, 1.330e-4)}
"""Table 5.7: largest errors of phi and psi [rad], which it gives in metres."""

NOMINAL = {2e8: (1.81e-2, 1.63e-2), 2e9: (2.02e-3, 1.45e-3), 2e10: (2.05e-4, 1.30e-4)}
"""The same by a computation independent of taut, with nominal inertia and the choices of REASON [rad]."""

CLOSE = 0.1
"""Of the table's numbers. For the stiffest cables more than this hangs on which side of a knot is taken."""

REASON = (
    "The thesis leaves open the cables' viscosity, where branch 1 stands and which second derivative is taken at a "
    "knot; here 10 MPa s, -x and what leads up to it, with times counted in steps of 0.1 ms."
)


def _row(modulus: float, angle: int) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        run: Controlled = bench.made(strut_task(modulus))
        beside: dict[str, float | str] = {
            "by an independent computation [rad]": NOMINAL[modulus][angle],
            "least strain, of eps_0": float(run.strain.min() * modulus / STRESS),
        }
        if modulus == max(TABLE):  # where hardly anything else is left
            inside: Controlled = bench.made(strut_task(modulus, "inside"))
            beside["by the piece in which a step lies [rad]"] = float(inside.worst[angle])
        return Measured(float(run.worst[angle]), REASON, beside)

    return measure


def _tasks(modulus: float) -> tuple[Task, ...]:
    return (strut_task(modulus), *((strut_task(modulus, "inside"),) if modulus == max(TABLE) else ()))


def _trend(bench: Bench) -> Measured:
    """How much the error of phi falls from the softest cable to the next, ten times as stiff."""
    soft, stiff = (float(bench.made(strut_task(modulus)).worst[0]) for modulus in (2e8, 2e9))
    return Measured(soft / stiff, beside={"soft [rad]": soft, "ten times as stiff [rad]": stiff})


def _held(bench: Bench) -> Measured:
    softest = min(TABLE)
    run: Controlled = bench.made(strut_task(softest, rate=HELD))
    return Measured(
        float(run.worst.max()),
        "Torques that are held for 1 ms are those of half a millisecond ago, and the speed that this leaves is never "
        "taken away without feedback. How often the law decides is a parameter. A question of ours.",
        {
            "phi [rad]": float(run.worst[0]),
            "psi [rad]": float(run.worst[1]),
            "at every stage [rad]": float(bench.made(strut_task(softest)).worst.max()),
        },
    )


HELD = 1000.0
"""[Hz]."""


CLAIMS = (
    *(
        Claim(
            f"strut-{name}-{modulus:.0e}".replace("+", ""),
            "Table 5.7",
            f"Largest error of {name} with E = {modulus / 1e6:g} MPa.",
            TABLE[modulus][angle],
            "rad",
            about(CLOSE),
            _row(modulus, angle),
            tasks=_tasks(modulus),
        )
        for modulus in TABLE
        for angle, name in enumerate(("phi", "psi"))
    ),
    Claim(
        "strut-trend",
        "section 5.3",
        "Stiffer cables are followed better: ten times the modulus, several times less error.",
        5.0,
        "times",
        at_least(),
        _trend,
        tasks=(strut_task(2e8), strut_task(2e9)),
    ),
    Claim(
        "strut-held",
        "section 5.3",
        "Torques that a computer holds for 1 ms do as well, with E = 200 MPa.",
        max(TABLE[2e8]),
        "rad",
        at_most(),
        _held,
        tasks=(strut_task(2e8, rate=HELD), strut_task(2e8)),
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    titles = [f"{what}, E = {modulus / 1e6:g} MPa" for modulus in TABLE for what in ("errors", "strains")]
    axes = panels(figure, titles)
    for k, modulus in enumerate(TABLE):
        run: Controlled = bench.made(strut_task(modulus))
        curves(axes[2 * k], run.time, {"phi": run.error[:, 0], "psi": run.error[:, 1]}, "[rad]")
        strains = {f"cable {j + 1}": run.strain[:, j] for j in range(run.strain.shape[1])}
        curves(axes[2 * k + 1], run.time, strains, "strain")


PICTURES = (
    Picture(
        "fig-5-9",
        "Figs. 5.9 to 5.11: the single strut along Table 5.6",
        tuple(claim.id for claim in CLAIMS),
        _draw,
        (7.0, 9.0),
    ),
)
