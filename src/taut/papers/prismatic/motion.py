"""Winches turned as sinusoids over 35 s: the paths of nodes by two models (Figs. 7, 9, 10, Table 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.output.plot.shapes import outlined
from taut.output.plot.shapes import structure as draw_structure
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_least, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.prismatic.cases import DURATION, STROKE, of_turns, postures_along, radii, sinusoids
from taut.papers.prismatic.differential import corrected
from taut.papers.prismatic.equations import NODES
from taut.papers.prismatic.initial_posture import LABORATORY
from taut.papers.prismatic.tables import MEAN_ERROR, MEASURED, SIMULATED, TABLE_3

LEVELS = {"1a 1b 1c": slice(6, 9), "11 12 13": slice(3, 6), "21 22 23": slice(9, 12)}
"""Nodes by height, lowest first."""

AT = NODES.index("21")
HOW = ("spring", "tension")
"""What passive wires do: as springs, or with constant tensions."""


def growth(places: np.ndarray) -> float:
    """The least ratio of a level's mean radius to that of the level below it."""
    sizes = [radii(places)[nodes].mean() for nodes in LEVELS.values()]
    return float(min(sizes[1] / sizes[0], sizes[2] / sizes[1]))


def _sizes(places: np.ndarray, words: str) -> dict[str, float]:
    return {f"radius of {name}, {words} [m]": float(radii(places)[nodes].mean()) for name, nodes in LEVELS.items()}


def _motors(bench: Bench) -> Measured:
    run = bench.run(sinusoids())
    taut = (run.cable_tension > 0.0).all(axis=1)
    return Measured(
        float(run.time[taut].max() if taut.all() else run.time[~taut].min()),
        f"Motors and drums are not here, and the text gives no stroke. With {1e3 * STROKE:g} mm, eased in over 5 s and "
        "with a third of a turn between winches, all wires stay taut to the end.",
        {
            "largest speed of a wire [m/s]": float(np.abs(run.drive_rate).max()),
            "active tensions, least [N]": float(run.cable_tension[:, :3].min()),
            "active tensions, largest [N]": float(run.cable_tension[:, :3].max()),
        },
    )


def _circles(bench: Bench) -> Measured:
    still, moving = of_turns(postures_along(bench, "spring")), of_turns(bench.run(sinusoids()).nodes)
    return Measured(
        growth(still),
        "With lengths of active wires driven and springs in passive ones, as the robot is built.",
        {**_sizes(still, "at rest"), **_sizes(moving, "moving")},
    )


def _circles_of_model(bench: Bench) -> Measured:
    followed = corrected(bench)
    turns, lengths = followed.nodes[followed.times >= 5.0], of_turns(postures_along(bench, "tension"))
    return Measured(
        growth(turns),
        "With tensions driven and constant ones in passive wires, as in section 3, the plate on a circle of 30 mm "
        "takes the nodes below it on larger ones; with the lengths of `fig10-radii` and constant passive tensions all "
        "levels have about the same, and the plate moves elsewhere. So Fig. 10 shows the springs that the "
        "equations leave out.",
        {
            **_sizes(turns, "tensions driven"),
            **_sizes(lengths, "lengths driven, constant passive tensions"),
            **_beside_springs(bench),
        },
    )


def _beside_springs(bench: Bench) -> dict[str, float]:
    """How node 21 sets out with constant passive tensions, beside how it does with springs."""
    springs, constant = (
        postures_along(bench, how)[:, AT, 0] + 1j * postures_along(bench, how)[:, AT, 1] for how in HOW
    )
    ratio = (constant[10] - constant[0]) / (springs[10] - springs[0])  # at 1 s, where all is linear
    return {
        "shift of node 21 in the first second, constant passive tensions / springs": float(abs(ratio)),
        "angle between the two [deg]": float(abs(np.angle(ratio, deg=True))),
    }


def _shapes(bench: Bench) -> Measured:
    return Measured(None, "Photographs cannot be compared; the picture shows the shapes of the computed motion.")


def _averages(bench: Bench) -> Measured:
    springs, constant = postures_along(bench, "spring"), postures_along(bench, "tension")
    off = np.linalg.norm(springs - constant, axis=2)[:, AT]
    return Measured(
        float(off.mean()),
        "The recorded motion is not here. Ours is the mean distance of node 21 between the robot with springs and the "
        "model with constant passive tensions, at the same lengths of active wires: what that simplification does. "
        "Positions of the plate were given to the simulation in section 4.2, which leaves only its turning to err.",
        {"largest [m]": float(off.max()), "radius of node 21 with springs [m]": float(radii(springs)[AT])},
    )


def _base(bench: Bench) -> Measured:
    shift = np.linalg.norm(MEASURED - SIMULATED, axis=1)[:3]
    printed = np.linalg.norm(MEASURED[0] - [0.25, 0.0, 0.0])
    return Measured(
        float(shift.mean()),
        "The base does not move, so that its mean error is that of Table 2; 1.6 mm is its z alone.",
        {
            **{f"node {name} [m]": float(one) for name, one in zip(NODES, shift, strict=False)},
            "node 01 with x as printed [m]": float(printed),
        },
    )


def _inertia(bench: Bench) -> Measured:
    off = np.linalg.norm(bench.run(sinusoids()).nodes - postures_along(bench, "spring"), axis=2)[:, 3:]
    return Measured(
        float(off.mean()),
        "It is less than what Table 3 has left, but not by much: the robot sways with 0.41 Hz and is driven with "
        "0.067 Hz.",
        {"node 21, mean [m]": float(off[:, AT - 3].mean()), "worst of all nodes [m]": float(off.max())},
    )


CLAIMS = (
    Claim(
        "fig7-motors",
        "Fig. 7",
        "Sinusoidal positions of the three motors are followed for 35 s.",
        DURATION,
        "s",
        at_least(),
        _motors,
        elsewhere="the authors' motors, drums and controller (ROS)",
    ),
    Claim(
        "fig9-shapes",
        "Fig. 9",
        "Simulated shapes are those of the robot at several instants: mean distance of nodes.",
        MEAN_ERROR,
        "m",
        at_most(),
        _shapes,
        elsewhere=LABORATORY,
    ),
    Claim(
        "fig10-radii",
        "Fig. 10",
        "Nodes go on circles whose radius grows with height: least ratio of a level's to that of the level below.",
        1.0,
        "ratio",
        at_least(),
        _circles,
    ),
    Claim(
        "fig10-model",
        "Fig. 10, section 3",
        "So they do by the equations: tensions of active wires driven, those of passive ones constant.",
        1.0,
        "ratio",
        at_least(),
        _circles_of_model,
    ),
    Claim(
        "table3-node21",
        "Table 3, Fig. 11",
        "Node 21 is off by 0.156 mm on average between simulation and experiment.",
        TABLE_3["21"] / 1e3,
        "m",
        at_most(),
        _averages,
        elsewhere=LABORATORY,
    ),
    Claim(
        "table3-base",
        "Tables 2, 3",
        "Nodes of the base are off by 1.6 mm on average, as at the start, since they do not move.",
        TABLE_3["01"] / 1e3,
        "m",
        about(0.1),
        _base,
    ),
    Claim(
        "sec3-inertia",
        "section 3.2",
        "Inertia can be left out: mean distance of the moving nodes from where they are at rest with the same lengths "
        "of wires; the paper's number is the mean of Table 3.",
        MEAN_ERROR,
        "m",
        at_most(),
        _inertia,
    ),
)


def _draw_motors(bench: Bench, figure: Any) -> None:
    run = bench.run(sinusoids())
    titles = ["length wound in", "rate", "tension of active wires"]
    shown = (1e3 * (run.drive_value[0] - run.drive_value), -1e3 * run.drive_rate, run.cable_tension[:, :3])
    for axes, values, what in zip(panels(figure, titles), shown, ("[mm]", "[mm/s]", "[N]"), strict=True):
        curves(axes, run.time, {f"a{k + 1}": values[:, k] for k in range(3)}, what)


def _draw_shapes(bench: Bench, figure: Any) -> None:
    run = bench.run(sinusoids())
    for place, time in enumerate((0.0, 8.75, 13.75, 18.75), 1):
        axes = figure.add_subplot(1, 4, place)
        draw_structure(run, sample=int(np.searchsorted(run.time, time)), view="xy", colour="", ax=axes)
        outlined(axes, run.structure, run.nodes[0], "xy")
        axes.set_title(f"t = {time:g} s", fontsize=9, loc="left")


def _draw_paths(bench: Bench, figure: Any) -> None:
    models = {
        "lengths driven, springs": of_turns(postures_along(bench, "spring")),
        "lengths driven, constant passive tensions": of_turns(postures_along(bench, "tension")),
    }
    for axes, places in zip(panels(figure, list(models)), models.values(), strict=True):
        for name, nodes in LEVELS.items():
            for k in range(nodes.start, nodes.stop):
                words = name if k == nodes.start else None
                colour = f"C{list(LEVELS).index(name)}"
                axes.plot(*(1e3 * places[:, k, :2].T), linewidth=0.9, color=colour, label=words)
        axes.set_aspect("equal")
        axes.set_xlabel("x [mm]", fontsize=9)
        axes.set_ylabel("y [mm]", fontsize=9)
        axes.legend(fontsize=7, frameon=False, loc="center")


PICTURES = (
    Picture(
        "fig07", "Fig. 7: what the winches do, and what they pull with.", ("fig7-motors",), _draw_motors, (8.0, 5.5)
    ),
    Picture(
        "fig09",
        "Fig. 9: shapes at four instants from above, over that of the start.",
        ("fig9-shapes", "fig10-radii"),
        _draw_shapes,
        (10.0, 3.2),
    ),
    Picture(
        "fig10", "Fig. 10: paths of nodes, seen from above.", ("fig10-radii", "fig10-model"), _draw_paths, (8.0, 4.2)
    ),
)
