"""What is corrected after every step of a run, and how closely: its description. Corrections are made in dynamics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any

from taut.errors import OptionError, suggestion
from taut.structure.magnitudes import LARGEST, SMALLEST, size_problem
from taut.type_checks import known_fields

PRINTED = ("filter", "least-norm")
"""Corrections of papers, as they print them."""
KINDS = ("none", "constraints", "energy", "baumgarte", *PRINTED)
METRICS = ("mass", "euclidean")
ORDERS = ("positions-first", "rates-first", "as-printed")
MOST_ITERATIONS = 1000
"""A correction converges within ten or not at all."""


@known_fields
@dataclass(frozen=True)
class Correction:
    """What is corrected after every step.

    kind: "none", "constraints", "energy" (constraints and energy), "baumgarte" (feedback in the equations instead),
        "filter" (velocity filtering and configuration correction, Arsenault and Gosselin) or "least-norm" (constraints,
        energy and work at once, by their plain numbers, as the stedy paper prints it); None takes what the method
        usually has.
    tolerance: of residuals, relative to bar length, and of their rates, relative to the speed.
    energy_tolerance: relative to the energies present.
    iterations: the cap. metric: "mass" or "euclidean". time: [s], None takes the plant's typical time.
    gains: Baumgarte's alpha and beta [1/s].
    order: of "filter": "positions-first", "rates-first", or "as-printed", which filters rates by the positions at the
        beginning of the step too and makes any method one of first order.
    threshold: of "least-norm", above which it corrects: the norm of the residuals [m], the excess of energy [J].
    """

    kind: str | None = None
    tolerance: float = 1e-14
    energy_tolerance: float = 1e-12
    iterations: int = 6
    metric: str = "mass"
    time: float | None = None
    gains: tuple[float, float] = (10.0, 10.0)
    order: str = "positions-first"
    threshold: float = 1e-10

    def __post_init__(self) -> None:
        for key, message in faults({slot.name: getattr(self, slot.name) for slot in fields(self)}):
            raise OptionError(f"correction {message}" if key == "kind" else f"correction {key} {message}")

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> Correction:
        """The correction that a run had, from its options as they come back from a file."""
        details: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in options.get("correction_details", {}).items()
        }
        return cls(options["correction"], **details)


def faults(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What makes no sense among the fields of a correction: the field, and its value with why."""
    for key, known in (("kind", KINDS), ("metric", METRICS), ("order", ORDERS)):
        value = told.get(key)
        if value is not None and value not in known:
            yield key, f'"{value}" is not one of {", ".join(known)}{suggestion(str(value), known)}'
    for key in ("tolerance", "energy_tolerance", "time", "threshold"):
        value = told.get(key)
        if value is not None and not (_finite(value) and value > 0.0):
            yield key, f"{value} must be a finite number more than zero"
        elif value is not None and (wrong := size_problem(value, least=SMALLEST)):
            yield key, wrong
    count = told.get("iterations", 1)
    if not isinstance(count, Integral) or not 1 <= int(count) <= MOST_ITERATIONS:
        yield "iterations", f"{count} must be a whole number, one or more and at most {MOST_ITERATIONS}"
    gains = told.get("gains", ())
    if "gains" in told and not (len(gains) == 2 and all(_finite(gain) and 0.0 <= gain <= LARGEST for gain in gains)):
        yield "gains", f"{[*gains]} must be two finite numbers, zero or more"


def _finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def simplest(correction: Correction | str | None) -> Correction | str | None:
    """The same without what goes without saying: a kind alone is its name, and nothing at all is None."""
    if isinstance(correction, Correction) and correction == Correction(correction.kind):
        return correction.kind
    return correction


def of_kind(kind: str, correction: Correction | str | None) -> Correction | str | None:
    """A correction with its kind changed and its numbers kept."""
    if not isinstance(correction, Correction):
        return kind
    return replace(correction, kind=kind)
