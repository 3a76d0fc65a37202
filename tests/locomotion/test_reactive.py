"""Reactive gaits: the law against numpy written another way, what it must not depend on, and its space."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import OptionError
from taut.locomotion import ReactiveGait, ReactiveSpace
from taut.locomotion.gait_spaces import gait_data, gait_from, gait_space_from
from taut.locomotion.reactive import COUNT, FEATURES, reacting_law
from taut.mechanics.varying.addresses import address_of

STRUTS = tuple(f"bar:{axis}{number}" for axis in "xyz" for number in (1, 2))
WEIGHTS = tuple(np.random.default_rng(3).normal(size=COUNT).tolist())


def robot() -> taut.Structure:
    return taut.generators.six_strut_robot()


def ends(structure: taut.Structure, places: np.ndarray | None = None) -> np.ndarray:
    """(members, 2, 3) [m]."""
    names = list(structure.nodes)
    at = structure.positions if places is None else places
    return np.array([[at[names.index(node)] for node in bar.nodes] for bar in structure.bars.values()])


def expected(gait: ReactiveGait, here: np.ndarray, speed: float) -> np.ndarray:
    about = (here - here.reshape(-1, 3).mean(axis=0)) / gait.unit
    c, s = math.cos(gait.heading), math.sin(gait.heading)
    seen = np.stack([about @ [c, s, 0.0], np.abs(about @ [-s, c, 0.0]), about[..., 2]], axis=-1)
    found = []
    for pair in seen:
        (a, b, h), (a_up, b_up, h_up) = pair[np.argsort(pair[:, 2])]
        found.append([1.0, a, a_up, h, h_up, a * h, a_up * h_up, b, b_up, a * a, a_up * a_up, speed])
    return gait.reach * np.tanh(np.array(found) @ np.array(gait.weights))


def decided(gait: ReactiveGait, *looks: np.ndarray) -> np.ndarray:
    state = gait.state()
    for here in looks:
        told = reacting_law(0.0, np.ascontiguousarray(here).ravel(), state).copy()
    return np.asarray(told)


def test_the_law_is_what_numpy_says() -> None:
    gait, here = ReactiveGait(STRUTS, WEIGHTS, heading=0.7), ends(robot())
    here = here + 0.02 * np.random.default_rng(1).normal(size=here.shape)
    assert decided(gait, here) == pytest.approx(expected(gait, here, 0.0), abs=1e-15)
    moved = here + 0.03 * np.array([math.cos(0.7), math.sin(0.7), 0.0])
    assert decided(gait, here, moved) == pytest.approx(expected(gait, moved, 10.0 * 0.03 / gait.unit), abs=1e-13)


def test_it_knows_no_place_no_direction_and_no_side() -> None:
    here, gait = ends(robot()) + 1e-3 * np.arange(36).reshape(6, 2, 3) ** 0.5, ReactiveGait(STRUTS, WEIGHTS)
    alone = decided(gait, here)
    assert decided(gait, here + np.array([5.0, -3.0, 0.4])) == pytest.approx(alone, abs=1e-12)
    assert decided(gait, here * np.array([1.0, -1.0, 1.0])) == pytest.approx(alone, abs=1e-12)
    assert decided(gait, here[:, ::-1]) == pytest.approx(alone, abs=1e-15)
    c, s = math.cos(1.1), math.sin(1.1)
    turned = here @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    other = ReactiveGait(STRUTS, WEIGHTS, heading=1.1)
    assert decided(other, turned) == pytest.approx(alone, abs=1e-12)
    assert np.abs(decided(gait, turned) - alone).max() > 1e-3


def test_a_point_of_the_space_is_a_gait_and_the_state_of_its_law() -> None:
    space = ReactiveSpace(STRUTS, heading=0.3, period=0.05)
    point = np.random.default_rng(2).random(space.size)
    gait = space.gait(point)
    assert space.point(gait) == pytest.approx(point, abs=1e-15)
    assert space.names == FEATURES
    (told,) = space.parameters(np.stack([point, 1.0 - point])).values()
    assert np.array_equal(told[0], gait.state())
    assert gait_space_from(space.data()) == space
    assert gait_from(gait_data(gait)) == gait


def test_states_of_controllers_are_numbers_that_vary() -> None:
    structure, gait = robot(), ReactiveGait(STRUTS, WEIGHTS)
    plant = taut.assemble(
        structure, gravity=9.81, drives=gait.drives(structure), controllers=gait.controllers(structure)
    )
    found = address_of(plant, "controller:reactive gait.state")
    assert np.array_equal(found.own, gait.state())
    with pytest.raises(OptionError, match="names no controller; there are reactive gait"):
        address_of(plant, "controller:nobody.state")


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(OptionError, match="3 weights for 12 features; give one each"):
        ReactiveGait(STRUTS, (1.0, 2.0, 3.0))
    with pytest.raises(OptionError, match="period = 0 must be more than zero"):
        ReactiveSpace(STRUTS, period=0.0)
    with pytest.raises(OptionError, match="needs members to move"):
        ReactiveSpace(())
    with pytest.raises(OptionError, match='"bar:x\\*" selects 2 members; name each'):
        ReactiveGait(("bar:x*",), WEIGHTS).controllers(robot())
    with pytest.raises(OptionError, match="outside of the span 0.1"):
        ReactiveSpace(STRUTS, span=0.1).point(ReactiveGait(STRUTS, WEIGHTS))
