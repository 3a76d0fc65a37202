"""What a live page carries beside what it shows: a module, the tables of its plant and of its run where it begins, and
which numbers of them mean what."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.simulating import options_of
from taut.live import run_tables
from taut.live.modules import manifest, module
from taut.live.plants import Live, hand_strength, weighing_of
from taut.live.session import (
    DAMPINGS,
    MASS_DAMPING,
    NODE_DAMPS,
    OVER,
    REST_LENGTH,
    STIFFNESSES,
    WEIGHT,
    Session,
    cut_numbers,
    drive_places,
)
from taut.live.templates import template
from taut.mechanics.imposed.drives import DRIVE_DATA, STANDS
from taut.mechanics.inertia.masses import inertia, rigid_thickness
from taut.mechanics.operations.outputs import SCALARS
from taut.mechanics.rows.bars import PER_LENGTH
from taut.mechanics.terms.loads import LOAD_DATA, LOADS
from taut.numerics.packing import reals_of
from taut.structure.drives import QUANTITIES, own_value
from taut.structure.properties import following_rigidity

TICK = 1.0 / 240.0
"""[s] about how often the hand's force is told anew."""

WOUND_IN = 0.9
"""Of its length, how far a slider winds a member in: a length stays more than zero."""

TABLES = {
    "rest": REST_LENGTH,
    "stiffness": STIFFNESSES[0],
    "keptStiffness": STIFFNESSES[1],
    "dampings": DAMPINGS[0],
    "keptDampings": DAMPINGS[1],
    "weight": WEIGHT,
    "massDamping": MASS_DAMPING,
    "nodeDamps": NODE_DAMPS,
    "loads": LOADS,
    "loadData": LOAD_DATA,
    "driveData": DRIVE_DATA,
    "stands": STANDS,
}


def live_content(live: Live, arrays: Any) -> dict[str, Any]:
    """By the names that parts/engine.js reads. arrays: those of the page."""
    session = Session(live)
    plant, run, given = live.plant, session.run, live.plant.given
    pack = run_tables.run_pack(run, plant, session.point)
    fixed = run.rules.fixed
    tick = fixed * max(1, round(TICK / fixed)) if fixed else TICK
    stiffness, damping = hand_strength(plant, tick)
    known, masses = manifest()[live.module], inertia(given.structure)
    return {
        "module": arrays.raw(module(live.module)),
        "integers": arrays.exact(run.tables.integers),
        "reals": arrays.exact(run.tables.reals),
        "runIntegers": arrays.exact(pack.integers),
        "runReals": arrays.exact(pack.reals),
        "tables": TABLES,
        "places": {name: run_tables.place(name) for name in (*run_tables.Course._fields, *run_tables.Room._fields)},
        "wholeTables": [LOADS, NODE_DAMPS],
        "wholeRuns": [run_tables.place(name) for name in ("whole", "counts", "held")],
        "cableNames": list(given.structure.cables),
        "barNames": list(given.structure.bars),
        "clock": {
            name: getattr(at, name) for name in ("TIME", "STEP", "REFERENCE", "START", "INDEPENDENCE", "HORIZON")
        },
        "counts": {
            name: getattr(at, name)
            for name in ("STEPS", "REJECTED", "GRID", "FRESH", "FILLED", "EVENTS", "LOGGED", "LAST_EVENT")
        },
        "codes": {
            name: getattr(loop, name)
            for name in ("FINISHED", "PAUSED", "STUCK", "UNHELD", "BLOWN", "STOPPED", "TO_CUT", "AWAITED")
        },
        "numbers": {"FIXED": run_tables.FIXED, "YIELDING": run_tables.YIELDING},
        "yields": run_tables.YIELDS,
        "shaky": loop.SHAKY,
        "outputs": {
            "scalars": len(SCALARS),
            "springs": int(plant.tables["springs"].stiffness.size),
            "rows": plant.rows,
        },
        "hand": {"stiffness": stiffness, "damping": damping, "tick": tick},
        "over": OVER,
        "weighing": arrays.exact(weighing_of(plant)),
        "mass": {"own": arrays.exact(masses.own), "coupling": arrays.exact(masses.coupling)},
        "size": float(np.linalg.norm(np.ptp(plant.positions, axis=0))) or 1.0,
        "grounded": bool(plant.grounds),
        "sloped": not all(ground.shape.level for ground in plant.grounds),
        "constrained": bool(given.structure.constraints),
        "gravity": list(given.gravity),
        "damping": {"mass": given.damping.mass, "node": given.damping.node, "stiffness": given.damping.stiffness},
        "model": template(live),
        "cables": _cables(live),
        "bars": _bars(live),
        "thickness": _thickness(live, run.tables),
        "inputs": _inputs(live),
        "events": _events(live),
        "adaptive": not fixed,
        "told": list(live.told),
        "log": {
            "taut_live": 1,
            "plant": plant.fingerprint,
            "module": live.module,
            "stamp": known["stamp"],
            **options_of(live.settings.stepper, live.settings.correction, live.settings.tolerance, live.settings.step),
        },
    }


def _cables(live: Live) -> list[dict[str, Any]]:
    """Of every cable: its row among the laws of springs, whether its rest length can be set, and by which number it is
    cut."""
    given, cut = live.plant.given, cut_numbers(live)
    wound = {driven.member for driven in given.driven if driven.kind == "cable"}
    return [
        {
            "row": given.cable.get(name, -1),
            "wound": name in wound,
            "cut": cut.get(("cable", name)),
            "rigidity": following_rigidity(cable),
            "drag": cable.damping,
        }
        for name, cable in given.structure.cables.items()
    ]


def _bars(live: Live) -> list[dict[str, Any]]:
    """Of every bar: the number of the spring it is or of its row of constraints, and by which number it is cut."""
    given, cut = live.plant.given, cut_numbers(live)
    before = len(given.still_bars) + len(given.structure.constraints) + len(given.held_cables)
    driven = {name: before + row for name, row in given.driven_bars.items()}
    rows = given.still_bars | driven
    return [
        {"spring": given.compressible_bar.get(name, -1), "row": rows.get(name, -1), "cut": cut.get(("bar", name))}
        for name in given.structure.bars
    ]


def _thickness(live: Live, tables: Any) -> list[float]:
    """Of every row of a still bar, what its turning adds to its push, over the square of its ends' relative speed."""
    given = live.plant.given
    column = live.plant.tables["bars"].column
    found = rigid_thickness(given.structure, column) * reals_of(tables, PER_LENGTH)
    return [float(one) for one in np.atleast_1d(found)]


def _inputs(live: Live) -> list[dict[str, Any]]:
    """Drives that sliders move."""
    places, found = drive_places(live), []
    for drive in live.plant.given.drives:
        if drive.name not in live.inputs:
            continue
        value, quantity = live.inputs[drive.name], QUANTITIES[drive.quantity]
        own = _own_lengths(live, drive.name)
        shortest = value if drive.to is not None else min(own) + value
        reach = 0.4 * max(*own, abs(value), live.plant.typical_length)
        found.append(
            {
                "name": drive.name,
                "quantity": drive.quantity.replace("_", " "),
                "unit": quantity.unit,
                "value": value,
                "least": float(value - min(reach, WOUND_IN * shortest)),
                "most": float(value + reach),
                "places": list(places[drive.name]),
            }
        )
    return found


def _own_lengths(live: Live, drive: str) -> list[float]:
    """Lengths [m] of the members that a drive moves, as the model has them; other quantities do not go live."""
    given = live.plant.given
    driven = (one for one in given.driven if one.drive.name == drive)
    return [own_value(given.structure, one.kind, one.member) for one in driven]


def _events(live: Live) -> dict[str, Any]:
    """What events are called: of terms by subject and state, and those that are watched."""
    watcher = live.plant.watcher
    if watcher is None:
        return {"subjects": [], "things": []}
    subjects = [
        [kind, name, {str(state): word for state, word in changes.items()}] for kind, name, changes in watcher.subjects
    ]
    things = [{"name": thing.watch.name, "words": thing.words, "cut": list(thing.cut)} for thing in watcher.things]
    return {"subjects": subjects, "things": things}
