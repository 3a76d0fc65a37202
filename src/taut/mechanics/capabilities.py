"""What goes with what: one table behind every refusal, each a sentence that says what to do instead."""

from __future__ import annotations

from typing import Any

from taut.errors import OptionError
from taut.mechanics.spec import Spec


def check_solver(spec: Spec, tables: Any) -> None:
    """Raise OptionError where linear systems cannot be solved by iteration."""
    if spec.inertia == "cylinders":
        raise OptionError(
            f"{tables['cylinders'].first.size} compressible bars are cylinders, whose mass matrix changes with their "
            "shape; the iterative solver cannot do that: take the direct one, or inertia: thin"
        )
