"""What can be wrong with things to look out for in a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from taut.errors import Problem, SelectionError, suggestion
from taut.structure.magnitudes import LARGEST, SMALLEST, size_problem
from taut.structure.properties import stays_thick
from taut.structure.records import AXES
from taut.structure.scenario import ACTIONS, SENSES, Watch
from taut.structure.structure import Structure

FORMS = {"node": "level", "nodes": "length", "cable": "tension", "time": "time"}
"""What is watched, and what it passes."""


def problems_of_watches(structure: Structure, watches: Sequence[Watch]) -> list[Problem]:
    """All that is wrong with what is to be watched."""
    found: list[Problem] = []
    for watch in watches:
        path = ("events", watch.name)
        found += [Problem((*path, *place), message) for place, message in _problems(structure, watch)]
    return found


def _problems(structure: Structure, watch: Watch) -> Iterator[tuple[tuple[str, ...], str]]:
    forms = [form for form in FORMS if getattr(watch, form) is not None]
    if len(forms) != 1:
        yield (), f"must watch one of {', '.join(FORMS)}" + (f", not {' and '.join(forms)}" if forms else "")
        return
    (form,) = forms
    value = getattr(watch, FORMS[form])
    if value is None:
        yield (), f'needs "{FORMS[form]}" beside "{form}"'
    elif size_problem(value) or (form in ("nodes", "cable") and value < 0.0):
        yield (FORMS[form],), size_problem(value) or f"{value:g} must be zero or more"
    if watch.time is not None and not watch.time > 0.0:
        yield ("time",), f"{watch.time:g} s must be more than zero"
    if form == "node" and (watch.axis is None) == (watch.normal is None):
        yield (), "needs an axis or a normal, one of them"
    if watch.axis is not None and watch.axis not in tuple(AXES):
        yield ("axis",), f'"{watch.axis}" is not an axis; say x, y or z'
    if watch.normal is not None and not SMALLEST <= math.hypot(*watch.normal) <= LARGEST:
        yield ("normal",), f"{list(watch.normal)} is not a direction"
    for node in (watch.node,) if form == "node" else watch.nodes or ():
        if node not in structure.nodes:
            yield (form,), f'no node "{node}"{suggestion(str(node), structure.nodes)}'
    if watch.sense is not None and watch.sense not in SENSES:
        yield ("sense",), f'"{watch.sense}" is not one of {", ".join(SENSES)}{suggestion(watch.sense, SENSES)}'
    if watch.then not in ACTIONS:
        yield ("then",), f'"{watch.then}" is not one of {", ".join(ACTIONS)}{suggestion(watch.then, ACTIONS)}'
    elif watch.then == "cut" and not watch.cut and form != "cable":
        yield ("then",), 'says nothing of what to cut; name members under "cut"'
    elif watch.then != "cut" and watch.cut:
        yield ("cut",), f'members are cut by "then: cut", not by "then: {watch.then}"'
    for place, selectors, kind in (
        ("cable", (watch.cable,) if watch.cable is not None else (), "cable"),
        ("cut", watch.cut, ""),
    ):
        for selector in selectors:
            if not kind and selector.partition(":")[0] not in ("bar", "cable"):
                yield (place,), f'"{selector}" is not a member; say bar:NAME or cable:NAME'
                continue
            try:
                chosen = structure.select(selector, kind)
            except SelectionError as error:
                yield (place,), str(error)
                continue
            if place == "cut" and selector.startswith("bar:"):
                for bar in (structure.bars[name] for name in chosen if stays_thick(structure.bars[name])):
                    message = (
                        f'bar "{bar.name}" is a rigid cylinder, whose inertia is right only while it keeps its length; '
                        "say law: compressible to cut it, or inertia: thin or lumped"
                    )
                    yield (place,), message
            pushes = place == "cable" and all(structure.cables[name].law == "spring" for name in chosen)
            if watch.tension == 0.0 and watch.sense in ("falling", "both") and not pushes:
                message = (
                    "a cable's tension is never below zero; watch a small one, or read when the run says it is slack"
                )
                yield ("tension",), message
