"""The one call for all methods of form-finding."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from taut.errors import OptionError, suggestion
from taut.statics.equilibrium import Equilibrium
from taut.statics.formfinding.adaptive import adaptive
from taut.statics.formfinding.force_density import force_density
from taut.statics.formfinding.lengths import lengths
from taut.statics.formfinding.relaxation import relaxation
from taut.statics.network import Force
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

METHODS: dict[str, Callable[..., Equilibrium]] = {
    "adaptive": adaptive,
    "force_density": force_density,
    "relaxation": relaxation,
    "lengths": lengths,
}


@checked_arguments
def formfind(
    structure: Structure,
    method: str = "adaptive",
    *,
    groups: Iterable[str] | None = None,
    guess: Mapping[str, float] | None = None,
    force_densities: Mapping[str, float] | None = None,
    rest_lengths: Mapping[str, float] | None = None,
    bar_lengths: Mapping[str, float] | None = None,
    cable_lengths: Mapping[str, float] | None = None,
    bar_ratios: Mapping[str, float] | None = None,
    loads: Mapping[str, Force] | None = None,
    shape: str | None = None,
    size: Mapping[str, float] | None = None,
    rest_ratio: float | None = None,
    seed: int | None = None,
    tolerance: float | None = None,
    iterations: int | None = None,
) -> Equilibrium:
    """A shape in which the structure carries itself, with its forces.

    method: what is given, and what is found.
        "adaptive": only what pulls and what pushes; force densities and shape are found. Stands alone.
        "force_density": force densities; the shape is found. With or without supports.
        "relaxation": rest lengths, bar lengths, stiffnesses; shape and forces are found. With or without supports.
        "lengths": lengths of the cables; the shape with the longest bars is found. Stands alone.

    Each option belongs to the methods in brackets and is refused with the others; None is the method's own default.

    groups (adaptive): selectors; the members of each share one force density.
    guess (adaptive): selector -> force density to start from, relative to the others; 1 in cables and -1 in bars where
        not given.
    force_densities (force_density, which needs it): selector -> [N/m], tension positive, a value for every member.
    rest_lengths (relaxation): selector of cables -> [m], where they differ from those of the structure.
    bar_lengths (relaxation): selector of bars -> [m], where they differ from the distances of the given nodes.
    cable_lengths (lengths): selector of cables -> [m], under tension, where they differ from those distances.
    bar_ratios (lengths): selector of bars -> length relative to other bars, 1 where nothing is said.
    loads (force_density, relaxation): node -> force [N].
    shape, size (adaptive, force_density): what settles a free-standing shape, which force densities leave open up to an
        affine map. shape: "nearest" to the given nodes (the default), or "round". size: one selector -> mean length [m]
        of its members; by default the mean length of the bars stays.
    rest_ratio (adaptive, lengths): rest length / length of the cable that is stretched most, 0.95; sets the level of
        the forces.
    seed (relaxation, lengths): start from random places of the nodes instead of the given ones.
    tolerance (adaptive, relaxation, lengths): of the forces left over, relative to those in members; 1e-12, and 1e-11
        for relaxation.
    iterations (adaptive, relaxation, lengths): the most that are made; 1000, and 200,000 for relaxation.

    Where the form is not found, `status` of the result says in a sentence what went wrong and what may help.
    """
    given: dict[str, Any] = {
        "groups": groups,
        "guess": guess,
        "force_densities": force_densities,
        "rest_lengths": rest_lengths,
        "bar_lengths": bar_lengths,
        "cable_lengths": cable_lengths,
        "bar_ratios": bar_ratios,
        "loads": loads,
        "shape": shape,
        "size": size,
        "rest_ratio": rest_ratio,
        "seed": seed,
        "tolerance": tolerance,
        "iterations": iterations,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if method not in METHODS:
        raise OptionError(f'no method "{method}"{_hint(method, METHODS)}')
    find = METHODS[method]
    known = [name for name in inspect.signature(find).parameters if name != "structure"]
    for option in options:
        if option not in known:
            others = ", ".join(name for name, one in METHODS.items() if option in inspect.signature(one).parameters)
            raise OptionError(
                f'method "{method}" has no option "{option}"; it has {", ".join(known)}; "{option}" goes with {others}'
            )
    if method == "force_density" and "force_densities" not in options:
        raise OptionError('method "force_density" needs force_densities, as {"cable:*": 100.0, "bar:*": -150.0} [N/m]')
    return find(structure, **options)


def _hint(word: str, known: Collection[str]) -> str:
    return suggestion(word, known) or f"; known are {', '.join(known)}"
