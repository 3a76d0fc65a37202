"""Robots for those who learn by trial: environments of Gymnasium, single and many at once, on the same time loop.

Names are loaded when they are first used; importing this package costs nothing. The environments need the extra
"learn"; tasks do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = ["Randomisation", "RobotEnv", "RobotVectorEnv", "Task"]

_HOMES = {
    "taut.learning.environments": ("RobotEnv", "RobotVectorEnv"),
    "taut.learning.tasks": ("Randomisation", "Task"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.learning.environments import RobotEnv, RobotVectorEnv
    from taut.learning.tasks import Randomisation, Task
