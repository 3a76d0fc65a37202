"""Numbers and groups that selectors give to members, as arrays over all members of a network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np

from taut.errors import OptionError, SelectionError
from taut.statics.network import Network
from taut.structure.joining import cut_cables, with_whole_cables
from taut.structure.selectors import select
from taut.structure.structure import Structure


def given_by_selector(network: Network, option: str, values: Mapping[str, float] | None, kind: str = "") -> np.ndarray:
    """A number for each member that a selector names, NaN for the others; (m,). A later line wins."""
    numbers = np.full(network.members, np.nan)
    index = _index(network)
    for selector, value in (values or {}).items():
        _require_finite(option, selector, value)
        for key in _members(network.structure, option, selector, kind):
            numbers[index[key]] = value
    return numbers


def lengths_by_selector(network: Network, option: str, lengths: Mapping[str, float]) -> np.ndarray:
    """A length for each member as in `given_by_selector`; the segments of a cut cable share what is told of it.

    A selector that fits cables as a whole means those, else segments by their own names. Whether the structure came
    cut makes no difference: cables are put together as its groups have them.
    """
    structure = network.structure
    cut, whole = cut_cables(structure), with_whole_cables(structure)
    numbers = np.full(network.members, np.nan)
    index = _index(network)
    for selector, length in lengths.items():
        _require_finite(option, selector, length)
        for kind, name in _members(whole if _fits(whole, selector) else structure, option, selector):
            pieces = cut.get(name, (name,)) if kind == "cable" else (name,)
            for piece in pieces:
                numbers[index[kind, piece]] = length / len(pieces)
    return numbers


def _fits(structure: Structure, selector: str) -> bool:
    try:
        select(structure, selector)
    except SelectionError:
        return False
    return True


def _require_finite(option: str, selector: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise OptionError(f'{option}["{selector}"] = {value!r} must be a finite number')


def sharing(network: Network, groups: Iterable[str]) -> np.ndarray:
    """The number of the group of each member, (m,); a member in none has a group of its own."""
    if isinstance(groups, str):
        raise OptionError(f'groups = "{groups}" must be a list of selectors, as ["{groups}"]')
    share = np.full(network.members, -1)
    index = _index(network)
    taken: dict[int, str] = {}
    for number, selector in enumerate(groups):
        for key in _members(network.structure, "groups", selector):
            member = index[key]
            if member in taken:
                raise OptionError(
                    f'{key[0]} "{key[1]}" is in two groups, "{taken[member]}" and "{selector}"; '
                    "members share one force density, so leave it in one"
                )
            taken[member] = selector
            share[member] = number
    alone = np.flatnonzero(share < 0)
    share[alone] = share.max() + 1 + np.arange(alone.size)
    return share


def _members(structure: Structure, option: str, selector: str, kind: str = "") -> list[tuple[str, str]]:
    found, names = select(structure, selector, kind)
    if found not in ("cable", "bar"):
        raise SelectionError(f'{option}: "{selector}" selects {found}s where cables or bars are wanted')
    return [(found, name) for name in names]


def _index(network: Network) -> dict[tuple[str, str], int]:
    """Cables and bars may have the same names, so members are looked up by kind and name."""
    kinds = ["cable"] * network.cables + ["bar"] * (network.members - network.cables)
    return {key: i for i, key in enumerate(zip(kinds, network.names, strict=True))}
