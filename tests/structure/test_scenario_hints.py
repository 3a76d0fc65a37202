"""Scenarios that look odd are hinted at: rates that may be periods, gravity upward, what falls freely."""

from __future__ import annotations

import taut
from taut.structure.scenario_hints import scenario_hints

FALLS = "scenario.gravity: nothing holds {}: it falls freely; add supports or a ground"
WEIGHT = (0.0, 0.0, -9.81)


def told(structure: taut.Structure, scenario: taut.Scenario) -> list[str]:
    return [str(hint) for hint in scenario_hints(structure, scenario)]


def test_a_rate_that_may_be_a_period_is_hinted_at() -> None:
    law = taut.control.LinearLaw([[1.0]])
    slow = taut.Controller("slow", ("node:b.position.x",), ("push",), law, rate=0.01)
    quick = taut.Sensor("quick", "node:b.position.x", rate=50.0)
    scenario = taut.Scenario(duration=2.0, sensors=(quick,), controllers=(slow,))
    told = [str(hint) for hint in scenario_hints(taut.generators.tbar(), scenario)]
    assert told == [
        "scenario.controllers.slow.rate: 0.01 Hz is once in 100 s, and the run takes 2 s; "
        "if it is the time between two, write 100"
    ]


def test_gravity_that_acts_upward_is_hinted_at() -> None:
    held = taut.generators.tower(1).supported("bottom*")
    assert told(held, taut.Scenario(gravity=(0.0, 0.0, 9.81))) == [
        "scenario.gravity: acts upward, along +z; for weight write 9.81, or [0, 0, -9.81]"
    ]
    for meant in (WEIGHT, (0.0, 0.0, 0.0), (1.0, 0.0, 1.0)):
        assert not told(held, taut.Scenario(gravity=meant))


def test_what_falls_freely_is_hinted_at() -> None:
    free = taut.generators.tower(1)
    weight = taut.Scenario(gravity=WEIGHT)
    assert told(free, weight) == [FALLS.format("the structure")]
    assert not told(free, taut.Scenario())
    assert not told(free, taut.Scenario(gravity=WEIGHT, ground=(taut.Ground("floor"),)))
    assert not told(free.supported("bottom1", "z"), weight)


def test_a_part_that_hangs_on_nothing_is_named() -> None:
    two = taut.Structure(
        nodes={"a": (0, 0, 0), "b": (0, 0, 1), "c": (1, 0, 0), "d": (1, 0, 1)},
        bars={"b1": taut.Bar("b1", ("a", "b"), mass=1.0), "b2": taut.Bar("b2", ("c", "d"), mass=1.0)},
        supports={"a": "xyz"},
    )
    assert told(two, taut.Scenario(gravity=WEIGHT)) == [FALLS.format("the part with c, d")]
