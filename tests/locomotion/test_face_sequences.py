"""Which faces copies stand on: those that most of them have in common, and counts by kind."""

from itertools import combinations

import pytest
from scipy.spatial import ConvexHull

from taut.generators import six_strut_robot
from taut.locomotion.face_sequences import kind_of, sequence_of

ROBOT = six_strut_robot()
A, B, C = ("x2b", "y2b", "z2b"), ("x1b", "x2b", "z2b"), ("x1b", "x2b", "z2a")


def test_faces_of_three_cables_are_closed() -> None:
    names = list(ROBOT.nodes)
    faces = [tuple(names[k] for k in sorted(face)) for face in ConvexHull(ROBOT.positions).simplices]
    kinds = [kind_of(ROBOT, face) for face in faces]
    assert (kinds.count("closed"), kinds.count("open")) == (8, 12)
    beside = [
        {kind_of(ROBOT, one), kind_of(ROBOT, other)}
        for one, other in combinations(faces, 2)
        if len(set(one) & set(other)) == 2
    ]
    assert {"closed"} not in beside, "no two closed ones have an edge in common"


def test_what_most_copies_do_is_told_and_the_rest_is_counted() -> None:
    found = sequence_of(ROBOT, [[A, B, C, A], [A, B, C], [A, B, A], [B]])
    assert found.faces == (A, B, C)
    assert found.kinds == ("closed", "open", "open")
    assert (found.followed, found.copies) == (2, 4)
    assert found.words() == "c-o-o (2 of 4)"
    assert found.changes == pytest.approx((3 + 2 + 2 + 0) / 4)
    assert found.visited == pytest.approx((3 + 3 + 2 + 1) / 4)
    assert found.steps == {"closed open": 0.75, "open closed": 0.5, "open open": 0.5}


def test_copies_that_have_nothing_in_common_or_stand_on_nothing() -> None:
    assert sequence_of(ROBOT, [[A], [B], [C]]).faces == ()
    none = sequence_of(ROBOT, [[], []])
    assert (none.faces, none.changes, none.visited) == ((), 0.0, 0.0)
    assert none.words() == "none (0 of 2)"
