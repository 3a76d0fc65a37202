"""How large and how small the numbers of a description may be.

Far beyond anything that is built, and far enough within what a float can hold that squares, fourth powers and
quotients of such numbers are still floats.
"""

from __future__ import annotations

import math

LARGEST = 1e30
SMALLEST = 1e-30
"""Of numbers that are divided by: lengths, masses, stiffnesses. Zero is not meant by it."""


def size_problem(value: float, unit: str = "", *, least: float = 0.0) -> str:
    """What is wrong with the size of a number, whatever its sign; an empty string if nothing is.

    least: what it must reach, unless it is zero.
    """
    if least <= abs(value) <= LARGEST or value == 0.0:
        return ""
    if not math.isfinite(value):
        return f"{value} is not a finite number"
    bound = f"more than {LARGEST:g}" if abs(value) > LARGEST else f"less than {least:g}"
    return f"{value:g} {unit}".rstrip() + f" is {bound} in size, beyond anything that is built; is the exponent right?"
