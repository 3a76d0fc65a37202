"""`taut linear`: poles and norms on the terminal, and the model as a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import taut as library
from taut.cli.linear import _rows

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_tbar_at_its_start_and_at_rest(taut: Callable, tbar: Path) -> None:
    code, out, err = taut("linear", tbar)
    assert (code, err) == (0, "")
    assert out.startswith("4 states, 4 inputs, 4 outputs; not every motion dies away\n\npole [rad/s] ")
    assert "note: not an equilibrium: 25 N are left unbalanced at node" in out
    rest = taut("linear", tbar, "--rest", "--set", "scenario.damping.node=5")
    assert rest.code == 0
    assert "every motion dies away" in rest.out
    assert "not an equilibrium" not in rest.out
    assert "H2 norm          0." in rest.out
    undamped = taut("linear", tbar, "--rest").out
    assert "H2 norm          infinite (the pole" in undamped
    assert ["0", "+-", "2.85481j", "0.454357", "0"] in [line.split() for line in undamped.splitlines()]


def test_files_and_json(taut: Callable, tbar: Path, tmp_path: Path) -> None:
    options = (
        "linear",
        tbar,
        "--rest",
        "--inputs",
        "node:n3.z",
        "--inputs",
        "cable:c2.rest_length",
        "--outputs",
        "bar:*",
    )
    values = json.loads(taut(*options, "-o", "tbar.npz", "--json").out)
    assert values["inputs"] == ["node:n3.force.z", "cable:c2.rest_length"]
    assert values["outputs"] == ["bar:b1.tension", "bar:b2.tension"]
    assert values["h2_norm"]["value"] is None
    assert "at once" in values["h2_norm"]["reason"]
    assert values["file"] == "tbar.npz"
    with np.load(tmp_path / "tbar.npz") as file:
        kept = dict(file)
    np.testing.assert_array_equal(kept["A"], values["A"])
    assert kept["inputs"].tolist() == values["inputs"]
    assert "linear model: tbar.json" in taut(*options, "-o", "tbar.json").out
    assert json.loads((tmp_path / "tbar.json").read_text())["D"] == values["D"]
    model = library.linearise(library.assemble(library.generators.tbar()))
    library.save(model, tmp_path / "again.npz")
    with np.load(tmp_path / "again.npz") as again:
        np.testing.assert_array_equal(again["A"], model.A)
    with pytest.raises(library.FileError, match=r"a LinearModel is saved as \.npz or \.json"):
        library.save(model, tmp_path / "again.yaml")


def test_compressible_bars_have_one_set_of_frequencies(taut: Callable) -> None:
    ball = EXAMPLES / "ball_compressible.yaml"
    found = json.loads(taut("linear", ball, "--inputs", "bar:b1.rest_length", "--outputs", "bar:*", "--json").out)
    swings = json.loads(taut("modes", ball, "--json").out)
    np.testing.assert_allclose(np.sort(found["frequency"])[::2][:6], swings["frequency"][:6], rtol=1e-8)
    assert found["outputs"] == [f"bar:b{k}.tension" for k in range(1, 7)]
    assert len(found["states"]) == 60
    assert found["notes"] == []


def test_moved_supports_stand_still_at_rest(taut: Callable) -> None:
    tower = EXAMPLES / "tower_earthquake.yaml"
    start = taut("linear", tower).out
    assert 'note: supports move (node "bottom1", node "bottom2", node "bottom3"): the model is that of the' in start
    rest = taut("linear", tower, "--rest")
    assert rest.code == 0
    assert "supports move" not in rest.out


def test_what_is_wrong_is_said(taut: Callable, tbar: Path) -> None:
    wrong = taut("linear", tbar, "--inputs", "node:n33")
    assert (wrong.code, wrong.err) == (2, 'error: "node:n33" selects no node; did you mean "n3"?\n')
    assert "must end in .npz or .json" in taut("linear", tbar, "-o", "tbar.csv").err
    assert taut("linear", tbar, "--held", "tension").code == 2
    falling = taut("linear", EXAMPLES / "icosahedron.yaml", "--rest", "--set", "scenario.gravity=9.81")
    assert falling.code == 2
    assert "is not held along z" in falling.err


def test_poles_that_are_a_pair_by_round_off_alone_are_both_told() -> None:
    poles = np.array([1e-9j, -1e-9j, -1.0 + 2.0j, -1.0 - 2.0j, -3.0])
    found: Any = SimpleNamespace(poles=poles, pole_error=np.full(5, 1e-6))
    assert [text for text, *_ in _rows(found)] == ["0", "0", "-1 +- 2j", "-3"]
