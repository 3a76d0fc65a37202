"""Table 5.7 of the thesis "pulleys" by every way of taking a spline's second derivative at its knots.

Without feedback a stage of rk4 with the wrong side of a knot leaves a speed of a sixth of the jump times the step,
which nothing takes away: errors are those of the run that takes the right side, and a straight line from that knot on.
So one run for each modulus tells all ways: at each knot what leads up to it (-1), what follows (+1), or the right side
(0); errors against the spline so many steps later; and steps shorter than the thesis's, which leave as much less. Then
other choices that the thesis leaves open, with cables of 2 GPa. Five minutes of CPU.

python -m benchmarks.strut_knots
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from taut.papers.pulleys.controlled_runs import FINE, Controlled
from taut.papers.pulleys.strut_cases import KNOTS, _cubic, strut_task
from taut.papers.pulleys.strut_control import NOMINAL

OTHERS: tuple[dict[str, Any], ...] = (
    {},
    {"slope": "tangent"},
    {"law": "energy-consistent"},
    {"azimuths": (0.0, 2.0 * np.pi / 3.0, 4.0 * np.pi / 3.0)},
    {"viscosity": 1e6},
)

SHIFTS = (0, -1, 1)
"""Steps between a state and the time that it is compared at."""

STEPS = (FINE, FINE / 5.0, FINE / 10.0)
"""[s] of rk4."""


class Way(NamedTuple):
    sides: tuple[int, ...]
    shift: int
    step: float
    errors: tuple[float, ...]  # [rad] phi and psi by modulus
    off: tuple[float, ...]  # of NOMINAL's, as fractions


def ways(runs: dict[float, Controlled]) -> list[Way]:
    """The nearest to NOMINAL first. runs: by modulus, with the right side of knots."""
    inner = KNOTS[1:-1]
    jumps = [_cubic(k, knot)[2] - _cubic(k - 1, knot)[2] for k, knot in enumerate(inner, 1)]
    found = []
    for step, sides, shift in product(STEPS, product((-1, 0, 1), repeat=len(inner)), SHIFTS):
        errors, off = list[float](), list[float]()
        for modulus, run in runs.items():
            time = run.time[:, None]
            late = zip(sides, jumps, inner, strict=True)
            drift = sum(side * step / 6.0 * jump * np.maximum(time - knot, 0.0) for side, jump, knot in late)
            moved = shift * step * np.gradient(run.wanted, run.time, axis=0) if shift else 0.0
            worst = np.abs(run.error + drift - moved).max(axis=0)
            errors += worst.tolist()
            off += (worst / np.array(NOMINAL[modulus]) - 1.0).tolist()
        found.append(Way(sides, shift, step, tuple(errors), tuple(off)))
    return sorted(found, key=lambda way: max(map(abs, way.off)))


def main() -> list[Way]:
    runs: dict[float, Controlled] = {modulus: strut_task(modulus, "inside").make() for modulus in NOMINAL}
    found = ways(runs)
    print("sides at 1, 3, 7 s; steps late; step; phi, psi [rad], how far off the independent computation, by modulus")
    for way in found:
        told = "  ".join(f"{e:.3e} {100.0 * o:+5.1f}%" for e, o in zip(way.errors, way.off, strict=True))
        print("".join(f"{side:+3d}" for side in way.sides), f"{way.shift:+3d} {way.step:.0e}  {told}")
    for other in OTHERS:
        run: Controlled = strut_task(2e9, **other).make()
        print(f"2 GPa, {other or 'as it is'}: phi {run.worst[0]:.4e}, psi {run.worst[1]:.4e} rad")
    return found


if __name__ == "__main__":
    main()
