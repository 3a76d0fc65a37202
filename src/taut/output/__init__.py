"""What leaves the library: run files, figures, films, pages, studies.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = ["ModeShape", "Still", "Winch", "winch"]

_HOMES = {"taut.output.pictured": ("ModeShape", "Still"), "taut.output.winches": ("Winch", "winch")}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.output.pictured import ModeShape, Still
    from taut.output.winches import Winch, winch
