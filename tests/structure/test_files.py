"""Model files: what they say, reading and writing them. Their mistakes: test_file_problems.py."""

from __future__ import annotations

import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from taut.errors import FileError, TautError
from taut.structure import generators
from taut.structure.files import SIZE_LIMIT, parse_model, read_model, write_model
from taut.structure.records import Bar, Cable, LinearConstraint, Material
from taut.structure.scenario import Constant, Doublet, Load, SampledSignal, Sinusoid

MODEL = Path(__file__).with_name("square.yaml").read_text()


# --- what a file says


def test_a_file_says_what_it_says() -> None:
    model = parse_model(MODEL, "m.yaml")
    s = model.structure
    wood = Material("wood", 500.0, 1e9)
    assert s.bars["b1"] == Bar("b1", ("a", "c"), material=wood, radius=0.05)
    assert s.bars["b2"].mass == 2.0
    assert s.cables["c1"] == Cable("c1", ("a", "b"), rest_length=0.9, stiffness=100.0)
    assert s.supports == {"a": "xyz", "b": "y"}
    assert model.scenario.gravity == (0.0, 0.0, -9.81)
    assert model.scenario.loads == (Load("c", "z", Sinusoid(300.0, 0.159)),)
    assert model.scenario.tolerance == 1e-10
    assert (model.text, model.source) == (MODEL, "m.yaml")


def test_properties_apply_in_order_and_a_members_own_fields_win() -> None:
    cables = parse_model(MODEL).structure.cables
    assert cables["c2"].rest_length == 0.5, "its own rule drives out the one of the group"
    assert cables["c2"].stiffness == 200.0
    assert cables["c3"].rest_length == pytest.approx(1.0 - 5 / 200), "tension drives out the earlier rest_ratio"


def test_names_may_look_like_numbers_or_words_of_yaml() -> None:
    text = "taut: 1\nnodes: {1: [0, 0, 0], no: [1e0, 0, 0], 1e5: [0, 1.5e-3, 0]}\n"
    text += "bars: {on: [1, no], 2: [no, 1e5]}\nsupports: {1: y}"
    s = parse_model(text).structure
    assert s.nodes == {"1": (0, 0, 0), "no": (1, 0, 0), "1e5": (0, 0.0015, 0)}
    assert s.bars["on"].nodes == ("1", "no")
    assert s.supports == {"1": "y"}


def test_all_kinds_of_constraints() -> None:
    text = MODEL + (
        "constraints: {plane: {on_plane: c, normal: [0, 1, 0], value: 0}, rail: {on_line: d_4, direction: [1, 0, 0]},"
        " pin: {tied: [a, b], axes: xz}, any: {terms: [[a, x, 1], [b, x, -1]]}}\n"
    )
    found = parse_model(text).structure.constraints
    assert list(found) == ["plane", "rail.1", "rail.2", "pin.x", "pin.z", "any"]
    assert found["plane"] == LinearConstraint("plane", (("c", "y", 1.0),), 0.0)
    assert found["any"].terms == (("a", "x", 1.0), ("b", "x", -1.0))


@pytest.mark.parametrize(
    ("told", "signal"),
    [
        ("3", Constant(3.0)),
        ("{constant: {value: 3}}", Constant(3.0)),
        ("{sinusoid: {amplitude: 2, frequency: 1, phase: 0.5, mean: 1}}", Sinusoid(2.0, 1.0, 0.5, 1.0)),
        ("{doublet: {amplitude: 2, width: 0.1, start: 1}}", Doublet(2.0, 0.1, 1.0)),
        ("{table: {times: [0, 1], values: [2, 3]}}", SampledSignal((0.0, 1.0), (2.0, 3.0))),
    ],
)
def test_signals(told: str, signal: object) -> None:
    text = MODEL.replace("{sinusoid: {amplitude: 300, frequency: 0.159}}", told)
    assert parse_model(text).scenario.loads[0].signal == signal


def test_a_generator_can_be_extended_and_overridden() -> None:
    text = """
taut: 1
generate: {icosahedron: {}}
nodes: {payload: [0, 0, 0]}
point_masses: {payload: 2}
cables: {stay: [payload, NODE]}
properties: {"bar:*": {mass: 0.5}, "cable:stay": {stiffness: 10}}
supports: {"node:*": xyz}
"""
    base = generators.icosahedron()
    s = parse_model(text.replace("NODE", next(iter(base.nodes)))).structure
    assert len(s.cables) == len(base.cables) + 1
    assert {bar.mass for bar in s.bars.values()} == {0.5}
    assert set(s.supports) == set(s.nodes)
    assert s.name == base.name
    bar = next(iter(base.bars))
    assert (
        parse_model(f"taut: 1\ngenerate: {{icosahedron: }}\nbars: {{{bar}: {{mass: 7}}}}").structure.bars[bar].mass == 7
    )


@pytest.mark.parametrize("supports", ['{"node:*": y, a: xyz}', '{a: xyz, "node:*": y}'])
def test_a_node_wins_over_a_pattern(supports: str) -> None:
    """Wherever it stands, as a member's own fields win over properties."""
    s = parse_model(f"taut: 1\nnodes: {{a: [0, 0, 0], b: [1, 0, 0]}}\npoint_masses: {{b: 1}}\nsupports: {supports}")
    assert s.structure.supports == {"a": "xyz", "b": "y"}


# --- files


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\x02\x01\x00\x00\xff\xfe", "model.yaml: is not a text file"),
        (b"taut: 1\x00\n", "model.yaml: is not a text file"),
        ("taut: 1\nname: é".encode("latin-1"), r"model.yaml: is not a text file \(byte 14 is not UTF-8\)"),
        (b"", "model.yaml:1: is empty"),
    ],
)
def test_files_that_are_no_text(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "model.yaml"
    path.write_bytes(content)
    with pytest.raises(TautError, match=said):
        read_model(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "tower.yaml").write_text(MODEL)
    with pytest.raises(FileError, match=r'twoer.yaml: there is no such file; did you mean "tower.yaml"\?'):
        read_model(tmp_path / "twoer.yaml")
    with pytest.raises(FileError, match="is a folder, not a model file"):
        read_model(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        read_model(tmp_path / "tower.yaml" / "inside")
    with pytest.raises(FileError, match="cannot be read"):
        read_model("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(MODEL)
    path.chmod(0)
    with pytest.raises(FileError, match="cannot be read: Permission denied"):
        read_model(path)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    tracemalloc.start()
    with pytest.raises(FileError, match=r'has 100.0 MB, more than the limit of 16 MB .*"generate"'):
        read_model(path)
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()
    with pytest.raises(FileError, match="limit of 16 MB"):
        parse_model("#" * (SIZE_LIMIT + 1))


def test_write_then_read(tmp_path: Path) -> None:
    model = parse_model(MODEL)
    path = tmp_path / "out.yaml"
    path.write_text("old")
    write_model(path, model.structure, model.scenario)
    again = read_model(path)
    assert (again.structure, again.scenario) == (model.structure, model.scenario)
    assert again.source == str(path)
    assert os.listdir(tmp_path) == ["out.yaml"], "no draft is left behind"


def test_a_failed_write_says_why_and_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    s = parse_model(MODEL).structure
    with pytest.raises(FileError, match="is a folder; give the name of a file"):
        write_model(tmp_path, s)
    with pytest.raises(FileError, match="cannot be written: .*nowhere does not exist"):
        write_model(tmp_path / "nowhere" / "m.yaml", s)
    path = tmp_path / "m.yaml"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        write_model(path, s)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["m.yaml"]


def test_threads_that_save_one_model_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    s = parse_model(MODEL).structure
    path = tmp_path / "m.yaml"

    def save_often(_: int) -> None:
        for _ in range(50):
            write_model(path, s)
            assert read_model(path).structure == s

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(save_often, range(2)))
    assert os.listdir(tmp_path) == ["m.yaml"]
