"""Section 5.4: the manipulator comes to rest (Fig. 5.12) and follows Tables 5.8 and 5.9 (Figs. 5.13 and 5.14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.pulleys.cases import MISMATCH, PRINTED, ROUND, Controlled, Law, manipulator_run, settled

CLOSE = 1e-4
"""[m] The figures show lines that lie on one another; a tenth of a millimetre is a bound for that."""

STILL = 1.0
"""[rad/s] of any coordinate, pulleys among them, that counts as at rest."""


def _lasted(run: Controlled) -> float:
    """[s] for which the end-effector stayed within a decimetre of what was wanted."""
    return float(min(run.lost, run.time[-1]))


def _settling(bench: Bench) -> Measured:
    run = settled(bench)
    return Measured(
        float(np.abs(run.error[-1]).max()),
        "",
        {
            "largest error on the way [m]": float(run.worst.max()),
            "fastest coordinate at the end [rad/s]": float(run.speed[-1]),
            "largest strain on the way": float(run.strain.max()),
            "cables that were slack": float(len({one.cable for one in run.slackenings})),
        },
    )


def _tracked(way: str, how: Law) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        run = manipulator_run(bench, way, how)
        beside: dict[str, float | str] = {
            f"largest error of {axis} [m]": float(off) for axis, off in zip("xyz", run.worst, strict=True)
        }
        beside["least strain"] = float(run.strain.min())
        beside["times a cable was slack"] = float(len(run.slackenings))
        beside["bounds that nothing kept"] = float(len(run.relaxed))
        beside["ended"] = run.status
        if _lasted(run) < ROUND[-1]:
            return Measured(float("inf"), f"It was lost after {_lasted(run):.3g} s.", beside)
        told = (
            ""
            if how == Law()
            else "A question of ours. The law takes the machine for heavier by a tenth, and a tenth of g over the "
            "proportional gain of 100 1/s^2, 9.8 mm, is how far feedback lets it rise."
        )
        return Measured(float(run.worst.max()), told, beside)

    return measure


def _printed(way: str) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        run = manipulator_run(bench, way, PRINTED)
        return Measured(
            _lasted(run),
            "As printed nothing is said of free accelerations, and nothing brings the end-effector back.",
            {"largest error while it lasted [m]": _largest(run), "ended": run.status},
        )

    return measure


def _largest(run: Controlled) -> float:
    return float(np.abs(run.error[run.time <= _lasted(run)]).max())


def _why(bench: Bench) -> Measured:
    """What is taken away, and how long x is followed then."""
    without = {
        "without cost on free accelerations": replace(Law(), weight=0.0, damping=0.0),
        "without feedback": replace(Law(), proportional=0.0, derivative=0.0),
    }
    runs = {name: manipulator_run(bench, "x", how) for name, how in without.items()}
    lasted = {name: _lasted(run) for name, run in runs.items()}
    errors = {f"{name}, largest error [m]": _largest(run) for name, run in runs.items()}
    whole = {way: float(manipulator_run(bench, way).worst.max()) for way in ("z", "x")}
    return Measured(
        lasted["without cost on free accelerations"],
        "With both terms x is followed as z is: what made it worse is what was left free, not the way itself.",
        {
            **{f"{name} [s]": t for name, t in lasted.items()},
            **errors,
            **{f"{k} with both [m]": v for k, v in whole.items()},
        },
    )


CLAIMS = (
    Claim(
        "settling",
        "Fig. 5.12",
        "It comes to rest with the end-effector where it was.",
        CLOSE,
        "m",
        at_most(),
        _settling,
    ),
    Claim("track-z", "Table 5.8, Fig. 5.13", "z is followed closely.", CLOSE, "m", at_most(), _tracked("z", Law())),
    Claim("track-x", "Table 5.9, Fig. 5.14", "So is x, once damped.", CLOSE, "m", at_most(), _tracked("x", Law())),
    Claim("printed-z", "Fig. 5.13", "z is followed for 20 s as printed.", 20.0, "s", at_least(), _printed("z")),
    Claim("printed-x", "Fig. 5.14", "x is followed for 20 s as printed.", 20.0, "s", at_least(), _printed("x")),
    Claim(
        "mismatch-z",
        "section 5.4",
        "With E 10 % less and density 10 % more in the law than in the machine, z within a centimetre.",
        1e-2,
        "m",
        at_most(),
        _tracked("z", MISMATCH),
    ),
    Claim(
        "mismatch-x",
        "section 5.4",
        "With the same law, x within a centimetre.",
        1e-2,
        "m",
        at_most(),
        _tracked("x", MISMATCH),
    ),
    Claim(
        "why-x",
        "section 5.4",
        "x is worse than z because of free motions: without a cost on them it is lost before 20 s.",
        20.0,
        "s",
        at_most(0.999),
        _why,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    runs = {"at rest": settled(bench), "z": manipulator_run(bench, "z"), "x": manipulator_run(bench, "x")}
    axes = panels(figure, [f"{what}, {name}" for name in runs for what in ("errors", "strains")])
    for k, run in enumerate(runs.values()):
        errors = {axis: 1e3 * run.error[:, j] for j, axis in enumerate("xyz")}
        curves(axes[2 * k], run.time, errors, "[mm]")
        curves(axes[2 * k + 1], run.time, {f"cable {j + 1}": run.strain[:, j] for j in range(6)}, "strain")


PICTURES = (
    Picture(
        "fig-5-12",
        "Figs. 5.12 to 5.14: the manipulator comes to rest, and follows z and x",
        ("settling", "track-z", "track-x"),
        _draw,
        (7.0, 6.5),
    ),
)
