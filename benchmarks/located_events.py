"""What locating events is worth: the Arm of the stedy paper with and without it, and how far a nudge of round-off goes.

`python -m benchmarks.located_events`; errors are of positions after 1 s, against dp8 at 1e-14.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import taut

ARM = Path(__file__).parents[1] / "examples" / "arm.yaml"
CORRECTIONS = ("none", "constraints", "energy")


@dataclass(frozen=True)
class Errors:
    """Of one method and tolerance [m], by correction, and the steps taken without correction."""

    method: str
    tolerance: float
    located: tuple[float, ...]
    blind: tuple[float, ...]
    steps: tuple[int, int]


def plant(amplitude: float, nudge: float = 0.0) -> taut.Plant:
    """The Arm pushed by that force [N]; nudge: deviation of random velocities at its start [m/s]."""
    model = taut.read_model(ARM, [f"scenario.loads.push_n10_z.signal.sinusoid.amplitude={amplitude:g}"])
    random = np.random.default_rng(1)
    speeds = {node: tuple(nudge * random.normal(size=3) * (1.0, 0.0, 1.0)) for node in model.structure.nodes}
    physics = {"gravity": model.scenario.gravity, "loads": model.scenario.loads}
    return taut.assemble(model.structure, **physics, velocities=speeds if nudge else None)


def end(arm: taut.Plant, **options: object) -> tuple[np.ndarray, int]:
    run = taut.simulate(arm, 1.0, every=0.5, **options, verify=False)
    return run.nodes[-1], run.counts["steps"]


def measure(amplitude: float, methods: tuple[tuple[str, float], ...]) -> list[Errors]:
    arm = plant(amplitude)
    exact, _ = end(arm, method="dp8", tolerance=1e-14, correction="constraints")
    found = []
    for method, tolerance in methods:
        errors, steps = {}, []
        for locate in (True, False):
            runs = [
                end(arm, method=method, tolerance=tolerance, correction=kind, locate=locate) for kind in CORRECTIONS
            ]
            errors[locate] = tuple(float(np.abs(nodes - exact).max()) for nodes, _ in runs)
            steps.append(runs[0][1])
        found.append(Errors(method, tolerance, errors[True], errors[False], (steps[0], steps[1])))
    return found


def nudged(amplitude: float, nudge: float) -> float:
    """How far a nudge moves the Arm in 1 s [m]."""
    ends = [end(plant(amplitude, size), method="dp8", tolerance=1e-14, correction="none")[0] for size in (0.0, nudge)]
    return float(np.abs(ends[0] - ends[1]).max())


def horizon(amplitude: float, duration: float = 4.0) -> str:
    """How runs at 1e-8 and 1e-9 part, the horizon that this gives, and the one that a run at 1e-12 gives."""
    arm = plant(amplitude)
    run, finer, best = (
        taut.simulate(arm, duration, every=0.05, tolerance=t, verify=False) for t in (1e-8, 1e-9, 1e-12)
    )
    told = taut.dynamics.predictability(arm, run)
    apart, truly = (np.linalg.norm(run.nodes - other.nodes, axis=2).max(axis=1) for other in (finer, best))
    growth = ", ".join(f"{apart[round(t / 0.05)]:.1e} m after {t:g} s" for t in (1.0, 2.0, 4.0) if t <= duration)
    parted = np.flatnonzero(truly > told.level)
    when = f"{run.time[parted[0]]:.4g} s" if parted.size else "no sample"
    return f"1e-8 and 1e-9 differ by {growth}\nbelievable {told}\nby a run at 1e-12 parted first at {when}"


def table(amplitude: float, rows: list[Errors]) -> str:
    lines = [
        f"Arm, {amplitude:g} N, error after 1 s [m] with no, constraint and energy correction",
        f"{'method':<14}{'located':>27}{'steps':>7}{'not located':>27}{'steps':>7}",
    ]
    for row in rows:
        told = ["".join(f"{error:9.1e}" for error in errors) for errors in (row.located, row.blind)]
        lines.append(f"{row.method} {row.tolerance:<10g}{told[0]:>27}{row.steps[0]:>7}{told[1]:>27}{row.steps[1]:>7}")
    return "\n".join(lines)


def report() -> str:
    methods = tuple((method, 10.0**-k) for method in ("dp5", "dp8") for k in (8, 9, 10, 11, 12))
    parts = [table(amplitude, measure(amplitude, methods)) for amplitude in (100.0, 300.0)]
    parts.append(f"at 300 N a nudge of 1e-15 m/s moves it by {nudged(300.0, 1e-15):.1e} m in 1 s\n{horizon(300.0)}")
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(report())
