"""A model file of a plant with its numbers left open, which a page fills in as they are when someone asks for it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from taut.live.plants import Live
from taut.structure.format.writing import model_text
from taut.structure.scenario import Scenario

_OPEN = re.compile(r"0\.7313(\d{7})9(?!\d)")
"""How an open number is written: it reads as one, and stands nowhere else."""


def _open(number: int) -> float:
    return float(f"0.7313{number:07d}9")


def template(live: Live) -> dict[str, Any]:
    """`text`: with @0@, @1@, ... for positions and velocities of nodes, rest lengths of cables, gravity and damping, in
    this order. `bars`, `cables`: the lines of members, to be left out where they are cut."""
    given = live.plant.given
    structure, nodes, cables = given.structure, len(given.structure.nodes), len(given.structure.cables)
    first = {"velocity": 3 * nodes, "rest": 6 * nodes, "gravity": 6 * nodes + cables, "damping": 6 * nodes + cables + 3}

    driven = given.driven_bars

    def three(at: int) -> tuple[float, float, float]:
        return _open(at), _open(at + 1), _open(at + 2)

    opened = replace(
        structure,
        nodes={name: three(3 * k) for k, name in enumerate(structure.nodes)},
        # A driven bar is as long as it is then.
        bars={name: replace(bar, length=None) if name in driven else bar for name, bar in structure.bars.items()},
        cables={
            name: replace(cable, rest_length=_open(first["rest"] + k)) if cable.mode == "spring" else cable
            for k, (name, cable) in enumerate(structure.cables.items())
        },
    )
    settings = live.settings
    scenario = Scenario(
        gravity=three(first["gravity"]),
        loads=given.loads[:-3],
        damping=replace(given.damping, mass=_open(first["damping"])),
        velocities={name: three(first["velocity"] + 3 * k) for k, name in enumerate(structure.nodes)},
        duration=10.0,
        method=settings.method,
        tolerance=settings.tolerance,
        step=settings.step,
        drives=live.drives,
        ground=given.grounds,
        events=tuple(dict.fromkeys(thing.watch for thing in live.plant.things)),
    )
    text = _OPEN.sub(lambda found: f"@{int(found[1])}@", model_text(opened, scenario))
    return {"text": text, "bars": _lines(text, "bars"), "cables": _lines(text, "cables")}


def _lines(text: str, section: str) -> list[int]:
    """The numbers of the lines of a section's members."""
    found, inside = [], False
    for number, line in enumerate(text.split("\n")):
        if not line.startswith(" "):
            inside = line == f"{section}:"
        elif inside and not line.startswith("   "):
            found.append(number)
    return found
