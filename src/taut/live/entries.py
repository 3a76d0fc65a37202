"""Flat entries: functions of pointers and whole numbers alone, as a page can call them, around the compiled loop of a
Spec. Each is handed the plant's pack and the run's (`run_tables.py`) as four arrays and their lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types

from taut.dynamics import time_loop as loop
from taut.dynamics.correction import Limits
from taut.dynamics.methods.tableau import Composition, Tableau
from taut.dynamics.operations import compiled
from taut.dynamics.workspace import CLOCK, COUNTS, Rules, Workspace
from taut.live import run_tables as at
from taut.live.changes import CHANGES
from taut.mechanics.compose import bound_by_name, composed
from taut.mechanics.spec import Spec
from taut.numerics.array_views import array_at, matrix_at
from taut.numerics.compiled import woven
from taut.numerics.packing import Pack, reader, size_of

POINTER, WHOLE, REAL = types.CPointer(types.float64), types.int32, types.float64
INTEGERS = types.CPointer(types.int64)
PACKS = (INTEGERS, WHOLE, POINTER, WHOLE) * 2

course_in, room_in = reader(at.Course, at.COURSE), reader(at.Room, at.ROOM)
BREAKS, Y, TARGETS, LOG, SCRATCH, HELD, RATES, OUT = (
    at.place(name) for name in ("breaks", "y", "targets", "log", "scratch", "held", "rates", "out")
)


class Loop(NamedTuple):
    """What a module is made for: the kinds of a plant, which steps it takes, whether events are looked for."""

    spec: Spec
    stepper: str
    watches: bool


class Flat(NamedTuple):
    """An entry: its function, what it returns ("int", "float" or ""), and its arguments behind the packs."""

    function: Callable[..., Any]
    returns: str
    more: tuple[Any, ...]

    @property
    def signature(self) -> Any:
        result = {"int": types.int64, "float": types.float64, "": types.void}[self.returns]
        return result(*PACKS, *self.more)


def kernels_of(made: Loop) -> dict[str, Any]:
    """The loop and what changes a plant of a Spec, as kernels."""
    algorithm = loop.algorithm(made.stepper, dense=False, watches=made.watches)
    shared = (*loop.SHARED, "advance") if made.watches and made.stepper != "impulses" else loop.SHARED
    words = compiled(algorithm, composed(made.spec).motion, ("time_loop", "remember"), shared)
    return {"time_loop": words["time_loop"], **bound_by_name(made.spec, CHANGES)}


def entries(made: Loop) -> dict[str, Flat]:
    """Not compiled yet."""
    kernels = kernels_of(made)
    time_loop, show = kernels["time_loop"], kernels["show"]
    begin_change, end_change, cut_one = kernels["begin_change"], kernels["end_change"], kernels["cut_one"]

    def explicit(run: Any) -> Any:
        rows = run.whole[at.STAGE_ROWS]
        weights, lines = matrix_at(run.weights, rows, rows), matrix_at(run.lines, run.whole[at.LINES], rows)
        return Tableau(weights, lines, matrix_at(run.weights, 0, 0), run.whole[at.STAGES], run.whole[at.REUSES] == 1)

    def substeps(run: Any) -> Any:
        return Composition(array_at(run.weights, 1))

    method_of = woven(substeps if made.stepper == "impulses" else explicit)

    def follow(pi, ni, pr, nr, ri, mi, rr, mr, budget):  # type: ignore[no-untyped-def]
        p, r = Pack(array_at(pi, ni), array_at(pr, nr)), Pack(array_at(ri, mi), array_at(rr, mr))
        run, room = course_in(r), room_in(r)
        whole, numbers, state, width = run.whole, run.numbers, size_of(r, Y), run.whole[at.WIDTH]
        rows, targets = whole[at.STAGE_ROWS], size_of(r, TARGETS)
        limits = Limits(
            whole[at.LEVEL],
            numbers[at.CLOSE],
            numbers[at.ENERGY_CLOSE],
            whole[at.ITERATIONS],
            numbers[at.TIME],
            numbers[at.YIELDING],
            whole[at.COORDINATES],
            whole[at.ROWS],
            numbers[at.THRESHOLD],
        )
        rules = Rules(
            numbers[at.TOLERANCE],
            numbers[at.FIXED],
            numbers[at.LONGEST],
            whole[at.ERROR_ORDER],
            whole[at.STAGES],
            whole[at.SAMPLE_STAGES],
            False,
            limits,
        )
        space = Workspace(
            matrix_at(room.stages, rows, state),
            matrix_at(room.side, rows, state),
            matrix_at(room.vectors, 5, state),
            array_at(room.blend, rows),
            matrix_at(room.blend, 0, 4),
            matrix_at(room.log, size_of(r, LOG) // 3, 3),
            matrix_at(room.scratch, size_of(r, SCRATCH) // width, width),
        )
        return time_loop(
            p,
            method_of(run),
            rules,
            array_at(run.breaks, size_of(r, BREAKS)),
            array_at(run.clock, CLOCK),
            array_at(run.counts, COUNTS),
            array_at(run.y, state),
            array_at(run.targets, targets),
            matrix_at(run.samples, targets, state),
            space,
            np.int64(budget),
        )

    def look(pi, ni, pr, nr, ri, mi, rr, mr):  # type: ignore[no-untyped-def]
        p, r = Pack(array_at(pi, ni), array_at(pr, nr)), Pack(array_at(ri, mi), array_at(rr, mr))
        run, room = course_in(r), room_in(r)
        show(
            p,
            array_at(run.times, 1),
            array_at(run.pieces, 1),
            matrix_at(run.shown, 1, size_of(r, Y)),
            array_at(run.held, size_of(r, HELD)),
            array_at(room.rates, size_of(r, RATES)),
            matrix_at(room.out, 1, size_of(r, OUT)),
        )

    def before(pi, ni, pr, nr, ri, mi, rr, mr):  # type: ignore[no-untyped-def]
        p, r = Pack(array_at(pi, ni), array_at(pr, nr)), Pack(array_at(ri, mi), array_at(rr, mr))
        return begin_change(p, array_at(course_in(r).y, size_of(r, Y)))

    def after(pi, ni, pr, nr, ri, mi, rr, mr, t, energy, filled):  # type: ignore[no-untyped-def]
        p, r = Pack(array_at(pi, ni), array_at(pr, nr)), Pack(array_at(ri, mi), array_at(rr, mr))
        run, room = course_in(r), room_in(r)
        log = matrix_at(room.log, size_of(r, LOG) // 3, 3)
        return end_change(p, t, array_at(run.y, size_of(r, Y)), energy, log, np.int64(filled))

    def cut(pi, ni, pr, nr, ri, mi, rr, mr, member):  # type: ignore[no-untyped-def]
        p, r = Pack(array_at(pi, ni), array_at(pr, nr)), Pack(array_at(ri, mi), array_at(rr, mr))
        cut_one(p, np.int64(member), array_at(course_in(r).y, size_of(r, Y)))

    return {
        "follow": Flat(follow, "int", (WHOLE,)),
        "show": Flat(look, "", ()),
        "begin_change": Flat(before, "float", ()),
        "end_change": Flat(after, "int", (REAL, REAL, WHOLE)),
        "cut": Flat(cut, "", (WHOLE,)),
    }
