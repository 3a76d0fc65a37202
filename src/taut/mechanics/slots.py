"""Where each table stands in the pack of a plant. Kinds from outside get the slots behind those named here."""

from __future__ import annotations

from typing import Any

from taut.numerics.packing import part

SLOTS = (
    *("constants", "nodes", "work", "jacobian"),
    *("thin", "cylinders", "bars", "linear", "weight", "springs", "damping", "loads", "supports"),
    *("events", "slackening", "watches"),
    *("pairs", "saddle", "minres", "metric_pairs", "metric_saddle", "metric_minres"),
    *("newton", "newton_saddle"),
)
_KNOWN = {name: k for k, name in enumerate(SLOTS)}


def slot(name: str) -> int:
    """The slot of the table of this name; a name that is new gets the next one."""
    return _KNOWN.setdefault(name, len(_KNOWN))


def part_of(name: str, table: Any, field: str) -> int:
    """The place of a table's part in the directory of a pack."""
    return part(slot(name), table, field)
