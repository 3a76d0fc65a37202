"""Free angles at rest: balance, stability and frequencies of rods on torsion springs, by closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from taut import Angle, Bar, Cable, ModelError, Structure, balance, linearise
from taut.statics import modes, prestress, stability

GRAVITY, LENGTH, TIP, ROD = 9.81, 0.7, 1.3, 0.4
INERTIA = (TIP + ROD / 3.0) * LENGTH**2
MOMENT = (TIP + ROD / 2.0) * GRAVITY * LENGTH
FIXED = {"o": (0.0, 0.0, 0.0), "up": (0.0, 0.0, 1.0), "side": (0.0, 1.0, 0.0)}


def mast(lean: float, cables: Any = (), **acting: Any) -> Structure:
    """A rod with a weight that stands on o in the plane y = 0; its angle is counted from up, towards x."""
    return Structure(
        {**FIXED, "tip": (LENGTH * math.sin(lean), 0.0, LENGTH * math.cos(lean))},
        [Bar("rod", ("o", "tip"), mass=ROD)],
        cables,
        supports={**dict.fromkeys(FIXED, "xyz"), "tip": "y"},
        point_masses={"tip": TIP},
        angles=[Angle("joint", ("o", "up"), "bar:rod", ("o", "side"), mode="free", **acting)],
    )


def lean_of(structure: Structure) -> float:
    x, _, z = structure.nodes["tip"]
    return math.atan2(x, z)


@pytest.mark.slow
@pytest.mark.parametrize("torque", [0.0, 2.5])
def test_a_leaning_mast_rests_where_spring_torque_and_weight_are_in_balance(torque: float) -> None:
    stiffness, rest = 20.0, 0.2
    found = balance(mast(0.3, value=rest, stiffness=stiffness, torque=torque), gravity=GRAVITY)
    assert found.ok, found.status

    def left(angle: float) -> float:
        return torque - stiffness * (angle - rest) + MOMENT * math.sin(angle)

    expected = brentq(left, 0.0, 2.5, xtol=1e-14)
    assert lean_of(found.structure) == pytest.approx(expected, abs=1e-10)
    assert found.angle_torque == pytest.approx([-MOMENT * math.sin(expected)], abs=1e-9)
    # What it says of itself stays true where it stands: the spring is at rest where it was.
    assert found.structure.angles["joint"].value == rest
    again = balance(found.structure, gravity=GRAVITY)
    assert lean_of(again.structure) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("torque", [0.0, 4.0])
def test_a_spring_and_a_torque_alone_find_their_balance(torque: float) -> None:
    """Where nothing else pulls, what is balance is told by the stiffness of the spring."""
    found = balance(mast(1.4, value=0.3, stiffness=30.0, torque=torque))
    assert found.ok, found.status
    assert lean_of(found.structure) == pytest.approx(0.3 + torque / 30.0, abs=1e-12)
    assert found.angle_torque == pytest.approx([0.0], abs=1e-11)


@pytest.mark.slow
def test_a_spring_at_rest_as_drawn_stays_so_in_another_shape() -> None:
    found = balance(mast(0.3, stiffness=40.0), gravity=GRAVITY)
    assert found.structure.angles["joint"].value == pytest.approx(0.3, abs=1e-15)
    assert lean_of(found.structure) > 0.35


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_mast_on_a_torsion_spring_buckles_at_the_moment_of_its_weight(share: float) -> None:
    """k = m g l, and the frequency from there on is the root of (k - m g l) / I."""
    upright = balance(mast(0.0, stiffness=share * MOMENT), gravity=GRAVITY)
    assert upright.ok
    assert lean_of(upright.structure) == 0.0
    falls = "unstable: the energy falls in 1 direction; the least push makes it leave"
    assert upright.notes == (() if share > 1.0 else (falls,))
    verdict = stability(upright)
    assert verdict.stiffness == pytest.approx((share - 1.0) * MOMENT / LENGTH**2, rel=1e-9)
    assert verdict.verdict == ("unstable" if share < 1.0 else "prestress-stable")
    square = (share - 1.0) * MOMENT / INERTIA
    growth = linearise(upright, inputs="angle:joint.torque", outputs="angle:joint.angle").poles
    assert np.sort(np.real(growth**2)) == pytest.approx([-square] * 2, rel=1e-9)
    assert modes(upright, 1).eigenvalue == pytest.approx([square], rel=1e-9)


def test_prestress_names_angles_that_turn() -> None:
    stays = [Cable(f"stay{x}", ((x), "tip"), stiffness=1e3) for x in ("up", "side")]
    with pytest.raises(ModelError, match="angles.joint: turns with -2 N m, which prestress does not know; balance the"):
        prestress(mast(0.3, stays, value=0.2, stiffness=20.0), {"cable:*": 10.0})
