"""How things show themselves: in a line or three, whatever their size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, fields
from typing import Any

import numpy as np

LONGEST = 400
"""Characters; what fits on a screen."""

LONGEST_PART = 60
"""Characters of one field; longer collections are counted instead."""


def brief(thing: Any) -> str:
    """A dataclass by its fields that are not the default: arrays by their shape, large collections by their number."""
    shown = [
        f"{slot.name}={_part(getattr(thing, slot.name))}"
        for slot in fields(thing)
        if slot.repr and not _is_default(slot, getattr(thing, slot.name))
    ]
    return clipped(f"{type(thing).__name__}({', '.join(shown)})", LONGEST)


def all_fields(record: Any) -> tuple[Any, ...]:
    """All fields of a record and of records in it, also where their own reprs are brief: by which two are compared."""
    parts = (getattr(record, slot.name) for slot in fields(record))
    return tuple(all_fields(part) if hasattr(part, "__dataclass_fields__") else part for part in parts)


def titled(kind: str, name: str, *facts: str) -> str:
    """`<Plant of tower: 12 nodes, 3 loads>`."""
    told = ", ".join(fact for fact in facts if fact)
    of = f" of {clipped(name, 2 * LONGEST_PART)}" if name else ""
    return f"<{clipped(f'{kind}{of}: {told}', LONGEST - 2)}>"


def counted(number: int, what: str) -> str:
    """`3 bars`, `1 bar`, or nothing where there is none."""
    return f"{number} {what}{'' if number == 1 else 's'}" if number else ""


def with_article(noun: str) -> str:
    """`a bar`, `an Equilibrium`."""
    return f"{'an' if noun[:1] in tuple('AEIOUaeiou') else 'a'} {noun}"


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _part(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(map(str, value.shape)) or 'one'} numbers>"
    if isinstance(value, str | bytes) or not isinstance(value, Mapping | Sequence | AbstractSet):
        return clipped(repr(value), 2 * LONGEST_PART)
    if len(value) > LONGEST_PART // 3:  # which no short text could hold
        return f"<{len(value)} items>"
    text = repr(value)
    return text if len(text) <= LONGEST_PART else f"<{counted(len(value), 'item')}>"


def _is_default(slot: Field[Any], value: Any) -> bool:
    default = slot.default if slot.default_factory is MISSING else slot.default_factory()
    if isinstance(value, np.ndarray):
        return isinstance(default, np.ndarray) and default.shape == value.shape and not value.size
    return default is not MISSING and type(default) is type(value) and bool(default == value)
