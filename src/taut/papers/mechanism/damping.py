"""How the locked mechanism rings at psi_F, and what damps it (section 4.2.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.control.linearising import linearise
from taut.mechanics.assemble import assemble
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least, at_most
from taut.papers.drawing import panels
from taut.papers.mechanism.cases import imposed, middle
from taut.papers.mechanism.model import AT_END, DAMPING, in_nodes
from taut.papers.paper import Picture

TRIED = tuple(float(c) for c in (25, 50, 75, 100, 150, 200, 225, 250, 275, 300, 350, 400, 600, 800))
"""[N s/m] of springs."""


def poles(damping: float = DAMPING, joint_damping: float = 0.0) -> np.ndarray:
    """[1/s] Of small motions at psi_F with locked actuators."""
    return linearise(assemble(in_nodes(AT_END, damping=damping, joint_damping=joint_damping))).poles


def slowest(bench: Bench, damping: float = DAMPING, joint_damping: float = 0.0) -> float:
    """[1/s] How fast the slowest motion decays."""
    name = f"slowest decay, dampers {damping:g}, joints {joint_damping:g}"
    return -bench.once(name, lambda: float(poles(damping, joint_damping).real.max()))


def _ratios(bench: Bench) -> Measured:
    found = bench.once("poles at psi_F", poles)
    swinging = found[found.imag > 1e-9]
    ratios = np.sort(-swinging.real / np.abs(swinging))
    slow = found[np.argmax(found.real)]
    return Measured(
        float(ratios[0]),
        "Five of the six motions swing, three of them with less than a third of critical damping.",
        {
            "damping ratios": ", ".join(f"{ratio:.2f}" for ratio in ratios),
            "slowest motion [1/s]": f"{slow.real:.3f} +- {abs(slow.imag):.3f}i",
            "the same from the end of the run [1/s]": "{:.3f} +- {:.3f}i".format(*_observed(bench)),
        },
    )


def _observed(bench: Bench) -> tuple[float, float]:
    """Decay and frequency of the slowest motion, fitted to x of the imposed run from 6 s to 10 s."""
    run = bench.run(imposed())
    late = run.time >= 6.0
    found = _fitted(run.time[late] - 6.0, middle(run)[late] - middle(run)[-1])
    return float(found.real), float(abs(found.imag))


def _fitted(time: np.ndarray, values: np.ndarray, order: int = 4) -> complex:
    """The slowest of what swings and decays, by linear prediction (Prony's method); what is constant is left out."""
    skip = 5
    changes = np.diff(values, axis=0)
    past = [changes[k * skip : len(changes) - (order - k) * skip].ravel() for k in range(order + 1)]
    weights = np.linalg.lstsq(np.stack(past[:-1], axis=1), past[-1], rcond=None)[0]
    roots = np.roots([1.0, *-weights[::-1]]).astype(complex)
    rates = np.log(roots) / (skip * (time[1] - time[0]))
    swinging = rates[np.abs(rates.imag) > 1.0]
    return complex(swinging[np.argmax(swinging.real)])


def _best(bench: Bench) -> Measured:
    found = {c: slowest(bench, c) for c in TRIED}
    best = max(found, key=lambda c: found[c])
    return Measured(
        found[best] / found[DAMPING],
        f"Of those tried, {best:g} N s/m is best; more of it holds what was to move, and it decays more slowly again.",
        {f"slowest decay with {c:g} N s/m [1/s]": found[c] for c in (50.0, 100.0, 200.0, 250.0, 300.0, 400.0, 800.0)},
    )


def _joints(bench: Bench) -> Measured:
    return Measured(
        slowest(bench, joint_damping=40.0) / slowest(bench),
        beside={
            "slowest decay without [1/s]": slowest(bench),
            **{
                f"with {c:g} N m s/rad about alpha and beta [1/s]": slowest(bench, joint_damping=c)
                for c in (10.0, 40.0, 80.0)
            },
        },
    )


CLAIMS = (
    Claim(
        "fig3-underdamped",
        "Fig. 3, section 4.2.2",
        "The mechanism is underdamped: the least damping ratio at psi_F is far below one, at most 0.2.",
        0.2,
        "damping ratio",
        at_most(),
        _ratios,
    ),
    Claim(
        "sec4-dampers",
        "section 4.2.2, section 5",
        "Dampers in the springs work poorly because of where the springs are: whatever their size, the slowest motion "
        "decays at most 3 times as fast as with c_d = 100.",
        3.0,
        "decay ratio",
        at_most(),
        _best,
    ),
    Claim(
        "sec4-joints",
        "section 4.2.2, section 5",
        "Rotational damping in the universal joints would solve it: with 40 N m s/rad the slowest motion decays at "
        "least twice as fast.",
        2.0,
        "decay ratio",
        at_least(),
        _joints,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    left, right = panels(figure, ["dampers in springs", "dampers in universal joints"])
    left.plot(TRIED, [slowest(bench, c) for c in TRIED], marker=".", linewidth=0.8)
    left.set_xlabel("c_d [N s/m]")
    about = (0.0, 10.0, 20.0, 40.0, 60.0, 80.0)
    right.plot(about, [slowest(bench, joint_damping=c) for c in about], marker=".", linewidth=0.8)
    right.set_xlabel("about alpha and beta [N m s/rad]")
    for axes in (left, right):
        axes.set_ylabel("slowest decay [1/s]")


PICTURES = (
    Picture(
        "damping",
        "Section 4.2.2: how fast the slowest motion at psi_F decays.",
        ("fig3-underdamped", "sec4-dampers", "sec4-joints"),
        _draw,
    ),
)
