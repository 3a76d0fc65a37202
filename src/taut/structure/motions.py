"""Which supports a Motion moves, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from taut.errors import Problem, SelectionError
from taut.structure.magnitudes import size_problem
from taut.structure.records import AXES
from taut.structure.scenario import Motion
from taut.structure.signal_checks import signal_problems
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
    problems += [Problem((kind, *p.path), p.message) for p in signal_problems(signal, kind)]
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
