"""What the paper's linear system says of small motions, and what it leaves out (eqs. (49) and (59))."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.control.linear_model import LinearModel
from taut.control.linearising import linearise
from taut.control.responses import doublet_response
from taut.mechanics.assemble import assemble
from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.stedy.cases import SHORT, upper_nodes
from taut.papers.stedy.soft import doublet_case, sprung
from taut.statics.balancing import balance
from taut.structure.generators import tbar

PUSH, WIDTH = 0.01, 1.0
"""Of a doublet [N, s] so small that everything is linear: nodes move by less than a millimetre."""

COORDINATES = ["node:n3.xz", "node:n4.xz"]
PASSIVE, FIXED = "rest_length", "all_force_densities"
"""What is held: rest lengths, so that forces answer to motion; or force densities, sigma and Psi, as in (49), (59)."""


def small_case() -> Case:
    """The T-bar with bars of HDPE where it stands, pushed a little."""
    return doublet_case("tbar-HDPE-small-doublet", balance(sprung("HDPE")).structure, PUSH, WIDTH)


def model(held: str) -> LinearModel:
    return linearise(assemble(small_case().structure), inputs="node:n3.z", outputs=COORDINATES, held=held)


def answers(bench: Bench) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """How x3 z3 x4 z4 answer to the push: by the whole equations, and by both linear models, (T, 4) [m]."""
    places = upper_nodes(bench.run(small_case()))
    linear = {
        held: doublet_response(model(held), SHORT[0], amplitude=PUSH, width=WIDTH, every=SHORT[1]).output[:, :, 0]
        for held in (PASSIVE, FIXED)
    }
    return places - places[0], linear


def _frequencies(found: LinearModel) -> str:
    return ", ".join(f"{value:.4g}" for value in np.sort(np.abs(found.poles))[::2])


def _small(bench: Bench) -> Measured:
    whole, linear = answers(bench)
    off = {held: float(np.abs(line - whole).max() / np.abs(whole).max()) for held, line in linear.items()}
    rigid = assemble(balance(tbar()).structure)
    return Measured(
        off[FIXED],
        "A in (59) has the force densities sigma and Psi fixed. That is right where a control sets them, which is what "
        "B is for, but a passive string or bar pulls harder as it stretches: without d sigma/dq and d Psi/dq there is "
        "no material stiffness in A, though K_sys of section 3.2 has it. The bars' ringing and the swing of the whole "
        "are lost; so it is with (49) for rigid bars.",
        {
            "the same with d sigma/dq and d Psi/dq": off[PASSIVE],
            "|poles| of (59) [rad/s]": _frequencies(model(FIXED)),
            "|poles| with d sigma/dq and d Psi/dq [rad/s]": _frequencies(model(PASSIVE)),
            "rigid bars, |poles| of (49) [rad/s]": _frequencies(linearise(rigid, held=FIXED)),
            "rigid bars, |poles| with d sigma/dq [rad/s]": _frequencies(linearise(rigid)),
        },
    )


CLAIMS = (
    Claim(
        "eq59-small",
        "eqs. (49), (59)",
        "The linear system tells small motions about an equilibrium: here the answer to a doublet of 0.01 N over 10 s, "
        "HDPE, worst difference / largest deviation.",
        0.01,
        "error ratio",
        at_most(),
        _small,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    whole, linear = answers(bench)
    time = bench.run(small_case()).time
    left, right = panels(figure, ["node 3, z", "the same, closer"])
    lines = {"whole equations": whole, "with d sigma/dq": linear[PASSIVE], "eq. (59)": linear[FIXED]}
    for axes in (left, right):
        curves(axes, time, {word: line[:, 1] for word, line in lines.items()}, "deviation [m]")
        axes.lines[1].set_linestyle((0, (4, 4)))  # it lies on the first
    span = 1.2 * np.abs(whole[:, 1]).max()
    right.set_ylim(-span, span)


PICTURES = (
    Picture(
        "eq59",
        "Eq. (59): a small doublet on the T-bar with bars of HDPE; what the printed system makes of it.",
        ("eq59-small",),
        _draw,
    ),
)
