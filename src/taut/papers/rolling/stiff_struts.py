"""Sections 2.4, 4, 6.6 and appendix A.3: struts as stiff springs, what they do to steps, and how they become rigid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.papers.bench import Bench, Case
from taut.papers.claims import Claim, Measured, about, at_least
from taut.papers.drawing import panels
from taut.papers.paper import Picture
from taut.papers.rolling.cases import NODE_MASS, STEP, moving, robot, springs
from taut.papers.rolling.penalty import GRAVITY, energy, followed
from taut.structure.scenario import Scenario

STIFFEST = 1e6
"""[N/m] The end of the range that section 6.6 names."""

FLIGHT = 0.5
"""[s] of free flight in which elastic struts are compared with rigid ones."""


def stable(rod: float, step: float) -> bool:
    """Whether RK4 keeps a gently moving robot together for 4,000 steps."""
    flight = followed(
        robot(damping=0.0).positions, moving(speed=1e-3), NODE_MASS, springs(rod, 0.0), None, 4000 * step, step
    )
    lengths = np.linalg.norm(flight.places[:, ::2] - flight.places[:, 1::2], axis=2)
    return bool(np.isfinite(lengths).all() and np.abs(lengths - 0.6).max() < 1e-4)


def limit(bench: Bench, rod: float) -> float:
    """[s] the longest stable step of RK4, to a thousandth."""

    def found() -> float:
        low, high = 0.5 / np.sqrt(2.0 * rod / NODE_MASS), 5.0 / np.sqrt(2.0 * rod / NODE_MASS)
        while high / low > 1.001:
            middle = np.sqrt(low * high)
            low, high = (middle, high) if stable(rod, float(middle)) else (low, middle)
        return float(low)

    return bench.once(f"longest step with struts of {rod:g} N/m", found)


def _edge(bench: Bench) -> Measured:
    rigid = bench.run(rigid_flight(0.02))
    return Measured(
        limit(bench, STIFFEST),
        "RK4 is stable up to 2.83 over the highest frequency, which is sqrt(2 K / m_node) of a strut: 1.0 ms for 1e6 "
        "N/m and 0.25 kg. Rigid struts have no such frequency.",
        {
            "with 1e5 N/m [s]": limit(bench, 1e5),
            "2.83 / sqrt(2 K / m_node) [s]": 2.0**1.5 / np.sqrt(2.0 * STIFFEST / 0.25),
            "rigid struts by RK4 at 20 ms: energy off in 2 s [J]": float(np.abs(rigid.energy_violation).max()),
        },
    )


def _lost(bench: Bench, step: float, duration: float) -> float:
    """[J] by which the energy is off in free flight."""
    made = springs(damping=0.0)
    flight = bench.once(
        f"elastic flight of {duration:g} s, step {step:g} s",
        lambda: followed(robot().positions, moving(), NODE_MASS, made, None, duration, step, samples=50),
    )
    told = energy(made, None, NODE_MASS, flight)
    return float(np.abs(told - told[0]).max())


def _halved(bench: Bench) -> Measured:
    coarse, fine = _lost(bench, STEP, 0.1), _lost(bench, STEP / 2.0, 0.1)
    return Measured(
        coarse / fine,
        "In a tenth of a second of free flight without dampers, struts of 1e5 N/m. RK4 takes the energy of fast "
        "vibrations out; in longer runs there is less and less of it left to lose.",
        {
            "off by 0.1 s at 1 ms [J]": coarse,
            "at 0.5 ms [J]": fine,
            "by 3 s at 1 ms [J]": _lost(bench, STEP, 3.0),
            "by 3 s at 0.5 ms [J]": _lost(bench, STEP / 2.0, 3.0),
        },
    )


def rigid_flight(step: float | None = None) -> Case:
    """By an adaptive method, or for 2 s by equal steps of RK4."""
    made = robot(damping=0.0)
    speeds = {node: (float(v[0]), float(v[1]), float(v[2])) for node, v in zip(made.nodes, moving(), strict=True)}
    told = Scenario(
        gravity=(0.0, 0.0, -GRAVITY), velocities=speeds, duration=FLIGHT, every=FLIGHT / 10, tolerance=1e-11
    )
    if step is not None:
        told = replace(told, duration=2.0, every=0.1, method="rk4", step=step, correction="none")
    return Case(f"rolling-rigid-flight{'' if step is None else f'-{step:g}'}", made, told)


def apart(bench: Bench, rod: float) -> float:
    """[m] the largest distance of a node from where rigid struts have it, after the flight."""
    rigid: Trajectory = bench.run(rigid_flight())
    step = 0.1 / np.sqrt(2.0 * rod / NODE_MASS)
    steps = int(np.ceil(FLIGHT / step / 10)) * 10
    elastic = followed(
        rigid.nodes[0], rigid.velocities[0], NODE_MASS, springs(rod, 0.0), None, FLIGHT, FLIGHT / steps, samples=10
    )
    return float(np.linalg.norm(elastic.places[-1] - rigid.nodes[-1], axis=1).max())


def _equivalent(bench: Bench) -> Measured:
    found = {rod: apart(bench, rod) for rod in (1e5, 1e6)}
    return Measured(
        found[1e5] / found[1e6],
        "From velocities that rigid struts allow, for half a second of flight: ten times stiffer struts are about "
        "ten times nearer to rigid ones. Struts of two point masses are meant; uniform rods have a third of the "
        "inertia about their middle.",
        {"with 1e5 N/m [m]": found[1e5], "with 1e6 N/m [m]": found[1e6]},
    )


RODS = (1e6, 1e7, 1e8, 1e9)


def stretches(bench: Bench) -> list[float]:
    """[m] the largest change of a strut's length, from the same velocities at random, by stiffness."""

    def one(rod: float) -> float:
        step = 0.2 / np.sqrt(2.0 * rod / NODE_MASS)
        flight = followed(
            robot().positions, moving(speed=1.0), NODE_MASS, springs(rod, 0.0), None, 0.05, step, samples=2000
        )
        lengths = np.linalg.norm(flight.places[:, ::2] - flight.places[:, 1::2], axis=2)
        return float(np.abs(lengths - springs(rod).natural[:6]).max())

    return bench.once("stretches of struts", lambda: [one(rod) for rod in RODS])


def _tikhonov(bench: Bench) -> Measured:
    found = stretches(bench)
    slope = float(np.polyfit(np.log(RODS), np.log(found), 1)[0])
    return Measured(
        slope,
        "A strut that is given a fixed energy swings by sqrt(2 E / K): the square root of 1/K. Only what it is "
        "pushed by at rest goes with 1/K, and only from velocities that rigid struts allow is that all.",
        {f"K = {rod:.0e} N/m [m]": value for rod, value in zip(RODS, found, strict=True)},
    )


def _reduced(bench: Bench) -> Measured:
    places = robot().positions
    rows = np.zeros((6, 36))
    for k in range(6):
        along = places[2 * k] - places[2 * k + 1]
        rows[k, 6 * k : 6 * k + 3], rows[k, 6 * k + 3 : 6 * k + 6] = along, -along
    left = 36 - int(np.linalg.matrix_rank(rows))
    return Measured(
        float(left),
        "Six lengths that are kept leave 30 coordinates, and a mass matrix of that size, which depends on the "
        "configuration and is not diagonal in angles of struts. The matrix that stays diagonal is that of the 36 "
        "with multipliers.",
    )


CLAIMS = (
    Claim(
        "sec66-edge",
        "section 6.6",
        "With struts of up to 1e6 N/m, RK4 at 1 ms is on the edge of stability: its longest step.",
        1e-3,
        "s",
        about(0.05),
        _edge,
    ),
    Claim(
        "sec66-halving",
        "section 6.6",
        "Halving the step reduces the drift of energy: by which factor.",
        1.0,
        "ratio",
        at_least(2.0),
        _halved,
    ),
    Claim(
        "sec24-equivalent",
        "section 2.4",
        "Nodes with stiff springs move as rigid struts do: how much nearer ten times stiffer ones are.",
        1.0,
        "ratio",
        at_least(3.16),
        _equivalent,
    ),
    Claim(
        "appA3-order",
        "appendix A.3",
        "At fixed energy the stretch of struts falls with 1/K: the power of K.",
        -1.0,
        "power",
        about(0.2),
        _tikhonov,
    ),
    Claim(
        "appA3-freedoms",
        "appendix A.3",
        "The reduced mass matrix is m I, of so many coordinates.",
        36.0,
        "coordinates",
        about(0.0),
        _reduced,
    ),
)


def _draw(bench: Bench, figure: Any) -> None:
    (axes,) = panels(figure, ["stretch of struts at fixed energy"], columns=1)
    found = np.array(stretches(bench))
    axes.loglog(RODS, found, "o-", linewidth=1.0, label="largest in 0.05 s")
    for power, name in ((-0.5, "K^-1/2"), (-1.0, "1/K, as in A.3")):
        axes.loglog(RODS, found[0] * (np.array(RODS) / RODS[0]) ** power, "--", linewidth=0.8, label=name)
    axes.set_xlabel("K [N/m]", fontsize=9)
    axes.set_ylabel("[m]", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


PICTURES = (
    Picture("stiff-struts", "How far struts stretch, by their stiffness.", ("appA3-order",), _draw, (5.0, 3.0)),
)
