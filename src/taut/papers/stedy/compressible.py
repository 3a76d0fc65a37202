"""The T-bar with compressible bars: motion, energy, computation times, and where the printed equations end
(Figs. 15 and 16, eqs. (56) and (58))."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_least, at_most, same_order
from taut.papers.drawing import curves, largest_so_far, magnitudes, panels
from taut.papers.paper import Picture
from taut.papers.stedy.cases import TOLERANCE, upper_nodes
from taut.papers.stedy.printed_mass import printed_mass, smallest_over_largest
from taut.papers.stedy.soft import MATERIALS, PRINTED, TABLE, soft_case, sprung
from taut.papers.stedy.tbar import worst_energy
from taut.structure.examples import example
from taut.structure.files import read_model

TIMES = {"HDPE": 39.18, "aluminium": 502.2}
"""The paper's times [s] for 10 s."""

INVERTIBLE = 1e-12
"""A matrix whose smallest eigenvalue is less than this part of its largest has no inverse worth the name."""


def from_rigid(bench: Bench, material: str) -> np.ndarray:
    """How far x3 z3 x4 z4 are from those with rigid bars and no correction, (T, 4) [m]."""
    rigid = bench.run(soft_case(material, "rigid", correction="none", method="dp5"))
    return np.asarray(np.abs(upper_nodes(bench.run(soft_case(material))) - upper_nodes(rigid)))


def _rigid(bench: Bench) -> Measured:
    steel = bench.run(soft_case("light steel"))
    better = bench.run(soft_case("light steel", "rigid", tolerance=1e-12))
    return Measured(
        float(from_rigid(bench, "light steel").max()),
        "Near the edge of what the words allow. The text does not name the material; density and modulus are those of "
        "Table 1 and of the authors' script for this figure. The stiffer the bars, the smaller it is.",
        {
            "the same against rigid bars at 1e-12, corrected [m]": float(np.abs(steel.nodes - better.nodes).max()),
            **{f"{name} [m]": float(from_rigid(bench, name).max()) for name in TABLE},
        },
    )


def _time(material: str, bench: Bench) -> Measured:
    ours, paper = bench.seconds(soft_case(material)), TIMES[material]
    taken = bench.run(soft_case(material)).counts["steps"]
    return Measured(
        ours,
        f"MATLAB on the authors' machine is not here. taut takes {paper / ours:.0f} times less, as CPU time of this "
        "machine, by an explicit method of order 8 at the same tolerance (see sec4-stiff).",
        {"paper / ours": paper / ours, "steps": float(taken), "energy violation [J]": _drift(bench, material)},
    )


def _drift(bench: Bench, material: str) -> float:
    return worst_energy(bench, soft_case(material))


def _softer(bench: Bench) -> Measured:
    soft, metal = (float(bench.run(soft_case(material)).counts["evaluations"]) for material in TABLE)
    return Measured(
        metal / soft,
        "Counted, as times are not the same twice. Steps follow the bars' own frequency, the root of modulus over "
        "density, which is 4.9 times higher in aluminium.",
        {"HDPE: evaluations of accelerations": soft, "aluminium: evaluations of accelerations": metal},
    )


def _percent(bench: Bench) -> Measured:
    soft, metal = (bench.seconds(soft_case(material)) for material in TABLE)
    return Measured(
        100.0 * (TIMES["aluminium"] - TIMES["HDPE"]) / TIMES["HDPE"],
        "This is what the paper's own two times, 39.18 and 502.2 s, give.",
        {"taut's two times give [%]": 100.0 * (metal - soft) / soft},
    )


def _lagrange(bench: Bench) -> Measured:
    printed, right = (soft_case("HDPE", bars, tolerance=1e-11, correction="none") for bars in (PRINTED, "compressible"))
    coarser = soft_case("HDPE", PRINTED, correction="none")
    apart = float(np.abs(bench.run(printed).nodes - bench.run(right).nodes).max())
    return Measured(
        worst_energy(bench, printed),
        "Eq. (56) leaves out -dT/dq of Lagrange's equation (9), which is not zero once T depends on q, as it does "
        "since bars change their lengths. The energy meant is the paper's own, T of section 3.1 and V with (55), so "
        "nothing but the missing term can change it, and no tolerance mends it. With the term, and with all of a "
        "bar's kinetic energy (see eq58-invertible), it is kept as well as the tolerance allows.",
        {
            "as printed, tolerance 1e-10 [J]": worst_energy(bench, coarser),
            "with -dT/dq, tolerance 1e-11 [J]": worst_energy(bench, right),
            "with -dT/dq, tolerance 1e-10 [J]": worst_energy(bench, soft_case("HDPE", correction="none")),
            "as printed and right, worst distance of nodes in 10 s [m]": apart,
        },
    )


def _invertible(bench: Bench) -> Measured:
    ball = read_model(example("ball_compressible")).structure
    printed = smallest_over_largest(printed_mass(ball))
    free = [bar.name for bar in ball.bars.values() if not any(node in ball.supports for node in bar.nodes)]
    return Measured(
        printed,
        f"Not for the Ball. T of section 3.1 drops the kinetic energy of a bar's ends moving apart, m/24 times the "
        f"squared rate of its length. A bar with both ends free ({', '.join(free)}) then has no mass along itself, "
        "and the matrix has no inverse; the T-bar, whose bars stand on the ground, does not show it. With the energy "
        "of a uniform bar, which taut has, the matrix is sound. The authors' repository notes singularities for its "
        "soft Ball.",
        {
            "eigenvalues of the Ball's mass matrix that are zero": float(_zeros(printed_mass(ball))),
            "the Ball with the whole kinetic energy": smallest_over_largest(printed_mass(ball, whole=True)),
            "the T-bar as printed": smallest_over_largest(printed_mass(sprung("HDPE"))),
        },
    )


def _zeros(mass: np.ndarray) -> int:
    values = np.linalg.eigvalsh(mass)
    return int(np.count_nonzero(values < INVERTIBLE * values[-1]))


CLAIMS = (
    Claim(
        "eq56-energy",
        "eq. (56)",
        "These are Lagrange's equations for compressible bars: they keep the energy; here 10 s, HDPE, tolerance 1e-11, "
        "no correction.",
        TOLERANCE,
        "J",
        at_most(),
        _lagrange,
    ),
    Claim(
        "eq58-invertible",
        "eq. (58)",
        "The matrix of accelerations and multipliers can be inverted, whatever the configuration: here the mass matrix "
        "of the free nodes, smallest eigenvalue / largest.",
        INVERTIBLE,
        "ratio",
        at_least(),
        _invertible,
    ),
    Claim(
        "fig15-rigid",
        "Fig. 15",
        "The motion differs from that with rigid bars, uncorrected, by the order of 1e-7.",
        1e-7,
        "m",
        same_order(),
        _rigid,
    ),
    *(
        Claim(
            f"fig16-time-{name}",
            "section 4",
            f"Ten seconds of the T-bar with bars of {material} take {TIMES[material]} s.",
            TIMES[material],
            "s",
            same_order(),
            partial(_time, material),
            elsewhere="MATLAB on the authors' machine",
        )
        for name, material in (("soft", "HDPE"), ("metal", "aluminium"))
    ),
    Claim(
        "sec4-softer",
        "section 4",
        "Softer bars speed the computation up by a significant margin.",
        1.0,
        "work ratio",
        at_least(2.0),
        _softer,
    ),
    Claim(
        "sec4-percent",
        "section 4",
        "Metallic bars take nearly 1100 % more time than soft ones.",
        1100.0,
        "%",
        about(0.05),
        _percent,
    ),
)


def _draw_difference(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["largest difference so far, any coordinate"], columns=1)
    time = bench.run(soft_case("HDPE")).time
    lines = {name: largest_so_far(from_rigid(bench, name).max(axis=1)) for name in MATERIALS}
    magnitudes(axes, time, lines, "difference [m]", paper=1e-7)


def _draw_motion(bench: Bench, figure: Any) -> None:
    third, fourth, energy = panels(figure, ["node 3", "node 4", "energy, no correction"], columns=3)
    run = bench.run(soft_case("HDPE"))
    for axes, node in ((third, "n3"), (fourth, "n4")):
        moved = run.node(node) - run.node(node)[0]
        curves(axes, run.time, {"x": moved[:, 0], "z": moved[:, 2]}, "displacement [m]")
    both = {"as printed": PRINTED, "with -dT/dq": "compressible"}
    runs = {word: bench.run(soft_case("HDPE", bars, tolerance=1e-11, correction="none")) for word, bars in both.items()}
    magnitudes(energy, run.time, {word: one.energy_violation for word, one in runs.items()}, "energy violation [J]")


PICTURES = (
    Picture("fig15", "Fig. 15: T-bar, compressible bars against rigid ones.", ("fig15-rigid",), _draw_difference),
    Picture(
        "fig16",
        "Fig. 16: T-bar with bars of HDPE, motion; and what becomes of the energy with eq. (56).",
        ("eq56-energy", "fig16-time-soft"),
        _draw_motion,
        (9.0, 3.0),
    ),
)
