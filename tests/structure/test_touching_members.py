"""Members that cross or touch as they are placed are hinted at; those that do not, or share a node, are not."""

from __future__ import annotations

import numpy as np
import pytest

from taut import Bar, Cable, Structure, generators
from taut.structure.touching_members import FEW, segment_distance, touching_hints


def crossed(height: float, radius: float | None = None) -> Structure:
    """A bar along x, another along y so high above it, and a cable that ties their ends."""
    nodes = {"a": (-1.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.2, -1.0, height), "d": (0.2, 1.0, height)}
    bars = [Bar("x", ("a", "b"), mass=1.0, radius=radius), Bar("y", ("c", "d"), mass=1.0, radius=radius)]
    return Structure({**nodes, "e": (0.0, 0.0, 3.0)}, bars, [Cable("w", ("a", "e", "d"), stiffness=1.0)])


def test_members_of_no_thickness_are_told_where_they_cross() -> None:
    assert [str(hint) for hint in touching_hints(crossed(0.0))] == ['bars.x: crosses bar "y" as they are placed']
    assert touching_hints(crossed(1e-3)) == []


def test_thick_members_are_told_where_they_touch() -> None:
    (hint,) = touching_hints(crossed(0.05, 0.03))
    assert str(hint) == 'bars.x: touches bar "y" as they are placed: 0.05 m apart, and radii 0.06 m together'
    assert touching_hints(crossed(0.061, 0.03)) == []


def test_members_of_a_plane_lie_beside_each_other() -> None:
    flat = Structure(
        {"a": (-1.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (0.0, -1.0, 0.0), "d": (0.0, 1.0, 0.0)},
        [Bar("x", ("a", "b"), mass=1.0, radius=0.1), Bar("y", ("c", "d"), mass=1.0)],
    )
    assert touching_hints(flat) == []
    assert touching_hints(Structure({"a": (0.0, 0.0, 0.0)})) == []


@pytest.mark.parametrize("made", [generators.icosahedron(1.0), generators.prism(4), generators.tower(2)])
def test_what_generators_make_touches_nowhere(made: Structure) -> None:
    assert touching_hints(made) == []


def test_of_many_the_nearest_are_told() -> None:
    rows = [(f"r{k}", (0.0, k, 0.0), (9.0, k, 0.0)) for k in range(1, 4)]
    columns = [(f"c{k}", (k, 0.0, 0.01 * k), (k, 9.0, 0.01 * k)) for k in range(1, 4)]
    nodes = {f"{name}{end}": place for name, *ends in rows + columns for end, place in enumerate(ends)}
    bars = [Bar(name, (f"{name}0", f"{name}1"), mass=1.0, radius=0.1) for name, *_ in rows + columns]
    found = [str(hint) for hint in touching_hints(Structure({**nodes, "up": (0.0, 0.0, 5.0)}, bars))]
    assert len(found) == FEW + 1
    assert all('bar "c1"' in one for one in found[:3])
    assert found[-1].endswith("4 more pairs of members cross or touch so")


def test_the_distance_of_segments_is_the_least_of_all_their_points() -> None:
    random = np.random.default_rng(5)
    grid = np.linspace(0.0, 1.0, 201)
    for _ in range(50):
        a, b, c, d = random.normal(size=(4, 3))
        first, second = a + grid[:, None] * (b - a), c + grid[:, None] * (d - c)
        least = np.linalg.norm(first[:, None] - second[None], axis=2).min()
        reach = 0.5 * (np.linalg.norm(b - a) + np.linalg.norm(d - c)) / 200
        assert least - reach - 1e-12 <= segment_distance(a, b, c, d) <= least + 1e-12
