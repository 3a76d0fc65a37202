"""Found forms before the certificate: super-stable where theory says so, and not where it says they are not."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import taut
from taut.statics.certificates import stability
from taut.statics.formfinding import formfind


@pytest.mark.parametrize("struts", range(3, 9))
@pytest.mark.parametrize("method", ["adaptive", "relaxation", "lengths"])
def test_prisms_are_super_stable(method: str, struts: int) -> None:
    """R. Connelly and M. Terrell, "Globally rigid symmetric tensegrities", Structural Topology 21 (1995) 59-78."""
    crude = taut.generators.prism(struts, twist=math.pi / 2.0 - math.pi / struts + 0.4)
    assert stability(formfind(crude, method)).verdict == "super-stable"


@pytest.mark.parametrize(
    ("make", "mechanisms"),
    [
        (taut.generators.icosahedron, 1),
        (taut.generators.truncated_tetrahedron, 7),
        (taut.generators.truncated_octahedron, 19),
        (taut.generators.needle_tower, 1),
        (taut.generators.x_mast, 1),
    ],
)
def test_generated_forms_are_super_stable(make, mechanisms: int) -> None:
    """By relaxation, which leaves a balanced structure as it is; so this certifies the generators too."""
    made = make()
    found = formfind(made, "relaxation")
    for one, other in itertools.combinations(made.nodes, 2):
        before, after = (math.dist(s.nodes[one], s.nodes[other]) for s in (made, found.structure))
        assert after == pytest.approx(before, abs=1e-9)
    certificate = stability(found)
    assert certificate.verdict == "super-stable"
    assert certificate.mechanisms == mechanisms


@pytest.mark.parametrize(
    "make", [taut.generators.icosahedron, taut.generators.truncated_tetrahedron, taut.generators.truncated_octahedron]
)
def test_forms_from_signs_alone_are_super_stable(make) -> None:
    assert stability(formfind(make())).verdict == "super-stable"


def test_the_kite_of_four_bars_is_not() -> None:
    structure = taut.generators.dbar().supported("*", "").supported("*", "y")
    certificate = stability(formfind(structure))
    assert certificate.verdict == "first-order rigid"
    assert not certificate.super_stable


def test_super_stable_means_that_forms_from_anywhere_are_the_same() -> None:
    """No other shape has every cable as short and every bar as long: random starts end at the same lengths."""
    structure = taut.generators.truncated_tetrahedron()
    ends = [formfind(structure, "lengths", cable_lengths={"cable:*": 1.0}, seed=seed) for seed in (0, 1, 2)]
    reach = [np.linalg.norm(np.subtract(*(found.structure.nodes[n] for n in ("n1", "n12")))) for found in ends]
    assert all(found.ok for found in ends)
    assert np.ptp(reach) < 1e-9
