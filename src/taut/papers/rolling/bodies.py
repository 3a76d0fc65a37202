"""Sections 2.4 and 3.5: struts as rigid bodies with places and turns, by `taut.trees`, beside their end points."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.simulating import simulate
from taut.errors import TautError
from taut.mechanics.assemble import assemble
from taut.mechanics.plant import Plant
from taut.mechanics.trees.plant import TreePlant
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_most
from taut.papers.paper import Picture
from taut.papers.rolling.cases import LENGTH, MASS, NODE_MASS, moving, robot
from taut.papers.rolling.penalty import GRAVITY
from taut.trees.bars_as_bodies import in_bodies

ROUND_OFF = 1e-12
FLIGHT = 0.2
"""[s] of free flight, in which cables swing."""


def nodal() -> Plant:
    """The robot in node coordinates, in flight with velocities at random."""
    made = robot(damping=0.0)
    speeds = {node: (float(v[0]), float(v[1]), float(v[2])) for node, v in zip(made.nodes, moving(), strict=True)}
    return assemble(made, gravity=(0.0, 0.0, -GRAVITY), velocities=speeds)


def _bodies(bench: Bench) -> tuple[Plant, TreePlant]:
    def make() -> tuple[Plant, TreePlant]:
        plant = nodal()
        return plant, in_bodies(plant)

    return bench.once("six struts as nodes and as bodies", make)


def _ends(plant: Plant) -> list[tuple[int, str, tuple[float, float, float]]]:
    """Of every node: its number, its strut and where it is on it."""
    nodes = list(plant.structure.nodes)
    half = 0.5 * LENGTH
    return [
        (nodes.index(node), name, (0.0, 0.0, sign * half))
        for name, bar in plant.structure.bars.items()
        for node, sign in zip(bar.nodes, (-1.0, 1.0), strict=True)
    ]


def _map(bench: Bench) -> Measured:
    plant, bodies = _bodies(bench)
    q, _ = bodies.split(np.concatenate(bodies.start()))
    off = [
        float(np.abs(bodies.equations.point(q, body, at) - plant.structure.positions[node]).max())
        for node, body, at in _ends(plant)
    ]
    return Measured(
        max(off), beside={"velocities of six bodies": float(bodies.equations.nv), "coordinates of nodes": 36.0}
    )


def _jacobian(bench: Bench) -> Measured:
    """The push-forward by Pinocchio, whose angular velocity is that of R' = R W, against R (W x l)."""
    plant, bodies = _bodies(bench)
    q, v = bodies.split(np.concatenate(bodies.start()))
    names = list(plant.structure.bars)
    worst, printed = 0.0, 0.0
    for _, body, at in _ends(plant):
        k = 6 * names.index(body)
        rows, _ = bodies.equations.point_jacobian(q, v, body, at)
        centre = bodies.equations.point(q, body)
        turn = np.array([bodies.equations.point(q, body, tuple(axis)) - centre for axis in np.eye(3)]).T
        true, size = rows @ v, float(np.linalg.norm(rows @ v))
        spin = v[k + 3 : k + 6]
        worst = max(worst, float(np.linalg.norm(v[k : k + 3] + turn @ np.cross(spin, at) - true)) / size)
        printed = max(printed, float(np.linalg.norm(v[k : k + 3] + np.cross(spin, turn @ np.array(at)) - true)) / size)
    return Measured(worst, "Read as R (W x l), see eq5-frame.", {"as printed, W x (R l)": printed})


def _blocks(bench: Bench) -> Measured:
    """M of the six bodies against blocks m/6 I and J of two masses at the ends; moments about axes apart."""
    _, bodies = _bodies(bench)
    q, _ = bodies.split(np.concatenate(bodies.start()))
    mass = bodies.equations.mass(q)
    across = 2.0 * NODE_MASS * (0.5 * LENGTH) ** 2
    wanted = np.kron(np.eye(6), np.diag([MASS / 6.0] * 3 + [across, across, 0.0]))
    spins = np.arange(5, 36, 6)
    about = mass[spins, spins].copy()
    mass[spins, spins] = 0.0
    return Measured(
        float(np.abs(mass - wanted).max()) / (MASS / 6.0),
        "The block of a strut is m/6 I, and J is constant in the strut's own axes, in which W is. About the strut's "
        "axis two masses have no moment; bodies are given a little, which moves no end.",
        {"moment across [kg m^2]": across, "moment given about the axis [kg m^2]": float(about.max())},
    )


def _same_motion(bench: Bench) -> Measured:
    plant, bodies = _bodies(bench)

    def make() -> tuple[float, float]:
        options: dict[str, Any] = {"every": FLIGHT / 4.0, "method": "dp8", "verify": False}
        by_nodes = simulate(plant, FLIGHT, tolerance=1e-11, **options)
        by_bodies = simulate(bodies, FLIGHT, tolerance=1e-10, **options)
        if not (by_nodes.finished and by_bodies.finished):
            raise TautError(f"the flight: {by_nodes.status}, {by_bodies.status}")
        swing = float(np.ptp(by_nodes.cable_tension, axis=0).max())
        return float(np.abs(by_bodies.nodes - by_nodes.nodes).max()), swing

    apart, swing = bench.once("six struts in flight as nodes and as bodies", make)
    return Measured(
        apart,
        "Rigid struts of two masses in both; springs come to this as they stiffen, see sec24-equivalent.",
        {"tension of a cable changes by [N]": swing},
    )


CLAIMS = (
    Claim(
        "sec24-map",
        "section 2.4",
        "Ends of struts lie at p + R l: distance of the nodes from those of six bodies.",
        ROUND_OFF,
        "m",
        at_most(),
        _map,
    ),
    Claim(
        "eq5-bodies",
        "eq. (5)",
        "The push-forward of a strut's velocity is that of its ends: relative error.",
        ROUND_OFF,
        "",
        at_most(),
        _jacobian,
    ),
    Claim(
        "sec35-blocks",
        "section 3.5",
        "M(q) of six struts has a block of mass and a block J each: what is off, of a strut's mass.",
        ROUND_OFF,
        "",
        at_most(),
        _blocks,
    ),
    Claim(
        "sec24-views",
        "section 2.4",
        "Bodies and node coordinates are two views of one motion: distance after a flight.",
        1e-9,
        "m",
        at_most(),
        _same_motion,
    ),
)

PICTURES: tuple[Picture, ...] = ()
