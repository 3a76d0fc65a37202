"""Stiff, damped, slow motion: implicit methods against explicit ones and scipy's Radau, and their cost with size.

A tower with steel cables, damped along its cables and at its nodes, is loaded from the side at once and settles. Every
contestant gets the loosest tolerance with which no sample of any node is off by more than a tenth of a millimetre.
Radau is handed taut's own compiled accelerations and finds its Jacobian by differences. Times are CPU times, warm.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

import taut
from benchmarks.statics_scale import filled, planar, tower
from taut.structure import generators  # as older checkouts have it, too

ACCURACY = 1e-4
"""[m]"""
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
OURS, RADAU = ("implicit3", "implicit4", "dp5", "dp8"), "scipy Radau"
PATIENCE = 300_000
"""Evaluations after which Radau is stopped: over two seconds it did not come to an end in 300,000, at any tolerance."""
LOAD = (150.0, 0.0, 0.0)
STEEL = taut.Material("steel", density=7850.0, youngs_modulus=2.1e11)
DAMPING = taut.Damping(node=100.0, stiffness=0.01)


@dataclass(frozen=True)
class Result:
    """One contestant: CPU time [s], the tolerance it needed, worst error [m], and distance from rest at the end [m]."""

    name: str
    seconds: float
    tolerance: float
    error: float
    from_rest: float


def stiff_tower(stages: int = 3) -> taut.Structure:
    made = (
        generators.tower(stages).supported("bottom*").changed("cable:*", material=STEEL, radius=0.002, stiffness=None)
    )
    return taut.prestress(made, {"cable:vertical": 100.0}).structure


def plant() -> taut.Plant:
    """The tower that is loaded at once."""
    loads = [taut.Load("top1", axis, force) for axis, force in zip("xyz", LOAD, strict=True) if force]
    return taut.assemble(stiff_tower(), gravity=9.81, loads=loads, damping=DAMPING)


def by_radau(plant: taut.Plant, times: np.ndarray, tolerance: float) -> np.ndarray:
    """Nodes at these times, by scipy's Radau on the compiled accelerations, over the free coordinates."""
    tables, size = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.coordinates
    rate, state, out = plant.operations()["rate"], np.zeros(2 * size + 1), np.zeros(2 * size + 1)
    free = plant.tables["nodes"].free
    moving = np.concatenate([free, size + free])
    state[:size], state[size : 2 * size] = plant.start()

    left = iter(range(PATIENCE))

    def flow(t: float, y: np.ndarray) -> np.ndarray:
        if next(left, None) is None:
            raise TimeoutError
        state[moving] = y
        rate(tables, t, state, out)
        return out[moving]

    begin, span = state[moving], (times[0], times[-1])
    found = solve_ivp(flow, span, begin, method="Radau", rtol=tolerance, atol=tolerance, t_eval=times).y
    nodes = np.tile(plant.positions.ravel(), (times.size, 1))
    nodes[:, free] = found[: free.size].T
    return nodes.reshape(times.size, -1, 3)


def measure(
    duration: float = 0.5, names: Sequence[str] = (*OURS, RADAU), repeats: int = 3, accuracy: float = ACCURACY
) -> tuple[list[Result], float]:
    """The results, and how far the two most accurate runs, of different methods, are apart [m]."""
    settling = plant()
    rest = taut.balance(settling.structure, gravity=9.81, loads={"top1": LOAD}, tolerance=1e-12).structure.positions
    times = np.linspace(0.0, duration, 51)

    def ours(method: str, tolerance: float) -> np.ndarray:
        return taut.simulate(
            settling, duration, every=duration / 50, method=method, tolerance=tolerance, verify=False
        ).nodes

    exact = ours("implicit4", 1e-10)
    doubt = float(np.abs(ours("dp8", 1e-6) - exact).max())
    results = []
    for name in names:
        runner = partial(by_radau, settling, times) if name == RADAU else partial(ours, name)
        run, tolerance = _loosest(runner, exact, accuracy)
        spent = statistics.median(_seconds(partial(runner, tolerance)) for _ in range(repeats))
        error, left = float(np.abs(run - exact).max()), float(np.abs(run[-1] - rest).max())
        results.append(Result(name, spent, tolerance, error, left))
    return results, doubt


def _loosest(runner: Callable[[float], np.ndarray], exact: np.ndarray, accuracy: float) -> tuple[np.ndarray, float]:
    for tolerance in TOLERANCES:
        try:
            run = runner(tolerance)
        except TimeoutError:
            continue
        if run.shape == exact.shape and np.abs(run - exact).max() <= accuracy:
            break
    return run, tolerance


def _seconds(run: Callable[[], np.ndarray]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


@dataclass(frozen=True)
class Size:
    """One structure: members, CPU time [s] of an implicit3 step, and Newton iterations a stage."""

    kind: str
    members: int
    step: float
    iterations: float


KINDS = {"tower": tower, "planar lattice": planar, "lattice": filled}
STEP = 0.02


def measure_size(kind: str, members: int, steps: int = 4) -> Size:
    """Equal steps of a structure with a side wind on every seventh node."""
    made = KINDS[kind](members)
    wind = [taut.Load(node, "x", 0.05) for node in list(made.nodes)[::7]]
    plant = taut.assemble(made, loads=wind, damping=taut.Damping(node=1.0, stiffness=0.01))

    def run(count: int) -> tuple[float, taut.Trajectory]:
        begun, span = time.process_time(), count * STEP
        made = taut.simulate(plant, span, every=span, method="implicit3", step=STEP, tolerance=1e-6, verify=False)
        return time.process_time() - begun, made

    run(1)
    (short, _), (long, followed) = run(1), run(1 + steps)
    counts, stages = followed.counts, 3 * followed.counts["steps"]
    return Size(
        kind,
        len(made.bars) + len(made.cables),
        (long - short) / steps,
        (counts["evaluations"] - counts["steps"] - stages) / stages,
    )


def table(results: Sequence[Result], doubt: float) -> str:
    lines = [f"{'method':<12} {'CPU s':>9} {'of implicit3':>13} {'tolerance':>10} {'error m':>9} {'from rest m':>12}"]
    lines += [
        f"{r.name:<12} {r.seconds:>9.4f} {r.seconds / results[0].seconds:>13.1f} {r.tolerance:>10.0e} "
        f"{r.error:>9.1e} {r.from_rest:>12.1e}"
        for r in results
    ]
    return "\n".join([*lines, f"the exact motion, by implicit4 and by dp8, is known to {doubt:.1e} m"])


def size_table(sizes: Sequence[Size]) -> str:
    lines = [f"{'structure':<16} {'members':>8} {'CPU s/step':>11} {'us/member':>10} {'iterations/stage':>17}"]
    lines += [
        f"{s.kind:<16} {s.members:>8} {s.step:>11.4f} {1e6 * s.step / s.members:>10.2f} {s.iterations:>17.1f}"
        for s in sizes
    ]
    for kind in dict.fromkeys(s.kind for s in sizes):
        same = [s for s in sizes if s.kind == kind]
        first, last = same[0], same[-1]
        if last.members > first.members:
            growth = np.log(last.step / first.step) / np.log(last.members / first.members)
            lines.append(f"{kind}: a step's cost grows like members^{growth:.2f}")
    return "\n".join(lines)


def report() -> str:
    contest = f"{table(*measure())}\n\n{table(*measure(5.0, OURS[:3], repeats=1))}"
    sizes = [measure_size(kind, members) for kind in KINDS for members in (1000, 3000, 10_000)]
    return f"{contest}\n\n{size_table(sizes)}"


if __name__ == "__main__":
    print(report())
