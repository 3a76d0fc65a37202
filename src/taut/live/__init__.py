"""Live: the compiled time loop inside a page, and what was done there computed again here, to the same bits.

`taut.page(..., live=True)` makes such a page; here are what goes on in it, and the replay of its log. Names are loaded
when they are first used. `python -m taut.live.build` makes the modules in kernels/ again, for maintainers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = ["live_plant", "replay"]

_HOMES = {
    "taut.live.plants": ("live_plant",),
    "taut.live.replaying": ("replay",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.live.plants import live_plant
    from taut.live.replaying import replay
