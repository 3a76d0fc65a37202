"""Commands about structures at rest: formfind, prestress, modes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.application import complain
from taut.cli.arguments import (
    AsJson,
    ModelPath,
    OutputModel,
    Overrides,
    RecordFolders,
    by_selector,
    model_at,
    output_model,
    placed,
)
from taut.cli.page_files import check_page, tell_page
from taut.cli.tables import show_table
from taut.errors import BalanceError, OptionError, TautError

if TYPE_CHECKING:
    from taut.statics.equilibrium import Equilibrium
    from taut.statics.vibrations import Modes
    from taut.structure.files import Model


def formfind(
    model: ModelPath,
    output: OutputModel = None,
    method: Annotated[
        str | None,
        typer.Option(help="adaptive, force_density, relaxation or lengths; by default relaxation with supports."),
    ] = None,
    groups: Annotated[
        list[str] | None, typer.Option("--group", help="adaptive: members that share a force density.")
    ] = None,
    densities: Annotated[
        list[str] | None, typer.Option("--force-density", help="force_density: as in cable:*=100 [N/m].")
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="Mean length of some members, as in bar:*=1.2 [m] (adaptive, force_density).")
    ] = None,
    shape: Annotated[
        str | None, typer.Option(help="nearest (to the given nodes) or round (adaptive, force_density).")
    ] = None,
    rest_ratio: Annotated[
        float | None, typer.Option(help="Rest length / length of the tightest cable (adaptive, lengths).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Start from random nodes (relaxation, lengths).")] = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Find a shape in which a structure carries itself."""
    from taut.statics.formfinding import formfind as find_form

    loaded = model_at(model, overrides, records)
    target = output_model(model, output, "found")
    chosen = method or ("relaxation" if loaded.structure.supports else "adaptive")
    given: dict[str, Any] = {
        "groups": groups,
        "force_densities": by_selector("--force-density", densities),
        "size": by_selector("--size", [size] if size else None),
        "shape": shape,
        "rest_ratio": rest_ratio,
        "seed": seed,
    }
    with placed(loaded):
        found = find_form(loaded.structure, chosen, **given)
    _finish(loaded, found, target, as_json=as_json)


def prestress(
    model: ModelPath,
    output: OutputModel = None,
    targets: Annotated[
        list[str] | None, typer.Option("--target", help="Force of some members, as in cable:vertical=200 [N].")
    ] = None,
    minimum: Annotated[
        float | None, typer.Option(help="Least tension of every cable [N]; else 1 % of the largest target.")
    ] = None,
    objective: Annotated[str, typer.Option(help="least_squares or least_force_density.")] = "least_squares",
    gravity: Annotated[float | None, typer.Option(help="[m/s^2] along -z; by default the model's.")] = None,
    settle: Annotated[
        bool, typer.Option("--settle", help="Tighten without weight and loads, then let it settle under them.")
    ] = False,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Tighten a structure at its shape: rest lengths with which it stands there."""
    from taut.output.model_statics import steady_loads
    from taut.statics.balancing import balance
    from taut.statics.prestressing import prestress as tighten

    loaded = model_at(model, overrides, records)
    target = output_model(model, output, "tight")
    if gravity is not None:
        if not math.isfinite(gravity):
            raise OptionError(f"--gravity = {gravity!r} must be a finite number [m/s^2]")
        loaded = replace(loaded, scenario=replace(loaded.scenario, gravity=(0.0, 0.0, -gravity)))
    weight: dict[str, Any] = {"gravity": loaded.scenario.gravity, "loads": steady_loads(loaded.scenario)}
    pushed = any(loaded.scenario.gravity) or bool(weight["loads"])
    wanted = by_selector("--target", targets)
    if not wanted and not minimum and (settle or not pushed):
        raise OptionError('nothing says how tight the cables are to be: give --target "cable:*=100" or --minimum 10')
    with placed(loaded):
        try:
            found = tighten(
                loaded.structure, wanted, minimum=minimum, objective=objective, **({} if settle else weight)
            )
        except BalanceError as error:
            if settle or not pushed:
                raise
            hint = "; --settle tightens it without weight and loads and then lets it settle"
            raise BalanceError(f"{error}{hint}", error.node, error.force) from None
        if settle:
            found = balance(found.structure, **weight)
    _finish(loaded, found, target, as_json=as_json)


def modes(
    model: ModelPath,
    count: Annotated[int, typer.Option(help="How many, the lowest first.")] = 6,
    bars: Annotated[str | None, typer.Option(help="rigid or compressible, whatever the model says.")] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write a page that shows them (.html).", metavar="FILE")
    ] = None,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Natural frequencies where a model comes to rest under its gravity and steady loads."""
    from taut.output.model_statics import moved, resting
    from taut.statics.vibrations import modes as find_modes

    loaded = model_at(model, overrides, records)
    check_page(page)
    with placed(loaded):
        found = resting(loaded, bars)
        if not found.ok:
            raise typer.Exit(complain(f"{model}: {found.status}", 1))
        swings = find_modes(found, count, bars=bars)
    if page is not None:
        from taut.output.page.page import page as write_page

        write_page(found, page, modes=swings)
    far = moved(loaded, found)
    if as_json:
        print(json.dumps({**_mode_numbers(swings), "moved": far, **({"page": str(page)} if page else {})}, indent=2))
        return
    print(f"at rest {far:.3g} m from the given shape; {found.residual:.1e} N left over\n")
    show_table(
        ("mode", "frequency [Hz]", "moves most"),
        (
            (str(k), "buckles" if hz < 0.0 else f"{hz:.6g}", node)
            for k, (hz, node) in enumerate(zip(swings.frequency.tolist(), _liveliest(swings), strict=True), 1)
        ),
    )
    print("\n" + "; ".join([swings.status, *swings.notes, *found.notes]))
    tell_page(page)


def _mode_numbers(swings: Modes) -> dict[str, Any]:
    return {
        "status": swings.status,
        "frequency": swings.frequency.tolist(),
        "buckling": swings.buckling.tolist(),
        "rigid_motions": len(swings.rigid_motions),
        "moves_most": _liveliest(swings),
        "nodes": list(swings.structure.nodes),
        "shapes": swings.shapes.tolist(),
        "residual": swings.residual.tolist(),
        "notes": list(swings.notes),
    }


def _liveliest(swings: Modes) -> list[str]:
    """The node that moves most in each mode."""
    names = list(swings.structure.nodes)
    return [names[int((shape**2).sum(axis=1).argmax())] for shape in swings.shapes]


def _finish(model: Model, found: Equilibrium, target: Path, *, as_json: bool) -> None:
    """Say what was found, write the model that has it, and fail where nothing holds."""
    from taut.output.files import save

    verdict, sentence = _certificate(found)
    if found.ok:
        save(replace(model, structure=found.structure), target)
    written = str(target) if found.ok else None
    if as_json:
        values = {
            **equilibrium_numbers(found),
            "stability": verdict,
            "stability_sentence": sentence,
            "model_file": written,
        }
        print(json.dumps(values, indent=2))
    elif found.ok:
        show_table(("member", "length [m]", "rest length [m]", "force [N]", "force density [N/m]"), _rows(found))
        print(f"\n{found.method}: balanced to {found.residual:.1e} N; {sentence}")
        for note in found.notes:
            print(f"note: {note}")
        print(f"model file: {target}; next: taut modes {target}, taut page {target}, taut run {target}")
    if not found.ok:
        raise typer.Exit(complain(f"{model.source}: {found.status}", 1))


def _certificate(found: Equilibrium) -> tuple[str | None, str]:
    from taut.output.model_statics import QUICK
    from taut.statics.certificates import stability

    if found.member_force.size > QUICK:
        return None, f"stability is not looked at above {QUICK} members; taut info --full does"
    try:
        judged = stability(found)
    except TautError as error:
        return None, f"stability is not known: {error}"
    return judged.verdict, judged.sentence


def _rows(found: Equilibrium) -> Iterator[tuple[str, float, float | str, float, float]]:
    members = _members(found)
    for kind in ("cables", "bars"):
        for name, one in members[kind].items():
            rest = one.get("rest_length")
            yield f"{kind[:-1]} {name}", one["length"], "" if rest is None else rest, one["force"], one["force_density"]


def _members(found: Equilibrium) -> dict[str, dict[str, dict[str, Any]]]:
    """Force, force density and lengths of every member; no rest length of a cable with a command."""
    structure = found.structure
    forces, densities, lengths = (a.tolist() for a in (found.member_force, found.force_density, found.length))
    cables, bars = {}, {}
    for k, name in enumerate([*structure.cables, *structure.bars]):
        own = {"force": forces[k], "force_density": densities[k], "length": lengths[k]}
        if k < len(structure.cables):
            cables[name] = {**own, "rest_length": structure.cables[name].rest_length}
        else:
            bars[name] = own
    return {"cables": cables, "bars": bars}


def equilibrium_numbers(found: Equilibrium) -> dict[str, Any]:
    """An equilibrium for programs: SI units, nothing rounded."""
    return {
        "status": found.status,
        "method": found.method,
        "iterations": found.iterations,
        "residual": found.residual,
        "notes": list(found.notes),
        "nodes": {name: list(place) for name, place in found.structure.nodes.items()},
        **_members(found),
        "reactions": dict(zip(found.supports, found.reaction.tolist(), strict=True)),
        "force_density_sum": float(found.force_density[: len(found.structure.cables)].sum()),
    }
