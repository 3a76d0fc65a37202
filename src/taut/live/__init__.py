"""Live: the compiled time loop inside a page, and what was done there computed again here, to the same bits.

What people use of it is `taut.page(..., live=True)` and `taut.live.replay`. `python -m taut.live.build` makes the
modules in kernels/ again, for maintainers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = ["Session", "replay"]

if TYPE_CHECKING:
    from taut.live.replaying import replay
    from taut.live.session import Session

__getattr__, __dir__ = lazy_names(
    "taut.live", {"taut.live.replaying": ["replay"], "taut.live.session": ["Session"]}
)
