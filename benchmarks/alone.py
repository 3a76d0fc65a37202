"""Options of `simulate` for a run alone, without the comparison with others; older versions, beside which some
benchmarks run, compared with none."""

import inspect
from typing import Any

import taut

ALONE: dict[str, Any] = {"verify": False} if "verify" in inspect.signature(taut.simulate).parameters else {}
