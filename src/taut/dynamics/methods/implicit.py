"""Implicit methods for stiff motion: diagonally implicit Runge-Kutta methods whose first stage is explicit (ESDIRK).

Every implicit stage has the same diagonal, so one factored matrix serves a whole step. Both methods are L-stable (what
is too fast to be followed dies out instead of ringing), stiffly accurate (a step ends on its last stage, where bars
have their lengths) and of stage order 2, which with rigid bars leaves order 3 of implicit4. Nothing but the state goes
from step to step, so steps may change, be cut short or begin afresh after a jump at no loss.
"""

from __future__ import annotations

from taut.dynamics.methods.tableau import Implicit


def _hermite(result: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    """The cubic through both ends with their slopes, as polynomials in the fraction of the step, one a stage."""
    weights = [[0.0, 0.0, 3.0 * weight, -2.0 * weight] for weight in result]
    for stage, slope in ((0, (0.0, 1.0, -2.0, 1.0)), (-1, (0.0, 0.0, -1.0, 1.0))):
        weights[stage] = [a + b for a, b in zip(weights[stage], slope, strict=True)]
    return tuple(map(tuple, weights))


def _kvaerno() -> Implicit:
    """Order 3 with an error against its own third stage, which is of order 2 and stiffly accurate too."""
    g = 0.4358665215084589994  # the middle root of x^3 - 3 x^2 + 3/2 x - 1/6
    second = ((-4.0 * g * g + 6.0 * g - 1.0) / (4.0 * g), (1.0 - 2.0 * g) / (4.0 * g), g)
    third = (
        (6.0 * g - 1.0) / (12.0 * g),
        -1.0 / ((24.0 * g - 12.0) * g),
        (-6.0 * g * g + 6.0 * g - 1.0) / (6.0 * g - 3.0),
        g,
    )
    return Implicit(
        "implicit3",
        order=3,
        error_order=2,
        citation="Kvaerno (2004), BIT Numerical Mathematics 44, ESDIRK 3/2",
        nodes=(0.0, 2.0 * g, 1.0, 1.0),
        weights=((), (g, g), second, third),
        result=third,
        errors=((third[0] - second[0], third[1] - second[1], third[2] - g, g),),
        interpolant=_hermite(third),
    )


def _kennedy_carpenter() -> Implicit:
    result = (82889 / 524892, 0.0, 15625 / 83664, 69875 / 102672, -2260 / 8211, 1 / 4)
    lower = (
        4586570599 / 29645900160,
        0.0,
        178811875 / 945068544,
        814220225 / 1159782912,
        -3700637 / 11593932,
        61727 / 225920,
    )
    return Implicit(
        "implicit4",
        order=4,
        error_order=3,
        citation="Kennedy and Carpenter (2003), Applied Numerical Mathematics 44, ARK4(3)6L[2]SA",
        nodes=(0.0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1.0),
        weights=(
            (),
            (1 / 4, 1 / 4),
            (8611 / 62500, -1743 / 31250, 1 / 4),
            (5012029 / 34652500, -654441 / 2922500, 174375 / 388108, 1 / 4),
            (15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, 1 / 4),
            result,
        ),
        result=result,
        errors=(tuple(a - b for a, b in zip(result, lower, strict=True)),),
        interpolant=_hermite(result),
    )


IMPLICIT3 = _kvaerno()
IMPLICIT4 = _kennedy_carpenter()
