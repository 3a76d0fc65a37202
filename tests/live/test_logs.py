"""Logs of live pages that cannot be replayed are refused in words."""

from __future__ import annotations

import json

import pytest

import taut
from taut.live.content import live_content
from taut.live.plants import live_plant
from taut.live.replaying import replay
from taut.output.page.embedding import Arrays


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"actions": None}, "its actions is None and not a list"),
        ({"tolerance": "fine"}, "its tolerance is 'fine' and not a number"),
        ({"step": "short"}, "its step is 'short' and not a number"),
        ({"method": 3}, "its method is 3 and not a name"),
        ({"until": 0}, "saved before anything moved"),
    ],
)
def test_a_damaged_log_is_refused(change: dict[str, object], why: str) -> None:
    prism = taut.generators.prism(3, stiffness=600.0).changed("bar:*", mass=1.0)
    plant = taut.assemble(prism)
    log = live_content(live_plant(plant), Arrays())["log"] | {"until": 0.1, "actions": []}
    with pytest.raises(taut.OptionError, match=why):
        replay(json.dumps(log | change), plant)
