"""Random nets of cables, most of them slack: every one has a balance, and it is found.

A cable's energy k max(l - l0, 0)^2 / 2 is a convex function of its ends, so the potential of a net of cables alone is
convex, and it has a minimum where every node hangs on supports: no net here is without a balance, and a shape at which
all forces vanish is the one with the least energy.
"""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.statics.balancing import balance
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

STALLED = (5, 19, 50, 82, 84, 87, 88, 96, 99, 118)
"""Nets that were not balanced before cables began to pull gradually."""


def slack_net(seed: int, bars: float = 0.0) -> tuple[Structure, dict[str, tuple[float, ...]]]:
    """A net on two to thirty supports and its loads; stiffness and loads over many powers of ten. bars: their share."""
    rng = np.random.default_rng(seed)
    wide, high = int(rng.integers(3, 9)), int(rng.integers(3, 9))
    spread = float(rng.choice([0.0, 0.05, 0.3]))
    places = {(i, j): np.array([i, j, 0.0]) + spread * rng.normal(size=3) for i in range(wide) for j in range(high)}
    corners = {(0, 0), (wide - 1, 0), (0, high - 1), (wide - 1, high - 1)}
    edge = {k for k in places if k[0] in (0, wide - 1) or k[1] in (0, high - 1)}
    held = (corners, edge, {(0, 0), (wide - 1, high - 1)})[rng.integers(3)]
    stiffness = 10 ** rng.uniform(2, 6)
    slack, vary = rng.choice([0.9, 1.0, 1.05, 1.2, 1.6]), rng.choice([0.0, 0.1, 0.3])
    cables, struts = [], []
    for i, j in places:
        for a, b in ((i + 1, j), (i, j + 1), (i + 1, j + 1)):
            if (a, b) not in places or ((a, b) == (i + 1, j + 1) and rng.random() > 0.3):
                continue
            ends, length = (f"{i} {j}", f"{a} {b}"), float(np.linalg.norm(places[i, j] - places[a, b]))
            rest = max(length * slack * (1.0 + vary * rng.uniform(-1.0, 1.0)), 1e-3)
            if bars and rng.random() < bars:
                struts.append(Bar(f"{i} {j} {a} {b}", ends, law="compressible", stiffness=float(stiffness)))
            else:
                stiff = float(stiffness * rng.choice([1.0, 1.0, 0.1, 10.0]))
                cables.append(Cable(f"{i} {j} {a} {b}", ends, rest_length=float(rest), stiffness=stiff))
    kind, size, loads = rng.integers(4), 10 ** rng.uniform(-2, 4), {}
    for i, j in places:
        if (i, j) not in held and (kind == 0 or (kind < 3 and rng.random() < (0.0, 0.5, 0.1)[kind])):
            loads[f"{i} {j}"] = (0.0, 0.0, -size) if kind == 0 else tuple(size * rng.normal(size=3))
    nodes = {f"{i} {j}": tuple(map(float, place)) for (i, j), place in places.items()}
    supports = {f"{i} {j}": "xyz" for i, j in held}
    return Structure(nodes, bars=struts, cables=cables, supports=supports), loads


def assert_least_energy(net: Structure, loads: dict[str, tuple[float, ...]], positions: np.ndarray, seed: int) -> None:
    """By formulas of its own: forces vanish, and the energy meets the bound of its dual, below which no shape lies.

    For pulls p in balance with the loads, sum p . (fixed part of the span) - t^2 / (2 k) - t l0 with t = |p| bounds the
    potential of every shape from below (Fenchel).
    """
    index = {name: k for k, name in enumerate(net.nodes)}
    first, second = np.array([[index[node] for node in cable.route] for cable in net.cables.values()]).T
    rest = np.array([cable.rest_length for cable in net.cables.values()])
    stiffness = np.array([cable.stiffness for cable in net.cables.values()])
    fixed = np.array([name in net.supports for name in net.nodes])
    force = np.zeros_like(positions)
    for node, load in loads.items():
        force[index[node]] = load
    spans = positions[second] - positions[first]
    lengths = np.sqrt((spans**2).sum(axis=1))
    tension = stiffness * np.maximum(lengths - rest, 0.0)
    pulls = (tension / lengths)[:, None] * spans
    left = force.copy()
    np.add.at(left, first, pulls)
    np.add.at(left, second, -pulls)
    size = max(tension.max(), np.abs(force).max())
    rounding = 1e-14 * stiffness.max() * np.abs(positions).max()
    assert np.abs(left[~fixed]).max() <= max(1e-10 * size, rounding), seed
    energy = (tension**2 / (2.0 * stiffness)).sum() - (force * positions)[~fixed].sum()
    anchored = np.where(fixed[:, None], positions, 0.0)
    bound = (pulls * (anchored[second] - anchored[first])).sum() - (
        tension**2 / (2.0 * stiffness) + tension * rest
    ).sum()
    scale = (tension * lengths).sum() + np.abs(force * positions).sum()
    assert energy - bound <= 1e-9 * scale + rounding * np.abs(positions).sum(), seed


def assert_balanced(seed: int) -> None:
    net, loads = slack_net(seed)
    found = balance(net, loads=loads)
    assert found.ok, (seed, found.status)
    assert_least_energy(net, loads, found.structure.positions, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*STALLED, *range(12)])
def test_every_slack_net_is_balanced(seed: int) -> None:
    assert_balanced(seed)


@pytest.mark.slow
def test_two_hundred_slack_nets_are_balanced() -> None:
    for seed in range(200):
        assert_balanced(seed)


@pytest.mark.slow
def test_slack_nets_with_bars_are_balanced() -> None:
    for seed in range(100):
        net, loads = slack_net(seed, bars=0.1)
        found = balance(net, loads=loads)
        assert found.ok, (seed, found.status)


@pytest.mark.parametrize("push", [1.0, 30.0, 100.0, 300.0])
def test_a_balance_is_good_to_round_off_so_that_soft_modes_are(push: float) -> None:
    """With 1e-10 of the largest force left on a node, what that force does not hold was off by far more."""
    tower = taut.generators.tower(4, radius=0.3, height=0.6).changed("cable:*", stiffness=1e6).supported("bottom*")
    tight = taut.prestress(tower, minimum=2e4).structure
    loads = {"top1": (push, 0.0, -2.0 * push)}
    found = balance(tight, loads=loads)
    assert found.ok, found.status
    assert found.residual <= 1e-14 * np.abs(found.member_force).max() + 8.0 * np.finfo(float).eps * 1e6
    again = balance(found.structure, loads=loads, tolerance=1e-14)
    there, here = taut.modes(again, 4).frequency, taut.modes(found, 4).frequency
    assert here == pytest.approx(there, rel=1e-10)
