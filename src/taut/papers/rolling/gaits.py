"""Sections 5.2, 6.7 and 9: gaits by a genetic algorithm. Those that come with taut are run again, none is searched."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.locomotion.course import course_of
from taut.locomotion.gaits import SinusoidGait
from taut.locomotion.measures import measures_of
from taut.output.gait_search.finding import sloped
from taut.output.gait_search.replaying import runs_of
from taut.output.gait_search.zoo import ShippedGait, gait_named, gaits_shipped
from taut.output.plot.gait_searches import phase_wheel, spread_of_paths
from taut.papers.bench import Bench
from taut.papers.claims import Claim, Measured, at_least, at_most
from taut.papers.drawing import panels
from taut.papers.paper import Picture
from taut.papers.rolling.actuation import SEEDS
from taut.papers.rolling.cases import LENGTH, by_struts
from taut.search.options import SearchOptions
from taut.structure.examples import example
from taut.structure.files import read_model

COPIES = 16
DRAWN = ("roll", "pair-wave")
FIRST_SEED = 500


def copies(bench: Bench, one: ShippedGait) -> Ensemble:
    """Runs of a gait that comes with taut, off by 0.01 rad in every phase, or by 0.02 m/s at the start."""

    def made() -> Ensemble:
        options = SearchOptions(duration=one.duration, step=one.step)
        model = sloped(read_model(example(one.model)), one.slope, one.heading)
        return runs_of(model, one.gait, options, FIRST_SEED + np.arange(COPIES))

    return bench.once(f"copies of gait {one.name}", made)


def _distances(bench: Bench, one: ShippedGait) -> np.ndarray:
    """(n,) [m] of the copies that finished."""
    told = measures_of(copies(bench, one), ("distance",))
    return np.asarray(told.distance[told.ok])


def _shown(values: np.ndarray) -> str:
    return f"{values.mean():.3g} +- {values.std(ddof=1) / np.sqrt(values.size):.2g} m"


def _found(bench: Bench) -> Measured:
    went = {one.name: _distances(bench, one) for one in gaits_shipped()}
    return Measured(
        float(sum(values.mean() > LENGTH for values in went.values())),
        f"By section 6.7 the report's code has no genetic algorithm, and it gives no gait. These were found by "
        f"`taut gait search` and come with taut; each is run again {COPIES} times for 10 s, phases off by "
        "0.01 rad, or starts by 0.02 m/s where a gait has no phases. "
        "Those count whose mean displacement is more than the length of a strut.",
        {f"gait {name}": _shown(values) for name, values in went.items()},
    )


def _improved(bench: Bench) -> Measured:
    best = gaits_shipped()[0]
    drawn = [course_of(bench.run(by_struts(seed))).distance for seed in SEEDS]
    values = _distances(bench, best)
    return Measured(
        float(values.mean() / max(drawn)),
        f"Mean displacement in 10 s of the gait {best.name}, over the largest of eight runs with phases at random "
        "(delta 0.3, 1 Hz, as section 5.1 has it).",
        {f"gait {best.name}": _shown(values), "at random [m]": " ".join(f"{value:.2f}" for value in sorted(drawn))},
    )


def _one_run(bench: Bench) -> Measured:
    values = {one.name: _distances(bench, one) for one in gaits_shipped()}
    spread = {name: float(own.std(ddof=1) / own.mean()) for name, own in values.items()}
    best = gaits_shipped()[0].name
    return Measured(
        spread[best],
        f"The fitness of section 5.2 is the displacement of one run. Over {COPIES} runs of one gait whose phases are "
        "off by 0.01 rad it scatters by this part of its mean: small differences grow, and a search that goes by one "
        "run rewards luck. A mean over copies with its standard error is what can be compared.",
        {f"gait {name}": f"{part:.2f}" for name, part in spread.items()},
    )


CLAIMS = (
    Claim(
        "sec5-search",
        "sections 5.2, 9",
        "A genetic algorithm finds gaits that move the robot.",
        1.0,
        "gaits",
        at_least(),
        _found,
    ),
    Claim(
        "sec67-improved",
        "section 6.7",
        "Phases and amplitudes by a genetic algorithm roll farther than sinusoids at random.",
        1.0,
        "ratio",
        at_least(),
        _improved,
    ),
    Claim(
        "sec52-fitness",
        "section 5.2",
        "The displacement of one run says what a gait is worth: to a tenth.",
        0.1,
        "of the mean",
        at_most(),
        _one_run,
    ),
)


def _draw_gaits(bench: Bench, figure: Any) -> None:
    shipped = [gait_named(name) for name in DRAWN]
    titles = [title for one in shipped for title in (f"gait {one.name}: phases", f"gait {one.name}: paths")]
    for axes, (one, what) in zip(
        panels(figure, titles, columns=2), [(one, what) for one in shipped for what in (0, 1)], strict=True
    ):
        if what == 0 and isinstance(one.gait, SinusoidGait):
            phase_wheel(one.gait, ax=axes)
        else:
            spread_of_paths(copies(bench, one), ax=axes)


PICTURES = (
    Picture(
        "gaits",
        "Gaits that come with taut: one without symmetry, and a wave of pairs of struts, each a third of a period "
        "ahead of the one before; paths of copies that are a little off.",
        ("sec5-search", "sec52-fitness"),
        _draw_gaits,
        (7.0, 6.4),
    ),
)
