"""Drafts of run files: cut off anywhere, they go on to the same bits; and a folder that is gone is noticed at once."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from equal_runs import assert_equal

import taut
from taut.dynamics.trajectory import SAMPLED, Trajectory
from taut.errors import FileError, WriteError
from taut.output.drafts import HEADER, draft_of, drafting, left_over, load_draft, reach
from taut.output.model_runs import assembled

EXAMPLES = Path(__file__).parents[2] / "examples"
DURATION = 0.3


@pytest.fixture(scope="module")
def model() -> taut.Model:
    """Two cables are cut at 0.1 s, others slacken and break."""
    return taut.read_model(EXAMPLES / "tower_collapse.yaml", [f"scenario.duration={DURATION}"])


@pytest.fixture
def parts(model: taut.Model, monkeypatch: pytest.MonkeyPatch) -> list[Trajectory]:
    """A run in parts of seven samples, and where cables are cut."""
    plant = assembled(model.structure, model.scenario)
    monkeypatch.setattr("taut.dynamics.driver.CHUNK", 7 * 8 * (2 * plant.coordinates + 1))
    found: list[Trajectory] = []
    taut.simulate(plant, DURATION, every=0.01, history=True, sink=found.append, model_text=model.text)
    return found


def written(parts: list[Trajectory], folder: Path) -> Path:
    """A draft with these parts, as a kill leaves it."""
    kept = folder / f".r.nc.{'0' * 16}.draft"
    with drafting(folder / "r.nc") as draft:
        for part in parts:
            draft.add(part)
        shutil.copy(draft.path, kept)
    assert list(folder.iterdir()) == [kept], "a draft that was not killed is gone"
    return kept


def test_a_run_goes_on_from_wherever_its_draft_was_cut_off(
    model: taut.Model, parts: list[Trajectory], tmp_path: Path
) -> None:
    plant = assembled(model.structure, model.scenario)
    whole = taut.simulate(plant, DURATION, every=0.01, history=True, model_text=model.text)
    assert any("cut" in str(event) for event in whole.events)
    checkpoints = [bool(part.checkpoint.y.size) for part in parts]
    assert checkpoints.count(False) >= 2, "before every cut and at the end"
    path = written(parts, tmp_path)
    content = path.read_bytes()
    reached = set()
    for size in np.linspace(0, len(content), 40, dtype=int):
        path.write_bytes(content[:size])
        if reach(path) < 0.0:
            with pytest.raises(FileError, match="holds nothing that a run could go on from"):
                load_draft(path)
            continue
        start = load_draft(path)
        assert start.status == f"interrupted at t = {reach(path):.6g} s"
        reached.add(start.time[-1])
        run = taut.simulate(plant, DURATION, every=0.01, history=True, start=start, model_text=model.text)
        for name in SAMPLED:
            assert getattr(run, name).tobytes() == getattr(whole, name).tobytes(), name
        assert run.events == whole.events
        assert run.checkpoint.y.tobytes() == whole.checkpoint.y.tobytes()
        assert run.checkpoint.flags.tobytes() == whole.checkpoint.flags.tobytes()
        assert run.options == whole.options
        assert run.model_text == whole.model_text
    assert len(reached) == checkpoints.count(True)


def test_damage_ends_a_draft_before_it(parts: list[Trajectory], tmp_path: Path) -> None:
    path = written(parts, tmp_path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert load_draft(path).time[-1] < parts[-2].time[-1]
    content[len("taut draft 1\n") + HEADER.size + 5] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match="holds nothing that a run could go on from; start afresh"):
        taut.read(path)


def test_left_over_drafts_are_found_by_the_name_they_were_to_have(parts: list[Trajectory], tmp_path: Path) -> None:
    path = written(parts, tmp_path)
    (found,) = left_over(tmp_path / "r.nc")
    assert found.path == path
    assert found.reached == reach(path)
    assert draft_of(path) == tmp_path / "r.nc"
    assert left_over(tmp_path / "s.nc") == []
    path.write_bytes(b"taut draft 1\n")
    assert left_over(tmp_path / "r.nc") == []
    assert list(tmp_path.iterdir()) == [], "one without a checkpoint is of no use"


def test_a_folder_that_is_gone_is_noticed_by_the_next_part(parts: list[Trajectory], tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    with drafting(folder / "r.nc") as draft:
        draft.add(parts[0])
        shutil.rmtree(folder)
        with pytest.raises(WriteError, match=r"r.nc: cannot be written: .*deep is gone$"):
            draft.add(parts[1])


def test_a_run_made_in_python_has_its_structure_in_its_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = taut.assemble(taut.generators.tbar())
    monkeypatch.setattr("taut.dynamics.driver.CHUNK", 50 * 8 * (2 * plant.coordinates + 1))
    found: list[Trajectory] = []
    taut.simulate(plant, 0.2, every=0.001, sink=found.append)
    start = load_draft(written(found, tmp_path))
    run, whole = (taut.simulate(plant, 0.2, every=0.001, start=begun) for begun in (start, None))
    # How far it is off was looked at from where it went on.
    assert_equal(
        replace(run, wall_time=0.0, checkpoint=whole.checkpoint, accuracy=""),
        replace(whole, wall_time=0.0, accuracy=""),
    )
    assert run.checkpoint.y.tobytes() == whole.checkpoint.y.tobytes()
