"""How much memory is taken unasked: a slip of a few zeros is told what it would take before it takes it."""

from __future__ import annotations

import math
import os

from taut.errors import OptionError

UNASKED = 4.0
"""GB."""

SETTING = "TAUT_MEMORY"
"""The environment variable that allows more, or less, in GB. A model file cannot: it may come from anywhere."""

BAR = 7e-6
"""GB that a bar takes with its nodes and five cables, as generators make them, and assembled."""

SEGMENT = 2e-6
"""GB that a segment of a cable takes, assembled."""


def memory_problem(size: float) -> str:
    """What is wrong with taking so many GB, and how to go on; an empty string if that may be taken unasked."""
    told = os.environ.get(SETTING, "")
    try:
        allowed = float(told) if told else UNASKED
    except ValueError:
        raise OptionError(f'{SETTING}="{told}" must be a number of GB, as in {SETTING}={UNASKED:g}') from None
    if size <= allowed:
        return ""
    return (
        f"would take about {size:.3g} GB of memory, more than the {allowed:g} GB that are taken unasked; "
        f"if that is meant, set {SETTING}={math.ceil(size)} in the environment"
    )
