"""Numbers and groups that selectors give to members, as arrays over all members of a network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np

from taut.errors import OptionError, SelectionError
from taut.statics.network import Network
from taut.structure.selectors import select


def given_by_selector(network: Network, option: str, values: Mapping[str, float] | None, kind: str = "") -> np.ndarray:
    """A number for each member that a selector names, NaN for the others; (m,). A later line wins."""
    numbers = np.full(network.members, np.nan)
    index = _index(network)
    for selector, value in (values or {}).items():
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise OptionError(f'{option}["{selector}"] = {value!r} must be a finite number')
        for key in _members(network, option, selector, kind):
            numbers[index[key]] = value
    return numbers


def sharing(network: Network, groups: Iterable[str]) -> np.ndarray:
    """The number of the group of each member, (m,); a member in none has a group of its own."""
    if isinstance(groups, str):
        raise OptionError(f'groups = "{groups}" must be a list of selectors, as ["{groups}"]')
    share = np.full(network.members, -1)
    index = _index(network)
    taken: dict[int, str] = {}
    for number, selector in enumerate(groups):
        for key in _members(network, "groups", selector):
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


def _members(network: Network, option: str, selector: str, kind: str = "") -> list[tuple[str, str]]:
    found, names = select(network.structure, selector, kind)
    if found not in ("cable", "bar"):
        raise SelectionError(f'{option}: "{selector}" selects {found}s where cables or bars are wanted')
    return [(found, name) for name in names]


def _index(network: Network) -> dict[tuple[str, str], int]:
    """Cables and bars may have the same names, so members are looked up by kind and name."""
    kinds = ["cable"] * network.cables + ["bar"] * (network.members - network.cables)
    return {key: i for i, key in enumerate(zip(kinds, network.names, strict=True))}
