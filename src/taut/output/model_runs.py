"""From model files to runs: what the file, the run that is continued and the command line together ask for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.dynamics.driver import Progress
from taut.dynamics.horizon import PART, finer_run, mean_member
from taut.dynamics.interrupts import held_interrupts
from taut.dynamics.methods import method_named
from taut.dynamics.methods.tableau import Implicit, Rattle
from taut.dynamics.parting import compared, distance
from taut.dynamics.simulating import Sink, simulate
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, ModelError, OptionError, WriteError
from taut.mechanics.assemble import assemble
from taut.mechanics.plant import Plant
from taut.output.drafts import Draft, drafting, remove_outdone
from taut.output.progress import progress_bar
from taut.output.recording import recording
from taut.output.run_format import POSTURES
from taut.output.store import load_run
from taut.structure.corrections import Correction, of_kind, simplest
from taut.structure.files import Model, located, parse_model
from taut.structure.format.overriding import overridden
from taut.structure.format.writing import correction_text
from taut.structure.scenario import RUN_OPTIONS, Scenario
from taut.structure.structure import Structure

if TYPE_CHECKING:
    from taut.mechanics.points.generalised import GeneralisedPlant
    from taut.mechanics.trees.plant import TreePlant


def recorded(
    model: Model,
    target: Path,
    given: Mapping[str, Any],
    start: Trajectory | None = None,
    *,
    verify: bool = True,
    horizon: bool = False,
) -> tuple[Trajectory, FileError | None]:
    """Run a model, or go on with a run of it, into a run file; its draft grows while the run goes on.

    given: options that win over those of the run that is continued, and these over those of the scenario, but for what
        `--set` put there. A correction is given by its kind; its numbers stay.
    verify, horizon: compare it with others to say how far it is off; run it once more, finer, to say how long it can be
        trusted.
    Returns what is to be said of the run, its samples being in the file, and why the file is not there if it is not.
    The file holds the model's text with all options, so that it says everything about the run.
    """
    if target.suffix != ".nc":
        raise FileError(f"{target}: a run file's name must end in .nc")
    result = None
    wanted = _settings(model.scenario, given, start, _set_options(model.overrides))
    begin = float(start.time[-1]) if start else 0.0
    try:
        with ExitStack() as until_written, drafting(target) as draft:
            with progress_bar(begin, wanted["duration"]) as report:
                kept = _Kept(draft.add) if horizon else None
                result = _simulated(model, wanted, start, kept or draft.add, report, verify=verify)
                if kept and result.finished:
                    result = kept.judged(model, result)
            until_written.enter_context(held_interrupts())
            _finish(draft, target, result)
    except FileError as error:
        if result is None:
            raise
        return result, error
    remove_outdone(target, result.overall.end)
    return result, None


def _finish(draft: Draft, target: Path, result: Trajectory) -> None:
    """Make the run file of a draft."""
    try:
        with recording(target) as recorder:
            for part in draft.parts():
                recorder.add(part)
            recorder.finish(result)
    except WriteError as error:
        raise WriteError(f"{error}{draft.advice}") from error


class _Kept:
    """A sink that also keeps what is needed to compare a run with another one."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._time: list[np.ndarray] = []
        self._nodes: list[np.ndarray] = []

    def __call__(self, part: Trajectory) -> None:
        self._sink(part)
        self._time.append(part.time)
        self._nodes.append(part.nodes)

    def judged(self, model: Model, run: Trajectory) -> Trajectory:
        """The run, with how long it can be trusted."""
        plant = plant_of(model)
        time, nodes = np.concatenate(self._time), np.concatenate(self._nodes)
        with progress_bar(0.0, float(time[-1])) as report:
            other, finer = finer_run(plant, run.options, float(time[-1]), report)
        count = min(time.size, other.time.size)
        difference = distance(nodes[:count], other.nodes[:count])
        told = compared(time[:count], difference, PART * mean_member(run), finer)
        return replace(run, horizon=str(told))


def followed(model: Model, sink: Sink, progress: Progress | None = None) -> Trajectory:
    """Run a model as its scenario says; the samples go to the sink."""
    return _simulated(model, _settings(model.scenario, {}, None), None, sink, progress, verify=True)


def _simulated(
    model: Model,
    wanted: dict[str, Any],
    start: Trajectory | None,
    sink: Sink,
    progress: Progress | None,
    *,
    verify: bool,
) -> Trajectory:
    scenario = model.scenario
    changed = {name: value for name, value in wanted.items() if value != getattr(scenario, name)}
    told = [f"scenario.{name}={_yaml(value)}" for name, value in changed.items()]
    text = overridden(model.text, told, model.source)
    duration = wanted.pop("duration")
    if start and start.options.get("method") == wanted["method"]:
        wanted["samples"] = start.options.get("samples", "steps")
    try:
        plant = plant_of(model)
        return simulate(
            plant, duration, **wanted, verify=verify, start=start, sink=sink, progress=progress, model_text=text
        )
    except ModelError as error:
        raise located(model, error.problems) from None


def plant_of(model: Model) -> Plant | GeneralisedPlant | TreePlant:
    """A model ready to move as its scenario says: a structure, or a tree of bodies."""
    if model.tree is None:
        return assembled(model.structure, model.scenario)
    from taut.trees.model_trees import plant_of_model  # Pinocchio, which few models need

    return plant_of_model(model.tree, model.scenario)


def assembled(structure: Structure, scenario: Scenario, **changed: Any) -> Plant | GeneralisedPlant:
    """A structure ready to move as a scenario says, but for what is changed; in the coordinates of joints where it has
    any."""
    plant = assemble(structure, **scenario.physics | changed)
    if not scenario.joints:
        return plant
    from taut.mechanics.points.following_joints import in_coordinates  # kernels of their own, which few models need

    return in_coordinates(plant, scenario.joints)


def continued(source: Path, other: Model | None, overrides: Iterable[str]) -> tuple[Model, Trajectory]:
    """A run and the model to continue it with: the one in the run file, unless another is named."""
    start = load_run(source)
    if start.options.get("method") == POSTURES:
        raise FileError(
            f"{source}: holds postures of a path, each at rest, and no motion to go on with; "
            "taut posture MODEL --save FILE writes a model to run from one"
        )
    if not start.model_text:
        if other is None:
            raise FileError(f"{source}: holds no model; name the model file too")
        return other, start
    first = parse_model(start.model_text, str(source), limit=None)
    model = other or parse_model(start.model_text, str(source), overrides, limit=None)
    for name, was in first.scenario.physics.items():
        if getattr(model.scenario, name) != was:
            raise OptionError(
                f"scenario.{name} is not what it was when {source} was made; a run is continued as it began, "
                "so start a new one instead"
            )
    return model, start


def _settings(
    scenario: Scenario, given: Mapping[str, Any], start: Trajectory | None, fresh: Collection[str] = ()
) -> dict[str, Any]:
    """The options of a run. A step alone asks for equal steps, a tolerance alone for adapted ones.

    fresh: those that the scenario says, whatever the run that is continued had; a method comes with its own.
    """
    fresh = {*fresh, *(("tolerance", "step", "correction") if "method" in fresh else ())}
    kept = _kept_options(start) if start else {}
    wanted = {name: getattr(scenario, name) for name in RUN_OPTIONS}
    wanted |= {name: value for name, value in kept.items() if name not in fresh}
    numbers = wanted["correction"]
    wanted |= given
    method = method_named(wanted["method"])
    adaptive, implicit = method.adaptive, isinstance(method, Implicit)
    if "method" in given:
        if isinstance(method, Rattle | Implicit):
            numbers = None  # what the file or the earlier run asks for was meant for its own method
            wanted["correction"] = given.get("correction")
        if adaptive and "step" not in given:
            wanted["step"] = None
        if not adaptive and "tolerance" in given:
            raise OptionError(f'method "{wanted["method"]}" takes equal steps; give a --step, not a --tolerance')
    elif implicit and "tolerance" in given and "step" not in given:
        wanted["step"] = None
    elif implicit:
        pass  # it takes either, or both
    elif "step" in given and "tolerance" in given:
        raise OptionError("--step asks for equal steps, --tolerance for adapted ones; give one of them")
    elif "step" in given and adaptive:
        wanted["method"] = "rk4"
    elif "tolerance" in given and not adaptive:
        wanted |= {"method": "dp5", "step": None}
    if "correction" in given:
        wanted["correction"] = simplest(of_kind(given["correction"], numbers))
    if start and start.finished and "duration" not in {*given, *fresh}:
        raise OptionError(f"the run is finished, at {start.time[-1]:g} s; say how far to go on with --duration")
    return wanted


def _kept_options(start: Trajectory) -> dict[str, Any]:
    """What a run that is continued says of its options."""
    kept = {name: start.options[name] for name in RUN_OPTIONS if name in start.options}
    return kept | ({"correction": simplest(Correction.of_options(start.options))} if "correction" in kept else {})


def _set_options(overrides: Iterable[str]) -> set[str]:
    """The run options that assignments such as scenario.correction.iterations=3 set, in whole or in part."""
    keys = (told.partition("=")[0].strip().split(".") for told in overrides)
    return {key[1] for key in keys if key[0] == "scenario" and len(key) > 1 and key[1] in RUN_OPTIONS}


def _yaml(value: Any) -> str:
    """An option as `--set` takes it."""
    if isinstance(value, Correction):
        return correction_text(value)
    return "" if value is None else str(value)
