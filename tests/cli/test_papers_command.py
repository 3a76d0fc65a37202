"""`taut reproduce` as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from taut import TautError

TINY_PAPERS = Path(__file__).parents[1] / "papers"


def test_papers_and_claims_are_listed(taut: Callable) -> None:
    listed = taut("reproduce", "--list")
    assert listed.code == 0
    assert listed.out.startswith("stedy  S.-C. Hsu")
    claims = taut("reproduce", "stedy", "--list")
    assert claims.code == 0
    assert "fig2-simscape" in claims.out


def test_all_papers_in_one_report(taut: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TINY_PAPERS))
    monkeypatch.setattr("taut.papers.paper.PAPERS", {"firm": "tiny_firm_paper"})
    told = taut("reproduce", "--jobs", "1", "--out", "all")
    assert told.code == 0, told.err
    assert told.out.splitlines()[1].split()[:5] == ["firm", "1", "1", "1", "0"]
    assert "1 paper, 3 claims: 1 reproduced, 1 not reproduced, 1 cannot be checked here, in " in told.out
    assert "Papers computed again" in (tmp_path / "all" / "report.html").read_text()


@pytest.mark.slow
def test_some_claims_with_their_report(taut: Callable, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    told = taut("reproduce", "stedy", "--claim", "fig4-energy", "--claim", "fig3-length")
    assert told.code == 0, told.err
    lines = told.out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["claim", "fig3-length", "fig4-energy"]
    assert lines[1].split()[-1] == "reproduced"
    assert "2 reproduced, in" in told.out
    files = {path.name for path in (tmp_path / "stedy-report").iterdir()}
    assert {"report.md", "report.json", "fig03-04.png", "tbar-90-10s-1e-10-energy.nc"} <= files


@pytest.mark.slow
def test_json_alone_on_stdout(taut: Callable) -> None:
    told = taut("reproduce", "stedy", "--claim", "fig3-length", "--json", "--out", "here")
    assert told.code == 0, told.err
    assert json.loads(told.out)["claims"][0]["verdict"] == "reproduced"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--claim", "fig3-length"],
            "--claim fig3-length needs a paper: stedy, prismatic, rolling, mechanism, pulleys",
        ),
        (["stedy", "--jobs", "0"], "jobs = 0 must be one or more"),
        (["stedi"], 'no paper "stedi"; did you mean "stedy"?'),
        (["stedy", "--claim", "fig3-lenght"], 'paper "stedy" has no claim "fig3-lenght"; did you mean "fig3-length"?'),
    ],
)
def test_what_is_not_there(taut: Callable, tmp_path: Path, arguments: list[str], message: str) -> None:
    told = taut("reproduce", *arguments)
    assert told.code == 2
    assert told.err.strip() == f"error: {message}"
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_claims_that_could_not_be_computed(taut: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(bench: object, case: object) -> None:
        raise TautError("no run today")

    monkeypatch.setattr("taut.papers.bench.Bench.run", failing)
    told = taut("reproduce", "stedy", "--claim", "fig4-energy", "--claim", "fig3-length", "--claim", "table2-mass-soft")
    assert told.code == 1
    assert told.err.strip() == "fig3-length, fig4-energy: no run today"
    assert "75.398" in told.out


def test_a_folder_that_cannot_be_made(taut: Callable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = taut("reproduce", "stedy", "--claim", "fig3-length", "--out", "file/out")
    assert told.code == 2
    assert "cannot be made" in told.err
