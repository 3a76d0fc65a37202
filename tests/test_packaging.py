"""What comes with the package: a marker for type checkers, a citation, and the ways to call the command."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import taut

ROOT = Path(__file__).parents[1]
CONFIGURED = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = CONFIGURED["project"]

OTHER_NAMES_IN_CONDA: dict[str, str] = {}
"""Dependencies that conda-forge has by another name than PyPI; none yet."""


def test_type_checkers_are_told_that_there_are_types() -> None:
    assert (Path(taut.__file__).parent / "py.typed").read_bytes() == b""
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_the_citation_is_of_this_version() -> None:
    told = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert told["cff-version"] == "1.2.0"
    assert (told["version"], told["license"]) == (taut.__version__, PROJECT["license"])
    assert told["authors"] == PROJECT["authors"]
    assert told["keywords"] == PROJECT["keywords"]
    assert told["message"]
    assert told["title"]


@pytest.mark.parametrize("module", ["taut", "taut.cli"])
def test_the_command_as_a_module(module: str) -> None:
    told = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == (f"taut {taut.__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("taut pre", ["prestress"]), ("taut run --cor", ["--correction"]), ("taut --install", ["--install-completion"])],
)
def test_the_shell_completes_commands_and_options(typed: str, offered: list[str]) -> None:
    asked = {"_TAUT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    told = subprocess.run(
        [sys.executable, "-m", "taut"], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert (told.stdout.split(), told.stderr) == (offered, "")


def test_the_wheel_with_compiled_code_is_for_the_system_of_numbas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    import compiled_code

    told = "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_27_x86_64\nTag: cp311-cp311-manylinux_2_28_x86_64\n"
    assert compiled_code.wheel_tag(told) == "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64"
    monkeypatch.setattr(compiled_code, "surroundings", lambda: {"numba": "0.1", "llvmlite": "0.2"})
    with pytest.raises(SystemExit, match=r"code is made with \['numba==0.1', 'llvmlite==0.2'\]: change one"):
        compiled_code.check_versions()


def test_the_first_model_of_the_pages_is_the_one_whose_code_is_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    import first_commands

    assert first_commands.MAST in (ROOT / "docs" / "start.md").read_text()
    assert {told[1] for told in first_commands.RUNS} >= {path.name for path in (ROOT / "examples").glob("*.yaml")}


def test_the_conda_recipe_is_of_this_project() -> None:
    told = YAML(typ="safe").load(ROOT / "shipping" / "conda" / "recipe.yaml")
    assert told["context"]["version"] == taut.__version__
    assert f">={told['context']['python_min']}" == PROJECT["requires-python"]
    assert (told["package"]["name"], told["package"]["version"]) == (PROJECT["name"], "${{ version }}")
    assert (told["about"]["summary"], told["about"]["license"]) == (PROJECT["description"], PROJECT["license"])
    assert [told["about"]["license_file"]] == PROJECT["license-files"]
    commands = [f"{name} = {where}" for name, where in PROJECT["scripts"].items()]
    assert told["build"]["python"]["entry_points"] == commands
    split = [re.fullmatch(r"([\w.-]+)(.*)", asked) for asked in PROJECT["dependencies"]]
    wanted = [f"{OTHER_NAMES_IN_CONDA.get(name, name)} {bound}" for name, bound in (m.groups() for m in split if m)]
    assert len(wanted) == len(PROJECT["dependencies"])
    python, *needed = told["requirements"]["run"]
    assert (python, needed) == ("python >=${{ python_min }}", wanted)
    assert set(CONFIGURED["build-system"]["requires"]) <= set(told["requirements"]["host"])


def test_the_oldest_versions_are_those_of_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    from lower_bounds import constraints, lower_bounds

    found = lower_bounds(ROOT / "pyproject.toml")
    assert [f"{name}>={version}" for name, version in found.items()][: len(PROJECT["dependencies"])] == PROJECT[
        "dependencies"
    ]
    assert {"dask", "pytest", "cma"} <= found.keys() - {"taut", "llvmlite"}
    assert f"numpy=={found['numpy']}\n" in constraints(ROOT / "pyproject.toml")
    other = tmp_path / "pyproject.toml"
    begin = '[project]\nname = "x"\n'
    other.write_text(begin + 'dependencies = ["numpy"]\noptional-dependencies = {}\n')
    with pytest.raises(ValueError, match="'numpy' does not say where it begins"):
        lower_bounds(other)
    other.write_text(begin + 'dependencies = ["numpy>=1"]\noptional-dependencies = {a = ["numpy>=2"]}\n')
    with pytest.raises(ValueError, match="numpy begins with 1 and with 2: make them one"):
        lower_bounds(other)


def test_a_step_that_comes_to_something_else_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "shipping"))
    from environments import Environment, Failed
    from first_steps import Steps

    said: list[str] = []
    steps = Steps(Environment(Path(sys.prefix), tmp_path), tmp_path, said.append)
    words = "import sys; print('a'); print('b', file=sys.stderr); sys.exit(2)"
    steps.step("python", "-c", words, out="a", err="b", code=2)
    assert len(said) == 1
    for wrong in ({"out": "c", "err": "b"}, {"err": "c"}, {"code": 0, "err": "b"}, {}):
        with pytest.raises(Failed, match=r"came: 2\na\n\nb"):
            steps.step("python", "-c", words, **{"code": 2, **wrong})


def test_what_is_checked_before_a_commit_is_what_make_lint_runs() -> None:
    (own,) = YAML(typ="safe").load(ROOT / ".pre-commit-config.yaml")["repos"]
    assert own["repo"] == "local"  # one list of versions: that of the environment
    hooks = [hook["entry"].removeprefix(".venv/bin/").split(" --")[0] for hook in own["hooks"]]
    recipe = (ROOT / "Makefile").read_text().split("\nlint:")[1].split("\n\n")[0]
    linted = [line.removeprefix("\t$(BIN)/") for line in recipe.splitlines() if line.startswith("\t")]
    assert hooks == [re.sub(r" (--check|\.)", "", line) for line in linted]


def test_checks_that_are_left_out_have_their_reasons() -> None:
    reasons = (ROOT / "CONTRIBUTING.md").read_text()
    for check in CONFIGURED["tool"]["repo-review"]["ignore"]:
        assert f"\n- {check}, " in reasons
