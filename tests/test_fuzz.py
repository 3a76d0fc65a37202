"""Model files and commands changed at random: each is taken or refused in words, soon, and with little memory.

Seeds of what once went wrong need no list: the causes have tests of their own.
"""

from __future__ import annotations

import os
import random
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from mutations import BASES, GENERATED, NUMBERS, TREES, WORDS, mutated

import taut
from taut.cli import main
from taut.errors import TautError
from taut.mechanics.model_checks import facts, problems_of_motion
from taut.numerics.compile_events import tell_once
from taut.structure import memory
from taut.structure.files import Model, parse_model
from taut.trees import TreePlant, plant_of_model

QUICK, LONG = 300, 10_000

LONGEST = 20.0
"""CPU seconds for one file; what has to be compiled is compiled before."""

MEMORY = 400_000
"""kB that all of them together may add to this process, but for those that are compiled, of which numba keeps up to
100 MB each."""


class Enough(Exception):
    """A run goes on and on, but it does go on."""


class Hangs(Exception):
    pass


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Within, no more CPU time than that."""

    def stop(*_: object) -> None:
        raise Hangs

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def assembled(model: Model) -> taut.Plant:
    told = model.scenario
    given = {name: getattr(told, name) for name in ("gravity", "loads", "motions", "damping", "events", "velocities")}
    return taut.assemble(model.structure, solver=told.solver, **given)


def short_run(plant: taut.Plant | TreePlant, model: Model) -> str:
    """A thousandth of a second, or twenty steps, or a tenth of a second of work."""
    told = model.scenario
    bites = iter(range(4))

    def heed(now: float, end: float) -> None:
        if next(bites, None) is None:
            raise Enough

    duration = min(told.duration, 1e-3, 20.0 * (told.step or 1.0))
    options = {name: getattr(told, name) for name in ("method", "tolerance", "step", "correction", "locate")}
    try:
        run = taut.simulate(plant, duration, every=duration / 3.0, progress=heed, **options)
    except Enough:
        return "ran on"
    return "ran" if run.ok else "stopped"


def outcome(text: str, may_run: Callable[[taut.Plant, Model], bool]) -> str:
    """What became of a model file; raises what is not one of taut's own errors, and those without a word."""
    try:
        model = parse_model(text)
        if model.tree is not None:
            tree = plant_of_model(model.tree, model.scenario)
            return "assembled" if tree.grounds else short_run(tree, model)
        assert problems_of_motion(model.structure) or facts(model.structure)
        plant = assembled(model)
        return short_run(plant, model) if may_run(plant, model) else "assembled"
    except TautError as error:
        assert str(error).strip()
        return "refused"


def fuzz(seeds: range, may_run: Callable[[taut.Plant, Model], bool], bases: Sequence[str] = BASES) -> Counter[str]:
    added, compiled, seen = 0, set[int](), Counter[str]()
    for seed in seeds:
        begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tell_once(partial(compiled.add, seed))
        try:
            with bounded(LONGEST):
                seen[outcome(mutated(seed, bases), may_run)] += 1
        except Exception as error:
            told = "" if bases is BASES else ", TREES"
            error.add_note(f"with `mutated({seed}{told})` of tests/mutations.py")
            raise
        if seed not in compiled:
            added += resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begun
    assert added < MEMORY
    return seen


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tower of 100,000 stages is one that people may ask for; here it would only take time."""
    monkeypatch.setenv(memory.SETTING, "0.05")


@pytest.fixture(scope="module")
def compiled() -> set[tuple[str, str]]:
    """Formulations and methods that are compiled already: those of a T-bar and of a tower that stands."""
    known = set()
    for told in (GENERATED[7], GENERATED[0]):
        model = parse_model(f"taut: 1\ngenerate: {{{told}}}\nscenario: {{duration: 0.001}}\n")
        plant = assembled(model)
        short_run(plant, model)
        known.add((plant.formulation, model.scenario.method))
    return known


def test_changed_model_files(compiled: set[tuple[str, str]]) -> None:
    seen = fuzz(range(QUICK), lambda plant, model: (plant.formulation, model.scenario.method) in compiled)
    assert seen["ran"] > QUICK // 20, "too many are refused for the rest to show anything"
    assert seen["refused"] > QUICK // 2


@pytest.mark.slow
def test_many_changed_model_files() -> None:
    known: set[tuple[str, str]] = set()

    def may_run(plant: taut.Plant, model: Model) -> bool:
        """The first twelve ways to run; to compile the others would take longer than all the rest."""
        way = plant.formulation, model.scenario.method
        if way not in known and len(known) < 12:
            known.add(way)
            signal.setitimer(signal.ITIMER_PROF, 300.0)
        return way in known

    seen = fuzz(range(QUICK, QUICK + LONG), may_run)
    assert seen["ran"] > LONG // 20


@pytest.mark.parametrize(
    "seeds", [range(QUICK), pytest.param(range(QUICK, LONG // 2), marks=pytest.mark.slow)], ids=["quick", "long"]
)
def test_changed_model_files_of_trees(seeds: range) -> None:
    """Nothing is compiled for them but what touches grounds, so that all others that are not refused run."""
    pytest.importorskip("pinocchio")
    seen = fuzz(seeds, lambda plant, model: False, TREES)
    assert seen["ran"] > len(seeds) // 20
    assert seen["refused"] > len(seeds) // 3


# --- commands

TOLD = """taut: 1
generate: {tbar: {}}
scenario: {duration: 0.001}
"""

OPTIONS = {
    "check": ["--set", "--records", "--nonsense"],
    "info": ["--set", "--full", "--json"],
    "run": [
        "--set",
        "--duration",
        "--every",
        "--tolerance",
        "--step",
        "--correction",
        "--from",
        "-o",
        "--json",
        "--page",
    ],
    "modes": ["--set", "--json"],
    "prestress": ["--set", "-o"],
    "linear": ["--set", "--input", "--output"],
    "film": ["--size", "--rate", "--view"],
    "plot": ["-o", "--show"],
    "page": ["--frames", "-o"],
    "posture": ["--set", "--input", "--mode", "-o", "--page", "--json"],
    "follow": [
        "--set",
        "--node",
        "--plate",
        "--circle",
        "--path",
        "--hold-sum",
        "--lowest",
        "--samples",
        "--level",
        "-o",
    ],
}
FLAGS = ("--full", "--json", "--nonsense")
KEYS = [
    *("scenario.gravity", "generate.tbar.bar_length", "generate.tbar.angle", "nodes.n1", "nodes.n3[2]", "cables.c1"),
    *(
        "bars.b1.mass",
        "properties.cable:*.rest_ratio",
        "supports.n3",
        "scenario.loads.a",
        "name",
        "taut",
        "",
        "x",
        "..",
        "[",
    ),
    *("scenario.tolerance", "scenario.correction", "scenario.events.e", "groups.g", "point_masses.n1", "constraints.k"),
]
HARMLESS = [word for word in (*NUMBERS, *WORDS) if word not in ("1e-12", "1e-7", "1e-15", "\ud800")]
"""Without samples and steps by the million, which are many and no mistake."""


def command(rng: random.Random) -> list[str]:
    verb = rng.choice(list(OPTIONS))
    told = [verb]
    if rng.random() < 0.95:
        told.append("m.yaml" if rng.random() < 0.8 else rng.choice(("none.yaml", "m.nc", ".", "", "pipe")))
    if verb == "film":
        told.append(rng.choice(("x.gif", "x.mp4", "x", "")))
    for _ in range(rng.randrange(4)):
        option = rng.choice(OPTIONS[verb])
        told.append(option)
        if option == "--set":
            told.append(rng.choice(KEYS) + rng.choice(("=", "=", "=", "")) + rng.choice(HARMLESS))
        elif option not in FLAGS:
            told.append(rng.choice(HARMLESS))
    return told


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 3000), marks=pytest.mark.slow)], ids=["quick", "long"]
)
def test_changed_commands(
    seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], compiled: set
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    codes: Counter[int] = Counter()
    for seed in seeds:
        Path("m.yaml").write_text(TOLD)
        asked = command(random.Random(seed))
        try:
            with bounded(LONGEST), pytest.raises(SystemExit) as ended:
                main(asked)
        except Exception as error:
            error.add_note(f"by seed {seed}: {asked}")
            raise
        code = int(ended.value.code or 0)
        out, err = capsys.readouterr()
        codes[code] += 1
        assert code in (0, 1, 2), (seed, asked, err)
        assert (code == 0) or err.strip() or out.strip(), (seed, asked)
        assert "\x1b" not in out + err, (seed, asked)
    assert codes[0] > len(seeds) // 10
    assert codes[2] > len(seeds) // 4
