"""Claims, verdicts and reports, on a small paper made for it."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from taut import OptionError, TautError, read, reproduce
from taut.generators import tbar
from taut.papers.bench import Bench, Case
from taut.papers.claims import (
    CANNOT,
    NOT_REPRODUCED,
    REPRODUCED,
    Claim,
    Finding,
    Measured,
    Relation,
    about,
    at_least,
    at_most,
    number,
    same_order,
)
from taut.papers.paper import PAPERS, Paper, Picture, Scene, paper_named
from taut.structure.scenario import Scenario

CASE = Case("swing", tbar(), Scenario(duration=0.1, every=0.05))


def claim(name: str, ours: float | None, relation: Relation = at_most(), **more: object) -> Claim:  # noqa: B008
    return Claim(name, "Fig. 1", "It is small.", 1.0, "m", relation, lambda bench: Measured(ours), **more)


@pytest.mark.parametrize(
    ("relation", "holding", "failing"),
    [
        (about(0.1), (0.91, 1.0, 1.09), (0.89, 1.11, math.nan)),
        (same_order(), (0.4, 1.0, 3.0), (0.3, 3.3, 0.0, -1.0, math.nan)),
        (at_most(), (-5.0, 1.0), (1.01, math.nan)),
        (at_most(2.0), (2.0,), (2.1,)),
        (at_least(), (1.0, 7.0), (0.99, math.nan)),
        (at_least(10.0), (10.0,), (9.9,)),
    ],
    ids=lambda value: value.words if isinstance(value, Relation) else "",
)
def test_relations(relation: Relation, holding: tuple[float, ...], failing: tuple[float, ...]) -> None:
    for ours in holding:
        assert Finding(claim("c", ours, relation), Measured(ours)).verdict == REPRODUCED, ours
    for ours in failing:
        found = Finding(claim("c", ours, relation), Measured(ours))
        assert found.verdict == NOT_REPRODUCED, ours
        assert f"is not {relation.words} 1" in found.reason


def test_what_was_done_elsewhere_cannot_be_checked_whatever_stands_in() -> None:
    for ours in (None, 0.0, 9.0):
        found = Finding(claim("c", ours, elsewhere="a laboratory"), Measured(ours))
        assert found.verdict == CANNOT
        assert found.reason == "The other side was a laboratory."


def test_numbers_as_people_read_them() -> None:
    told = [number(value) for value in (None, 0.0, 212.058, 3e-11, 1e7, "none")]
    assert told == ["-", "0", "212.06", "3.0e-11", "1.0e+07", "none"]


def failing(bench: Bench) -> Measured:
    raise TautError("the arm broke")


def running(bench: Bench) -> Measured:
    return Measured(bench.run(CASE).overall.worst_length, beside={"samples": float(bench.run(CASE).time.size)})


def interrupted(bench: Bench) -> Measured:
    raise KeyboardInterrupt


def small_paper(*claims: Claim) -> Paper:
    picture = Picture("fig01", "A swing.", ("moves",), lambda bench, figure: figure.add_subplot().plot([0, 1]))
    return Paper("small", "A small paper", "N. N.", "It has a T-bar.", claims, (picture,))


def test_a_report_in_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    moves = Claim("moves", "Fig. 1", "It moves.", 1e-12, "m", at_most(), running)
    report = reproduce(small_paper(moves, claim("huge", 5.0)), out=tmp_path / "out")
    assert report.ok
    assert report.summary == "1 reproduced, 1 not reproduced"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("fig01.png", "report.json", "report.md", "swing.nc")
    ]
    told = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [one["verdict"] for one in told["claims"]] == [REPRODUCED, NOT_REPRODUCED]
    assert told["claims"][0]["beside"] == {"samples": 3.0}
    page = (tmp_path / "out" / "report.md").read_text()
    assert "| huge | Fig. 1 | 1 | at most | 5 | m | not reproduced |" in page
    assert "![fig01](fig01.png)" in page
    run = read(tmp_path / "out" / "swing.nc")
    assert run.time.size == 3
    assert "T-bar" in run.model_text, "the run can be continued from its file alone"


def test_runs_are_shown_as_pages_and_films(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    moves = Claim("moves", "Fig. 1", "It moves.", 1e-12, "m", at_most(), running)
    paper = replace(small_paper(moves), scenes=(Scene("swing", "It swings"), Scene("never", "Nobody asked for it")))
    report = reproduce(paper, out=tmp_path)
    assert {name: path.name for name, path in report.pages.items()} == {"swing": "swing.html"}
    assert report.films["swing"].stat().st_size > 1000
    assert "It swings: [swing.html](swing.html), [swing.mp4](swing.mp4)" in (tmp_path / "report.md").read_text()


def test_scenes_are_runs_of_their_papers() -> None:
    from taut.papers.mechanism.cases import imposed
    from taut.papers.prismatic.cases import sinusoids
    from taut.papers.rolling.cases import by_struts
    from taut.papers.stedy.arm import arm_case
    from taut.papers.stedy.ball import ball_case
    from taut.papers.stedy.tbar import CORRECTED

    known = {case.name for case in (CORRECTED, arm_case(), ball_case(), sinusoids(), by_struts(0), imposed())}
    assert {scene.run for key in PAPERS for scene in paper_named(key).scenes} - known == {"rolling-settling"}


def test_only_the_claims_and_pictures_asked_for(tmp_path: Path) -> None:
    moves = Claim("moves", "Fig. 1", "It moves.", 1e-12, "m", at_most(), running)
    report = reproduce(small_paper(moves, claim("huge", 5.0)), claims=["huge"], out=tmp_path)
    assert [finding.claim.id for finding in report.findings] == ["huge"]
    assert not report.pictures
    assert not report.runs


def test_a_claim_that_fails_leaves_the_others() -> None:
    broken = Claim("broken", "Fig. 2", "It holds.", 1.0, "m", at_most(), failing)
    report = reproduce(small_paper(broken, claim("fine", 0.5)))
    assert not report.ok
    assert report.failures == {"broken": "the arm broke"}
    assert [finding.claim.id for finding in report.findings] == ["fine"]


def test_ctrl_c_keeps_what_was_found() -> None:
    stopped = Claim("stopped", "Fig. 2", "It holds.", 1.0, "m", at_most(), interrupted)
    report = reproduce(small_paper(claim("fine", 0.5), stopped, claim("never", 0.5)))
    assert [finding.claim.id for finding in report.findings] == ["fine"]
    assert set(report.failures) == {"stopped", "never", "pictures"}


def test_a_run_is_made_once_and_must_reach_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    assert bench.run(CASE) is bench.run(CASE)
    assert 0.0 < bench.seconds(CASE) < 5.0
    tight = Case("tight", tbar(), Scenario(duration=1.0, method="rk4", step=10.0))
    with pytest.raises(TautError, match="run tight: "):
        bench.run(tight)


def test_without_matplotlib_the_claims_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    report = reproduce(small_paper(claim("moves", 0.5)), out=tmp_path)
    assert report.ok
    assert not report.pictures
    assert report.notes == ('no picture fig01: plots need matplotlib; install it with: pip install "taut[plot]"',)
    assert "no picture fig01" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("key", PAPERS)
def test_pictures_belong_to_claims_that_exist(key: str) -> None:
    paper = paper_named(key)
    known = {claim.id for claim in paper.claims}
    assert len(known) == len(paper.claims), "each id once"
    for picture in paper.pictures:
        assert picture.claims
        assert set(picture.claims) <= known, picture.name


def test_unknown_names() -> None:
    with pytest.raises(OptionError, match='no paper "stedi"; did you mean "stedy"?'):
        paper_named("stedi")
    with pytest.raises(OptionError, match='no paper "x"; there is stedy, prismatic'):
        reproduce("x")
    with pytest.raises(OptionError, match='paper "stedy" has no claim "fig3-lenght"; did you mean "fig3-length"?'):
        reproduce("stedy", claims=["fig3-lenght"])
    with pytest.raises(OptionError, match='has no claim "zzz"; `taut reproduce stedy --list` shows them'):
        reproduce("stedy", claims=["zzz"])
