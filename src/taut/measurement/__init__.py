"""What was measured on a real structure, beside what is computed: markers, tensions, tolerances, identification.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "AtRest",
    "Comparison",
    "Identification",
    "InMotion",
    "Measurements",
    "Tolerances",
    "Unknown",
    "compare",
    "identify",
    "read_measurements",
    "tolerances",
]

_HOMES = {
    "taut.measurement.building": ("tolerances",),
    "taut.measurement.comparing": ("compare",),
    "taut.measurement.comparison": ("Comparison",),
    "taut.measurement.files": ("read_measurements",),
    "taut.measurement.identification": ("Identification",),
    "taut.measurement.identifying": ("identify",),
    "taut.measurement.measurements": ("Measurements",),
    "taut.measurement.observations": ("AtRest", "InMotion"),
    "taut.measurement.tolerance_results": ("Tolerances",),
    "taut.measurement.unknowns": ("Unknown",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.measurement.building import tolerances
    from taut.measurement.comparing import compare
    from taut.measurement.comparison import Comparison
    from taut.measurement.files import read_measurements
    from taut.measurement.identification import Identification
    from taut.measurement.identifying import identify
    from taut.measurement.measurements import Measurements
    from taut.measurement.observations import AtRest, InMotion
    from taut.measurement.tolerance_results import Tolerances
    from taut.measurement.unknowns import Unknown
