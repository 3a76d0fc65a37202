"""The command `identify`: parameters of a model from what was measured."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import AsJson, ModelPath, Overrides, RecordFolders, by_selector, model_at, output_model, placed
from taut.cli.measured_options import ColumnMap, MeasuredColumns, Scale, read_measured
from taut.cli.table_files import Csv, check_csv, json_columns, save_table, tell_csv
from taut.cli.tables import show_table
from taut.errors import OptionError, suggestion

if TYPE_CHECKING:
    from taut.measurement.identification import Identification
    from taut.measurement.observations import AtRest, InMotion
    from taut.measurement.unknowns import Unknown
    from taut.structure.files import Model


def identify(
    model: ModelPath,
    measured: Annotated[
        list[Path] | None, typer.Argument(help="What was measured at rest (.csv), a file a state.", show_default=False)
    ] = None,
    motion: Annotated[
        list[Path] | None,
        typer.Option("--motion", help="Measured while it moved as the scenario says (.csv).", metavar="FILE"),
    ] = None,
    unknown: Annotated[
        list[str] | None,
        typer.Option("--unknown", help="As in cable:*.stiffness, one number each.", metavar="SELECTOR.QUANTITY"),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option("--together", help="The same, one factor for all of them.", metavar="SELECTOR.QUANTITY"),
    ] = None,
    deviation: Annotated[
        list[str] | None,
        typer.Option("--deviation", help="Standard deviations, as in node:*=2e-4 [m].", metavar="SELECTOR=NUMBER"),
    ] = None,
    noise: Annotated[str, typer.Option(help="given, or estimated: deviations are proportions only.")] = "given",
    cases: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            help="What acted in a state, as in 'wind.csv={loads: {top1: [20, 0, 0]}}'; else what the model says.",
            metavar="FILE={...}",
        ),
    ] = None,
    columns: MeasuredColumns = None,
    mapped: ColumnMap = None,
    scale: Scale = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the model with the estimates (.yaml).")
    ] = None,
    table: Csv = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Estimate stiffness, rest lengths, masses, damping from measurements, with confidence intervals."""
    from taut.measurement.identifying import identify as estimate

    loaded = model_at(model, overrides, records)
    check_csv(table)
    target = None if output is None else output_model(model, output, "identified")
    sought = [*_unknowns("--unknown", unknown), *_unknowns("--together", together)]
    known = by_selector("--deviation", deviation)
    if not sought:
        raise OptionError('nothing is unknown: say what to find, as in --unknown "cable:*.stiffness"')
    if not known:
        raise OptionError('nothing says how well it was measured: give --deviation "node:*=1e-3", in m, or N of forces')
    files = {"columns": columns, "mapped": mapped, "scale": scale}
    with placed(loaded):
        observations = _observations(loaded, measured or [], motion or [], cases, files)
        found = estimate(loaded.structure, observations, sought, deviations=known, noise=noise)
    save_table(found, table)
    if target is not None:
        from taut.output.files import save

        save(replace(loaded, structure=found.structure), target)
    if as_json:
        print(json.dumps({**_numbers(found), **json_columns(found, table)}, indent=2))
    else:
        _show(found)
        tell_csv(table)
        if target is not None:
            print(f"model file: {target}")
    if not found.ok:
        told = found.status if found.status != "converged" else found.verdict
        raise typer.Exit(complain(f"{model}: {told}{_many_rows(observations)}", 1))


def _unknowns(option: str, told: list[str] | None) -> Iterator[Unknown]:
    """As in cable:*.stiffness, or cable:*.stiffness=1e4 with where the search begins."""
    from taut.measurement.unknowns import Unknown

    for text in told or ():
        named, equals, number = text.partition("=")
        selector, _, quantity = named.strip().rpartition(".")
        try:
            start = float(number) if equals else None
        except ValueError:
            selector, start = "", None
        if not selector or not quantity:
            raise OptionError(
                f'{option} "{text}" is not a selector and a quantity, as in cable:*.stiffness, or '
                "cable:*.stiffness=1e4 with where to begin"
            )
        yield Unknown(selector, quantity, together=option == "--together", start=start)


def _observations(
    model: Model, measured: list[Path], motion: list[Path], cases: list[str] | None, files: dict[str, Any]
) -> list[AtRest | InMotion]:
    from taut.measurement.observations import AtRest, InMotion
    from taut.output.model_cases import scenario_case, told_cases

    if not measured and not motion:
        raise OptionError("nothing was measured: name a file of a state at rest, or --motion FILE")
    acted = told_cases(cases, model.scenario) if cases else {}
    names = [str(path) for path in measured]
    for name in acted:
        if name not in names:
            hint = suggestion(name, names) or f"; there are {', '.join(names) or 'none'}"
            raise OptionError(f'--case "{name}" is not one of the files measured at rest{hint}')
    own = scenario_case(model.scenario)
    return [
        *(
            AtRest(read_measured(path, model.structure, **files), acted.get(str(path), own), str(path))
            for path in measured
        ),
        *(InMotion(read_measured(path, model.structure, **files), model.scenario, str(path)) for path in motion),
    ]


def _many_rows(observations: list[AtRest | InMotion]) -> str:
    """A hint at files that may have been a motion."""
    from taut.measurement.observations import AtRest

    for one in observations:
        if isinstance(one, AtRest) and one.measured.time.size > 1:
            rows = f"{one.measured.time.size} rows of {one.name} were taken as readings of one state at rest"
            return f". The {rows}; if it moved, say --motion {one.name}"
    return ""


def _numbers(found: Identification) -> dict[str, Any]:
    return {
        "status": found.status,
        "ok": found.ok,
        "verdict": found.verdict,
        "chi_square": found.chi_square,
        "freedom": found.freedom,
        "p_value": None if math.isnan(found.p_value) else found.p_value,
        "undetermined": list(found.undetermined),
        "notes": list(found.notes),
    }


def _show(found: Identification) -> None:
    columns = found.columns()
    names = ("parameter", "unit", "start", "estimate", "standard_error", "lower", "upper")
    show_table(
        ("parameter", "unit", "start", "estimate", "deviation", "2.5 %", "97.5 %"),
        (
            ["-" if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row]
            for row in zip(*(columns[name].tolist() for name in names), strict=True)
        ),
    )
    if found.ok:
        print(f"\n{found.verdict}")
    for told in found.undetermined:
        print(f"undetermined: {told}")
    for note in found.notes:
        print(f"note: {note}")
