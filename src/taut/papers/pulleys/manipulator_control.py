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
from taut.papers.pulleys.controlled_runs import Controlled
from taut.papers.pulleys.manipulator_cases import MISMATCH, PRINTED, ROUND, Law, manipulator_task, settling_task

CLOSE = 1e-4
"""[m] The figures show lines that lie on one another; a tenth of a millimetre is a bound for that."""

STILL = 1.0
"""[rad/s] of any coordinate, pulleys among them, that counts as at rest."""


def _lasted(run: Controlled) -> float:
    """[s] for which the end-effector stayed within a decimetre of what was wanted."""
    return float(min(run.lost, run.time[-1]))


def _settling(bench: Bench) -> Measured:
    run: Controlled = bench.made(settling_task())
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
        run: Controlled = bench.made(manipulator_task(way, how))
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
        run: Controlled = bench.made(manipulator_task(way, PRINTED))
        return Measured(
            _lasted(run),
            "As printed nothing is said of free accelerations, and nothing brings the end-effector back.",
            {"largest error while it lasted [m]": _largest(run), "ended": run.status},
        )

    return measure


def _largest(run: Controlled) -> float:
    return float(np.abs(run.error[run.time <= _lasted(run)]).max())


WITHOUT = {
    "the cost on free accelerations": replace(Law(), weight=0.0, damping=0.0),
    "feedback": replace(Law(), proportional=0.0, derivative=0.0),
}
"""What is taken away of the law, one at a time."""


def _ablated(way: str, without: str) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        run: Controlled = bench.made(manipulator_task(way, WITHOUT[without]))
        whole: Controlled = bench.made(manipulator_task(way))
        lasted = _lasted(run)
        told = "It was kept to the end." if lasted >= ROUND[-1] else f"It was lost after {lasted:.3g} s."
        return Measured(
            _largest(run) if lasted >= ROUND[-1] else float("inf"),
            f"Without {without}. {told} A question of ours.",
            {"largest error while it lasted [m]": _largest(run), "with both terms [m]": float(whole.worst.max())},
        )

    return measure


def _why(bench: Bench) -> Measured:
    """How fast free motions are along x and along z, where nothing is said of them."""
    laws = {"as printed": PRINTED, "with both terms": Law()}
    beside: dict[str, float | str] = {}
    for name, how in laws.items():
        for way in ("z", "x"):
            run: Controlled = bench.made(manipulator_task(way, how))
            early = run.time <= min(4.0, _lasted(run))
            beside[f"{way} {name}: fastest coordinate by 4 s [rad/s]"] = float(run.speed[early].max())
    ratio = float(beside["x as printed: fastest coordinate by 4 s [rad/s]"]) / float(
        beside["z as printed: fastest coordinate by 4 s [rad/s]"]
    )
    return Measured(
        ratio,
        "Along z the machine keeps its threefold symmetry, and what is left free is hardly moved; along x it is moved, "
        "and as printed nothing slows it down.",
        beside,
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
        tasks=(settling_task(),),
    ),
    Claim(
        "track-z",
        "Table 5.8, Fig. 5.13",
        "z is followed closely.",
        CLOSE,
        "m",
        at_most(),
        _tracked("z", Law()),
        tasks=(manipulator_task("z"),),
    ),
    Claim(
        "track-x",
        "Table 5.9, Fig. 5.14",
        "So is x, once damped.",
        CLOSE,
        "m",
        at_most(),
        _tracked("x", Law()),
        tasks=(manipulator_task("x"),),
    ),
    Claim(
        "printed-z",
        "Fig. 5.13",
        "z is followed for 20 s as printed.",
        20.0,
        "s",
        at_least(),
        _printed("z"),
        tasks=(manipulator_task("z", PRINTED),),
    ),
    Claim(
        "printed-x",
        "Fig. 5.14",
        "x is followed for 20 s as printed.",
        20.0,
        "s",
        at_least(),
        _printed("x"),
        tasks=(manipulator_task("x", PRINTED),),
    ),
    Claim(
        "mismatch-z",
        "section 5.4",
        "With E 10 % less and density 10 % more in the law than in the machine, z within a centimetre.",
        1e-2,
        "m",
        at_most(),
        _tracked("z", MISMATCH),
        tasks=(manipulator_task("z", MISMATCH),),
    ),
    Claim(
        "mismatch-x",
        "section 5.4",
        "With the same law, x within a centimetre.",
        1e-2,
        "m",
        at_most(),
        _tracked("x", MISMATCH),
        tasks=(manipulator_task("x", MISMATCH),),
    ),
    *(
        Claim(
            f"{name}-{way}",
            "section 5.4",
            f"{way} is followed within a tenth of a millimetre without {without}.",
            CLOSE,
            "m",
            at_most(),
            _ablated(way, without),
            tasks=(manipulator_task(way, WITHOUT[without]), manipulator_task(way)),
        )
        for name, without in zip(("undamped", "unfed"), WITHOUT, strict=True)
        for way in ("x",)
    ),
    Claim(
        "why-x",
        "section 5.4",
        "x is worse than z because of free motions: as printed these are many times as fast along x.",
        3.0,
        "times",
        at_least(),
        _why,
        tasks=tuple(manipulator_task(way, how) for how in (PRINTED, Law()) for way in ("z", "x")),
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    tasks = {"at rest": settling_task(), "z": manipulator_task("z"), "x": manipulator_task("x")}
    runs: dict[str, Controlled] = {name: bench.made(task) for name, task in tasks.items()}
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
        (7.0, 9.0),
    ),
)
