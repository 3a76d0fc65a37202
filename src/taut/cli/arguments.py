"""Arguments that several commands take, the model they name, and the one they write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.errors import FileError, ModelError, OptionError

if TYPE_CHECKING:
    from taut.structure.files import Model

ModelPath = Annotated[Path, typer.Argument(help="A model file (.yaml).", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one entry of the model, as in scenario.duration=2.", metavar="KEY=VALUE"),
]
RecordFolders = Annotated[
    list[Path] | None,
    typer.Option("--records", help="Read records from this folder, too; else from beside the model.", metavar="FOLDER"),
]
OutputModel = Annotated[
    Path | None, typer.Option("-o", "--output", help="The model file to write (.yaml), which `taut run` takes.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Compute on the dask cluster whose scheduler is there, as tcp://host:8786.", metavar="ADDRESS"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def model_at(
    path: Path, overrides: list[str] | None, records: list[Path] | None = None, *, trees: bool = False
) -> Model:
    """trees: whether the command takes trees of bodies too."""
    from taut.structure.files import read_model, without_tree

    if path.suffix == ".nc" and path.is_file():
        raise FileError(f"{path}: is a run file, not a model; to continue it, taut run --from {path}")
    found = read_model(path, overrides or (), record_folders=records or ())
    return found if trees else without_tree(found)


@contextmanager
def placed(model: Model) -> Iterator[None]:
    """Within, what is wrong with the model is said with its line."""
    from taut.structure.files import located

    try:
        yield
    except ModelError as error:
        raise (error if error.source else located(model, error.problems)) from None


def output_model(model: Path, output: Path | None, word: str) -> Path:
    """The model file to write; refused before the work begins where it cannot be."""
    from taut.atomic_files import check_writable
    from taut.output.files import MODEL_SUFFIXES

    target = output or Path(f"{model.stem}-{word}.yaml")
    if target.suffix not in MODEL_SUFFIXES:
        raise FileError(f"{target}: a model file's name must end in {' or '.join(MODEL_SUFFIXES)}")
    if target.exists() and target.samefile(model):
        raise FileError(f"{target}: is the model itself; give another name with -o")
    check_writable(target)
    return target


def by_selector(option: str, told: list[str] | None) -> dict[str, float] | None:
    """As in cable:vertical=200."""
    if told is None:
        return None
    values = {}
    for text in told:
        selector, _, number = text.rpartition("=")
        try:
            values[selector] = float(number)
        except ValueError:
            selector = ""
        if not selector:
            raise OptionError(f'{option} "{text}" is not a selector and a number, as in cable:*=100')
    return values


def number_or_by_selector(
    option: str, texts: list[str] | None, otherwise: float | None
) -> float | dict[str, float] | None:
    """A number for all, or some by selector."""
    if not texts:
        return otherwise
    if len(texts) == 1 and "=" not in texts[0]:
        try:
            return float(texts[0])
        except ValueError:
            raise OptionError(f'{option} "{texts[0]}" is neither a number nor as in cable:*=1e-3') from None
    return by_selector(option, texts)
