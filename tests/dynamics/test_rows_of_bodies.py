"""Rows of plates and angles: what they write out by hand against exact derivatives of their own source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_kernels import along, duals, plain, slopes, values_of

from taut import Angle, Bar, Plate, Structure
from taut.mechanics.kinds import Given, Rows
from taut.mechanics.rows.angles import ANGLES
from taut.mechanics.rows.plates import PLATES
from taut.mechanics.tables import Nodes
from taut.structure.joining import subdivided

EXACT = 1e-12


def bodies() -> Structure:
    """Plates of three, four and five points, flat and not, and angles of every kind of direction."""
    random = np.random.default_rng(3)
    nodes = {name: tuple(random.normal(size=3)) for name in "abcdefghijkl"}
    nodes |= {"m": tuple(0.3 * np.array(nodes["a"]) + 0.9 * np.array(nodes["b"]) - 0.2 * np.array(nodes["c"]))}
    plates = (
        Plate("flat", ("a", "b", "c", "m"), mass=1.0, inertia=(2.0, 2.0, 4.0)),
        Plate("thick", ("d", "e", "f"), mass=1.0, inertia=(0.2, 0.3, 0.4, 0.01, -0.02, 0.03), centre=(0.1, 0.2, 0.3)),
        Plate("spatial", ("g", "h", "i", "j", "k"), mass=1.0, inertia=(0.2, 0.3, 0.4)),
    )
    angles = (
        Angle("plain", ("a", "b"), ("c", "d")),
        Angle("elbow", "bar:one", "bar:two"),
        Angle("about", ("a", "e"), ("f", "d"), about=("b", "g")),
        Angle("leaning", "bar:one", "plate:flat", about=("b", "g")),
        Angle("normals", "plate:flat", "plate:thick", about="plate:spatial"),
        Angle("folded", "plate:thick", "plate:spatial"),
    )
    bars = (Bar("one", ("a", "l"), mass=1.0), Bar("two", ("k", "l"), mass=1.0))
    return subdivided(Structure(nodes, bars, plates=plates, angles=angles))


class Alone:
    """A kind of rows by itself, as plain Python."""

    def __init__(self, kind: Rows, structure: Structure) -> None:
        given = Given(structure)
        self.kind, self.size = kind, 3 * len(structure.nodes)
        self.table = kind.tabulate(given)
        tables = {kind.name: self.table, "nodes": Nodes(given.free, np.zeros(self.size))}
        self.counts, self.coordinates = kind.pattern(self.table)
        self.rows, self.labels = self.counts.size, kind.labels(given)
        self.call = {
            name: plain(getattr(kind, name), tables)
            for name in ("residuals", "values", "bias", "jacobian_rate", "stiffness")
        }

    def residuals(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        residual, rate = duals(self.rows), duals(self.rows)
        assert self.call["residuals"](None, y, residual, rate) == self.rows
        return residual, rate

    def jacobian(self, y: np.ndarray) -> np.ndarray:
        values = duals(self.coordinates.size)
        assert self.call["values"](None, y, values) == values.size
        found = np.zeros((self.rows, self.size))
        found[np.repeat(np.arange(self.rows), self.counts), self.coordinates] = values_of(values)
        return found


KINDS = [PLATES, ANGLES]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def alone(request: Any) -> Alone:
    return Alone(request.param, bodies())


def state(alone: Alone) -> tuple[np.ndarray, np.ndarray]:
    """Off the constraints, at any velocity."""
    random = np.random.default_rng(8)
    places = bodies().positions.ravel() + 0.05 * random.normal(size=alone.size)
    return places, random.normal(size=alone.size)


def test_there_is_a_label_for_every_row(alone: Alone) -> None:
    assert len(alone.labels) == alone.rows
    assert alone.kind.sizes(alone.table, 1.0).shape == (alone.rows,)


def test_rows_hold_where_the_structure_stands(alone: Alone) -> None:
    y = np.concatenate([bodies().positions.ravel(), np.zeros(alone.size)])
    residual, rate = alone.residuals(y)
    assert np.abs(values_of(residual)).max() <= 1e-14
    assert not values_of(rate).any()


def test_the_jacobian_is_the_derivative_of_the_residuals(alone: Alone) -> None:
    q, v = state(alone)
    jacobian = alone.jacobian(np.concatenate([q, v]))
    for seed in range(3):
        d = np.random.default_rng(seed).normal(size=q.size)
        residual, _ = alone.residuals(np.concatenate([along(q, d), v]))
        np.testing.assert_allclose(jacobian @ d, slopes(residual), rtol=0.0, atol=EXACT * 10.0)


def test_rates_are_those_of_the_residuals(alone: Alone) -> None:
    q, v = state(alone)
    residual, rate = alone.residuals(np.concatenate([along(q, v), v]))
    np.testing.assert_allclose(values_of(rate), slopes(residual), rtol=0.0, atol=EXACT * 10.0)


def test_the_jacobian_rate_and_the_bias_are_derivatives_of_the_rates(alone: Alone) -> None:
    q, v = state(alone)
    y, found = np.concatenate([q, v]), np.zeros(alone.rows)
    for seed in range(3):
        d = np.random.default_rng(seed).normal(size=q.size)
        _, rate = alone.residuals(np.concatenate([along(q, d), v]))
        alone.call["jacobian_rate"](None, y, d, found)
        np.testing.assert_allclose(found, slopes(rate), rtol=EXACT * 10.0, atol=EXACT * 100.0)
    _, rate = alone.residuals(np.concatenate([along(q, v), v]))
    alone.call["bias"](None, 0.0, y, found)
    np.testing.assert_allclose(found, -slopes(rate), rtol=EXACT * 10.0, atol=EXACT * 100.0)


@pytest.mark.parametrize("brace", [0.0, 0.7])
def test_the_stiffness_is_minus_the_second_derivative_by_links(alone: Alone, brace: float) -> None:
    q, _ = state(alone)
    y, random = np.concatenate([q, 0.0 * q]), np.random.default_rng(4)
    multiplier, braces = random.normal(size=alone.rows), np.full(alone.rows, brace)
    first, second = alone.kind.links(alone.table)
    blocks = duals(9 * first.size)
    alone.call["stiffness"](None, y, multiplier, 0.5, 1.0, braces, blocks)
    found = np.zeros((alone.size, alone.size))
    for i, j, block in zip(first, second, values_of(blocks).reshape(-1, 3, 3), strict=True):
        found[i : i + 3, i : i + 3] += block
        found[i : i + 3, j : j + 3] -= block
    rows, linear = alone.jacobian(y), np.array([label.startswith("node") for label in alone.labels])
    assert brace == 0.0 or (braces[~linear] != brace).all()  # raised by what the forces take away
    expected = rows.T @ np.diag(np.where(linear, 0.0, braces)) @ rows
    for i in range(alone.size):
        d = np.eye(alone.size)[i]
        values = duals(alone.coordinates.size)
        alone.call["values"](None, np.concatenate([along(q, d), 0.0 * q]), values)
        change = np.zeros((alone.rows, alone.size))
        change[np.repeat(np.arange(alone.rows), alone.counts), alone.coordinates] = slopes(values)
        expected[:, i] -= 0.5 * multiplier @ change
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=EXACT * max(1.0, np.abs(expected).max()))


def test_the_rows_of_a_plate_do_not_depend_on_one_another() -> None:
    alone = Alone(PLATES, bodies())
    jacobian = alone.jacobian(np.concatenate([bodies().positions.ravel(), np.zeros(alone.size)]))
    assert np.linalg.svd(jacobian, compute_uv=False)[-1] > 1e-3
    # twelve coordinates of a flat plate of four nodes, nine of three and a point of its own, fifteen: six motions each
    assert alone.rows == (12 - 6) + (12 - 6) + (15 - 6)


def test_driven_angles_follow_their_columns() -> None:
    alone = Alone(ANGLES, bodies())
    q, v = state(alone)
    y = np.concatenate([q, v])
    still, still_rate = alone.residuals(y)
    bias, driven = np.zeros(alone.rows), np.zeros(alone.rows)
    alone.call["bias"](None, 0.0, y, bias)
    table = alone.table._replace(
        angle=alone.table.angle + 7.0,  # more than a turn
        rate=np.full(alone.rows, 2.0),
        acceleration=np.full(alone.rows, 3.0),
    )
    moved = Alone.__new__(Alone)
    moved.__dict__.update(alone.__dict__)
    tables = {"angles": table, "nodes": Nodes(np.arange(0), np.zeros(alone.size))}
    moved.call = {name: plain(getattr(ANGLES, name), tables) for name in ("residuals", "bias")}
    off, rate = moved.residuals(y)
    expected = values_of(still) - 7.0
    np.testing.assert_allclose(values_of(off), np.arctan2(np.sin(expected), np.cos(expected)), atol=1e-13)
    np.testing.assert_allclose(values_of(rate), values_of(still_rate) - 2.0, atol=1e-13)
    moved.call["bias"](None, 0.0, y, driven)
    np.testing.assert_allclose(driven - bias, 3.0, atol=1e-12)
