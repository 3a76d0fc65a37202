"""The command `linear`: poles and norms of a model's small motions."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, ModelPath, Overrides, RecordFolders, model_at, placed
from taut.cli.tables import show_table
from taut.errors import FileError

if TYPE_CHECKING:
    from taut.control.linear_model import LinearModel
    from taut.control.norms import Norm


def linear(
    model: ModelPath,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--inputs", help="As in node:top.z, cable:*.rest_length; by default all forces at nodes."),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--outputs", help="As in node:top.z, cable:*.tension; by default all positions of nodes."),
    ] = None,
    rest: Annotated[
        bool, typer.Option("--rest", help="Where it comes to rest under gravity and steady loads, not at its start.")
    ] = False,
    held: Annotated[str, typer.Option(help="rest_length (passive cables) or force_density (set by a control).")] = (
        "rest_length"
    ),
    file: Annotated[Path | None, typer.Option("-o", "--file", help="Write the model (.npz or .json).")] = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Small motions about a model's state: poles, frequencies, damping, H2 and H-infinity norms."""
    from taut.atomic_files import check_writable
    from taut.control.norms import h2_norm, hinf_norm
    from taut.output.files import LINEAR_SUFFIXES
    from taut.output.linear_files import linear_model, linear_numbers, save_linear
    from taut.output.model_statics import resting

    loaded = model_at(model, overrides, records)
    if file is not None:
        if file.suffix not in LINEAR_SUFFIXES:
            raise FileError(f"{file}: a linear model's name must end in {' or '.join(LINEAR_SUFFIXES)}")
        check_writable(file)
    with placed(loaded):
        balanced = resting(loaded) if rest else None
        if balanced and not balanced.ok:
            raise typer.Exit(complain(f"{model}: {balanced.status}", 1))
        found = linear_model(loaded, inputs or None, outputs or None, rest=balanced, held=held)
    if file is not None:
        save_linear(found, file)
    if as_json:
        print(json.dumps({**linear_numbers(found), **({"file": str(file)} if file else {})}, indent=2))
        return
    size = f"{len(found.states)} states, {len(found.inputs)} inputs, {len(found.outputs)} outputs"
    print(f"{size}; {'every motion dies away' if found.stable else 'not every motion dies away'}\n")
    show_table(("pole [rad/s]", "frequency [Hz]", "damping ratio"), _rows(found))
    print(f"\nH2 norm          {_told(h2_norm(found))}\nH-infinity norm  {_told(hinf_norm(found))}")
    for note in found.notes:
        print(f"note: {note}")
    if file is not None:
        print(f"linear model: {file}")


def _rows(found: LinearModel) -> Iterator[tuple[str, float, float]]:
    """A pair of conjugate poles once; parts that are round-off as zero."""
    for pole, error in zip(found.poles.tolist(), found.pole_error.tolist(), strict=True):
        real, imaginary = (part if abs(part) > error else 0.0 for part in (pole.real, pole.imag))
        if imaginary < 0.0:
            continue
        size = math.hypot(real, imaginary)
        text = f"{real:.6g} +- {imaginary:.6g}j" if imaginary > 0.0 else f"{real:.6g}"
        yield text, size / (2.0 * math.pi), (0.0 - real) / size if size else 0.0


def _told(norm: Norm) -> str:
    value = f"{norm.value:.6g}" if math.isfinite(norm.value) else "infinite"
    place = f" at {norm.frequency:.6g} Hz" if math.isfinite(norm.frequency) else ""
    return f"{value}{place}" + (f" ({norm.reason})" if norm.reason else "")
