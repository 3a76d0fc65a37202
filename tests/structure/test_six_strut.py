"""The six-strut robot as a generator: its shape, its balance, how it is placed, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.generators import six_strut_robot
from taut.structure.properties import total_mass

EXAMPLE = Path(__file__).parents[2] / "examples" / "six_strut.yaml"


def distances(structure: taut.Structure) -> np.ndarray:
    places = structure.positions
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def test_it_is_the_robot_of_the_example() -> None:
    made, written = six_strut_robot(), taut.read_model(EXAMPLE).structure
    assert list(made.nodes) == list(written.nodes)
    assert {bar.name: bar.nodes for bar in made.bars.values()} == {b.name: b.nodes for b in written.bars.values()}
    assert {one.name: one.route for one in made.cables.values()} == {c.name: c.route for c in written.cables.values()}
    assert distances(made) == pytest.approx(distances(written), abs=1e-11)
    assert total_mass(made) == pytest.approx(3.0)


def test_it_is_in_balance_with_one_self_stress_and_one_mechanism() -> None:
    made = six_strut_robot(0.8, mass=5.0, stiffness=2e3, pretension=70.0)
    rest = taut.balance(made)
    assert rest.structure.positions == pytest.approx(made.positions, abs=1e-10)
    assert rest.cable_tension == pytest.approx(np.full(24, 70.0))
    assert rest.bar_force == pytest.approx(np.full(6, -70.0 * np.sqrt(6.0)))
    density = rest.bar_force[0] / 0.8, rest.cable_tension[0] / (0.8 * np.sqrt(6.0) / 4.0)
    assert density[0] == pytest.approx(-1.5 * density[1])
    found = taut.statics.counts(made)
    assert (found.rank, found.self_stress_states, found.mechanisms) == (29, 1, 1)


@pytest.mark.parametrize(("face_down", "sides"), [("closed", [0.36742] * 3), ("open", [0.3, 0.36742, 0.36742])])
def test_it_lies_on_a_face(face_down: str, sides: list[float]) -> None:
    made = six_strut_robot(face_down=face_down, at=(1.0, 2.0, 0.5), lift=0.01, turned=(0.0, 0.0, 0.7))
    low = np.sort(made.positions[:, 2])
    assert low[:3] == pytest.approx([0.51] * 3)
    assert low[3] > 0.65
    assert made.positions.mean(axis=0)[:2] == pytest.approx([1.0, 2.0])
    face = made.positions[np.argsort(made.positions[:, 2])[:3]]
    found = sorted(np.linalg.norm(face[k] - face[k - 1]) for k in range(3))
    assert found == pytest.approx(sides, abs=1e-5)


def test_it_stands_on_a_slope() -> None:
    normal = np.array([0.3, -0.2, 1.0]) / np.linalg.norm([0.3, -0.2, 1.0])
    made = six_strut_robot(normal=(0.3, -0.2, 1.0), turned=(0.0, 0.0, 1.0))
    gaps = np.sort(made.positions @ normal)
    assert gaps[:3] == pytest.approx([0.0] * 3, abs=1e-12)
    assert distances(made) == pytest.approx(distances(six_strut_robot()), abs=1e-12)


def test_struts_lie_along_the_axes_where_no_face_is_asked_for() -> None:
    made = six_strut_robot(face_down="none")
    for name, axis in (("x1", 0), ("y2", 1), ("z1", 2)):
        a, b = (np.array(made.nodes[f"{name}{end}"]) for end in "ab")
        assert (a - b)[axis] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"length": -1.0}, "length = -1.0 must be a finite number more than zero"),
        ({"damping": -1.0}, "damping = -1.0 must be zero or more"),
        ({"face_down": "side"}, "face_down = 'side' must be one of closed, open, none"),
        ({"pretension": 300.0}, r"would stretch a cable of 600 N/m by 0.5 m, which is no less .* take stiffer cables"),
        ({"normal": (0.0, 0.0, 0.0)}, "has no direction"),
        ({"at": (0.0, 0.0)}, "at = .* must be three numbers"),
        ({"turned": (0.0, 0.0, float("nan"))}, "turned.z = nan must be a finite number"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(taut.OptionError, match=text):
        six_strut_robot(**options)
