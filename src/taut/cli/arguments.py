"""Arguments that several commands take, and the model they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.errors import FileError

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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def model_at(path: Path, overrides: list[str] | None, records: list[Path] | None = None) -> Model:
    from taut.structure.files import read_model

    if path.suffix == ".nc" and path.is_file():
        raise FileError(f"{path}: is a run file, not a model; to continue it, taut run --from {path}")
    return read_model(path, overrides or (), record_folders=records or ())
