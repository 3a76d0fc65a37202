"""The equations as printed: what they count, whether they have a root, whether Newton's method finds it (section 3)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_least, at_most
from taut.papers.prismatic import equations
from taut.papers.prismatic.cases import at_tensions, pull, unknowns_of
from taut.papers.prismatic.equations import ALL, COMPONENTS, MID_WEIGHT, NODES, PLATE_WEIGHT
from taut.papers.prismatic.tables import SIMULATED, SWAPPED, TABLE_2

STARTS, AWAY = 20, 0.01
"""Starts of Newton's method, and how far off they are in angles and place [rad, m]."""

MAGNITUDES = (MID_WEIGHT, PLATE_WEIGHT)
"""Weights mended, (10) and (14) as printed."""

RANK = 1e-6
"""Of the largest singular value: less counts as none."""

ROOT = 1e-6
"""[N m, N, m] What may be left at a root."""


def root(bench: Bench) -> np.ndarray:
    """q of the corrected equations at 90 N and 65 N."""
    return unknowns_of(at_tensions(bench, **SWAPPED))


def starts(bench: Bench, away: float = AWAY) -> list[np.ndarray]:
    """Around the root, forces as they are there."""
    ways = np.random.default_rng(0).normal(size=(STARTS, 18))
    ways *= away / np.linalg.norm(ways, axis=1)[:, None]
    return [root(bench) + np.append(way, np.zeros(4)) for way in ways]


def converged(bench: Bench, corrections: tuple[str, ...], away: float = AWAY) -> list[int]:
    """Steps of those starts from which Newton's method comes back."""
    found = [equations.newton(q, pull(**SWAPPED), corrections) for q in starts(bench, away)]
    return [steps for q, steps in found if steps >= 0 and np.abs(q - root(bench)).max() < 1e-8]


def _newton(bench: Bench) -> Measured:
    with np.errstate(all="ignore"):
        printed, near = converged(bench, MAGNITUDES), converged(bench, MAGNITUDES, 1e-4)
        mended = converged(bench, ALL)
    return Measured(
        float(len(printed)),
        "Weights are mended here, so that there is a root. A magnitude is zero where both components of the moment "
        "are: it is one equation in place of two and has no slope there, so that full steps go past the root however "
        "near they start. With the components of (7)-(9) across their bars, and without (14), Newton converges.",
        {
            "the same from 0.1 mm and 0.1 mrad": float(len(near)),
            "with components": float(len(mended)),
            "steps with components, at most": float(max(mended)),
        },
    )


def _count(bench: Bench) -> Measured:
    there = root(bench)
    near = starts(bench, 1e-6)[0]
    with_both = _upper_moments(there)
    return Measured(
        float(_rank(equations.jacobian(near, pull(**SWAPPED), MAGNITUDES))),
        "(14) says nothing that (19)-(21) do not: the moment about an upper joint is the bar across the force on its "
        "other end, which (19)-(21) make zero. What is missing is the second component of each moment in (10). Counted "
        "are singular values of dc/dq next to the root that are more than 1e-6 of the largest.",
        {
            "6 components of (14) and 9 of (19)-(21): independent": float(_rank(with_both)),
            "6 components of (10) instead of (10) and (14): independent of 22": float(
                _rank(equations.jacobian(there, pull(**SWAPPED)))
            ),
        },
    )


def _upper_moments(q: np.ndarray) -> np.ndarray:
    """(18, 22) slopes of T21 T22 T23 and of (19)-(21)."""
    step = q + 1j * equations.COMPLEX * np.eye(q.size)
    moments = equations.moments(step, pull(**SWAPPED)).imag[:, 3:].reshape(q.size, -1)
    forces = equations.residuals(step, pull(**SWAPPED)).imag[:, 9:18]
    return np.asarray(np.concatenate([moments, forces], axis=1).T / equations.COMPLEX)


def _rank(matrix: np.ndarray) -> int:
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int(np.count_nonzero(sizes > RANK * sizes[0]))


def left_over(q: np.ndarray, corrections: tuple[str, ...]) -> np.ndarray:
    """(34,) all moments by components and the other equations: zero where the 22 are, with the same sum of squares."""
    others = equations.residuals(q, pull(**SWAPPED), corrections)[..., 6:]
    moments = equations.moments(q, pull(**SWAPPED))
    return np.concatenate([moments.reshape(*q.shape[:-1], 18), others], axis=-1)


def upright(bench: Bench) -> list[np.ndarray]:
    """Ten starts with vertical upper bars, under a plate of any height and twist."""
    drawn, found = np.random.default_rng(1), []
    for _ in range(10):
        q = root(bench).copy()
        q[:6], q[6:12] = drawn.uniform(-0.6, 0.6, 6), 0.0
        q[14], q[17], q[18:] = drawn.uniform(1.0, 1.9), drawn.uniform(-np.pi, np.pi), drawn.uniform(20.0, 250.0, 4)
        found.append(q)
    return found


def nearest(begun: list[np.ndarray], corrections: tuple[str, ...]) -> float:
    """The least norm of what they leave that least squares finds from these starts [N m, N, m]."""

    def left(q: np.ndarray) -> np.ndarray:
        return left_over(q, corrections)

    def slopes(q: np.ndarray) -> np.ndarray:
        return np.asarray(left(q + 1j * equations.COMPLEX * np.eye(q.size)).imag.T / equations.COMPLEX)

    found = [least_squares(left, q, slopes, x_scale="jac", max_nfev=200) for q in begun]
    return min(float(np.linalg.norm(one.fun)) for one in found)


def _root(bench: Bench) -> Measured:
    robot = equations.ROBOT
    lost = (robot.node_mass + robot.bar_mass / 2.0) + (robot.node_mass + robot.bar_mass)
    tilt = np.linalg.norm(np.cross(_bar(bench), [0.0, 0.0, 1.0]))
    near = starts(bench, 0.05)[:10]
    return Measured(
        nearest(near, ()),
        "(11)-(13) have the weight (m_n + m_L/2) g on the lower ends of the upper bars, (19)-(21) have - (m_n + m_L) g "
        "on the same nodes. Both can hold only where all upper bars are vertical; elsewhere they differ by a moment of "
        "(2 m_n + 3/2 m_L) g times the bar's tilt. With + (m_n + m_L/2) g in (19)-(21) there is a root; (15) leaves "
        "out the upper halves of three bars, 3/2 m_L g, which shifts it.",
        {
            "from ten starts with vertical upper bars": nearest(upright(bench), ()),
            "with + (m_n + m_L/2) g in (19)-(21)": nearest(near, (MID_WEIGHT,)),
            "with 3/2 m_L g in (15), too": nearest(near, (MID_WEIGHT, PLATE_WEIGHT)),
            "with 3/2 m_L g in (15) alone": nearest(near, (PLATE_WEIGHT,)),
            "moment by which (11) and (20) differ at the posture [N m]": float(lost * robot.gravity * tilt),
            "shift of the root by (15) [m]": _shift(bench),
        },
    )


def _bar(bench: Bench) -> np.ndarray:
    """From 1b to 21 [m]."""
    n = equations.nodes(root(bench))
    return np.asarray(n["21"] - n["1b"])


def _shift(bench: Bench) -> float:
    light, _ = equations.newton(root(bench), pull(**SWAPPED), (COMPONENTS, MID_WEIGHT))
    here, there = equations.nodes(root(bench)), equations.nodes(light)
    return max(float(np.linalg.norm(there[node] - here[node])) for node in NODES)


def _handed(bench: Bench) -> Measured:
    radius, angle = equations.ROBOT.side / np.sqrt(3.0), -2.0 * np.pi / 3.0
    about_z = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])  # as (2) has it
    return Measured(
        float((about_z @ [radius, 0.0])[1]),
        "e^(k theta) of (2) is the transpose of a right-handed turn, unlike e^(i theta) and e^(j theta) beside it: "
        "with it (3) puts node 02 where Table 2 has 03. Plate angles of (5) need the transpose to come out as in "
        "Table 2. Taken right-handed, with plate angles of 60, 180 and -60 deg, both are right.",
        {
            "node 02 by (3), right-handed [m]": float((about_z.T @ [radius, 0.0])[1]),
            "azimuths of 21, 22, 23 in Table 2 [deg]": ", ".join(
                f"{np.degrees(np.arctan2(y, x)):.0f}" for x, y, _ in SIMULATED[9:]
            ),
        },
    )


def _guess(bench: Bench) -> Measured:
    robot, force = equations.ROBOT, root(bench)[18]
    weight = (robot.plate_mass / 3.0 + robot.bar_mass + robot.node_mass) * robot.gravity
    told = SWAPPED["active"] + SWAPPED["passive"] + weight
    return Measured(
        float(told / force),
        "The forces of the upper bars follow from the other equations; (16) can only be where Newton starts. It takes "
        "wires as if they ran along the bar, and s_a1 with f21, though it is a2 that ends at node 21.",
        {"f21 by (16) [N]": float(told), "f21 of the posture [N]": float(force)},
    )


def _springs(bench: Bench) -> Measured:
    stiffness, initial = equations.ROBOT.spring, SWAPPED["passive"] / equations.ROBOT.spring
    here, aside = equations.nodes(root(bench)), equations.nodes(starts(bench)[0])
    before, after = (equations.passive_lengths(n) for n in (here, aside))
    printed, meant = (equations.passive_tensions(aside, own, initial) - stiffness * initial for own in (after, before))
    wire = int(np.argmax(np.abs(after - before)))
    return Measured(
        float(printed[wire] / (after - before)[wire]) + 0.0,
        "l_p in (18) is defined by (17) as the very sum it is taken from, so that s_p = k_p l_pi whatever the posture: "
        "a constant. The length at the initial posture is meant.",
        {"with the initial length [N/m]": float(meant[wire] / (after - before)[wire])},
    )


def _states(bench: Bench) -> Measured:
    found = at_tensions(bench, **SWAPPED)
    bars, nodes = len(found.structure.bars), len(found.structure.nodes)
    return Measured(
        18.0 / (3.0 * nodes),
        "72 counts positions and velocities of twelve nodes, three of them held; 22 counts positions and four forces, "
        "and no velocities. Positions alone are 18 against 36, or 27 that move. Statics by nodes asks for those 27 "
        "and for ten forces of bars, plate and saddle, by equations without angles.",
        {
            "states of 12 per bar": 12.0 * bars,
            "18 angles and places with their rates": 36.0,
            "unknowns of the equations of nodes": 37.0,
        },
    )


CLAIMS = (
    Claim(
        "sec1-states",
        "section 1",
        "22 variables do in place of the 72 states of twelve for each bar: unknowns here / unknowns of nodes.",
        22.0 / 72.0,
        "ratio",
        about(0.1),
        _states,
    ),
    Claim(
        "eq2-handed",
        "eqs. (2), (3)",
        "Node 02 of the base by eq. (3) is that of Table 2: its y.",
        float(TABLE_2[1, 1]) / 1e3,
        "m",
        about(0.01),
        _handed,
    ),
    Claim(
        "sec3-count",
        "section 3.2",
        "22 equations determine 22 unknowns: how many are independent.",
        22.0,
        "equations",
        at_least(),
        _count,
    ),
    Claim(
        "eq10-newton",
        "eqs. (10), (14)",
        f"Newton-Raphson converges with the magnitudes of moments, in 20 steps: from {STARTS} starts {100 * AWAY:g} "
        f"cm and {1e3 * AWAY:g} mrad off.",
        float(STARTS),
        f"of {STARTS} starts",
        at_least(),
        _newton,
    ),
    Claim(
        "eq19-root",
        "eqs. (11)-(21)",
        "The equations have a root: norm of what is left of all of them, the least over ten starts.",
        ROOT,
        "N m, N, m",
        at_most(),
        _root,
    ),
    Claim(
        "eq16-force",
        "eq. (16)",
        "The force of an upper bar is nearly the tensions at its head and the weight above it, to start Newton with: "
        "by (16) / at the posture.",
        1.0,
        "ratio",
        about(0.1),
        _guess,
    ),
    Claim(
        "eq18-springs",
        "eqs. (17), (18)",
        "Passive wires pull as springs of 1800 N/m do: slope of (18) with (17).",
        1800.0,
        "N/m",
        about(0.01),
        _springs,
    ),
)

PICTURES = ()
