"""Computation times of the T-bar (Fig. 6 and section 4). Ours are CPU times of this machine, compiled before."""

from __future__ import annotations

import time
from typing import Any

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most, same_order
from taut.papers.drawing import panels
from taut.papers.paper import Picture
from taut.papers.stedy import in_mujoco
from taut.papers.stedy.cases import PRINTED, SHORT, errors, tbar_case

TOLERANCES = tuple(10.0**-power for power in range(6, 15))
PROPOSED, SIMSCAPE = 2.4, 1.1
"""The paper's times [s] for 10 s of the T-bar."""


def _ten_seconds(bench: Bench) -> Measured:
    ours = bench.seconds(tbar_case())
    return Measured(
        ours,
        f"MATLAB on the authors' machine is not here. taut takes {PROPOSED / ours:.0f} times less, as CPU time of this "
        "machine, for the same method, tolerance, corrections and 1001 samples.",
        {"paper / ours": PROPOSED / ours},
    )


def _other_engine(bench: Bench) -> Measured:
    if not in_mujoco.AVAILABLE:
        return Measured(None, "Simscape is not here, and MuJoCo, which could stand in, is not installed.")
    spent = bench.once("time of T-bar in MuJoCo", _mujoco_seconds)
    return Measured(
        spent,
        "Simscape is not here. MuJoCo stands in: RK4 in minimum coordinates, 1 ms, CPU time of this machine.",
        {"MuJoCo / ours": spent / bench.seconds(tbar_case())},
    )


def _mujoco_seconds() -> float:
    in_mujoco.tbar_motion(0.1, 0.01)  # imported before
    begun = time.process_time()
    in_mujoco.tbar_motion(*SHORT)
    return time.process_time() - begun


def _prudent(bench: Bench) -> Measured:
    corrected, bare = bench.seconds(tbar_case()), bench.seconds(tbar_case("none", 1e-14))
    return Measured(
        corrected / bare,
        beside={
            "corrected, 1e-10: CPU [s]": corrected,
            "uncorrected, 1e-14: CPU [s]": bare,
            "corrected as printed, 1e-10: CPU [s]": bench.seconds(tbar_case(PRINTED)),
            "corrected, 1e-09: CPU [s]": bench.seconds(tbar_case(tolerance=1e-9)),
            "corrected, 1e-10: error [m]": float(errors(bench, tbar_case()).max()),
            "uncorrected, 1e-14: error [m]": float(errors(bench, tbar_case("none", 1e-14)).max()),
        },
    )


CLAIMS = (
    Claim(
        "fig6-prudent",
        "Fig. 6",
        "Where time matters, tolerance 1e-10 with correction costs less than 1e-14 without.",
        1.0,
        "time ratio",
        at_most(),
        _prudent,
    ),
    Claim(
        "sec4-time",
        "section 4",
        "Ten seconds of the T-bar take 2.4 s with correction.",
        PROPOSED,
        "s",
        same_order(),
        _ten_seconds,
        elsewhere="MATLAB on the authors' machine",
    ),
    Claim(
        "sec4-time-simscape",
        "section 4",
        "Ten seconds of the T-bar take Simscape 1.1 s.",
        SIMSCAPE,
        "s",
        same_order(),
        _other_engine,
        elsewhere="Simscape Multibody on the authors' machine",
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, [""], columns=1)
    for kind, name in (("energy", "with correction"), (PRINTED, "as printed"), ("none", "without")):
        seconds = [bench.seconds(tbar_case(kind, tolerance)) for tolerance in TOLERANCES]
        axes.loglog(TOLERANCES, seconds, marker="o", markersize=3, linewidth=0.9, label=name)
    axes.loglog([1e-10], [PROPOSED], linestyle="none", marker="D", markersize=5, label="paper, with correction")
    axes.invert_xaxis()
    axes.set_xlabel("tolerance", fontsize=9)
    axes.set_ylabel("time for 10 s [s]", fontsize=9)
    axes.legend(fontsize=7.5, frameon=False)


PICTURES = (
    Picture(
        "fig06",
        "Fig. 6: CPU time of ten seconds of the T-bar.",
        ("fig6-prudent", "sec4-time"),
        _draw,
        (4.5, 3.0),
    ),
)
