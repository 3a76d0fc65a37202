"""Units of measured columns: words for them, and numbers that look as if they were in others."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from taut.errors import OptionError, suggestion
from taut.measurement.measurements import Measurements
from taut.structure import properties
from taut.structure.labels import member_names
from taut.structure.structure import Structure

UNITS = {
    "position": {"m": 1.0, "dm": 0.1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048},
    "tension": {"N": 1.0, "mN": 1e-3, "kN": 1e3, "MN": 1e6, "kgf": 9.80665, "lbf": 4.4482216152605},
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0},
}
"""What one of each is in metres, newtons and seconds."""

FAR_APART = 20.0
"""Markers so many times as far apart as their nodes, or as near, are in another unit: nothing stretches so."""

FAR_OFF = 100.0
"""Tensions so many times those of the structure may be in another unit, and a single marker so far away."""


def factor_of(unit: float | str, kind: str, where: str) -> float:
    """What a scale multiplies by: a number, or the word of a unit of this kind."""
    if isinstance(unit, str):
        if unit not in UNITS[kind]:
            known = UNITS[kind]
            hint = suggestion(unit, known) or f"; there are {', '.join(known)}"
            raise OptionError(f'scale["{where}"] = "{unit}" is no unit of {kind}{hint}')
        return UNITS[kind][unit]
    if not math.isfinite(unit) or unit == 0.0:
        raise OptionError(f'scale["{where}"] = {unit!r} must be a finite number other than zero, or a unit')
    return float(unit)


def bare_name(column: str) -> tuple[str, str]:
    """A column's name without what is in brackets at its end, and that: "t [ms]" is "t" and "ms"."""
    found = re.fullmatch(r"(.*?)\s*[\[(]\s*([^\[\]()]+?)\s*[\])]", column)
    return (found[1], found[2]) if found else (column, "")


def unit_hints(measured: Measurements, structure: Structure) -> Iterator[tuple[str, str]]:
    """Kinds of columns that look as if in another unit, and what to do about it."""
    ratio = _spread(measured, structure)
    if ratio and not 1.0 / FAR_APART < ratio < FAR_APART:
        yield "position", f"markers are {ratio:.3g} times as far apart as their nodes; {_remedy('position', ratio)}"
    ratio = _distance(measured, structure)
    if ratio > FAR_OFF:
        told = f"the marker is {ratio:.3g} times as far from the origin as any node; {_remedy('position', ratio)}"
        yield "position", told
    ratio = _pull(measured, structure)
    if ratio and not 1.0 / FAR_OFF < ratio < FAR_OFF:
        yield "tension", f"tensions are {ratio:.3g} times those of the structure; {_remedy('tension', ratio)}"


def _remedy(kind: str, ratio: float) -> str:
    units: Mapping[str, float] = UNITS[kind]
    nearest = min(units, key=lambda unit: abs(math.log(units[unit] * ratio)))
    if units[nearest] == 1.0 or not 0.1 < units[nearest] * ratio < 10.0:
        return f'say in which unit they are, as in scale={{"{kind}": "{nearest}"}}, or look at the structure\'s'
    return f'if they are in {nearest}, say scale={{"{kind}": "{nearest}"}}; if not, scale={{"{kind}": 1.0}}'


def _spread(measured: Measurements, structure: Structure) -> float:
    """How much farther apart markers are than their nodes; 0 where that cannot be told."""
    nodes = structure.positions[measured.node_places(structure)]
    seen = np.isfinite(measured.nodes).all(axis=2)
    ratios = []
    for row in np.flatnonzero(seen.sum(axis=1) > 1)[:: max(1, len(seen) // 100)]:
        here = seen[row]
        pair = nodes[here], measured.nodes[row][here]
        own, theirs = (np.linalg.norm(places - places.mean(axis=0), axis=1).sum() for places in pair)
        if own > 0.0:
            ratios.append(theirs / own)
    return float(np.median(ratios)) if ratios else 0.0


def _distance(measured: Measurements, structure: Structure) -> float:
    """How much farther a single marker is from the origin than any node; 0 where there are more."""
    if len(measured.node_names) != 1:
        return 0.0
    reach = float(np.abs(structure.positions).max(initial=0.0))
    places = measured.nodes[np.isfinite(measured.nodes).all(axis=2)]
    return float(np.median(np.abs(places).max(axis=1))) / reach if len(places) and reach else 0.0


def _pull(measured: Measurements, structure: Structure) -> float:
    """How much more cables pull than where the structure stands; 0 where that cannot be told."""
    own = dict.fromkeys(member_names(structure), math.nan)
    for cable in structure.cables.values():
        if cable.mode == "spring" and (known := properties.stiffness(structure, cable)) is not None:
            stretch = properties.route_length(structure, cable.route) - properties.rest_length(structure, cable)
            own[f"cable:{cable.name}"] = known * stretch if stretch > 0.0 else math.nan
    measured.member_places(structure)
    nominal = np.array([own[name] for name in measured.member_names])
    told = np.isfinite(measured.tension).any(axis=0) & np.isfinite(nominal)
    if not told.any():
        return 0.0
    return float(np.median(np.nanmedian(np.abs(measured.tension[:, told]), axis=0)) / np.median(nominal[told]))
