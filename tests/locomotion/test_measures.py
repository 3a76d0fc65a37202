"""Measures of many variants: those of single runs, in arrays; and faces below against the whole convex hull."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import taut
from taut import OptionError
from taut.locomotion import SinusoidGait, drive_cost, face_sequence, locomotion_of, measures_of, stands
from taut.locomotion.slipping import slip_distance
from taut.numerics.hull_faces import fill_faces_below

ROBOT = taut.generators.six_strut_robot()
GAIT = SinusoidGait(
    tuple(f"bar:{name}" for name in ROBOT.bars), 0.1, 0.95, (2.91, 6.2, 3.93, 0.03, 5.87, 3.7), over=0.2
)
PLANT = taut.assemble(ROBOT, gravity=9.81, ground=[taut.Ground("floor", friction=0.6)], drives=GAIT.drives(ROBOT))
SHARED = ("distance", "direction", "way", "slip", "energy_positive", "energy_net", "cost_of_transport", "face_changes")
PEAKS = ("peak_power", "peak_force", "peak_speed", "peak_tension")


def test_measures_are_those_of_each_run() -> None:
    inside = np.repeat(PLANT.positions[None], 3, axis=0)
    inside[1, :, 2] -= 0.1
    given = {
        "positions": inside,
        "gravity": np.array([[0.0, 0.0, -9.81], [0.0, 0.0, -9.81], [0.8, 0.0, -9.77]]),
        "bar:x1.mass": np.array([0.5, 0.5, 0.7]),
    }
    run = taut.rollout(PLANT, given, 2.0, every=0.02)
    found = measures_of(run)
    assert found.ok.tolist() == [True, False, True]
    assert found.displacement.shape == (3, 3)
    assert all(np.isnan(found[name][1]).all() for name in found.values)
    for k in (0, 2):
        alone = locomotion_of(run[k])
        for name in (*SHARED, *PEAKS):
            assert found[name][k] == getattr(alone, name), name
        assert np.linalg.norm(found.displacement[k]) == pytest.approx(alone.distance)
        assert alone.distance > 0.1
    assert found.face_changes[0] >= 1
    assert found.slip.shape == (3,)
    assert list(found.columns())[:5] == ["variant", "displacement.x", "displacement.y", "displacement.z", "distance"]


def test_what_is_measured_may_be_chosen_and_needs_its_fields() -> None:
    run = taut.rollout(PLANT, {"drive:x1.phase": [1.0, 2.0]}, 0.2, every=0.02, fields=("contact_state",))
    assert list(measures_of(run).values) == ["displacement", "distance", "direction", "way", "face_changes"]
    assert list(measures_of(run, ["distance"]).values) == ["distance"]
    with pytest.raises(OptionError, match='"distanse" is no measure; did you mean "distance"'):
        measures_of(run, ["distanse"])
    with pytest.raises(OptionError, match='the measure "cost_of_transport" needs drive_power; name it in the `fields`'):
        measures_of(run, ["cost_of_transport"])
    with pytest.raises(OptionError, match='no measure "slip" was asked for'):
        measures_of(run, ["distance"]).slip  # noqa: B018
    with pytest.raises(OptionError, match="gait costs is told by drive_power; name it in the `fields`"):
        locomotion_of(run[0])
    kept = taut.rollout(PLANT, {"drive:x1.phase": [1.0]}, 0.2, every=0.02, fields=("drive_power",))
    assert np.isnan(drive_cost(kept[0]).peak_tension)
    assert drive_cost(kept[0]).positive > 0.0
    with pytest.raises(OptionError, match="speeds along the ground are told by velocities; name it in the `fields`"):
        slip_distance(run[0])
    bare = taut.rollout(PLANT, {"drive:x1.phase": [1.0, 2.0]}, 0.2, every=0.02, fields=("nodes",))
    with pytest.raises(OptionError, match="what touches the ground is told by contact_state; name it in the `fields`"):
        face_sequence(bare)
    with pytest.raises(OptionError, match="this run has no samples, which went to a sink"):
        stands(replace(bare[0], time=bare.time[:0], nodes=bare.nodes[0, :0]))


def below(places: np.ndarray) -> tuple[int, ...]:
    """By the whole hull, down along z from the middle."""
    hull, centre = ConvexHull(places), places.mean(axis=0)
    normals, offsets = hull.equations[:, :3], hull.equations[:, 3]
    away = np.where(normals[:, 2] < 0.0, (normals @ centre + offsets) / np.minimum(normals[:, 2], -1e-300), np.inf)
    even = np.abs(hull.equations - hull.equations[away.argmin()]).max(axis=1) < 1e-9
    return tuple(np.unique(hull.simplices[even]).tolist())


@pytest.mark.parametrize("count", [4, 12, 40])
def test_the_face_below_is_that_of_the_convex_hull(count: int) -> None:
    random = np.random.default_rng(count)
    places = random.normal(size=(100, count, 3)) * random.uniform(0.1, 3.0, size=(100, 1, 3))
    assert_as_hull(places)


def test_faces_of_more_than_three_nodes() -> None:
    cube = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    assert_as_hull(np.array([cube @ Rotation.random(random_state=k).as_matrix().T for k in range(40)] + [cube]))


def assert_as_hull(places: np.ndarray) -> None:
    found = np.zeros(places.shape[:2], dtype=np.int64)
    seen = np.ascontiguousarray((places - places.mean(axis=1, keepdims=True)).reshape(len(places), -1))
    fill_faces_below(seen, 1e-9, found)
    for row, one in zip(found, places, strict=True):
        assert tuple(np.flatnonzero(row).tolist()) == below(one)
