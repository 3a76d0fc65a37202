"""Random nets of held and sprung cables over pulleys: which hold and which are slack, against ever stiffer springs."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import taut

ROUTES = ("f0 n0 f1", "f2 n1 f4", "f4 n3 f0", "f1 n2 f3", "n0 n2", "n1 f4", "n3 n1", "n2 n1", "f2 n0 f3")
WEIGHTS = {f"n{k}": (0.0, 0.0, -20.0) for k in range(4)}


def net(seed: int) -> taut.Structure:
    """Four nodes on nine cables between five supports; about half of the cables are held, many are slack at first."""
    rng = np.random.default_rng(seed)
    places = {f"f{k}": 2.0 * rng.normal(size=3) for k in range(5)} | {f"n{k}": rng.normal(size=3) for k in range(4)}
    cables = {}
    for k, words in enumerate(ROUTES):
        route = tuple(words.split())
        length = sum(float(np.linalg.norm(places[a] - places[b])) for a, b in itertools.pairwise(route))
        ends = float(np.linalg.norm(places[route[0]] - places[route[-1]]))
        wanted = max(length * float(rng.uniform(0.8, 1.25)), 1.05 * ends)
        if rng.random() < 0.55:
            cables[f"c{k}"] = taut.Cable(f"c{k}", route, mode="length", command=wanted)
        else:
            stiffness = float(rng.uniform(50.0, 500.0))
            cables[f"c{k}"] = taut.Cable(f"c{k}", route, stiffness=stiffness, rest_length=wanted)
    nodes = {name: (float(p[0]), float(p[1]), float(p[2])) for name, p in places.items()}
    return taut.Structure(nodes=nodes, cables=cables, supports={f"f{k}": "xyz" for k in range(5)})


def sprung(structure: taut.Structure, rigidity: float) -> taut.Structure:
    """Held cables as springs of this stiffness times length [N]."""
    cables = {
        name: replace(c, mode="spring", command=None, stiffness=rigidity / c.command, rest_length=c.command)
        if c.command is not None
        else c
        for name, c in structure.cables.items()
    }
    return replace(structure, cables=cables)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_held_cables_are_the_limit_of_stiff_ones(seed: int) -> None:
    made = net(seed)
    found = taut.balance(made, loads=WEIGHTS)
    assert found.ok, found.status
    held = np.array([cable.mode == "length" for cable in made.cables.values()])
    lengths = np.array([cable.command or np.inf for cable in made.cables.values()])
    assert found.cable_tension.min() >= 0.0
    assert np.all(found.length <= lengths * (1.0 + 1e-9))
    slack = held & (found.cable_tension == 0.0)
    assert np.abs(found.length - lengths)[held & ~slack] == pytest.approx(0.0, abs=1e-12)
    off = []
    for rigidity in (1e5, 3e5):
        near = taut.balance(sprung(made, rigidity), loads=WEIGHTS)
        assert near.ok, near.status
        off.append(np.abs(near.structure.positions - found.structure.positions).max())
    assert off[1] == pytest.approx(off[0] / 3.0, rel=0.1), "like one over the stiffness"


@pytest.mark.parametrize("cable", [{"mode": "length", "command": 2.6}, {"stiffness": 900.0, "rest_length": 2.5}])
def test_beads_that_slide_together_are_named(cable: dict) -> None:
    """Two weights on one rope run to its lowest point, where the segment between them is gone."""
    made = taut.Structure(
        nodes={"left": (0, 0, 0), "a": (0.6, 0, -0.6), "b": (1.4, 0, -0.7), "right": (2, 0, 0)},
        cables={"rope": taut.Cable("rope", ("left", "a", "b", "right"), **cable)},
        supports={"left": "xyz", "right": "xyz"},
    )
    found = taut.balance(made, loads={"a": (0, 0, -10.0), "b": (0, 0, -10.0)})
    assert not found.ok
    assert 'nodes "a" and "b" slide together along cable "rope"' in found.status
    assert "keep them apart with a bar" in found.status
    apart = made.with_bars(taut.Bar("between", ("a", "b"), mass=1.0))
    assert taut.balance(apart, loads={"a": (0, 0, -10.0), "b": (0, 0, -10.0)}).ok
