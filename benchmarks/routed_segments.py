"""What a stretch of a routed cable costs beside a straight cable: `python -m benchmarks.routed_segments`.

The same nodes in the same places, on a closed ring: with a cable between every two neighbours, and with cables over
eight stretches each. CPU time of RK4 steps, in turn within one run, of several turns the least; what a run takes to
begin is taken off.
"""

from __future__ import annotations

import math

import taut
from benchmarks.alone import ALONE
from benchmarks.trees import spent

STRETCHES, EACH, STEPS, TURNS, STEP = 1024, 8, 2000, 5, 1e-5


def ring(each: int) -> taut.Structure:
    """Masses on a ring of 1 m, held together by cables over so many stretches each."""
    angles = [2.0 * math.pi * k / STRETCHES for k in range(STRETCHES)]
    nodes = {f"n{k}": (math.cos(a), math.sin(a), 0.0) for k, a in enumerate(angles)}
    routes = [tuple(f"n{(first + k) % STRETCHES}" for k in range(each + 1)) for first in range(0, STRETCHES, each)]
    cables = [taut.Cable(f"c{k}", route, stiffness=100.0 / each) for k, route in enumerate(routes)]
    masses = dict.fromkeys(nodes, 1e-3)
    return taut.Structure(nodes, cables=cables, point_masses=masses).changed("cable:*", rest_ratio=0.99)


def main() -> None:
    plants = {name: taut.assemble(ring(each)) for name, each in (("straight", 1), ("routed", EACH))}
    least = dict.fromkeys(plants, math.inf)

    def run(name: str, steps: int) -> object:
        span = steps * STEP
        options = {"method": "rk4", "step": STEP, "correction": "none", "locate": False}
        return taut.simulate(plants[name], span, every=span, **options, **ALONE)

    for name in plants:
        run(name, 2)
    for _ in range(TURNS):
        for name in plants:
            short = spent(lambda name=name: run(name, 1))
            least[name] = min(least[name], spent(lambda name=name: run(name, 1 + STEPS)) - short)
    for name, time in least.items():
        print(f"{name:<9} {time / (STEPS * STRETCHES * 4) * 1e9:6.2f} ns a stretch and evaluation")
    print(f"routed / straight {least['routed'] / least['straight']:.2f}")


if __name__ == "__main__":
    main()
