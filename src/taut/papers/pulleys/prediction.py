"""The thesis's wish: near-rigid control beside linear model predictive control, on both machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.pulleys.controlled_runs import STRESS, Controlled
from taut.papers.pulleys.predictive_cases import LAWS, MODULUS, SIZES, compared_task

AXIS = 1
"""psi of the strut, y of the manipulator."""


def _compared(machine: str, size: float) -> Callable[[Bench], Measured]:
    def measure(bench: Bench) -> Measured:
        runs: dict[str, Controlled] = {law: bench.made(compared_task(machine, law, size)) for law in LAWS}
        beside: dict[str, float | str] = {}
        for law, run in runs.items():
            beside[f"{law}, largest error"] = float(run.worst.max()) if run.lost > run.time[-1] else float("inf")
            beside[f"{law}, least strain of eps_0"] = float(run.strain.min() * MODULUS / STRESS)
            if run.lost <= run.time[-1]:
                beside[f"{law}, lost after [s]"] = run.lost
        ours = float(beside["predictive, largest error"]) / float(beside["near-rigid, largest error"])
        return Measured(
            ours,
            "Near-rigid control at 1 kHz knows the machine in every posture; the predictive one, at 100 Hz, small "
            "motions about the start. A question of ours.",
            beside,
        )

    return measure


CLAIMS = tuple(
    Claim(
        f"predictive-{machine}-{'small' if size == min(sizes) else 'far'}",
        "conclusion",
        f"To {size:.2g} {unit} and to rest: error of linear predictive control over that of near-rigid control.",
        1.0,
        "times",
        at_least(),
        _compared(machine, size),
        tasks=tuple(compared_task(machine, law, size) for law in LAWS),
    )
    for (machine, sizes), unit in zip(SIZES.items(), ("rad", "m"), strict=True)
    for size in sizes
)


def _draw(bench: Bench, figure: Any) -> None:
    axes = panels(figure, [f"{machine}, {size:.2g}" for machine, sizes in SIZES.items() for size in sizes])
    for axis, (machine, size) in zip(axes, [(m, s) for m, sizes in SIZES.items() for s in sizes], strict=True):
        for law in LAWS:
            run: Controlled = bench.made(compared_task(machine, law, size))
            kept = run.time <= run.lost
            curves(axis, run.time[kept], {law: run.error[kept, AXIS]}, "error [rad], [m]")


PICTURES = (
    Picture(
        "predictive",
        "Near-rigid and linear predictive control: errors of psi and of y",
        tuple(claim.id for claim in CLAIMS),
        _draw,
        (7.0, 5.0),
    ),
)
