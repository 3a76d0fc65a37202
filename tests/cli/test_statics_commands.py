"""`taut info`, `formfind`, `prestress`, `modes`, and `taut page` of a model that stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import taut as library

EXAMPLES = Path(__file__).parents[2] / "examples"
ICOSAHEDRON, PRISM = EXAMPLES / "icosahedron.yaml", EXAMPLES / "prism.yaml"

TOWER = """\
taut: 1
name: tower
generate:
  tower: {stages: 2}
supports: {bottom1: xyz, bottom2: xyz, bottom3: xyz}
scenario: {gravity: 9.81, duration: 0.1}
"""


@pytest.fixture
def tower(tmp_path: Path) -> Path:
    path = tmp_path / "tower.yaml"
    path.write_text(TOWER)
    return path


def test_info_says_in_words_what_holds_it_together(taut: Callable, tower: Path) -> None:
    code, out, err = taut("info", ICOSAHEDRON)
    assert (code, err) == (0, "")
    assert "self stress states     1\nmechanisms             1\nrigid motions          6\n" in out
    assert "stability              super-stable\n" in out
    assert "1 self-stress state, 1 mechanism and 6 rigid motions; rank 29" in out
    assert "\nAs it stands: Super-stable: no other shape" in out
    facts = json.loads(taut("info", ICOSAHEDRON, "--json").out)
    known = {k: facts[k] for k in ("class", "members", "self_stress_states", "mechanisms", "rank", "stability")}
    assert known == {
        "class": 1,
        "members": 30,
        "self_stress_states": 1,
        "mechanisms": 1,
        "rank": 29,
        "stability": "super-stable",
    }
    assert facts["statics_note"] is None


def test_info_knows_what_it_does_not_know(taut: Callable, tbar: Path, tower: Path) -> None:
    falling = taut("info", ICOSAHEDRON, "--json", "--set", "scenario.gravity=9.81")
    facts = json.loads(falling.out)
    assert (falling.code, facts["self_stress_states"], facts["stability"]) == (0, 1, None)
    assert "is not held along z" in facts["statics_note"]
    assert "At rest, up to 0.173 m from the given shape: " in taut("info", tbar).out
    slack = taut("info", tower, "--set", "generate.tower.rest_ratio=1.0", "--set", "scenario.gravity=0")
    assert "\nNothing pulls as it is; tightened until every cable pulls: Super-stable" in slack.out


def test_info_leaves_statics_of_big_models_out(taut: Callable, tower: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.output.model_statics.QUICK", 10)
    facts = json.loads(taut("info", tower, "--json").out)
    assert (facts["mechanisms"], facts["stability"]) == (None, None)
    assert facts["statics_note"].startswith("statics is left out above 10 members; ask with --full")
    assert json.loads(taut("info", tower, "--json", "--full").out)["mechanisms"] is not None


def test_prestress_writes_a_model_that_stands(taut: Callable, tower: Path) -> None:
    code, out, err = taut("prestress", tower, "-o", "t.yaml", "--target", "cable:vertical=200", "--settle")
    assert (code, err) == (0, "")
    assert "cable vertical1.1" in out
    assert "balanced to" in out
    assert "model file: t.yaml; next: taut modes t.yaml" in out
    model = library.read_model("t.yaml")
    assert model.scenario.gravity == (0.0, 0.0, -9.81)
    stands = library.balance(model.structure, gravity=9.81)
    assert abs(stands.structure.positions - model.structure.positions).max() < 1e-9
    assert taut("run", "t.yaml", "-o", "t.nc").code == 0
    run = library.read("t.nc")
    assert abs(run.nodes - run.nodes[0]).max() < 1e-9, "it is at rest"


def test_prestress_for_programs(taut: Callable, tower: Path) -> None:
    told = ("prestress", tower, "--target", "cable:vertical=200", "--minimum", "5", "--gravity", "0", "--json")
    found = json.loads(taut(*told).out)
    assert (found["status"], found["model_file"], found["stability"]) == (
        "balanced",
        "tower-tight.yaml",
        "super-stable",
    )
    assert found["cables"]["vertical1.1"]["force"] == pytest.approx(200.0, rel=0.2)
    assert min(one["force"] for one in found["cables"].values()) == pytest.approx(5.0)
    assert found["bars"]["strut1.1"]["force"] < 0.0
    assert set(found["reactions"]) == {"bottom1", "bottom2", "bottom3"}
    total = sum(one["force_density"] for one in found["cables"].values())
    assert found["force_density_sum"] == pytest.approx(total)
    assert library.read_model("tower-tight.yaml").scenario.gravity == (0.0, 0.0, 0.0)
    least = json.loads(taut(*told, "--objective", "least_force_density").out)
    assert least["force_density_sum"] <= found["force_density_sum"] * (1 + 1e-9)


def test_prestress_refuses_in_plain_words(taut: Callable, tower: Path) -> None:
    code, out, err = taut("prestress", tower, "--target", "cable:vertical=200")
    assert (code, out) == (2, "")
    assert err.startswith('error: node "')
    assert "--settle tightens it without weight and loads" in err
    assert not Path("tower-tight.yaml").exists()
    for told, words in (
        (["--settle"], 'nothing says how tight the cables are to be: give --target "cable:*=100" or --minimum 10'),
        (["--target", "cable:vertical"], '--target "cable:vertical" is not a selector and a number'),
        (["--target", "cable:vertcal=3"], 'did you mean "vertical"?'),
        (["--minimum", "-1"], "minimum = -1.0 must be zero or more: cables cannot push"),
        (["--minimum", "1", "--gravity", "nan"], "--gravity = nan must be a finite number"),
        (["--minimum", "1", "--objective", "best"], 'objective = "best" is not one of'),
        (["--minimum", "1", "-o", "t.txt"], "t.txt: a model file's name must end in .yaml or .yml"),
        (["--minimum", "1", "-o", "tower.yaml"], "tower.yaml: is the model itself"),
        (["--minimum", "1", "-o", "no/t.yaml"], "no/t.yaml: cannot be written"),
    ):
        code, _, err = taut("prestress", tower, *told)
        assert code == 2
        assert words in err
    err = taut("prestress", ICOSAHEDRON, "--minimum", "1", "--gravity", "9.81").err
    assert err.startswith(f"{ICOSAHEDRON}:")
    assert 'supports: structure "icosahedron" is not held along z' in err


def test_formfind_finds_the_icosahedron(taut: Callable) -> None:
    code, out, err = taut("formfind", ICOSAHEDRON, "-o", "ico.yaml", "--group", "cable:*", "--group", "bar:*")
    assert (code, err) == (0, "")
    assert "Super-stable" in out
    assert "model file: ico.yaml" in out
    assert taut("run", "ico.yaml", "--duration", "0.05", "-o", "ico.nc").code == 0
    densities = ("--method", "force_density", "--force-density", "cable:*=30", "--force-density", "bar:*=-45")
    found = json.loads(taut("formfind", ICOSAHEDRON, *densities, "--size", "bar:*=1.2", "--json").out)
    assert (found["method"], found["model_file"]) == ("force_density", "icosahedron-found.yaml")
    assert found["bars"]["x1"]["length"] == pytest.approx(1.2)
    assert found["cables"]["c1"]["force_density"] == pytest.approx(30.0)


def test_formfind_of_a_supported_structure_relaxes_it(taut: Callable) -> None:
    found = json.loads(taut("formfind", PRISM, "--json").out)
    assert (found["method"], found["status"], found["stability"]) == ("relaxation", "balanced", "super-stable")


def test_formfind_fails_in_plain_words(taut: Callable) -> None:
    code, out, err = taut("formfind", ICOSAHEDRON, "--method", "relaxation", "--set", "properties.cable:*.tension=0")
    assert (code, out, Path("icosahedron-found.yaml").exists()) == (1, "", False)
    assert err.startswith(f"{ICOSAHEDRON}: slack: no cable pulls, so no shape is held")
    code, _, err = taut("formfind", PRISM, "--method", "adaptive")
    assert code == 2
    assert "held by supports" in err
    assert 'did you mean "adaptive"?' in taut("formfind", PRISM, "--method", "adaptiv").err
    assert 'method "adaptive" has no option "seed"' in taut("formfind", ICOSAHEDRON, "--seed", "1").err


def test_modes(taut: Callable) -> None:
    code, out, err = taut("modes", ICOSAHEDRON, "--count", "3", "--page", "m.html")
    assert (code, err) == (0, "")
    assert "frequency [Hz]" in out
    assert "all modes are stable; 6 rigid motions of the whole meet no stiffness\n" in out
    assert "page: m.html (" in out
    assert Path("m.html").stat().st_size > 1e5
    found = json.loads(taut("modes", ICOSAHEDRON, "--count", "3", "--json").out)
    expected = library.modes(library.balance(library.read(ICOSAHEDRON)), 3)
    assert found["frequency"] == pytest.approx(expected.frequency.tolist())
    assert (found["rigid_motions"], len(found["shapes"]), len(found["shapes"][0])) == (6, 3, 12)


def test_modes_refuse_in_plain_words(taut: Callable, tower: Path, tbar: Path) -> None:
    assert taut("modes", ICOSAHEDRON, "--count", "0").err == "error: count = 0 must be a whole number, 1 or more\n"
    code, _, err = taut("modes", ICOSAHEDRON, "--bars", "compressible")
    assert code == 2
    assert err.startswith(f"{ICOSAHEDRON}:24: bars.x1.material: E A is not known")
    code, _, err = taut("modes", ICOSAHEDRON, "--set", "scenario.gravity=9.81")
    assert code == 2
    assert "is not held along z" in err
    assert taut("modes", ICOSAHEDRON, "--bars", "soft").code == 2


def test_names_are_no_markup(taut: Callable, tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(ICOSAHEDRON.read_text().replace("c1:", '"[red]c1[/]":'))
    assert "cable [red]c1[/]" in taut("formfind", path).out


def test_page_of_a_model_that_stands_has_forces_and_modes(taut: Callable, tbar: Path) -> None:
    from taut.output.model_statics import pictured

    still, modes = pictured(library.read_model(ICOSAHEDRON))
    assert isinstance(still, library.output.Still)
    assert still.cable_tension == pytest.approx(40.0)
    assert still.facts["stability"] == "super-stable"
    assert [mode.name for mode in modes] == [f"mode {k}" for k in range(1, 7)]
    assert taut("page", ICOSAHEDRON).code == 0
    still, modes = pictured(library.read_model(tbar))
    assert isinstance(still, library.output.Still)
    assert (still.facts["at rest"].split(";")[0], modes) == ("not at this shape", ())


def test_loads_at_rest_are_what_acts_before_anything_happens() -> None:
    from taut.output.model_statics import steady_loads

    loads = (
        library.Load("a", "x", library.Constant(2.0)),
        library.Load("a", "x", library.Sinusoid(5.0, 1.0, mean=1.0)),
        library.Load("a", "z", library.Doublet(7.0, 1.0)),
        library.Load("b", "y", library.SampledSignal((1.0, 2.0), (4.0, 0.0))),
        library.Load("c", "y", library.Doublet(7.0, 1.0)),
    )
    assert steady_loads(library.Scenario(loads=loads)) == {"a": (3.0, 0.0, 0.0), "b": (0.0, 4.0, 0.0)}
