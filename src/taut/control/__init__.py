"""Linear models of plants: poles, norms, responses, regulators.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "LinearModel",
    "Norm",
    "Regulator",
    "Response",
    "controllability_gramian",
    "doublet_response",
    "frequency_response",
    "h2_norm",
    "harmonic_response",
    "hinf_norm",
    "impulse_response",
    "linearise",
    "lqr",
    "observability_gramian",
    "step_response",
]

_HOMES = {
    "taut.control.linear_model": ("LinearModel",),
    "taut.control.linearising": ("linearise",),
    "taut.control.norms": ("Norm", "controllability_gramian", "h2_norm", "hinf_norm", "observability_gramian"),
    "taut.control.responses": (
        "Response",
        "doublet_response",
        "frequency_response",
        "harmonic_response",
        "impulse_response",
        "step_response",
    ),
    "taut.control.regulator": ("Regulator", "lqr"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.control.linear_model import LinearModel
    from taut.control.linearising import linearise
    from taut.control.norms import Norm, controllability_gramian, h2_norm, hinf_norm, observability_gramian
    from taut.control.regulator import Regulator, lqr
    from taut.control.responses import (
        Response,
        doublet_response,
        frequency_response,
        harmonic_response,
        impulse_response,
        step_response,
    )
