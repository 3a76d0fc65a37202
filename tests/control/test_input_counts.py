"""Under-, properly or redundantly actuated: counted by hand on small machines."""

from __future__ import annotations

import numpy as np
import pytest

from taut import Angle, Bar, Cable, Drive, Structure, assemble
from taut.control import Actuation, actuation


def mast(guys: int) -> Structure:
    """A pole on the ground, two freedoms, held by cables all around."""
    turn = 2.0 * np.pi / guys
    feet = {f"g{k}": (float(np.cos(turn * k)), float(np.sin(turn * k)), 0.0) for k in range(guys)}
    return Structure(
        {"foot": (0.0, 0.0, 0.0), "top": (0.0, 0.0, 1.0), **feet},
        [Bar("pole", ("foot", "top"), mass=1.0)],
        [Cable(f"c{k}", (f"g{k}", "top"), rest_length=1.3, stiffness=100.0) for k in range(guys)],
        supports={"foot": "xyz", **dict.fromkeys(feet, "xyz")},
    )


@pytest.mark.parametrize(
    ("winches", "kind"),
    [(("c0",), "under-actuated"), (("c0", "c1"), "properly actuated"), (("c0", "c1", "c2"), "redundantly actuated")],
)
def test_a_mast_is_actuated_by_its_winches(winches: tuple[str, ...], kind: str) -> None:
    drives = [Drive(f"winch {name}", f"cable:{name}", "rest_length", by=0.0) for name in winches]
    found = actuation(assemble(mast(3), drives=drives))
    assert (found.kind, found.freedoms, found.inputs, found.independent) == (
        kind,
        2,
        len(winches),
        min(2, len(winches)),
    )
    named = actuation(assemble(mast(3)), actuators=[f"cable:{name}.tension" for name in winches])
    assert named == found


def test_cables_along_one_line_are_one_input() -> None:
    found = actuation(assemble(mast(4)), actuators=["cable:c0.tension", "cable:c2.tension"])
    assert str(found) == "under-actuated: 2 inputs, 1 independent, 2 freedoms"


@pytest.mark.slow
def test_what_is_held_counts_as_a_freedom_of_its_actuator() -> None:
    """An arm of two bars in a plane: its elbow, held or free, and a push at its foot."""

    def arm(mode: str) -> Structure:
        return Structure(
            {"hip": (0.0, 0.0, 0.0), "knee": (0.6, 0.0, -0.5), "foot": (0.9, 0.0, -1.2)},
            [Bar("thigh", ("hip", "knee"), mass=1.0), Bar("shank", ("knee", "foot"), mass=0.7)],
            supports={"hip": "xyz", "knee": "y", "foot": "y"},
            angles=[Angle.elbow("elbow", ("hip", "knee", "foot"), mode=mode)],
        )

    for mode in ("free", "held"):
        plant = assemble(arm(mode))
        assert actuation(plant, actuators="angle:elbow.torque") == Actuation(2, 1, 1)
        both = actuation(plant, actuators=["angle:elbow.torque", "node:foot.force.x"])
        assert both.kind == "properly actuated"
