"""What the spatial mechanism costs in joints and in nodes: `python -m benchmarks.mechanism_steps`.

10 s of its imposed motion by dp8 at a tolerance of 1e-10, compiled before; and RK4 steps of the same motion. CPU time,
in turn within one run, of several turns the least.
"""

from __future__ import annotations

import math

import taut
from benchmarks.alone import ALONE
from benchmarks.trees import spent
from taut.papers.mechanism.cases import FORMS, imposed

TOLERANCE, TURNS, STEP, STEPS = 1e-10, 5, 1e-3, 2000


def main() -> None:
    cases = {form: imposed(form, TOLERANCE) for form in FORMS}
    plants = {form: case.plant() for form, case in cases.items()}
    whole, stepped = dict.fromkeys(FORMS, math.inf), dict.fromkeys(FORMS, math.inf)

    def run(form: str) -> taut.Trajectory:
        return taut.simulate(plants[form], 10.0, every=0.05, method="dp8", tolerance=TOLERANCE, **ALONE)

    def steps(form: str, count: int) -> taut.Trajectory:
        return taut.simulate(plants[form], count * STEP, every=count * STEP, method="rk4", step=STEP, **ALONE)

    for form in FORMS:
        print(f"{form:<7} {run(form).counts}")
        steps(form, 2)
    for _ in range(TURNS):
        for form in FORMS:
            whole[form] = min(whole[form], spent(lambda form=form: run(form)))
            short = spent(lambda form=form: steps(form, 1))
            stepped[form] = min(stepped[form], spent(lambda form=form: steps(form, 1 + STEPS)) - short)
    for form in FORMS:
        each = stepped[form] / STEPS * 1e6
        print(f"{form:<7} {whole[form]:.3f} s for 10 s at {TOLERANCE:g}; {each:.1f} us a step of RK4")
    print(f"joints / nodes, a step {stepped['joints'] / stepped['nodes']:.2f}")


if __name__ == "__main__":
    main()
