"""Sections 2, 3, 6.2, 6.3, appendices A.1, A.2: coordinates, kinetic energy, gradients, each against a derivative."""

from __future__ import annotations

import math

import numpy as np

from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, about, at_least, at_most
from taut.papers.paper import Picture
from taut.papers.rolling.cases import LENGTH, MASS, NODE_MASS, STIFFNESS, moving, robot
from taut.statics.self_stress import counts

TINY = 1e-30
"""Of complex steps: derivatives without cancellation."""

GRADIENT = 1e-9
"""To which a printed gradient has to agree with the derivative of its potential, relative to its size."""


def _members(bench: Bench) -> Measured:
    found = counts(robot())
    return Measured(
        float(found.self_stress_states),
        "With struts in three parallel pairs half a strut apart, of 24 cables of one length; struts that met in the "
        "middle would need none. q_strut = -1.5 q_cable.",
        {
            "rank of the equilibrium matrix": float(found.rank),
            "mechanisms beside the six rigid motions": float(found.mechanisms),
            "force of a strut over that of a cable": -math.sqrt(6.0),
        },
    )


def _edges(bench: Bench) -> Measured:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(robot().positions)
    sides = {tuple(sorted((int(one[k]), int(one[k - 1])))) for one in hull.simplices for k in range(3)}
    return Measured(
        float(len(sides)),
        "An icosahedron has 30 edges; six of them join the ends of parallel struts, and no cable lies there. Cables "
        "on all of them are another structure.",
        {"of them cables of the robot": 24.0},
    )


def _freedoms(bench: Bench) -> Measured:
    return Measured(9.0, "Six translations and three rotations. R^3 x SO(3) has the six that are meant.")


def _turned(angles: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(angles).as_matrix())


def _frame(bench: Bench) -> Measured:
    """d/dt of R exp(t W) l, with W fixed in the body as R' = R W says, by differences."""
    draw = np.random.default_rng(1)
    turn, spin, arm = draw.normal(size=3), draw.normal(size=3), np.array([0.0, 0.0, LENGTH / 2.0])
    tick = 1e-6
    ahead, behind = (_turned(turn) @ _turned(sign * tick * spin) @ arm for sign in (1.0, -1.0))
    true = (ahead - behind) / (2.0 * tick)
    printed = np.cross(spin, _turned(turn) @ arm)
    right = _turned(turn) @ np.cross(spin, arm)
    size = float(np.linalg.norm(true))
    return Measured(
        float(np.linalg.norm(printed - true)) / size,
        "R' = R W has W in the frame of the strut, so that the end moves with R (W x l). W x (R l) goes with R' = W R.",
        {"of R (W x l)": float(np.linalg.norm(right - true)) / size},
    )


def strut_mass_matrix() -> np.ndarray:
    """(36, 36) [kg, kg m, kg m^2] of six struts by places and turns, from two masses at the ends of each."""
    places, whole = robot().positions.reshape(6, 2, 3), np.zeros((36, 36))
    for s, ends in enumerate(places):
        for end in ends:
            arm = end - ends.mean(axis=0)
            cross = np.array([[0.0, -arm[2], arm[1]], [arm[2], 0.0, -arm[0]], [-arm[1], arm[0], 0.0]])
            jacobian = np.hstack([np.eye(3), -cross])
            at = slice(6 * s, 6 * s + 6)
            whole[at, at] += NODE_MASS * jacobian.T @ jacobian
    return whole


def _definite(bench: Bench) -> Measured:
    sizes = np.linalg.eigvalsh(strut_mass_matrix())
    return Measured(
        max(float(sizes[0] / sizes[-1]), 0.0) if sizes[0] > 1e-14 * sizes[-1] else 0.0,
        "A strut of two point masses has no energy when it spins about its own axis: M(q) is singular, once for every "
        "strut, and not to be inverted. With node coordinates this does not come up.",
        {
            "eigenvalues that are zero": float(np.count_nonzero(sizes < 1e-12 * sizes[-1])),
            "smallest of the others [kg m^2]": float(sizes[sizes > 1e-12 * sizes[-1]][0]),
        },
    )


def _kinetic(bench: Bench) -> Measured:
    speeds = moving(3)
    return Measured(
        0.5 * float((speeds**2).sum()) / (0.5 * NODE_MASS * float((speeds**2).sum())),
        "The masses m/12 are lost in the sum that follows eq. (5), which is right for nodes of 1 kg only. The block "
        "of a strut in M(q) is then said to be m I, and is m/6 I.",
        {"block of a strut [kg]": float(strut_mass_matrix()[0, 0]), "as printed [kg]": MASS},
    )


def potential(q: np.ndarray, ends: np.ndarray, stiffness: np.ndarray, natural: np.ndarray, rods: int) -> complex:
    """U of section 3.1 without weight and ground, of complex coordinates too."""
    places = q.reshape(-1, 3)
    apart = places[ends[:, 1]] - places[ends[:, 0]]
    stretch = np.sqrt((apart**2).sum(axis=1)) - natural
    pulls = (stretch.real > 0.0) | (np.arange(len(ends)) < rods)
    return complex((0.5 * stiffness * stretch**2)[pulls].sum())


def _shaken() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions off balance, ends, stiffness and lengths without force: some cables are slack."""
    made = robot()
    index = {node: k for k, node in enumerate(made.nodes)}
    ends = [[index[n] for n in bar.nodes] for bar in made.bars.values()]
    ends += [[index[n] for n in cable.route] for cable in made.cables.values()]
    places = made.positions + 0.05 * np.random.default_rng(2).normal(size=(12, 3))
    stiffness = np.array([1e5] * 6 + [STIFFNESS] * 24)
    return places, np.array(ends), stiffness, np.array([0.6] * 6 + [0.3] * 24)


def _gradient(printed_sign: float) -> tuple[float, float]:
    """The largest error of the printed gradient relative to the largest force; and how many cables are slack."""
    places, ends, stiffness, natural = _shaken()
    q = places.ravel().astype(complex)
    true = np.array(
        [potential(q + 1j * TINY * np.eye(36)[k], ends, stiffness, natural, 6).imag / TINY for k in range(36)]
    )
    told = np.zeros((12, 3))
    slack = 0
    for m, (p, r) in enumerate(ends):
        length = float(np.linalg.norm(places[p] - places[r]))
        stretch = length - natural[m]
        if m >= 6 and stretch <= 0.0:
            slack += 1
            continue
        along = stiffness[m] * stretch * (places[p] - places[r]) / length
        told[p] += printed_sign * along
        told[r] -= printed_sign * along
    return float(np.abs(told.ravel() - true).max() / np.abs(true).max()), float(slack)


def _nodewise(bench: Bench) -> Measured:
    error, slack = _gradient(1.0)
    return Measured(
        error,
        "Read with p = i at every node, as d_pq has to point from the other end to it.",
        {"slack cables in the state": slack},
    )


def _chain_rule(bench: Bench) -> Measured:
    error, _ = _gradient(-1.0)
    return Measured(
        error,
        "d_pq points from q to p, so that the distance grows by +d_pq as p moves and by -d_pq as q does; A.1 has it "
        "the other way about, against 6.2 and 3.3. A robot with these forces would fly apart.",
        {"with the signs exchanged": _gradient(1.0)[0]},
    )


def _jump(bench: Bench) -> Measured:
    near = 1e-12

    def slope(stretch: float) -> float:
        return STIFFNESS * stretch if stretch > 0.0 else 0.0

    return Measured(
        slope(near) - slope(-near),
        "K_c (l - L_0) is zero at l = L_0 from both sides: the derivative is continuous, the sub-differential is {0} "
        "everywhere below and at L_0, and there is nothing to select. What jumps is the second derivative.",
        {"jump of the second derivative [N/m]": STIFFNESS},
    )


def _contact_gradient(bench: Bench) -> Measured:
    draw, normal = np.random.default_rng(5), np.array([0.2, -0.3, 1.0]) / np.linalg.norm([0.2, -0.3, 1.0])
    worst = 0.0
    for point in 0.01 * draw.normal(size=(50, 3)):
        told = 1e5 * min(0.0, float(normal @ point)) * normal
        true = np.zeros(3)
        for k in range(3):
            depth = normal @ (point + 1j * TINY * np.eye(3)[k])
            true[k] = (0.5e5 * (depth * depth if depth.real < 0.0 else 0.0)).imag / TINY
        worst = max(worst, float(np.abs(told - true).max()) / 1e3)
    return Measured(worst)


def _upright(bench: Bench) -> Measured:
    normal = np.array([-math.tan(0.0), 1.0, 0.0])
    return Measured(
        float(normal[2]),
        "At zero inclination the plane's normal is y; gravity, the constraint z_i >= 0 and eq. (3) have z. With both "
        "as they stand, the robot falls along its ground and never meets it.",
    )


CLAIMS = (
    Claim(
        "sec2-prestress",
        "section 2.1",
        "Six struts and 24 cables hold one another: one state of self-stress.",
        1.0,
        "states",
        about(0.0),
        _members,
    ),
    Claim(
        "appC-edges",
        "appendix C, section 2.1",
        "The code's cables are the edges of an icosahedron; the robot has 24.",
        24.0,
        "edges",
        about(0.0),
        _edges,
    ),
    Claim(
        "sec24-manifold",
        "section 2.4",
        "A strut has three translations and three rotations, on R^6 x SO(3): its dimension.",
        6.0,
        "dimensions",
        about(0.0),
        _freedoms,
    ),
    Claim(
        "eq5-frame",
        "eq. (5)",
        "With R' = R W an end moves with W x (R l): relative error of that velocity.",
        1e-6,
        "",
        at_most(),
        _frame,
    ),
    Claim(
        "sec35-definite",
        "section 3.5",
        "M(q) is positive definite: its smallest eigenvalue over its largest.",
        1e-12,
        "ratio",
        at_least(),
        _definite,
    ),
    Claim(
        "sec35-masses",
        "section 3.5",
        "The kinetic energy as a sum over the ends of struts, over that of masses m/12.",
        1.0,
        "ratio",
        about(0.01),
        _kinetic,
    ),
    Claim(
        "eq3-forces",
        "eq. (3), section 6.2",
        "Forces of rods and cables are minus the gradient of their potential: relative error.",
        GRADIENT,
        "",
        at_most(),
        _nodewise,
    ),
    Claim(
        "appA1-signs",
        "appendix A.1",
        "The chain rule from lengths to coordinates gives the same gradient: relative error.",
        GRADIENT,
        "",
        at_most(),
        _chain_rule,
    ),
    Claim(
        "appA2-jump",
        "appendix A.2",
        "The derivative of a cable's energy jumps where it goes slack: by a force that could be measured.",
        1e-3,
        "N",
        at_least(),
        _jump,
    ),
    Claim(
        "sec63-gradient",
        "section 6.3",
        "The force of an inclined ground is the gradient of its penalty, along its normal: relative error.",
        GRADIENT,
        "",
        at_most(),
        _contact_gradient,
    ),
    Claim(
        "sec63-up",
        "section 6.3",
        "The normal of the plane, level, along the axis of gravity.",
        1.0,
        "",
        about(0.01),
        _upright,
    ),
)

PICTURES: tuple[Picture, ...] = ()
