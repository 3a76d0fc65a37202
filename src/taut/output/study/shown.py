"""Which numbers of a study are meant: "max_tension" (of any cable), "max_tension:c2", "nodes:n3:z" and so on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import translate
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, SelectionError, suggestion
from taut.output.study.quantities import QUANTITIES
from taut.output.study.study import Study
from taut.structure.records import AXES


class Choice(NamedTuple):
    """A quantity, the parts it is wanted of (none: the extreme over all of them), and an axis."""

    quantity: str
    parts: tuple[str, ...] = ()
    axis: str = ""


class Shown(NamedTuple):
    """Numbers over the grid, NaN where a point did not finish, with the name of the part they are of, if of one."""

    part: str
    values: np.ndarray


def chosen(show: str, names: Mapping[str, Sequence[str]]) -> Choice:
    """What a text like "max_tension:c2" means where these nodes, cables and bars are; raises where it means nothing."""
    quantity, _, rest = (show or ("max_tension" if names["cable"] else "max_displacement")).partition(":")
    if quantity not in QUANTITIES:
        hint = suggestion(quantity, QUANTITIES) or f"; there are {', '.join(QUANTITIES)}"
        raise OptionError(f'no quantity "{quantity}"{hint}')
    dimensions = QUANTITIES[quantity].dimensions
    if not dimensions:
        if rest:
            raise OptionError(f'"{show}": {quantity} is one number for the whole structure; leave ":{rest}" out')
        return Choice(quantity)
    kind, axis = dimensions[0], ""
    if len(dimensions) > 1:
        rest, _, axis = rest.rpartition(":")
        if not rest or axis not in AXES:
            raise OptionError(
                f'"{show}" must name a node and an axis, as in {quantity}:{next(iter(names[kind]), "")}:z'
            )
    if not names[kind]:
        raise OptionError(f'"{show or quantity}": there is no {kind}')
    return Choice(quantity, _fitting(names[kind], rest, kind) if rest else (), axis)


def _fitting(names: Sequence[str], pattern: str, kind: str) -> tuple[str, ...]:
    if pattern in names:  # a name may itself look like a pattern
        return (pattern,)
    fits = re.compile(translate(pattern)).match
    found = tuple(name for name in names if fits(name))
    if not found:
        some = f"; there are {', '.join(names[:6])}{', ...' if len(names) > 6 else ''}"
        raise SelectionError(f'no {kind} "{pattern}"{suggestion(pattern, names) or some}')
    return found


def shown(study: Study, choice: Choice) -> list[Shown]:
    """The numbers that are meant."""
    values = np.where(_spread(study.ok, getattr(study, choice.quantity)), getattr(study, choice.quantity), np.nan)
    dimensions = QUANTITIES[choice.quantity].dimensions
    if not dimensions:
        return [Shown("", values)]
    if choice.axis:
        values = values[..., AXES.index(choice.axis)]
    if not choice.parts:
        extreme = np.fmin if choice.quantity.startswith("min") else np.fmax
        return [Shown("", extreme.reduce(values, axis=-1))]
    known = study.names[dimensions[0]]
    return [Shown(part, values[..., known.index(part)]) for part in choice.parts]


def words(choice: Choice) -> str:
    """The quantity and its unit, for an axis of a figure."""
    unit = QUANTITIES[choice.quantity].unit
    name = {"nodes": f"{choice.axis} at the end"}.get(choice.quantity, choice.quantity.replace("_", " "))
    return name if unit == "1" else f"{name} [{unit}]"


def _spread(ok: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether each point finished, for every number of it."""
    return ok.reshape(ok.shape + (1,) * (values.ndim - ok.ndim))
