"""Bad input from end to end: a clear sentence, exit code 2, and nothing half done.

Here is what no other file tests. Where the rest is:
unknown nodes, duplicate names, zero lengths, negative stiffness, NaN, supports on unknown nodes, bars that violate
their length, tags, texts that are not YAML or cut off: structure/test_file_problems.py; files of 100 MB, of bytes, or
that cannot be read: structure/test_files.py; run files: output/test_run_files.py; wrong command lines:
cli/test_commands.py.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.cli import main
from taut.cli.application import COMPILING
from taut.errors import FileError, ModelError, OptionError
from taut.output import model_runs

SQUARE = """taut: 1
nodes:
  a: [0, 0, 0]
  b: [1, 0, 0]
  c: [1, 0, 1]
  d: [0, 0, 1]
bars:
  b1: {nodes: [a, c], mass: 1}
  b2: {nodes: [b, d], mass: 1}
cables:
  c1: [a, b]
  c2: [b, c]
  c3: [c, d]
  c4: [d, a]
properties: {"cable:*": {stiffness: 100, rest_ratio: 0.9}}
scenario: {duration: 0.1}
"""


def plant(*overrides: str) -> taut.Plant:
    model = taut.structure.files.parse_model(SQUARE, "m.yaml", overrides)
    return taut.assemble(model.structure, gravity=model.scenario.gravity, velocities=model.scenario.velocities)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command in a folder with m.yaml: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    Path("m.yaml").write_text(SQUARE)

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err.replace(f"{COMPILING}\n", "")

    return call


# --- models


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[b, c]", "[b, cc]", 'm.yaml:12: cables.c2.route: no node "cc"; did you mean "c"?\n'),
        ("  b2: {", "  b1: {", 'm.yaml:9: bars.b1: "b1" is already at line 8; a name may appear only once\n'),
        ("c: [1, 0, 1]", "c: [1, 0, nan]", "m.yaml:5: nodes.c[2]: nan is not a finite number\n"),
        ("scenario:", "supports: {z: xyz}\nscenario:", 'm.yaml:16: supports.z: no node "z"\n'),
        ("stiffness: 100", "stiffness: -100", "m.yaml:15: properties.cable:*.stiffness: -100 N/m must be more than"),
        (
            "taut: 1",
            "taut: 1\nname: !!python/object:os.system 'touch x'",
            "m.yaml:2: name: the tag !!python/object:os.s",
        ),
        ("d: [0, 0, 1]\nbars", "d: [0, 0, 1\nbars", "m.yaml:7: is not valid YAML: "),
    ],
)
@pytest.mark.parametrize("verb", ["check", "info", "run"])
def test_each_command_tells_it_in_one_line(verb: str, old: str, new: str, said: str, command: Callable) -> None:
    assert old in SQUARE
    Path("m.yaml").write_text(SQUARE.replace(old, new, 1))
    code, out, err = command(verb, "m.yaml")
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert os.listdir() == ["m.yaml"]


def test_a_huge_file(command: Callable) -> None:
    with open("m.yaml", "ab") as stream:
        stream.truncate(100_000_000)
    code, _, err = command("run", "m.yaml")
    assert (code, err[:29]) == (2, "m.yaml: has 100.0 MB, more th")


def test_a_node_without_mass_is_named_with_the_remedy(command: Callable) -> None:
    loose = ["--set", "nodes.e=[2, 0, 2]", "--set", "cables.c5=[c, e]"]
    said = (
        'm.yaml:2: nodes.e: node "e" can move but has no mass and no bar, so its acceleration is undefined; '
        "give it a point mass, a cable with mass, a bar, a plate, or a support on xyz"
    )
    for verb in ("check", "run"):
        assert command(verb, "m.yaml", *loose)[::2] == (2, f"{said} (from --set nodes.e=[2, 0, 2])\n")
    assert command("info", "m.yaml", *loose)[0] == 0, "what can be said of it is said"
    for remedy in ("point_masses.e=1", "cables.c5.mass=1", "supports.e=xyz"):
        assert command("check", "m.yaml", *loose, "--set", remedy)[0] == 0


def test_a_bar_without_mass_and_a_cable_that_turns_on_the_spot(command: Callable) -> None:
    assert command("run", "m.yaml", "--set", "bars.b1.mass=")[2].startswith(
        "m.yaml:8: bars.b1.mass: is not known; give"
    )
    err = command("run", "m.yaml", "--set", "cables.c1=[a, b, b, c]")[2]
    assert err.startswith('m.yaml:11: cables.c1.route: runs from node "b" to itself; a cable needs two different nodes')


@pytest.mark.parametrize(("count", "lines"), [(3, 3), (72, 1)])
def test_many_problems_of_one_kind_are_one_line(count: int, lines: int, command: Callable) -> None:
    """Every cable lacks its stiffness; names differ, nothing else does."""
    nodes = "".join(f"  n{k}: [{k}, 0, 0]\n" for k in range(count + 1))
    cables = "".join(f"  k{k}: [n{k}, n{k + 1}]\n" for k in range(count))
    Path("m.yaml").write_text(f"taut: 1\nnodes:\n{nodes}cables:\n{cables}")
    code, out, err = command("check", "m.yaml")
    assert (code, out, err.count("\n")) == (2, "", lines)
    first = f"m.yaml:{count + 5}: cables.k0.stiffness: is not known; give a stiffness, or a material with"
    assert err.startswith(first)
    assert err.endswith(" ... and 71 more like it: k1, k2, k3, k4, k5, ...\n") == (lines == 1)
    with pytest.raises(ModelError) as caught:
        taut.read("m.yaml")
    assert len(caught.value.problems) == count, "programs have them all"


def test_free_nodes_without_mass_are_one_line_and_others_keep_theirs() -> None:
    nodes = {f"n{k}": (float(k), 0.0, 0.0) for k in range(6)}
    cables = [taut.Cable(f"c{k}", (f"n{k}", f"n{k + 1}"), stiffness=1.0) for k in range(5)]
    bars = [taut.Bar("b", ("n0", "n5"))]
    with pytest.raises(ModelError) as caught:
        taut.assemble(taut.Structure(nodes, bars, cables))
    first, second = str(caught.value).splitlines()
    assert first.startswith('nodes.n1: node "n1" can move but has no mass')
    assert first.endswith("a support on xyz ... and 3 more like it: n2, n3, n4")
    assert second.startswith("bars.b.mass: is not known")


def test_a_model_in_millimetres_is_sound_and_hinted_at(command: Callable) -> None:
    Path("m.yaml").write_text(SQUARE.replace("[1,", "[1000,").replace("1]", "1000]"))
    hint = (
        "hint: m.yaml:2: nodes: the structure is 1414 m across and weighs 2 kg; "
        "if coordinates are in millimetres, divide them by 1000\n"
    )
    for verb in ("check", "info"):
        code, out, err = command(verb, "m.yaml")
        assert (code, err) == (0, "")
        assert out.endswith(hint)
    Path("m.yaml").write_text(SQUARE)
    assert command("check", "m.yaml")[1] == "m.yaml: sound; 4 nodes, 2 bars, 4 cables\n"


# --- starts


def test_start_velocities_that_stretch_a_bar_are_projected_and_it_is_said(command: Callable) -> None:
    velocities = "scenario.velocities={a: [0, 0, 0], c: [1, 0, 1]}"
    code, out, _ = command("run", "m.yaml", "--set", velocities)
    assert code == 0
    assert "start velocities did not fit supports, bars and constraints and were projected onto them" in out
    run = taut.read("m.nc")
    assert 'the largest change is 0.5 m/s, at node "' in run.notes[0]
    along = (run.velocities[0, 2] - run.velocities[0, 0]) @ (run.nodes[0, 2] - run.nodes[0, 0])
    assert abs(along) < 1e-14
    assert run.notes[0] in run.summary()
    assert run.rate_violation.max() < 1e-13


def test_start_velocities_of_supports_are_dropped_and_it_is_said() -> None:
    run = taut.simulate(plant("supports={a: xyz}", "scenario.velocities={a: [0, 1, 0]}"), 0.1)
    assert "start velocities did not fit" in run.notes[0]
    assert (run.velocities[:, 0] == 0.0).all()


def test_a_start_that_fits_needs_no_note() -> None:
    assert taut.simulate(plant("scenario.velocities={a: [1, 0, 0], c: [1, 0, 0]}"), 0.1).notes == ()


def test_a_bar_a_hair_off_its_length_is_brought_back_and_one_further_off_is_refused() -> None:
    near, far = math.sqrt(2.0) * (1.0 + 5e-7), math.sqrt(2.0) * 1.01
    run = taut.simulate(plant(f"bars.b1.length={near!r}"), 0.1)
    assert "start positions did not fit supports, bars and constraints" in run.notes[0]
    assert np.linalg.norm(run.nodes[:, 2] - run.nodes[:, 0], axis=1) == pytest.approx(near, abs=1e-14)
    with pytest.raises(ModelError, match=r"bars.b1.length: is 1.42836 m but its nodes are 1.41421 m apart \(-0.99 %\)"):
        plant(f"bars.b1.length={far!r}")
    structure = taut.structure.files.parse_model(SQUARE).structure.changed("bar:b1", length=far)
    with pytest.raises(ModelError, match="bars.b1.length: is 1.42836 m but its nodes"):
        taut.assemble(structure)


@pytest.mark.slow
def test_constraints_that_contradict_each_other(command: Callable) -> None:
    told = (
        "constraints={p: {on_plane: a, normal: [1, 0, 0], value: 0}, q: {on_plane: a, normal: [1, 0, 0], value: 0.1}}"
    )
    code, out, err = command("run", "m.yaml", "--set", told)
    assert (code, out) == (2, "")
    assert 'cannot all be met from this start: constraint "q" stays 0.1 m off; move the nodes' in err
    assert err.startswith("m.yaml:1: ")


# --- where the run file goes


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "nowhere/x.nc",
            "nowhere/x.nc: cannot be written: .*/nowhere does not exist; name another place, as with -o\n",
        ),
        ("m.yaml/x.nc", "m.yaml/x.nc: cannot be written: .*/m.yaml is not a folder; name another place, as with -o\n"),
        ("folder.nc", "folder.nc: is a folder; give the name of a file\n"),
        ("pipe.nc", "pipe.nc: is not a file, and will not be replaced by one\n"),
        ("m.yaml", "m.yaml: a run file's name must end in .nc\n"),
        ("n" * 300 + ".nc", "n*.nc: cannot be written: .*File name too long.*\n"),
    ],
)
def test_a_run_file_that_cannot_be_written_is_found_before_the_run(
    target: str, said: str, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(*_: object, **__: object) -> None:
        raise AssertionError("the run was started")

    monkeypatch.setattr(model_runs, "simulate", too_late)
    Path("folder.nc").mkdir()
    os.mkfifo("pipe.nc")
    before = sorted(os.listdir())
    code, out, err = command("run", "m.yaml", "-o", target)
    assert (code, out) == (2, "")
    with pytest.raises(FileError, match=f"^{said}$"):
        raise FileError(err)
    assert sorted(os.listdir()) == before


# --- options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"duration": -1.0}, "duration -1.0 must be a finite number more than zero"),
        ({"duration": 0.0}, "duration 0.0 must be a finite number more than zero"),
        ({"duration": math.nan}, "duration nan must be a finite number"),
        ({"duration": math.inf}, "duration inf must be a finite number"),
        ({"every": 0.0}, "every 0.0 must be a finite number more than zero"),
        ({"every": math.nan}, "every nan must be a finite number"),
        ({"tolerance": 0.0}, "tolerance 0.0 must be a finite number more than zero"),
        ({"tolerance": -1e-3}, "tolerance -0.001 must be"),
        ({"tolerance": math.nan}, "tolerance nan must be"),
        ({"method": "rk4", "step": -0.1}, "step -0.1 must be"),
        ({"method": "rk4", "step": math.nan}, "step nan must be"),
        (
            {"method": "dp6"},
            r'method "dp6" is not one of dp5, dp8, rk4, rattle2, rattle4, rattle6, rattle8, .*; did you',
        ),
        ({"method": "euler"}, 'method "euler" is not one of dp5, dp8, rk4'),
        ({"method": "rk4"}, r'method "rk4" needs a step \[s\]; explicit steps are stable below about .* s here'),
        ({"method": "dp5", "step": 0.1}, 'method "dp5" chooses its own step; give a tolerance instead, or use rk4'),
        ({"correction": "enrgy"}, r'correction "enrgy" is not one of none, .*did you mean "energy"\?'),
    ],
)
def test_absurd_options(options: dict, said: str, command: Callable) -> None:
    with pytest.raises(OptionError, match=said):
        taut.simulate(plant(), options.get("duration", 0.1), **{k: v for k, v in options.items() if k != "duration"})
    code, out, err = command("run", "m.yaml", *(f"--{name}={value}" for name, value in options.items()))
    assert (code, out) == (2, "")
    with pytest.raises(OptionError, match=f"^error: {said}"):
        raise OptionError(err)
    assert os.listdir() == ["m.yaml"]


def test_options_that_are_odd_but_mean_something() -> None:
    assert taut.simulate(plant(), 0.1, every=5.0).time.tolist() == [0.0, 0.1], "the start and the end"
    short = taut.simulate(plant(), 1e-300)
    assert short.ok
    assert short.time[-1] == 1e-300
    assert np.isfinite(short.nodes).all()
    assert taut.simulate(plant(), 0.1, tolerance=0.1).finished


def test_absurd_surroundings() -> None:
    s = taut.structure.files.parse_model(SQUARE).structure
    for surroundings, said in (
        ({"gravity": math.nan}, r"gravity: \[0.0, 0.0, nan\] is not three finite numbers"),
        ({"velocities": {"a": (0.0, math.inf, 0.0)}}, r"velocities.a: \[0.0, inf, 0.0\] is not three finite numbers"),
        ({"velocities": {"aa": (0.0, 0.0, 0.0)}}, r'velocities.aa: no node "aa"; did you mean "a"\?'),
        ({"loads": [taut.Load("aa", "x", 1.0)]}, r'loads\[0\].node: no node "aa"; did you mean "a"\?'),
        ({"loads": [taut.Load("a", "up", 1.0)]}, r'loads\[0\].axis: "up" is not an axis; say x, y or z'),
        ({"damping": taut.Damping(node=-1.0)}, "damping.node: -1.0 must be a finite number, zero or more"),
        ({"damping": taut.Damping(mass=math.nan)}, "damping.mass: nan must be a finite number, zero or more"),
    ):
        with pytest.raises(ModelError, match=said):
            taut.assemble(s, **surroundings)
    wild = taut.assemble(s, loads=[taut.Load("a", "x", lambda t: math.nan)])
    with pytest.raises(OptionError, match=r'the load on node "a" along x returned nan at t = 0 s'):
        taut.simulate(wild, 0.1)


@pytest.mark.parametrize("options", [{"every": 1e-12}, {"every": 1e-300}])
def test_more_samples_than_memory(options: dict, command: Callable) -> None:
    code, out, err = command("run", "m.yaml", *(f"--{name}={value}" for name, value in options.items()))
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
