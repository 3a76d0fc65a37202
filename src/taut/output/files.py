"""`read` and `save`: one door for model files, run files, study files, linear models and tables."""

from __future__ import annotations

from pathlib import Path

from taut.control.linear_model import LinearModel
from taut.dynamics.trajectory import Trajectory
from taut.errors import FileError, OptionError
from taut.labelled import Tabular
from taut.output.csv_files import CSV_SUFFIXES, save_csv
from taut.output.drafts import is_draft
from taut.output.recording import save_run
from taut.output.store import holds_study, load_run
from taut.output.study.store import load_study, save_study
from taut.output.study.study import Study
from taut.reprs import with_article
from taut.structure.files import Model, parse_model, read_model, write_model
from taut.structure.scenario import Scenario
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

MODEL_SUFFIXES = (".yaml", ".yml")
RUN_SUFFIXES = (".nc",)
LINEAR_SUFFIXES = (".npz", ".json")


@checked_arguments
def read(path: str | Path) -> Structure | Trajectory | Study:
    """The structure of a model file (.yaml), the trajectory of a run file (.nc) or of its draft, or a study (.nc).

    `taut.read_model` gives all of a model file: structure, scenario and text.
    """
    if is_draft(Path(path)):
        return load_run(path)
    if Path(path).suffix in RUN_SUFFIXES:
        return load_study(path) if holds_study(path) else load_run(path)
    model = read_model(path)
    if model.tree is not None:
        raise FileError(f"{path}: is a tree of bodies and has no structure; taut.read_model(path).tree has it")
    return model.structure


@checked_arguments
def save(
    thing: Structure | Model | LinearModel | Tabular, path: str | Path, *, scenario: Scenario | None = None
) -> None:
    """Write a structure or model (.yaml), a trajectory or a study (.nc, .csv), a linear model (.npz or .json), or
    whatever else has columns, such as an equilibrium, modes, load cases, a path (.csv).

    scenario: what happens to a structure, for its model file: gravity, loads, ground, drives, how it is followed.
    """
    if scenario is not None and not isinstance(thing, Structure):
        raise OptionError(f"a scenario goes with a structure, and {with_article(type(thing).__name__)} is saved")
    suffix, wanted = Path(path).suffix, _suffixes(thing)
    if suffix not in wanted:
        raise FileError(f"{path}: {with_article(type(thing).__name__)} is saved as {' or '.join(wanted)}")
    if isinstance(thing, Structure):
        write_model(path, thing, scenario)
    elif isinstance(thing, Model):
        write_model(path, thing.structure, thing.scenario, text=_tree_text(thing))
    elif isinstance(thing, LinearModel):
        from taut.output.linear_files import save_linear  # whoever shows a run needs none of it

        save_linear(thing, path)
    elif suffix in CSV_SUFFIXES:
        save_csv(thing.columns(), path)
    elif isinstance(thing, Trajectory):
        save_run(thing, path)
    elif isinstance(thing, Study):
        save_study(thing, path)


def _tree_text(model: Model) -> str | None:
    """The text of a tree, which is written as it was read; None where a model is a structure."""
    if model.tree is None:
        return None
    told = parse_model(model.text, model.source, limit=None)
    if (told.tree, told.scenario) != (model.tree, model.scenario):
        raise OptionError(
            "the tree or scenario of this model is not what its text says, and a tree is saved as that; change the text"
        )
    return model.text


def _suffixes(thing: Structure | Model | LinearModel | Tabular) -> tuple[str, ...]:
    if isinstance(thing, Structure | Model):
        return MODEL_SUFFIXES
    if isinstance(thing, LinearModel):
        return LINEAR_SUFFIXES
    return (*RUN_SUFFIXES, *CSV_SUFFIXES) if isinstance(thing, Trajectory | Study) else CSV_SUFFIXES
