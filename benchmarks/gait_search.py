"""What a search for gaits finds beside gaits drawn at random: `python -m benchmarks.gait_search`.

The robot of examples/six_strut.yaml, its six struts driven by sinusoids of one frequency (roll, climb; and one short
search for every symmetry class of such gaits), or by a law that reacts to where their ends are (react, react-climb).
Random: 256 gaits of the space that is searched, 2 copies each, the best eight of them with 64 copies each; not for the
classes. Search: its best gait with 64 copies of noise that had no part in choosing it, with twice as many, at a tenth
of the step, and on a ground that gives way.
Everything is kept in a folder (gait-searches) after every generation: the same command goes on.

    python -m benchmarks.gait_search [roll climb ...] [--folder DIR]     search, compare and tell
    python -m benchmarks.gait_search classes [--folder DIR]              one short search for each symmetry class
    python -m benchmarks.gait_search --keep [--folder DIR]               write what is there into examples/gaits.json,
                                                                         and its table into docs/gait-search.md
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from taut.dynamics.member_collisions import collisions
from taut.locomotion.course import gravity_of, mass_of
from taut.locomotion.face_sequences import FaceSequence, face_sequence
from taut.locomotion.gait_classes import gait_symmetries
from taut.locomotion.gait_spaces import Gait, SinusoidSpace
from taut.locomotion.measures import measures_of
from taut.locomotion.reactive import ReactiveSpace
from taut.output.gait_search.finding import search_gaits, sloped, started_from, trial_of, uphill
from taut.output.gait_search.replaying import COPY_SEED, runs_of
from taut.output.gait_search.store import load_gaits
from taut.output.gait_search.zoo import ShippedGait, gaits_shipped
from taut.search.goals import COLUMN, MEASURES, Goal, Objective, Score
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.search.searching import Standing
from taut.search.validation import agree
from taut.structure.files import Model, read_model

EXAMPLES = Path(__file__).parents[1] / "examples"
STRUTS = tuple(f"bar:{name}" for name in ("x1", "x2", "y1", "y2", "z1", "z2"))
RANDOM, SCREENED, AGAIN, COPIES = 256, 2, 8, 64
RANDOM_SEED = 777
FACES_OF = 32
"""Copies whose faces are looked at, and whose cost of transport is told."""

STEPS = ("closed open", "open closed", "open open", "closed closed")
"""Changes of faces, in the table's order. No two closed faces have an edge in common: of the last kind are those that
went over a face between them within a tenth of a second."""

MARKS = ("<!-- found -->\n", "<!-- end -->")
"""In docs/gait-search.md, about the table."""


@dataclass(frozen=True)
class Search:
    """name: of the gait it ships. symmetry: its class, or what moves alike in words. begins: with the gaits of this
    search, too. ships: whether its best gait comes with taut."""

    name: str
    symmetry: str
    space: SinusoidSpace | ReactiveSpace
    options: SearchOptions
    slope: float = 0.0
    heading: float = 0.0
    goal: str = "distance"
    begins: str = ""
    ships: bool = True

    @property
    def model(self) -> Model:
        return sloped(read_model(EXAMPLES / "six_strut.yaml"), self.slope, self.heading)

    @property
    def objective(self) -> Objective:
        return Objective(
            (Goal("along", uphill(self.model, self.heading)) if self.goal == "uphill" else Goal(self.goal),)
        )

    @property
    def drawn_from(self) -> str:
        """What gaits at random depend on."""
        options = self.options
        return json.dumps([self.space.data(), self.slope, self.heading, self.goal, options.duration, options.step])

    @property
    def command(self) -> str:
        """That finds the same."""
        space, options = self.space, self.options
        counts = f"--copies {options.copies} --elite {options.elite} --extra {options.extra}"
        counts += f" --step {options.step:g} --tell-step {options.told_step:g}"
        hill = f" --slope {self.slope:g} --heading {self.heading:g}" if self.slope else ""
        hill += f" --from {self.begins}.nc" if self.begins else ""
        begin = (
            f"taut gait search six_strut.yaml --algorithm {options.algorithm} --generations {options.generations} "
            f"--population {options.population} {counts} --seed {options.seed}"
        )
        if isinstance(space, ReactiveSpace):
            return f"{begin} --reactive --period {space.period:g}{hill}"
        who = "" if space.symmetry is None else f" --symmetry {space.symmetry.name}"
        ranges = f"--amplitude {space.amplitude[0]:g}:{space.amplitude[1]:g} --frequency {space.frequency[0]:g}:"
        ranges += f"{space.frequency[1]:g} --mean {space.mean[0]:g}:{space.mean[1]:g} --shared {','.join(space.shared)}"
        return f"{begin}{who} {ranges}{hill}"


SPACE = SinusoidSpace(STRUTS, amplitude=(0.0, 0.15), frequency=(0.4, 3.0), shared=("frequency", "mean"))
OPTIONS = SearchOptions(
    "ga", generations=23, population=40, seed=1, copies=4, elite=6, extra=8, step=2e-3, tell_step=1e-3
)
CLIMB = replace(OPTIONS, generations=8, population=32)
SHORT = replace(OPTIONS, generations=10, population=20, copies=3, elite=4)

REACTIVE = ReactiveSpace(STRUTS, period=0.05)
REACT = replace(OPTIONS, algorithm="cma", generations=12, population=24, step=1e-3, tell_step=5e-4)

NAMES = {
    "Cs/Cs": "one-pair",
    "C2v/C2v": "two-pairs",
    "D2h/D2h": "pairs",
    "Ci/C1": "opposite",
    "C2h/Cs": "two-opposite",
    "D2h/C2v": "one-opposite",
    "C3/C3": "threes",
    "C3/C1-1": "wave",
    "C3/C1-2": "wave-back",
    "S6/C3": "threes-opposite",
    "S6/C1-1": "sixths",
    "S6/C1-2": "sixths-back",
    "Th/Th": "breath",
    "Th/D2h-1": "pair-wave",
    "Th/D2h-2": "pair-wave-back",
}
"""Of the gaits of symmetry classes."""

CLASSES = {one.name: one for one in gait_symmetries(read_model(EXAMPLES / "six_strut.yaml").structure, STRUTS)}

SEARCHES = (
    Search("roll", "C1/C1", SPACE, OPTIONS),
    Search("climb", "C1/C1", SPACE, CLIMB, slope=5.0, heading=-138.0, goal="uphill", begins="roll", ships=False),
    Search("react", "one law for all", REACTIVE, REACT),
    Search("react-climb", "one law for all", REACTIVE, REACT, slope=5.0, heading=180.0, goal="uphill", begins="react"),
    *(Search(name, one, replace(SPACE, symmetry=CLASSES[one]), SHORT) for one, name in NAMES.items()),
)


@dataclass(frozen=True)
class Best:
    """The best of gaits at random: its score over COPIES copies; all of them by their few copies."""

    point: np.ndarray
    score: Score
    values: np.ndarray


def best_at_random(search: Search, threads: int | None = None) -> Best:
    """Every gait with a few copies, the best of these with many."""
    goal, options = search.objective.goals[0], search.options
    trial = trial_of(search.model, search.space, options, threads=threads).only_for(search.objective)
    points = np.random.default_rng(RANDOM_SEED).random((RANDOM, search.space.size))
    tried = replace(options, seed=RANDOM_SEED)
    few = trial(points, tried.seeds(0, 0, RANDOM, SCREENED)).copies
    values = np.array([goal.score(own).value for own in few])
    chosen = np.argsort(np.where(np.isfinite(values), -goal.sense * values, np.inf))[:AGAIN]
    scores = [goal.score(own) for own in trial(points[chosen], tried.seeds(0, 1, AGAIN, COPIES)).copies]
    best = int(np.argmax([goal.sense * one.value for one in scores]))
    return Best(points[chosen[best]], scores[best], values)


def kept_random(search: Search, folder: Path, threads: int | None) -> Score:
    """From its file where it was computed before, for the same space and options."""
    path, asked = folder / f"{search.name}-random.json", search.drawn_from
    if path.exists():
        data = json.loads(path.read_text())
        if data["of"] == asked:
            return Score(*data["score"])
    found = best_at_random(search, threads).score
    path.write_text(json.dumps({"of": asked, "score": [found.value, found.error, found.copies]}))
    return found


def found_by(search: Search, folder: Path, threads: int | None) -> GaitSearch:
    def tell(now: Standing) -> None:
        told = f"best {now.best} m, mean {now.mean:.3g} m, {now.rate:.1f} runs/s"
        print(f"  {now.generation} of {now.generations}: {told}", flush=True)

    other = folder / f"{search.begins}.nc"
    begun = started_from(other, search.space, search.options.elite) if search.begins else ()
    return search_gaits(
        search.model,
        search.space,
        search.objective,
        replace(search.options, start=begun),
        output=folder / f"{search.name}.nc",
        resume=True,
        threads=threads,
        progress=tell,
        told=lambda said: print(f"  {said}", flush=True),
    )


def report(search: Search, random: Score | None, found: GaitSearch) -> str:
    best = found.scores()[0]
    lines = [
        f"{search.name}: {search.objective.goals[0].words}, slope {search.slope:g} degrees, {search.symmetry}",
        f"  best of the search             {best} m (n = {best.copies})",
        *(f"  {check.words('m')}" for check in found.checks),
        f"  {found.runs} runs of {found.options.duration:g} s in {found.seconds / 60.0:.1f} minutes by the clock",
    ]
    if random is not None:
        told = f"{random} m (n = {random.copies}); the search has {best.value / random.value:.2f} times that"
        lines.insert(1, f"  best of {RANDOM} gaits at random     {told}")
    return "\n".join(lines)


def shipped(search: Search, found: GaitSearch) -> ShippedGait:
    """As examples/gaits.json has it."""
    told = {check.what: check.score for check in found.checks}
    finer = next(one for what, one in told.items() if "h/10" in what)
    copies = copied(search.model, found.gait(), found.options)
    return ShippedGait(
        search.name, "six_strut", search.slope, search.heading, search.symmetry, search.goal, found.gait(),
        found.options.duration, found.options.told_step, found.scores()[0], finer, told, *copies, search.command,
    )  # fmt: skip


def copied(model: Model, gait: Gait, options: SearchOptions) -> tuple[Score, FaceSequence, int]:
    """Of some copies, with the step by which a gait is told: the cost of transport, faces, how many had collisions."""
    runs = runs_of(model, gait, options, COPY_SEED + np.arange(FACES_OF), threads=1)
    told = measures_of(runs, ("distance", "energy_positive"))
    weight = mass_of(runs[0]) * float(np.linalg.norm(gravity_of(runs[0])))
    copies = np.full((FACES_OF, len(MEASURES)), np.nan)
    for name, values in {
        "distance": told.distance,
        "energy": told.energy_positive,
        "carried": weight * told.distance,
    }.items():
        copies[:, COLUMN[name]] = values
    collided = sum(bool(collisions(runs[k])) for k in range(FACES_OF))
    return Goal("cost_of_transport").score(copies), face_sequence(runs), collided


def keep(folder: Path) -> Path:
    """Write what comes with taut: what is in the folder, and of other searches what was kept before."""
    known, made = {one.name: one for one in gaits_shipped()}, []
    for search in (one for one in SEARCHES if one.ships):
        path = folder / f"{search.name}.nc"
        if path.exists():
            made.append(shipped(search, load_gaits(path)))
        elif search.name in known:
            one = known[search.name]
            copies = copied(search.model, one.gait, SearchOptions(duration=one.duration, step=one.step))
            told = dict(zip(("cost", "faces", "collided"), copies, strict=True))
            made.append(replace(one, symmetry=search.symmetry, **told))
    target, page = EXAMPLES / "gaits.json", EXAMPLES.parent / "docs" / "gait-search.md"
    target.write_text(json.dumps([one.data() for one in made], indent=1) + "\n")
    before, rest = page.read_text().split(MARKS[0])
    page.write_text(before + MARKS[0] + table(made) + MARKS[1] + rest.split(MARKS[1])[1])
    return target


def table(gaits: Sequence[ShippedGait]) -> str:
    """Of all that come with taut, for the docs; a number that does not agree with the first has a !."""
    rows = [
        "| gait | symmetry | in 10 s [m] | at h/10 | 128 copies | soft ground | cost of transport | faces changed | "
        "different | c to o, o to c, o to o, c to c | faces of most copies | collided |",
        "|---" * 12 + "|",
    ]
    for one in gaits:
        again, _, soft = (f"{score}{'' if agree(one.distance, score) else ' !'}" for score in one.checks.values())
        finer = f"{one.finer}{'' if agree(one.distance, one.finer) else ' !'}"
        steps = ", ".join(f"{one.faces.steps.get(kinds, 0.0):.1f}" for kinds in STEPS)
        name = f"`{one.name}`" + (f", {one.slope:g} degrees" if one.slope else "")
        told = (name, one.symmetry, one.distance, finer, again, soft, one.cost)
        stood = (f"{one.faces.changes:.1f}", f"{one.faces.visited:.1f}", steps, one.faces.words(), one.collided)
        rows.append(f"| {' | '.join(map(str, (*told, *stood)))} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["roll", "climb"])
    parser.add_argument("--folder", type=Path, default=Path("gait-searches"))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--keep", action="store_true")
    told = parser.parse_args()
    told.folder.mkdir(exist_ok=True)
    if told.keep:
        print(keep(told.folder))
        return
    names = [*told.names, *(NAMES.values() if "classes" in told.names else ())]
    for search in (one for one in SEARCHES if one.name in names):
        begun = time.perf_counter()
        found = found_by(search, told.folder, told.threads)
        random = None if search.name in NAMES.values() else kept_random(search, told.folder, told.threads)
        print(report(search, random, found))
        print(f"  (with checks and gaits at random {(time.perf_counter() - begun) / 60.0:.1f} minutes)", flush=True)


if __name__ == "__main__":
    main()
