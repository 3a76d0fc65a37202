"""Velocity filtering and configuration corrections (eqs. (29)-(37)) after steps of RK4: taut's own correction `filter`
on the mechanism in joints, and beside it the same steps written out on the paper's own equations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, about, at_most
from taut.papers.drawing import panels
from taut.papers.mechanism.cases import EVERY, imposed, middle, sides
from taut.papers.mechanism.equations import BEGIN, DRIVEN, FREE, OVER, C, points, solved, start, terms
from taut.papers.mechanism.equations import imposed as angles_at
from taut.papers.paper import Picture
from taut.structure.corrections import Correction

STEPS = (0.01, 0.002, 0.0005)
"""[s]"""

UNTIL, COMPARED = 4.0, 0.02
"""[s] The end of these runs, and between the samples that are compared."""

ORDERS = {"as printed": "as-printed", "without step 3": "rates-first", "position first": "positions-first"}
"""Steps 3, 5, 6 of section 4.1; 5, 6; and 6, 5; as `Correction` has them."""

ROUNDS = 20
"""Of eq. (37)."""


def case(step: float, order: str) -> Case:
    """The imposed motion by RK4, corrected after every step."""
    made = imposed("joints")
    scenario = replace(
        made.scenario,
        duration=UNTIL,
        every=COMPARED,
        method="rk4",
        step=step,
        correction=Correction("filter", tolerance=1e-16, iterations=ROUNDS, order=ORDERS[order]),
    )
    return replace(made, name=f"mechanism-rk4-{step:g}-{ORDERS[order]}", scenario=scenario)


def errors(bench: Bench, order: str) -> dict[float, tuple[float, float, float]]:
    """Step -> largest error of x [m], violations of constraints [m^2] and of their rates [m^2/s] in samples."""
    every = round(COMPARED / EVERY)
    truth = middle(bench.run(imposed()))[: round(UNTIL / EVERY) + 1 : every]
    found = {}
    for step in STEPS:
        run = bench.run(case(step, order))
        phi, rate = sides(run)
        found[step] = float(np.abs(middle(run) - truth).max()), float(np.abs(phi).max()), float(np.abs(rate).max())
    return found


def observed_order(found: dict[float, tuple[float, float, float]], steps: tuple[float, float]) -> float:
    coarse, fine = steps
    return float(np.log(found[coarse][0] / found[fine][0]) / np.log(coarse / fine))


# --- the same, written out on the paper's equations


def inverse(rows: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Gamma_q^+ of eq. (36)."""
    lifted = np.linalg.solve(mass[FREE, FREE], rows[:, FREE].T)
    return np.asarray(lifted @ np.linalg.inv(rows[:, FREE] @ lifted))


def filtered(q: np.ndarray, rate: np.ndarray, angles: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """q' by eq. (35): what violates the constraints' rates taken away, the shortest way by mass."""
    found = terms(np.concatenate([q, angles]), np.concatenate([rate, turn]))
    away = inverse(found.rows, found.mass) @ (found.rows[:, FREE] @ rate + found.rows[:, DRIVEN] @ turn)
    return np.asarray(rate - away)


def corrected(q: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """q by eq. (37), so many rounds or until it is at round-off."""
    for _ in range(ROUNDS):
        found = terms(np.concatenate([q, angles]), np.zeros(12))
        if np.abs(found.phi).max() < 1e-15:
            break
        q = q - inverse(found.rows, found.mass) @ found.phi
    return q


def written_out(step: float, order: str) -> np.ndarray:
    """x at samples after t = 1 s, by RK4 and the steps of section 4.1 on the paper's equations."""
    q, rate, seen = start(), np.zeros(9), list[np.ndarray]()

    def slope(t: float, q: np.ndarray, rate: np.ndarray, late: bool) -> np.ndarray:
        angles, turn, turning = angles_at(min(t, OVER) if not late else t)
        if late:
            turn, turning = np.zeros(3), np.zeros(3)
        return solved(terms(np.concatenate([q, angles]), np.concatenate([rate, turn])), turning)[0]

    for k in range(round((UNTIL - BEGIN) / step)):  # it rests until then
        t = BEGIN + k * step
        late = t >= OVER - 1e-9
        before = q
        a1 = slope(t, q, rate, late)
        a2 = slope(t + 0.5 * step, q + 0.5 * step * rate, rate + 0.5 * step * a1, late)
        a3 = slope(t + 0.5 * step, q + 0.5 * step * rate + 0.25 * step**2 * a1, rate + 0.5 * step * a2, late)
        a4 = slope(t + step, q + step * rate + 0.5 * step**2 * a2, rate + step * a3, late)
        q = q + step * rate + step**2 * (a1 + a2 + a3) / 6.0
        rate = rate + step * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0
        angles, turn, _ = angles_at(t + step)
        if late or t + step >= OVER - 1e-9:
            turn = np.zeros(3)
        if order == "as printed":
            rate = filtered(before, rate, angles_at(t)[0], turn)  # Gamma(u_s), with the new rates
        if order == "position first":
            q = corrected(q, angles)
        rate = filtered(q, rate, angles, turn)
        if order != "position first":
            q = corrected(q, angles)
        if (k + 1) % round(COMPARED / step) == 0:
            seen.append(points(np.concatenate([q, angles]))[C].mean(axis=0))
    return np.array(seen)


def on_the_papers_equations(bench: Bench, order: str) -> tuple[float, float]:
    """[m] The error of x written out so, with the longest step, and how far it is from x by taut's correction: angles
    are known exactly within a step there, and followed by RK4 here."""
    step, first, every = STEPS[0], round(BEGIN / COMPARED) + 1, round(COMPARED / EVERY)
    own = bench.once(f"RK4 {step:g} s on the paper's equations, {order}", lambda: written_out(step, order))
    truth = middle(bench.run(imposed()))[: round(UNTIL / EVERY) + 1 : every][first:]
    ours = middle(bench.run(case(step, order)))[first:]
    return float(np.abs(own - truth).max()), float(np.abs(own - ours).max())


def _order(bench: Bench) -> Measured:
    found = {order: errors(bench, order) for order in ORDERS}
    written = {order: on_the_papers_equations(bench, order) for order in ORDERS}
    return Measured(
        observed_order(found["as printed"], STEPS[-2:]),
        "Step 3 filters the new rates by the positions before, which they do not belong to: what it takes away is no "
        "error, and of the size of the step. Left out, the method has the order of RK4 again.",
        {
            **{f"error of x, step {h:g} s, {word} [m]": found[word][h][0] for word in ORDERS for h in STEPS},
            "order without step 3": observed_order(found["without step 3"], STEPS[:2]),
            "order with the position first": observed_order(found["position first"], STEPS[:2]),
            **{f"the paper's equations, step 0.01 s, {word} [m]": one for word, (one, _) in written.items()},
            **{f"x of the two apart, step 0.01 s, {word} [m]": one for word, (_, one) in written.items()},
        },
    )


def _left(bench: Bench) -> Measured:
    found = {order: errors(bench, order)[STEPS[0]] for order in ORDERS}
    return Measured(
        found["as printed"][2],
        "Rates are filtered before positions are corrected, so they fit the positions before the correction. The other "
        "way about, both are at round-off.",
        {
            **{f"rates, {word} [m^2/s]": one[2] for word, one in found.items()},
            **{f"positions, {word} [m^2]": one[1] for word, one in found.items()},
        },
    )


CLAIMS = (
    Claim(
        "sec4-order",
        "section 4.1, steps 1-6",
        "Filtering and correcting leave the time integration as it is: of the fourth order with RK4.",
        4.0,
        "order",
        about(0.1),
        _order,
    ),
    Claim(
        "sec4-filtered",
        "section 4.2.2",
        "Rates of constraints are met to the order of 1e-5 by the steps as printed, here with RK4 and 0.01 s.",
        1e-5,
        "m^2/s",
        at_most(),
        _left,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["largest error of x"], 1)
    for order in ORDERS:
        axes.loglog(STEPS, [one[0] for one in errors(bench, order).values()], marker=".", linewidth=0.8, label=order)
    axes.set_xlabel("step [s]")
    axes.set_ylabel("[m]")
    axes.legend(fontsize=8)


PICTURES = (
    Picture("filtering", "Section 4.1: what step 3 costs.", ("sec4-order", "sec4-filtered"), _draw, (5.0, 3.2)),
)
