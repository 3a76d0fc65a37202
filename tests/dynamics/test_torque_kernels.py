"""Torques about free angles: what they write out by hand against exact derivatives of their own source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plain_kernels import along, duals, plain, slopes, values_of
from test_rows_of_bodies import bodies

from taut.mechanics.imposed import sensors
from taut.mechanics.kinds import Given
from taut.mechanics.tables import Nodes
from taut.mechanics.terms.torques import TORQUES, torque_state

EXACT = 1e-11


class Alone:
    """The term by itself, as plain Python, at a state of any velocity."""

    def __init__(self) -> None:
        random, whole = np.random.default_rng(12), bodies()
        angles = {
            name: replace(
                angle,
                value=float(random.uniform(0.5, 2.5)),
                mode="free",
                stiffness=float(random.uniform(1.0, 5.0)),
                damping=float(random.uniform(0.2, 2.0)),
                torque=float(random.normal()),
            )
            for name, angle in whole.angles.items()
        }
        self.given = Given(replace(whole, angles=angles))
        self.size, self.table = 3 * len(whole.nodes), TORQUES.tabulate(self.given)
        tables = {"torques": self.table, "nodes": Nodes(self.given.free, np.zeros(self.size))}
        kernels = {name: getattr(TORQUES, name) for name in ("force", "conservative_force", "load_power", "stiffness")}
        self.call: dict[str, Any] = {
            name: plain(one, tables) for name, one in {**kernels, "state": torque_state}.items()
        }
        self.q = whole.positions.ravel() + 0.05 * random.normal(size=self.size)
        self.v = random.normal(size=self.size)

    def force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        out = duals(self.size)
        self.call["force"](None, 0.0, np.concatenate([q, v]), out)
        return out

    def matrix(self, k: float, c: float) -> np.ndarray:
        """k K + c C of the links."""
        assert TORQUES.links is not None
        first, second = TORQUES.links(self.table)
        blocks, y = duals(9 * first.size), np.concatenate([self.q, self.v])
        assert self.call["stiffness"](None, 0.0, y, k, c, 1.0, 1.0, blocks) == blocks.size
        found = np.zeros((self.size, self.size))
        for i, j, block in zip(first, second, values_of(blocks).reshape(-1, 3, 3), strict=True):
            found[i : i + 3, i : i + 3] += block
            found[i : i + 3, j : j + 3] -= block
        return found


@pytest.fixture(scope="module")
def alone() -> Alone:
    return Alone()


def directions(size: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(3, size))


def test_the_force_of_springs_is_minus_the_gradient_of_their_energy(alone: Alone) -> None:
    force = duals(alone.size)
    stored, gravity, _ = alone.call["conservative_force"](None, np.concatenate([alone.q, alone.v]), force)
    assert stored > 1.0
    assert gravity == 0.0
    for d in directions(alone.size):
        moved, _, _ = alone.call["conservative_force"](
            None, np.concatenate([along(alone.q, d), alone.v]), duals(alone.size)
        )
        assert moved.slope == pytest.approx(-float(values_of(force) @ d), abs=EXACT)


def test_what_is_not_conservative_has_the_power_that_is_told(alone: Alone) -> None:
    y, whole, springs = np.concatenate([alone.q, alone.v]), duals(alone.size), duals(alone.size)
    power = alone.call["force"](None, 0.0, y, whole)
    alone.call["conservative_force"](None, y, springs)
    assert power == pytest.approx(float((values_of(whole) - values_of(springs)) @ alone.v), abs=EXACT)
    rates = np.array([alone.call["state"](None, k, y)[2] for k in range(alone.table.rest.size)])
    commanded = float(rates @ alone.table.command)
    assert alone.call["load_power"](None, 0.0, y) == pytest.approx(commanded, abs=EXACT)
    assert power == pytest.approx(commanded - float(alone.table.damping @ rates**2), abs=EXACT)


def test_stiffness_and_damping_are_the_slopes_of_the_force(alone: Alone) -> None:
    stiffness, damping = alone.matrix(1.0, 0.0), alone.matrix(0.0, 1.0)
    for d in directions(alone.size):
        by_place, by_speed = alone.force(along(alone.q, d), alone.v), alone.force(alone.q, along(alone.v, d))
        np.testing.assert_allclose(-slopes(by_place), stiffness @ d, rtol=1e-11, atol=100.0 * EXACT)
        np.testing.assert_allclose(-slopes(by_speed), damping @ d, rtol=1e-11, atol=EXACT)
    np.testing.assert_allclose(damping, damping.T, atol=EXACT)
    np.testing.assert_allclose(alone.matrix(0.3, 0.7), 0.3 * stiffness + 0.7 * damping, atol=EXACT * 100.0)


def test_torques_neither_push_nor_turn_the_whole(alone: Alone) -> None:
    force = values_of(alone.force(alone.q, alone.v)).reshape(-1, 3)
    assert np.abs(force).max() > 1.0
    assert np.abs(force.sum(axis=0)).max() < EXACT
    assert np.abs(np.cross(alone.q.reshape(-1, 3), force).sum(axis=0)).max() < EXACT


def test_sensors_measure_angles_and_their_rates(alone: Alone) -> None:
    value, rate = plain(sensors._angle, {}), plain(sensors._angle_rate, {})
    y = np.concatenate([alone.q, alone.v])
    for k, angle in enumerate(alone.given.free_angles):
        ways = np.array(sensors._ways(alone.given, angle))
        _, off, expected, _, _ = alone.call["state"](None, k, y)
        assert np.exp(1j * (value(y, ways) - alone.table.rest[k] - off)) == pytest.approx(1.0, abs=EXACT)
        moved = value(np.concatenate([along(alone.q, alone.v), alone.v]), ways)
        assert rate(y, ways, alone.size) == pytest.approx(expected, abs=EXACT)
        assert moved.slope == pytest.approx(expected, abs=EXACT)
