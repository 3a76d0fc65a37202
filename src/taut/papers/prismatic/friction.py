"""The paper's own explanations of its differences, tried: friction at guides, and springs in passive wires."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least
from taut.papers.drawing import curves, panels
from taut.papers.paper import Picture
from taut.papers.prismatic import equations
from taut.papers.prismatic.cases import at_tensions, postures_along, rubbing, sinusoids, unknowns_of
from taut.papers.prismatic.equations import NODES
from taut.papers.prismatic.tables import MEASURED, SIMULATED, SWAPPED, TABLE_1, TABLE_3, apart
from taut.statics.friction import friction_bounds

COEFFICIENTS, USUAL = (0.05, 0.1, 0.2), 0.1
AT = NODES.index("21")


def turned(bench: Bench, active: float, passive: float) -> dict[str, float]:
    """The angle by which a guide turns an active wire, a passive one and the saddle, the least of its guides [rad]."""
    told = friction_bounds(at_tensions(bench, active, passive))
    by_wire = {name: told.turned[[cable == name for cable in told.cable]] for name in ("a1", "p1", "saddle")}
    return {
        "a1": float(by_wire["a1"][1]),
        "p1": float(by_wire["p1"][1]),
        "saddle": float(by_wire["saddle"][[1, 5]].min()),
    }


def rubbed(bench: Bench, active: float, passive: float, friction: float) -> np.ndarray:
    """(8, n, 3) [m] postures in which active wires, passive ones and the saddle are about to slip.

    All wires of a kind do so alike, one way or the other, so that the robot stays upright; tensions below the guides
    are as given, and angles at the guides as without friction.
    """

    def found() -> np.ndarray:
        angle, places = turned(bench, active, passive), []
        for ways in product((-1.0, 1.0), repeat=3):
            q = unknowns_of(at_tensions(bench, active, passive))
            for share in (0.25, 0.5, 0.75, 1.0):
                a, p, s = (share * friction * angle[name] * way for name, way in zip(angle, ways, strict=True))
                saddle = np.exp(np.tile([s, -s], 3) / 2.0)
                q, steps = equations.newton(q, equations.Pull(_cut(active, a), _cut(passive, p), saddle))
                if steps < 0:
                    break
            else:
                told = equations.nodes(q)
                places.append([told[name] for name in NODES])
        return np.array(places)

    return bench.once(f"postures with friction {friction:g} at {active:g} and {passive:g} N", found)


def _cut(tension: float, slip: float) -> np.ndarray:
    """(3, 2) [N] above and below the guides."""
    return np.tile([tension * np.exp(slip), tension], (3, 1))


def _rest(bench: Bench) -> Measured:
    tensions = {key: TABLE_1[key] for key in SWAPPED}
    here = at_tensions(bench, **tensions).structure.positions
    beside: dict[str, float | str] = {
        f"turn of the {words} at a guide [deg]": float(np.degrees(turned(bench, **tensions)[name]))
        for name, words in (("a1", "active wires"), ("p1", "passive wires"), ("saddle", "saddle"))
    }
    for friction in COEFFICIENTS:
        places = rubbed(bench, **tensions, friction=friction)
        beside |= {
            f"friction {friction:g}: postures found, of 8": float(len(places)),
            f"friction {friction:g}: nodes move by up to [m]": max(apart(one, here) for one in places),
            f"friction {friction:g}: nearest the simulated column [m]": min(apart(one, SIMULATED) for one in places),
            f"friction {friction:g}: nearest the measured column [m]": min(apart(one, MEASURED) for one in places),
        }
    return Measured(
        max(apart(one, here) for one in rubbed(bench, **tensions, friction=USUAL)),
        f"At a friction of {USUAL:g}, tensions of Table 1, the worst of eight ways in which all wires of a kind are "
        "about to slip alike. So friction can be as large as the differences of Table 2; it could be the other way "
        "as well, as tensions at the motors do not say where within its bounds a wire stands. The saddle turns most "
        "at its guides. With a friction of 0.2 even Table 1 could come near Table 2, but its simulated column has "
        "none.",
        beside,
    )


def _springs(bench: Bench) -> Measured:
    springs, constant = postures_along(bench, "spring"), postures_along(bench, "tension")
    return Measured(
        float(np.linalg.norm(springs - constant, axis=2)[0].max()),
        "At the initial posture a spring pulls with its initial tension: nothing is different there. In motion it is: "
        "see the numbers beside.",
        {"the same in motion, worst of all nodes [m]": float(np.linalg.norm(springs - constant, axis=2).max())},
    )


def path(bench: Bench, friction: float) -> np.ndarray:
    """(T, 3) of node 21 [m]."""
    return bench.run(rubbing(friction)).nodes[:, AT]


def _motion(bench: Bench) -> Measured:
    smooth = path(bench, 0.0)
    off = {friction: np.linalg.norm(path(bench, friction) - smooth, axis=1) for friction in COEFFICIENTS}
    return Measured(
        float(off[USUAL].mean()),
        f"Node 21 with a friction of {USUAL:g} at the guides of active and passive wires, against none; the saddle "
        "has none here, as a held length has one tension. The robot is so soft against swaying that tensions a few "
        "per cent apart move it by as much as the winches do, whatever the coefficient. So friction is far more than "
        "enough, and a model without it would not come so near as Table 3 says unless the guides have next to none.",
        {
            **{f"friction {friction:g}: worst [m]": float(one.max()) for friction, one in off.items()},
            **{f"friction {friction:g}: mean [m]": float(one.mean()) for friction, one in off.items()},
            "active wires of 50 kN/m instead of held lengths, no friction: worst [m]": float(
                np.linalg.norm(smooth - bench.run(sinusoids()).nodes[:, AT], axis=1).max()
            ),
        },
    )


CLAIMS = (
    Claim(
        "sec4-friction",
        "section 4.1",
        "Friction that was left out is likely to explain the differences of Table 2: how far it moves the nodes, root "
        "mean square of the nine.",
        apart(SIMULATED, MEASURED),
        "m",
        at_least(),
        _rest,
    ),
    Claim(
        "sec4-constant",
        "section 4.1",
        "So are passive tensions that were taken as constant: how far springs move the nodes of Table 2.",
        apart(SIMULATED, MEASURED),
        "m",
        at_least(),
        _springs,
    ),
    Claim(
        "fig11-friction",
        "Fig. 11, Table 3",
        "Friction can explain how far node 21 is off on average in motion.",
        TABLE_3["21"] / 1e3,
        "m",
        at_least(),
        _motion,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    run = bench.run(sinusoids())
    lines = {
        "springs, moving": run.nodes[:, AT],
        "springs, at rest": postures_along(bench, "spring")[:, AT],
        "constant, at rest": postures_along(bench, "tension")[:, AT],
        f"friction {COEFFICIENTS[0]:g}": path(bench, COEFFICIENTS[0]),
        f"friction {COEFFICIENTS[-1]:g}": path(bench, COEFFICIENTS[-1]),
    }
    for axis, axes in enumerate(panels(figure, ["x of node 21", "y of node 21"], columns=1)):
        curves(axes, run.time, {name: 1e3 * line[:, axis] for name, line in lines.items()}, "[mm]")


PICTURES = (
    Picture(
        "fig11",
        "Fig. 11: node 21 over time with springs in passive wires, moving and at rest; with constant passive "
        "tensions, as in the paper's equations; and moving with friction.",
        ("fig11-friction", "sec4-constant", "table3-node21", "sec3-inertia"),
        _draw,
        (8.0, 5.5),
    ),
)
