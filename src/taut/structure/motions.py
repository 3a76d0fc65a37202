"""Which supports a Motion moves, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from taut.errors import Problem, SelectionError
from taut.structure.magnitudes import size_problem
from taut.structure.records import AXES
from taut.structure.scenario import Constant, Doublet, Motion, SampledSignal, Signal, Sinusoid
from taut.structure.structure import Structure

EVERY = ("*", "node:*")
"""Means the supports that hold the axis, while any other selector must name nodes that are held."""


def moved_nodes(structure: Structure, motion: Motion) -> list[str]:
    """The nodes a motion moves, each once; raises SelectionError where a selector means nothing."""
    chosen = (motion.supports,) if isinstance(motion.supports, str) else motion.supports
    names: list[str] = []
    for selector in chosen:
        if selector in structure.nodes:
            names.append(selector)
        elif selector in EVERY:
            names += [node for node, axes in structure.supports.items() if motion.axis in axes]
        else:
            names += structure.select(selector, "node")
    return list(dict.fromkeys(names))


def motion_problems(structure: Structure, motion: Motion) -> list[Problem]:
    """Every problem of a motion; paths begin inside it, as in ("acceleration", "table", "times")."""
    given = [kind for kind in ("displacement", "acceleration") if getattr(motion, kind) is not None]
    problems = list[Problem]()
    if motion.axis not in tuple(AXES):
        problems.append(Problem(("axis",), f'"{motion.axis}" is not an axis; say x, y or z'))
    else:
        problems += _support_problems(structure, motion)
    if len(given) != 1:
        told = "both a displacement [m] and" if given else "neither a displacement [m] nor"
        problems.append(Problem((), f"has {told} an acceleration [m/s^2]; a motion is one of them"))
        return problems
    (kind,) = given
    if wrong := size_problem(motion.velocity, "m/s"):
        problems.append(Problem(("velocity",), wrong))
    if kind == "displacement" and motion.velocity != 0.0:
        message = f"{motion.velocity:g} m/s goes with an acceleration; a displacement says its velocity itself"
        problems.append(Problem(("velocity",), message))
    signal = getattr(motion, kind)
    problems += [Problem((kind, *p.path), p.message) for p in _signal_problems(signal, kind)]
    return problems


def _support_problems(structure: Structure, motion: Motion) -> Iterator[Problem]:
    try:
        nodes = moved_nodes(structure, motion)
    except SelectionError as error:
        yield Problem(("supports",), str(error))
        return
    if not nodes:
        yield Problem(("supports",), f"no support holds {motion.axis}, so there is nothing to move along it")
    loose = [node for node in nodes if motion.axis not in structure.supports.get(node, "")]
    if loose:
        more = f" and {len(loose) - 1} more" if len(loose) > 1 else ""
        message = (
            f'node "{loose[0]}"{more} cannot be moved along {motion.axis}: no support holds it there; '
            "add the support, or use a load"
        )
        yield Problem(("supports",), message)


def _signal_problems(signal: Signal, kind: str) -> Iterator[Problem]:
    if isinstance(signal, SampledSignal):
        yield from _table_problems(signal, kind)
    elif isinstance(signal, Doublet) and kind == "displacement":
        yield Problem((), "a doublet jumps, and no support can; give a table, or the doublet as an acceleration")
    elif isinstance(signal, Doublet | Sinusoid | Constant):
        numbers = [getattr(signal, name) for name in signal.__slots__]
        if wrong := next(filter(None, map(size_problem, numbers)), ""):
            yield Problem((), f"{signal}: {wrong}")
        if isinstance(signal, Doublet) and not signal.width > 0.0:
            yield Problem(("doublet", "width"), f"{signal.width:g} s must be more than zero")
    elif isinstance(signal, int | float):
        if wrong := size_problem(signal):
            yield Problem((), wrong)
    else:
        yield Problem(
            (),
            "is a Python function, of which position, velocity and acceleration are not known together; "
            "give a SampledSignal of its values, or a Sinusoid",
        )


def _table_problems(table: SampledSignal, kind: str) -> Iterator[Problem]:
    times, slopes = table.times, table.slopes
    least, word = (2, "two times") if kind == "acceleration" else (1, "one time")
    if len(times) < least:
        yield Problem(("table", "times"), f"needs {word} or more, not {len(times)}")
    for name, column in (("values", table.values), ("slopes", slopes)):
        if column is not None and len(column) != len(times):
            message = f"has {len(column)} numbers for {len(times)} times; each time needs one"
            yield Problem(("table", name), message)
    for name, column in (("times", times), ("values", table.values), ("slopes", slopes or ())):
        bad = next((k for k, number in enumerate(column) if size_problem(number)), None)
        if bad is not None:
            yield Problem(("table", name, bad), size_problem(column[bad]))
    for index, (before, after) in enumerate(pairwise(times), start=1):
        if after <= before:
            yield Problem(("table", "times", index), f"{after!r} s comes after {before!r} s; times must increase")
    if kind == "acceleration" and slopes is not None:
        yield Problem(("table", "slopes"), "a record of accelerations is straight between its samples; leave them out")
    elif slopes is not None and len(slopes) == len(times) > 0:
        for index, when in ((0, "before"), (-1, "after")):
            if slopes[index] != 0.0 and (index or times[0] > 0.0):
                message = (
                    f"{slopes[index]:g} m/s at {times[index]:g} s, but the support stands still {when} that, "
                    "and cannot start or stop at once; let the table begin and end with slope 0"
                )
                yield Problem(("table", "slopes"), message)
