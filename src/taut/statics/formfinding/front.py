"""The one call for all methods of form-finding."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

from taut.errors import OptionError, suggestion
from taut.statics.equilibrium import Equilibrium
from taut.statics.formfinding.adaptive import adaptive
from taut.statics.formfinding.force_density import force_density
from taut.statics.formfinding.lengths import lengths
from taut.statics.formfinding.relaxation import relaxation
from taut.structure.structure import Structure

METHODS: dict[str, Callable[..., Equilibrium]] = {
    "adaptive": adaptive,
    "force_density": force_density,
    "relaxation": relaxation,
    "lengths": lengths,
}


def formfind(structure: Structure, method: str = "adaptive", **options: Any) -> Equilibrium:
    """A shape in which the structure carries itself, with its forces.

    method: what is given, and what is found.
        "adaptive": only what pulls and what pushes; force densities and shape are found. Stands alone.
        "force_density": `force_densities` {selector: [N/m]}; the shape is found. With or without supports.
        "relaxation": rest lengths, bar lengths, stiffnesses; shape and forces are found. With or without supports.
        "lengths": lengths of the cables; the shape with the longest bars is found. Stands alone.
    options: those of the method, `help(taut.statics.formfinding.METHODS["adaptive"])`; among them
        groups (adaptive): selectors of members that share a force density.
        shape, size (adaptive, force_density): what settles a free-standing shape, which force densities leave open up
        to an affine map.

    Where the form is not found, `status` of the result says in a sentence what went wrong and what may help.
    """
    if method not in METHODS:
        raise OptionError(f'no method "{method}"{_hint(method, METHODS)}')
    find = METHODS[method]
    known = [name for name in inspect.signature(find).parameters if name != "structure"]
    for option in options:
        if option not in known:
            raise OptionError(f'method "{method}" has no option "{option}"{_hint(option, known)}')
    if method == "force_density" and "force_densities" not in options:
        raise OptionError('method "force_density" needs force_densities, as {"cable:*": 100.0, "bar:*": -150.0} [N/m]')
    return find(structure, **options)


def _hint(word: str, known: Collection[str]) -> str:
    return suggestion(word, known) or f"; known are {', '.join(known)}"
