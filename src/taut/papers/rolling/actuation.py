"""Sections 5, 6, 6.5, 6.7, 8 and appendix C: struts or cables that move, at rest and rolling."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import TautError
from taut.locomotion.faces import stands
from taut.output.plot.shapes import structure as draw_structure
from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, about, at_least, at_most
from taut.papers.drawing import panels
from taut.papers.paper import Picture
from taut.papers.rolling.cases import LENGTH, MASS, PULL, SHARE, STIFFNESS, by_cables, by_struts, robot
from taut.papers.rolling.penalty import GRAVITY
from taut.statics.balancing import balance
from taut.statics.sensitivities import derivatives

SEEDS = range(8)
ROLLED_BY = 8.0
"""[s] The time of Figure 5(b)."""

STIFF = 1e6
"""[N/m] of struts, nearly rigid, whose lengths can be changed at rest."""


def torques(bench: Bench) -> dict[str, np.ndarray]:
    """(members, 2) [N m] about the base, by a relative change of length of each strut and of each cable.

    The robot stands on a face under its weight, its three feet held by friction; what tips it is its weight times how
    far its centre of mass goes sideways.
    """

    def found() -> dict[str, np.ndarray]:
        made = robot()
        made = made.changed("bar:*", law="compressible", stiffness=STIFF, length=LENGTH + PULL * np.sqrt(6.0) / STIFF)
        for node, place in made.nodes.items():
            if place[2] < 1e-9:
                made = made.supported(node)
        rest = balance(made, gravity=GRAVITY)
        if not rest.ok:
            raise TautError(rest.status)
        natural = {"bar:*": LENGTH, "cable:*": LENGTH * np.sqrt(6.0) / 4.0 - PULL / STIFFNESS}
        return {
            selector: MASS * GRAVITY * length * derivatives(rest, "rest_length", selector).nodes.mean(axis=1)[:, :2]
            for selector, length in natural.items()
        }

    return bench.once("torques at rest", found)


def _same(bench: Bench) -> Measured:
    told = torques(bench)
    struts, cables = (np.sqrt((told[name] ** 2).sum(axis=1)) for name in ("bar:*", "cable:*"))
    # Members chosen at random, with phases at random, add up by their squares.
    ratio = np.sqrt(SHARE * (cables**2).sum() / (SHARE * (struts**2).sum()))
    return Measured(
        float(ratio),
        "By linear statics about the robot at rest: the torque of a fifth of the cables over that of a fifth of the "
        "struts, members and phases at random, for the same relative change of length. Three struts have a foot on "
        "the ground and tip the robot, the others hardly do; cables between feet do nothing at all. It is neither "
        "the same nor in a fixed ratio, so a gait of one is no gait of the other.",
        {
            "strongest strut [N m]": float(struts.max()),
            "weakest strut [N m]": float(struts.min()),
            "strongest cable [N m]": float(cables.max()),
            "cables that do nothing": float(np.count_nonzero(cables < 1e-6 * cables.max())),
        },
    )


def _viable(bench: Bench) -> Measured:
    """By linear statics, every member helping as much as any other."""
    edge = LENGTH * np.sqrt(6.0) / 4.0 / (2.0 * np.sqrt(3.0))  # from the middle of the base
    feet = robot().positions[robot().positions[:, 2] < 1e-9, :2]
    outwards = [-(foot - feet.mean(axis=0)) / np.linalg.norm(foot - feet.mean(axis=0)) for foot in feet]
    wanted = {
        name: max(MASS * GRAVITY * edge / float(np.abs(told @ way).sum()) for way in outwards)
        for name, told in torques(bench).items()
    }
    return Measured(
        max(wanted.values()),
        "The relative change of length, of all struts or of all cables at once, that brings the centre of mass over "
        "an edge of the base; the larger of the two.",
        {"by struts": wanted["bar:*"], "by cables": wanted["cable:*"]},
    )


def changed_by(bench: Bench, case: Case, time: float) -> int:
    """Face changes until then."""
    return len([one for one in stands(bench.run(case)) if one.begin <= time]) - 1


def _rolled(bench: Bench) -> Measured:
    cables = [changed_by(bench, by_cables(seed), ROLLED_BY) for seed in SEEDS]
    struts = [changed_by(bench, by_struts(seed), ROLLED_BY) for seed in SEEDS]
    return Measured(
        float(np.count_nonzero(np.array(cables) > 0)),
        "A fifth of the cables, drawn eight times, with delta 0.3 at 1 Hz, which the report does not give: those "
        "that stand on another face by 8 s. Sinusoids are let in within a second; as printed, lengths jump at the "
        "start by up to delta. The caption has struts change their length, the code has cables.",
        {
            "face changes by cables": " ".join(map(str, cables)),
            "by struts (section 5.1)": " ".join(map(str, struts)),
            "of 8 by struts": float(np.count_nonzero(np.array(struts) > 0)),
        },
    )


CLAIMS = (
    Claim(
        "sec6-same",
        "section 6",
        "Cables and struts give the same rolling torque in the quasi-static limit.",
        1.0,
        "ratio",
        about(0.1),
        _same,
    ),
    Claim(
        "sec65-viable",
        "section 6.5",
        "Either can be driven to roll: by less than the members' own lengths.",
        1.0,
        "of a length",
        at_most(),
        _viable,
    ),
    Claim(
        "fig5-roll",
        "Fig. 5, section 8",
        "Driven by sinusoids at random, the robot rolls by 8 s: in one of eight draws at least.",
        1.0,
        "of 8 draws",
        at_least(),
        _rolled,
    ),
)


def _draw_torques(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["torque by relative change of length"], columns=1)
    for (name, told), mark in zip(torques(bench).items(), ("o", "x"), strict=True):
        axes.plot(told[:, 0], told[:, 1], mark, markersize=5, label={"bar:*": "struts", "cable:*": "cables"}[name])
    axes.set_aspect("equal")
    axes.set_xlabel("weight times shift along x [N m]", fontsize=9)
    axes.set_ylabel("along y [N m]", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _draw_frames(bench: Bench, figure: Any) -> None:
    most = max(SEEDS, key=lambda seed: changed_by(bench, by_cables(seed), ROLLED_BY))
    run = bench.run(by_cables(most))
    for place, time in enumerate((1.0, 4.0, ROLLED_BY), 1):
        axes = figure.add_subplot(1, 3, place, projection="3d")
        sample = int(np.searchsorted(run.time, time - 1e-9))
        draw_structure(run, view="3d", sample=sample, colour="", ax=axes)
        axes.set_title(f"t = {run.time[sample]:g} s", fontsize=9, loc="left")


PICTURES = (
    Picture(
        "torques",
        "What a change of length of each strut and each cable does to the robot at rest.",
        ("sec6-same", "sec65-viable"),
        _draw_torques,
        (4.5, 4.0),
    ),
    Picture("fig5", "Figure 5: a fifth of the cables driven at random.", ("fig5-roll",), _draw_frames, (9.0, 3.2)),
)
