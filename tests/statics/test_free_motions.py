"""Verdicts mention the motions as a whole that supports leave and nothing resists."""

from __future__ import annotations

import re

import taut
from taut.statics.certificates import stability
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure


def frame_on_hinges(**supports: str) -> Structure:
    """A crossed square of four cables and two bars in the x-z plane."""
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 0, 1), "d": (0, 0, 1)}
    cables = [Cable(x + y, (x, y), stiffness=1e4) for x, y in ("ab", "bc", "cd", "da")]
    bars = [Bar(x + y, (x, y), mass=1.0) for x, y in ("ac", "bd")]
    return Structure(nodes, bars=bars, cables=cables, supports=supports)


def test_a_frame_that_swings_on_two_hinges_is_said_to_swing() -> None:
    found = stability(taut.prestress(frame_on_hinges(a="xyz", b="xyz"), minimum=10.0))
    assert (found.verdict, found.rigid_motions) == ("super-stable", 1)
    assert re.search(r'nothing resists a motion of the whole, which moves node "[cd]" most', found.sentence)
    held = stability(taut.prestress(frame_on_hinges(a="xyz", b="xyz", c="y"), minimum=10.0))
    assert "nothing resists" not in held.sentence
    alone = stability(taut.prestress(frame_on_hinges(), minimum=10.0))
    assert alone.rigid_motions == 6
    assert "nothing resists" not in alone.sentence, "what stands alone can move as a whole, of course"
    sliding = stability(taut.prestress(frame_on_hinges(a="yz", b="yz"), minimum=10.0))
    assert 'nothing resists 2 motions of the whole, which move node "' in sliding.sentence


def test_parts_that_nothing_joins_are_said_to_move() -> None:
    one = frame_on_hinges()
    two = one.with_nodes(**{name.upper(): (x, 3.0, z) for name, (x, _, z) in one.nodes.items()})
    two = two.with_cables(
        *(Cable(c.name.upper(), (c.route[0].upper(), c.route[1].upper()), stiffness=1e4) for c in one.cables.values())
    )
    two = two.with_bars(
        *(Bar(b.name.upper(), (b.nodes[0].upper(), b.nodes[1].upper()), mass=1.0) for b in one.bars.values())
    )
    found = stability(taut.prestress(two, minimum=10.0))
    assert "nothing resists 12 motions of parts as a whole" in found.sentence
    beside = stability(taut.prestress(one.with_nodes(wall=(3.0, 0.0, 0.0)).supported("wall"), minimum=10.0))
    assert "nothing resists 6 motions of the whole" in beside.sentence, "what is held moves as no part"
