"""RATTLE, its symmetric compositions of order 4, 6 and 8, and RATTLE with contact impulses.

RATTLE (Andersen 1983) is symplectic and symmetric of order 2, meets bar lengths at every step and conserves energy over
long times without correcting it. A symmetric composition of its steps raises the order.
"""

from __future__ import annotations

from taut.dynamics.methods.tableau import Impulses, Rattle


def _symmetric(*first: float) -> tuple[float, ...]:
    """Fractions whose second half mirrors the first; the middle one makes them add up to 1."""
    return (*first, 1.0 - 2.0 * sum(first), *reversed(first))


_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))

RATTLE2 = Rattle("rattle2", 2, "Andersen (1983), Journal of Computational Physics 52", (1.0,))
RATTLE4 = Rattle("rattle4", 4, "Suzuki (1990), Physics Letters A 146", _symmetric(_SUZUKI, _SUZUKI))
RATTLE6 = Rattle(
    "rattle6",
    6,
    "Kahan and Li (1997), Mathematics of Computation 66, s9odr6a",
    _symmetric(0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.082213596293550800230),
)
RATTLE8 = Rattle(
    "rattle8",
    8,
    "Kahan and Li (1997), Mathematics of Computation 66, s17odr8a",
    _symmetric(
        0.13020248308889008087881763,
        0.56116298177510838456196441,
        -0.38947496264484728640807860,
        0.15884190655515560089621075,
        -0.39590389413323757733623154,
        0.18453964097831570709183254,
        0.25837438768632204729397911,
        0.29501172360931029887096624,
    ),
)

IMPULSES = Impulses(
    "impulses", 1, "Moreau (1988), Nonsmooth Mechanics and Applications; Andersen (1983) for the bars", (1.0,)
)
"""Of second order between impacts."""
