"""Commands about models: examples, check, info."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.cli.arguments import AsJson, ModelPath, Overrides, RecordFolders, model_at
from taut.cli.tree_tables import check_tree, show_tree
from taut.errors import FileError, OptionError, Problem, TautError, listed

if TYPE_CHECKING:
    from taut.structure.files import Model
    from taut.structure.scenario import Scenario

ACTING = ("drives", "ground", "joints", "sensors", "controllers")
"""What a scenario has that is counted and named."""

MOST_COORDINATES = 1000
"""Of a model whose inputs are counted without being asked to in full: matrices over all of them are dense."""


def examples(name: Annotated[str | None, typer.Argument(help="The example to copy here.")] = None) -> None:
    """List the examples, or copy one into this folder."""
    from taut.structure.examples import example
    from taut.structure.examples import examples as listed

    if name is None:
        found = listed()
        width = max((len(path.name) for path in found), default=0)
        for path in found:
            print(f"{path.name:<{width}}  {_first_comment(path)}")
        return
    from taut.atomic_files import written_whole

    source = example(name)
    target = Path(source.name)
    if target.exists():
        raise FileError(f"{target}: is here already; move it away first")
    with written_whole(target) as draft:
        draft.write_bytes(source.read_bytes())
    then = f"taut check {target}, taut run {target}" if source.suffix == ".yaml" else f"python {target}"
    print(f"wrote {target}; next: {then}")


def check(model: ModelPath, overrides: Overrides = None, records: RecordFolders = None) -> None:
    """Say whether a model file is sound; list every problem with its line."""
    from taut.mechanics.model_checks import problems_of_motion
    from taut.structure.files import located

    loaded = model_at(model, overrides, records, trees=True)
    if loaded.tree is not None:
        check_tree(loaded, model, _method_problems(loaded.scenario))
        return
    found = [*problems_of_motion(loaded.structure), *_method_problems(loaded.scenario)]
    if found:
        raise located(loaded, found)
    print(f"{model}: sound; {_size(loaded)}")
    _show_hints(loaded)


def info(
    model: ModelPath,
    full: Annotated[bool, typer.Option("--full", help="Count and certify big models too.")] = False,
    overrides: Overrides = None,
    records: RecordFolders = None,
    as_json: AsJson = False,
) -> None:
    """Size, class, mass, degrees of freedom, self-stress, mechanisms and stability of a model."""
    from taut.mechanics.model_checks import facts
    from taut.output.model_statics import certified

    loaded = model_at(model, overrides, records, trees=True)
    if loaded.tree is not None:
        show_tree(loaded, as_json=as_json)
        return
    certificate = certified(loaded, full=full)
    values = {**facts(loaded.structure), **certificate.facts()}
    values |= _actuation(loaded, full=full)
    acting = {kind: [one.name for one in getattr(loaded.scenario, kind)] for kind in ACTING}
    if as_json:
        print(json.dumps({**values, **acting, **{k: v or None for k, v in certificate.sentences().items()}}, indent=2))
        return
    values |= {kind: listed(names) for kind, names in acting.items() if names}
    values["mass"] = f"{_plainly(values['mass'])} kg"
    width = max(map(len, values))
    for name, value in values.items():
        print(f"{name.replace('_', ' '):<{width}}  {_plainly(value)}")
    for sentence in filter(None, certificate.sentences().values()):
        print(f"\n{sentence}")
    _show_hints(loaded)


def _actuation(model: Model, *, full: bool) -> dict[str, str | None]:
    """Under-, properly or redundantly actuated, where anything is driven; not known of what cannot move, or is big."""
    if not model.scenario.drives:
        return {}
    if 3 * len(model.structure.nodes) > MOST_COORDINATES and not full:
        return {"actuation": None}
    from taut.control.input_counts import actuation
    from taut.output.model_runs import assembled

    try:
        return {"actuation": str(actuation(assembled(model.structure, model.scenario)))}
    except TautError:  # what is wrong with it is told by `taut check`
        return {"actuation": None}


def _show_hints(model: Model) -> None:
    """What looks odd, with its line, and is not wrong."""
    from taut.structure.files import located
    from taut.structure.scenario_hints import scenario_hints
    from taut.structure.touching_members import touching_hints

    hints = [
        *model.structure.hints(),
        *scenario_hints(model.structure, model.scenario),
        *touching_hints(model.structure),
    ]
    for line in str(located(model, hints)).splitlines():
        print(f"hint: {line}")


def _method_problems(scenario: Scenario) -> list[Problem]:
    from taut.dynamics.methods import method_for

    try:
        method = method_for(scenario.method, scenario.tolerance, scenario.step)
    except OptionError as error:
        return [Problem(("scenario", "method"), str(error))]
    if method.adaptive and scenario.step is not None:
        return [Problem(("scenario", "step"), f'method "{method.name}" chooses its own step; leave it out, or use rk4')]
    if not method.adaptive and scenario.step is None:
        return [Problem(("scenario", "method"), f'method "{method.name}" needs a step [s], as in step: 1e-3')]
    return []


def _first_comment(path: Path) -> str:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    return first.strip('#" ')


def _size(model: Model) -> str:
    from taut.reprs import counted

    s, others = model.structure, {"plate": model.structure.plates, "angle": model.structure.angles}
    others |= {kind.removesuffix("s"): getattr(model.scenario, kind) for kind in ACTING}
    more = "".join(f", {counted(len(part), name)}" for name, part in others.items() if part)
    parts = (counted(len(part), name) for name, part in (("node", s.nodes), ("bar", s.bars), ("cable", s.cables)))
    return ", ".join(filter(None, parts)) + more


def _plainly(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
