"""Records in files beside a model file: read, put in place, and every mistake with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import taut
from taut import FileError, ModelError, SampledSignal
from taut.structure.files import parse_model, read_model

MODEL = """taut: 1
nodes: {foot: [0, 0, 0], top: [0, 0, 1]}
bars: {mast: {nodes: [foot, top], mass: 1}}
supports: {foot: xyz}
scenario:  # of a mast
  motions:
    quake: {axis: x, acceleration: {record: {file: quake.csv, scale: 9.81}}}
  loads:
    wind: {node: top, axis: y, signal: {record: {file: records/wind.txt}}}
"""
QUAKE = "time, acceleration (g2)\n# made up\n0.00, 0\n0.02,0.5\n\n0.04 ; -1e-1\n"
WIND = "0 1\n1\t2.5\n  2   3\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "wind.txt").write_text(WIND)
    (tmp_path / "quake.csv").write_text(QUAKE)
    path = tmp_path / "mast.yaml"
    path.write_text(MODEL)
    return path


def test_records_become_tables_which_the_text_keeps(model: Path) -> None:
    read = read_model(model)
    quake, wind = (
        SampledSignal((0.0, 0.02, 0.04), (0.0, 9.81 * 0.5, 9.81 * -0.1)),
        SampledSignal((0.0, 1.0, 2.0), (1.0, 2.5, 3.0)),
    )
    assert read.scenario.motions[0].acceleration == quake
    assert read.scenario.loads[0].signal == wind
    assert parse_model(read.text).scenario == read.scenario, "the text needs the files no more"
    assert "# of a mast" in read.text
    assert taut.read_record(model.with_name("quake.csv"), scale=9.81) == quake
    scaled = read_model(model, ["scenario.motions.quake.acceleration.record.scale=2"])
    assert scaled.scenario.motions[0].acceleration == SampledSignal((0.0, 0.02, 0.04), (0.0, 1.0, -0.2))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0, 1\n0.1\n", "quake.csv:2: needs two numbers, a time .* not 1 word$"),
        ("0, 1\nt, a\n", "quake.csv:2: needs two numbers, a time .* not 2 words$"),
        ("0, 1, 2\n", "quake.csv:1: needs two numbers, .* not 3 words$"),
        ("0, 1\n1, nan\n", "quake.csv:2: holds a number that is not finite"),
        ("0, 1\n1, 1e31\n", r"quake.csv:2: holds a number that is not finite, or beyond 1e\+30"),
        ("0, 1\n1, 2\n1, 3\n", "quake.csv:3: its time is not later than the one before; times must increase"),
        ("t, a\n# nothing\n", "quake.csv: holds no record; it needs lines of two numbers"),
    ],
)
def test_mistakes_in_a_record_have_their_line(model: Path, text: str, said: str) -> None:
    record = model.with_name("quake.csv")
    record.write_text(text)
    with pytest.raises(FileError, match=said):
        taut.read_record(record)
    with pytest.raises(ModelError, match=f"mast.yaml:7: scenario.motions.quake.acceleration.record.file: .*{said}"):
        read_model(model)


def test_a_record_that_is_not_there(model: Path) -> None:
    model.with_name("quake.csv").rename(model.with_name("quakes.csv"))
    with pytest.raises(ModelError, match=r'yaml:7: .*quake.csv: there is no such file; did you mean "quakes.csv"'):
        read_model(model)
    with pytest.raises(ModelError, match="m.yaml:7: .*a record is read beside a model file; in a text alone write it"):
        parse_model(MODEL, "m.yaml")
    model.write_text(MODEL.replace("file: quake", "fle: quake").replace("9.81", "g"))
    said = 'record.scale: "g" is not a number(.|\n)*acceleration.record: unknown key "fle"; did you mean "file"'
    with pytest.raises(ModelError, match=said):
        read_model(model)


def test_records_come_from_beside_the_model_or_below_it(model: Path, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    model = model.rename(inside / "mast.yaml")
    (tmp_path / "records").rename(inside / "records")
    said = r"yaml:7: .*record.file: .*quake.csv: is not beside the model file or below it, .* with --records FOLDER"
    for told in ("../quake.csv", str(tmp_path / "quake.csv"), "records/../../quake.csv"):
        model.write_text(MODEL.replace("quake.csv", told))
        with pytest.raises(ModelError, match=said):
            read_model(model)
        assert len(read_model(model, record_folders=[tmp_path]).scenario.motions) == 1
    (inside / "quake.csv").symlink_to(tmp_path / "quake.csv")
    model.write_text(MODEL)
    with pytest.raises(ModelError, match=said):
        read_model(model)
    (inside / "quake.csv").unlink()
    (inside / "quake.csv").symlink_to(inside / "records" / "wind.txt")
    assert len(read_model(model).scenario.motions) == 1, "a link that stays inside is as good as a file"


def test_the_command_takes_records_from_a_folder_that_it_is_told(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from taut.cli import main

    inside = tmp_path / "inside"
    inside.mkdir()
    model = model.rename(inside / "mast.yaml")
    model.write_text(MODEL.replace("quake.csv", "../quake.csv").replace("records/", "../records/"))
    for options, code in (([], 2), (["--records", str(tmp_path)], 0)):
        with pytest.raises(SystemExit) as ended:
            main(["check", str(model), *options])
        assert ended.value.code == code
    assert "sound" in capsys.readouterr().out


def test_what_a_record_is_not_is_not_told(model: Path) -> None:
    """Else a model file could make whoever checks it read out other files."""
    (model.with_name("quake.csv")).write_text("root:secret:0:0\n1, 2\nsecret, 3\n")
    with pytest.raises(ModelError) as caught:
        read_model(model)
    assert "quake.csv:3: needs two numbers" in str(caught.value)
    assert "secret" not in str(caught.value)
