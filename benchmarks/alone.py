"""Options of `simulate` for a run alone, without the comparison with others and without looking for members that
collide; older versions, beside which some benchmarks run, did neither."""

import inspect
from typing import Any

import taut

_KNOWN = inspect.signature(taut.simulate).parameters
ALONE: dict[str, Any] = {
    name: value for name, value in (("verify", False), ("on_collision", "ignore")) if name in _KNOWN
}
