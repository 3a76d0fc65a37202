"""Whether the robot stands, by what is held of its wires (sections 2 and 3.2)."""

from __future__ import annotations

from typing import Any

from taut.kinetostatics.mode_stiffness import ModeStiffness, stiffness_by_mode
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.robot import Robot
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least
from taut.papers.drawing import panels
from taut.papers.paper import Picture
from taut.papers.prismatic.cases import at_tensions, robot
from taut.papers.prismatic.tables import SWAPPED, TABLE_1

CONSTANT, SPRUNG = "all tensions constant", "active tensions, passive springs"
LOCKED_CONSTANT, LOCKED_SPRUNG = "active lengths locked, passive tensions", "active lengths locked, passive springs"


def by_mode(bench: Bench, active: float, passive: float) -> dict[str, ModeStiffness]:
    return bench.once(
        f"stiffness at {active:g} and {passive:g} N",
        lambda: stiffness_by_mode(at_tensions(bench, active, passive), robot()),
    )


def _weightless(bench: Bench) -> float:
    """The lowest stiffness with constant tensions and no weight [N/m]."""
    made = robot()
    light = Robot(made.structure, made.inputs)
    return stiffness_by_mode(posture(light), light)[CONSTANT].lowest


def _driven_by_tension(bench: Bench) -> Measured:
    here, there = by_mode(bench, **SWAPPED), by_mode(bench, TABLE_1["active"], TABLE_1["passive"])
    return Measured(
        here[CONSTANT].lowest,
        "Lowest stiffness on the motions that bars, plate and saddle allow, at 90 N active and 65 N passive. With "
        "constant tensions nothing but geometry holds the robot, and its weight makes it sway over: it is in balance "
        "and falls. With lengths of active wires held and springs in passive ones it stands, so lengths are to be "
        "commanded, as the authors' motors do, and not tensions, as their equations do.",
        {
            **{f"{name} [N/m]": one.lowest for name, one in here.items()},
            f"{CONSTANT}, by Table 1 [N/m]": there[CONSTANT].lowest,
            f"{LOCKED_SPRUNG}, by Table 1 [N/m]": there[LOCKED_SPRUNG].lowest,
            f"{CONSTANT}, without weight [N/m]": _weightless(bench),
        },
    )


def _passive_springs(bench: Bench) -> Measured:
    here, there = by_mode(bench, **SWAPPED), by_mode(bench, TABLE_1["active"], TABLE_1["passive"])
    return Measured(
        here[LOCKED_SPRUNG].lowest,
        "With active wires held at their lengths, springs in the passive ones make the difference between falling and "
        "standing. Alone, with tensions in the active ones, they do not.",
        {
            "with constant tensions in passive wires [N/m]": here[LOCKED_CONSTANT].lowest,
            "with tensions in active wires [N/m]": here[SPRUNG].lowest,
            "by Table 1, springs [N/m]": there[LOCKED_SPRUNG].lowest,
            "by Table 1, constant tensions in passive wires [N/m]": there[LOCKED_CONSTANT].lowest,
        },
    )


CLAIMS = (
    Claim(
        "sec3-stable",
        "section 3.2",
        "The robot is driven by tensions of its active wires, those of the passive ones being constant: it has to "
        "stand so, by its lowest stiffness.",
        0.0,
        "N/m",
        at_least(),
        _driven_by_tension,
    ),
    Claim(
        "sec2-springs",
        "section 2",
        "Passive wires on springs give rigidity and static stability: lowest stiffness, active wires held at their "
        "lengths.",
        0.0,
        "N/m",
        at_least(),
        _passive_springs,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["lowest stiffness by what is held of the wires"], columns=1)
    told = {"90 N active, 65 N passive": SWAPPED, "Table 1": {key: TABLE_1[key] for key in SWAPPED}}
    for shift, (name, tensions) in zip((0.2, -0.2), told.items(), strict=True):
        found = by_mode(bench, **tensions)
        axes.barh([-k + shift for k in range(len(found))], [one.lowest for one in found.values()], 0.38, label=name)
    axes.set_yticks([-k for k in range(len(found))], list(found), fontsize=8)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("[N/m]: left of zero it falls", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


PICTURES = (
    Picture(
        "stability",
        "Whether the initial posture stands, by what is held of its wires.",
        ("sec3-stable", "sec2-springs"),
        _draw,
        (6.5, 3.0),
    ),
)
