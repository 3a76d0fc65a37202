"""What looks odd in a scenario and is not wrong: rates, gravity, a structure that nothing holds."""

from __future__ import annotations

from collections.abc import Iterator

from taut.errors import Problem, listed
from taut.structure.scenario import Scenario
from taut.structure.structure import Structure
from taut.structure.topology import parts


def scenario_hints(structure: Structure, scenario: Scenario) -> list[Problem]:
    """Rates that may be the time between two, gravity that acts upward, and what falls for ever."""
    return [*_rates(scenario), *_upward(scenario), *_falling(structure, scenario)]


def _rates(scenario: Scenario) -> Iterator[Problem]:
    for kind in ("sensors", "controllers"):
        for one in getattr(scenario, kind):
            if one.rate and one.rate * scenario.duration < 1.0:
                yield Problem(
                    ("scenario", kind, one.name, "rate"),
                    f"{one.rate:g} Hz is once in {1.0 / one.rate:g} s, and the run takes {scenario.duration:g} s; "
                    f"if it is the time between two, write {1.0 / one.rate:g}",
                )


def _upward(scenario: Scenario) -> Iterator[Problem]:
    x, y, z = scenario.gravity
    if z > 0.0 and not (x or y):
        yield Problem(("scenario", "gravity"), f"acts upward, along +z; for weight write {z:g}, or [0, 0, {-z:g}]")


def _falling(structure: Structure, scenario: Scenario) -> Iterator[Problem]:
    """Parts without a support, under gravity and over no ground."""
    if not any(scenario.gravity) or scenario.ground or scenario.joints:
        return
    held = {*structure.supports, *(node for one in structure.constraints.values() for node, _, _ in one.terms)}
    loose = [part for part in parts(structure) if held.isdisjoint(part)]
    if not loose:
        return
    what = "the structure" if len(loose) == len(parts(structure)) else f"the part with {listed(loose[0])}"
    yield Problem(("scenario", "gravity"), f"nothing holds {what}: it falls freely; add supports or a ground")
