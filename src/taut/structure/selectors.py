"""Selectors: short texts that name nodes and members.

"cable:top*"   cables whose name fits the pattern (* and ? as in a shell), or that belong to a group that fits
"bar:*"        every bar
"bottom*"      where the call expects one kind (nodes, for supports), the kind may be left out

Patterns mean the nodes that somebody named. The point that a plate may have beside its nodes (`plates.py`) is meant by
its own name alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import translate
from typing import TYPE_CHECKING

from taut.errors import SelectionError, suggestion
from taut.structure.plates import auxiliary_points

if TYPE_CHECKING:
    from taut.structure.structure import Structure

KINDS = ("node", "bar", "cable", "plate", "constraint", "angle")


def select(structure: Structure, selector: str, kind: str = "") -> tuple[str, tuple[str, ...]]:
    """The kind and the names that a selector means, in the structure's order; raises where it means nothing."""
    if kind and kind not in KINDS:
        raise SelectionError(
            f'there is no kind "{kind}"{suggestion(kind, KINDS) or "; say one of " + ", ".join(KINDS)}'
        )
    given, colon, pattern = selector.partition(":")
    if colon and given in KINDS:
        if kind and given != kind:
            raise SelectionError(f'"{selector}" selects {given}s where {kind}s are wanted')
        kind = given
    else:
        pattern = selector
    if not kind:
        meant = suggestion(given, KINDS) if colon else ""
        if meant:
            raise SelectionError(f'"{selector}": there is no kind "{given}"{meant}')
        raise SelectionError(f'"{selector}" does not say of what kind; {_forms(structure, selector)}')
    names = _matches(structure, kind, pattern)
    if not names:
        hint = suggestion(pattern, {*_named(structure, kind), *structure.groups} - {pattern})
        raise SelectionError(f'"{selector}" selects no {kind}{hint or f"; there are {_count(structure, kind)}"}')
    return kind, names


def _matches(structure: Structure, kind: str, pattern: str, opened: set[str] | None = None) -> tuple[str, ...]:
    """Names that fit; `opened` holds the groups already looked into, since groups may name each other in a circle."""
    opened = set() if opened is None else opened
    known = _named(structure, kind)
    apart = auxiliary_points(structure) if kind == "node" else frozenset[str]()
    if pattern == "*":
        return tuple(name for name in known if name not in apart)
    # A name that is written out wins over its reading as a pattern: a node may be called a[1].
    if pattern in known or pattern in structure.groups or not re.search(r"[*?\[]", pattern):
        direct = {pattern} if pattern in known else set()
        groups = [pattern] if pattern in structure.groups else []
    else:
        fits = re.compile(translate(pattern)).match
        direct = {name for name in known if name not in apart and fits(name)}
        groups = [group for group in structure.groups if fits(group)]
    for group in groups:
        if group in opened:
            continue
        opened.add(group)
        for member in structure.groups[group]:
            given, _, inner = member.partition(":")
            if given == kind:
                direct.update(_matches(structure, kind, inner, opened))
    return tuple(name for name in known if name in direct) if len(direct) > 1 else tuple(direct)


def _named(structure: Structure, kind: str) -> Collection[str]:
    named: Collection[str] = getattr(structure, f"{kind}s")
    return named


def _forms(structure: Structure, selector: str) -> str:
    """How to write it: of the kinds of which it names something, else of any."""
    meant = [kind for kind in KINDS if _matches(structure, kind, selector)]
    forms = ", ".join(f'"{kind}:{selector}"' for kind in meant or KINDS)
    return f"write it as {forms}" if len(meant) == 1 else f"write it as one of {forms}"


def _count(structure: Structure, kind: str) -> str:
    known = list(_named(structure, kind))
    return "none" if not known else f"{len(known)}: {', '.join(known[:6])}{', ...' if len(known) > 6 else ''}"
