"""What a search for gaits finds beside gaits drawn at random: `python -m benchmarks.gait_search`.

The robot of examples/six_strut.yaml, its six struts driven by sinusoids of one frequency (roll, climb), or by a law
that reacts to where their ends are (react, react-climb). Random: 256 gaits of the space that is searched, 2 copies
each, the best eight of them with 64 copies each. Search: its best gait with 64 copies
of noise that had no part in choosing it, with twice as many, at a tenth of the step, and on a ground that gives way.
Everything is kept in a folder (gait-searches) after every generation: the same command goes on.

    python -m benchmarks.gait_search [roll climb ...] [--folder DIR]     search, compare and tell
    python -m benchmarks.gait_search --keep [--folder DIR]               write what is there into examples/gaits.json
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from taut.locomotion.gait_spaces import SinusoidSpace
from taut.locomotion.measures import measures_of
from taut.locomotion.reactive import ReactiveSpace
from taut.output.gait_search.finding import search_gaits, sloped, started_from, trial_of, uphill
from taut.output.gait_search.replaying import copies_of
from taut.output.gait_search.store import load_gaits
from taut.output.gait_search.zoo import ShippedGait, Told, gaits_shipped
from taut.search.goals import Goal, Objective, Score
from taut.search.options import SearchOptions
from taut.search.result import GaitSearch
from taut.search.searching import Standing
from taut.structure.files import Model, read_model

EXAMPLES = Path(__file__).parents[1] / "examples"
STRUTS = tuple(f"bar:{name}" for name in ("x1", "x2", "y1", "y2", "z1", "z2"))
RANDOM, SCREENED, AGAIN, COPIES = 256, 2, 8, 64
RANDOM_SEED = 777
FACES_OF = 16
"""Copies whose faces are looked at."""


@dataclass(frozen=True)
class Search:
    """name: of the gait it ships. symmetry: what moves alike, in words. begins: with the gaits of this search, too."""

    name: str
    symmetry: str
    space: SinusoidSpace | ReactiveSpace
    options: SearchOptions
    slope: float = 0.0
    heading: float = 0.0
    goal: str = "distance"
    begins: str = ""

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
        who = "" if space.members == STRUTS else " " + " ".join(f"--members '{one}'" for one in space.members)
        ranges = f"--amplitude {space.amplitude[0]:g}:{space.amplitude[1]:g} --frequency {space.frequency[0]:g}:"
        ranges += f"{space.frequency[1]:g} --mean {space.mean[0]:g}:{space.mean[1]:g} --shared {','.join(space.shared)}"
        return f"{begin}{who} {ranges}{hill}"


SPACE = SinusoidSpace(STRUTS, amplitude=(0.0, 0.15), frequency=(0.4, 3.0), shared=("frequency", "mean"))
PAIRS = replace(SPACE, members=("bar:x*", "bar:y*", "bar:z*"))
OPTIONS = SearchOptions(
    "ga", generations=23, population=40, seed=1, copies=4, elite=6, extra=8, step=2e-3, tell_step=1e-3
)
CLIMB = replace(OPTIONS, generations=8, population=32)
SHORT = replace(OPTIONS, generations=4, population=16, copies=2, elite=4)

REACTIVE = ReactiveSpace(STRUTS, period=0.05)
REACT = replace(OPTIONS, algorithm="cma", generations=12, population=24, step=1e-3, tell_step=5e-4)

SEARCHES = (
    Search("roll", "none: every strut for itself", SPACE, OPTIONS),
    Search(
        "climb", "none: every strut for itself", SPACE, CLIMB, slope=5.0, heading=-138.0, goal="uphill", begins="roll"
    ),
    Search("react", "all struts by one law", REACTIVE, REACT),
    Search(
        "react-climb", "all struts by one law", REACTIVE, REACT, slope=5.0, heading=180.0, goal="uphill", begins="react"
    ),
    Search("pairs", "parallel struts alike", PAIRS, SHORT),
    Search("three", "one strut of each pair, the others still", replace(SPACE, members=STRUTS[::2]), SHORT),
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


def report(search: Search, random: Score, found: GaitSearch) -> str:
    best = found.scores()[0]
    lines = [
        f"{search.name}: {search.objective.goals[0].words}, slope {search.slope:g} degrees, {search.symmetry}",
        f"  best of {RANDOM} gaits at random     {random} m (n = {random.copies})",
        f"  best of the search             {best} m (n = {best.copies}), {best.value / random.value:.2f} times that",
        *(f"  {check.words('m')}" for check in found.checks),
        f"  {found.runs} runs of {found.options.duration:g} s in {found.seconds / 60.0:.1f} minutes by the clock",
    ]
    return "\n".join(lines)


def shipped(search: Search, found: GaitSearch) -> ShippedGait:
    """As examples/gaits.json has it."""
    faces = measures_of(copies_of(found, 1, FACES_OF), ("face_changes",)).face_changes
    told = {check.what: _told(check.score) for check in found.checks}
    finer = next(one for what, one in told.items() if "h/10" in what)
    return ShippedGait(
        search.name, "six_strut", search.slope, search.heading, search.symmetry, search.goal, found.gait(),
        found.options.duration, found.options.told_step, _told(found.scores()[0]), finer, told,
        float(np.nanmean(faces)), search.command,
    )  # fmt: skip


def _told(score: Score) -> Told:
    return Told(score.value, score.error, score.copies)


def keep(folder: Path) -> Path:
    """Write what comes with taut: what is in the folder, and of other searches what was kept before."""
    found = {one.name: (one, folder / f"{one.name}.nc") for one in SEARCHES}
    known = {one.name: one for one in gaits_shipped()}
    known |= {name: shipped(one, load_gaits(path)) for name, (one, path) in found.items() if path.exists()}
    target = EXAMPLES / "gaits.json"
    target.write_text(json.dumps([known[name].data() for name in found if name in known], indent=1) + "\n")
    return target


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
    for search in (one for one in SEARCHES if one.name in told.names):
        begun = time.perf_counter()
        found = found_by(search, told.folder, told.threads)
        random = kept_random(search, told.folder, told.threads)
        print(report(search, random, found))
        print(f"  (with checks and gaits at random {(time.perf_counter() - begun) / 60.0:.1f} minutes)", flush=True)


if __name__ == "__main__":
    main()
