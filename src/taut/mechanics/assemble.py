"""`assemble`: from a structure and what acts on it to a Plant, its tables and the Spec that says what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, suggestion
from taut.mechanics.capabilities import check_solver
from taut.mechanics.contact.responses import Responses, joined_by, responses_of
from taut.mechanics.imposed import sensors as sensing
from taut.mechanics.imposed.commands import inputs_of
from taut.mechanics.imposed.drive_checks import problems_of_drives
from taut.mechanics.imposed.drives import tabulated_drives
from taut.mechanics.imposed.law_addresses import Law
from taut.mechanics.inertia import thin as thin_inertia
from taut.mechanics.inertia.cylinder_tables import cylinders_of, without_inertia
from taut.mechanics.inertia.cylinders import Cylinders
from taut.mechanics.inertia.scales import scale_of, shares_of
from taut.mechanics.inertia.thin import Thin
from taut.mechanics.kinds import Given, Imposed, Rows, Term
from taut.mechanics.linear.stable_step import shortest_period
from taut.mechanics.model_checks import problems_of_motion, problems_of_scenario
from taut.mechanics.operations.event_table import Events
from taut.mechanics.operations.event_words import Watched, watch_table, watched_by
from taut.mechanics.operations.newton_matrix import Newton
from taut.mechanics.operations.watches import Watches
from taut.mechanics.plant import Plant
from taut.mechanics.rows.jacobian import jacobian_table
from taut.mechanics.signals import in_order, pieces_of, tabulated
from taut.mechanics.spec import (
    BUILT_IN,
    Outside,
    Spec,
    grouped,
    imposed_of,
    kind_named,
    outside_of,
    rows_by_presence,
    rows_of,
    sources_of,
    terms_by_presence,
    terms_of,
)
from taut.mechanics.systems.minres import Minres
from taut.mechanics.systems.pairs import Pairs
from taut.mechanics.systems.system_tables import Tables, packed_by_name, system_tables
from taut.mechanics.tables import Constants, Nodes, TermStates, Work
from taut.mechanics.terms.contacts import Contacts
from taut.mechanics.terms.springs import Springs
from taut.mechanics.terms.states import states_of
from taut.numerics.packing import empty
from taut.numerics.saddle import Saddle
from taut.structure.controller_checks import problems_of_control
from taut.structure.controllers import Controller, Sensor
from taut.structure.ground_checks import problems_of_grounds
from taut.structure.grounds import Ground
from taut.structure.joining import subdivided
from taut.structure.plates import start_velocities
from taut.structure.properties import with_bars
from taut.structure.scenario import SOLVERS, Damping, Drive, Load, Motion, Watch
from taut.structure.sensing import all_sensors, base_rate, input_named, load_names
from taut.structure.signals import Command
from taut.structure.structure import Structure
from taut.structure.watches import problems_of_watches
from taut.type_checks import checked_arguments


def assembled(
    given: Given, watches: Watches, *, iterative: bool, wider: Callable[[Spec], Spec] | None = None
) -> tuple[Spec, Tables]:
    """The tables of a structure that has passed its checks, and the kinds they are of.

    iterative: where bars meet, instead of a factor. wider: from the kinds it has to more, whose tables are empty.
    """
    thin, cylinders = thin_inertia.tabulate(given), cylinders_of(given)
    spec = _spec(given, thin, cylinders, outside_of(given.elements), iterative=iterative)
    spec = wider(spec) if wider is not None else spec
    tables: Tables = {name: empty(table) for name, table in _EMPTY.items()}
    tables |= {"thin": thin, "cylinders": cylinders, "watches": watches}
    rows = rows_of(spec)
    for name in (*spec.terms, *spec.rows, *spec.imposed):
        tables[name] = kind_named(spec, name).tabulate(given)
    springs: Springs = tables["springs"]
    typical, slowness = scale_of(given, thin, springs)
    tables["term_states"] = states_of(terms_of(spec), tables, typical)
    happening = 0
    for name, source in sources_of(spec):
        if name in ("held_lengths", "contacts"):
            tables[name].event[0] = happening
        tables |= source.tables(tables[name]) if source.tables is not None else {}
        happening += len(source.subjects(given, tables[name]))
    happening += watches.kind.size
    jacobian = jacobian_table(rows, tables, typical)
    starts = np.cumsum([0, *(kind.pattern(tables[kind.name])[0].size for kind in rows)]).tolist()
    tables["sensors"] = sensing.tabulate(given, dict(zip(spec.rows, starts, strict=False)))
    if given.held_cables:
        tables["held_lengths"].row[0] = tables["bars"].first.size + tables["linear"].value.size
    size, count, free = thin.diagonal.size, jacobian.start.size - 1, given.free
    if given.rigid_grounds:
        strung = tables["held_lengths"].own.size if given.held_cables else 0
        joined = joined_by(jacobian, thin, cylinders)
        tables["responses"] = responses_of(tables["contacts"], size, joined, strung, local=spec.system == "pairs")
    tables |= {
        "nodes": Nodes(free, shares_of(thin, free, rows, tables)),
        "constants": Constants(
            metric=np.zeros(1, dtype=np.int64),
            stabilised=np.zeros(1, dtype=np.int64),
            piece=np.zeros(1),
            time=np.zeros(1),
            gains=np.zeros(2),
            scale=np.array([typical, slowness]),
            fastest=np.zeros(1),
        ),
        "work": Work(*(np.zeros(n) for n in (*(size,) * 4, *(count,) * 4, free.size, free.size))),
        "jacobian": jacobian,
        "events": Events(
            state=np.zeros(happening, dtype=np.int64),
            burst=np.zeros(happening, dtype=np.int64),
            last=np.zeros(happening),
            band=np.zeros(1),
            middle=np.zeros(2 * size + 1 + _internal(tables).size if happening else 0),
        ),
    }
    tables["constants"].fastest[0] = 2.0 * np.pi / shortest_period(spec, tables)
    spec = spec._replace(held=not tables["nodes"].share.any() and wider is None)
    return spec, tables | system_tables(spec, tables, "")


def _internal(tables: Tables) -> np.ndarray:
    """Internal states at the start."""
    commanded = tables["commands"].coming if "commands" in tables else np.zeros(0)
    return np.concatenate([commanded, tables["contacts"].impulse, tables["term_states"].rate])


_EMPTY: Mapping[str, Any] = {
    **dict.fromkeys(("pairs", "metric_pairs"), Pairs),
    **dict.fromkeys(("saddle", "metric_saddle", "newton_saddle"), Saddle),
    **dict.fromkeys(("minres", "metric_minres"), Minres),
    "newton": Newton,
    "contacts": Contacts,
    "responses": Responses,
    "term_states": TermStates,
}
"""Tables that a plant may do without, but in which kernels still look up how much there is."""


def _spec(given: Given, thin: Thin, cylinders: Cylinders, outside: Outside, *, iterative: bool) -> Spec:
    ends = np.concatenate([thin.first, thin.second])
    extra = outside.kinds
    held, driven = ["held_lengths"] if given.held_cables else [], ["driven_bars"] if given.driven_bars else []
    others = [*rows_by_presence(given.structure), *(kind.name for kind in extra if isinstance(kind, Rows))]
    alone = not (given.structure.constraints or held or others) and np.unique(ends).size == ends.size
    system = "pairs" if alone and not cylinders.first.size else "minres" if iterative else "saddle"
    imposed = [kind.name for kind in extra if isinstance(kind, Imposed)]
    own = [
        name
        for name in BUILT_IN
        if name in Spec().terms
        or (name == "routes" and (given.routed or given.pneumatic))
        or (name == "contacts" and given.rigid_grounds)
        or name in terms_by_presence(given.structure)
    ]
    last = ["compliances"] if given.compliant_grounds else []  # whose friction may hold what all others push with
    return Spec(
        terms=(*own, *(kind.name for kind in extra if isinstance(kind, Term)), *last),
        rows=("bars", *driven) if system == "pairs" else ("bars", "linear", *held, *driven, *others),
        inertia="cylinders" if cylinders.first.size else "thin",
        imposed=(*_imposed(given), *imposed),
        system=system,
        outside=outside,
    )


def _imposed(given: Given) -> list[str]:
    """What is imposed, in the order in which it is written: drives read what is commanded."""
    present = {
        "supports": given.motions,
        "commands": inputs_of(given) or given.sensors,
        "controllers": given.controllers or base_rate(given.sensors, ()),
        "drives": given.drives,
    }
    return [name for name, things in present.items() if things]


@checked_arguments
def assemble(
    structure: Structure,
    *,
    gravity: float | tuple[float, float, float] = 0.0,
    loads: Iterable[Load] = (),
    motions: Iterable[Motion] = (),
    drives: Iterable[Drive] = (),
    sensors: Iterable[Sensor] = (),
    controllers: Iterable[Controller] = (),
    damping: Damping | None = None,
    events: Iterable[Watch] = (),
    ground: Iterable[Ground] = (),
    velocities: Mapping[str, tuple[float, float, float]] | None = None,
    solver: str = "direct",
    bars: str | Mapping[str, str] | None = None,
    elements: Iterable[Any] = (),
) -> Plant:
    """Make a structure ready to move.

    gravity: [m/s^2], a number acts along -z. motions: of supports, which otherwise stand still.
    drives: of rest lengths and lengths of members, which otherwise stay as they are.
    sensors: what is measured. controllers: what is commanded by it; what they command has the signal Command.
    ground: what nodes and bars touch; with rigid ones a plant is followed by method "impulses" or "energy-momentum".
    velocities: of nodes at the start [m/s], zero where not named.
    events: what to look out for in a run, and what to do then.
    solver: "direct", or "iterative" for large structures in which bars meet and fill space, whose factor would grow
        faster than they do. Without meeting bars neither is needed.
    bars: None takes every bar as it says itself; "rigid", "compressible", or selector -> one of these, takes them so. A
        bar made rigid keeps the distance of its nodes.
    elements: records of kinds that `taut.register` has made known.
    Raises ModelError with every problem found.
    """
    vector = (0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity
    loads, motions, damping, events = tuple(loads), tuple(motions), damping or Damping(), tuple(events)
    drives, sensors, controllers, grounds = tuple(drives), tuple(sensors), tuple(controllers), tuple(ground)
    if solver not in SOLVERS:
        raise OptionError(f'solver "{solver}" is not one of {", ".join(SOLVERS)}{suggestion(solver, SOLVERS)}')
    structure = with_bars(structure, bars)
    problems = problems_of_motion(structure)
    problems += problems_of_scenario(structure, vector, loads, motions, damping, velocities or {})
    problems += problems_of_watches(structure, events)
    problems += problems_of_drives(structure, drives, events)
    problems += problems_of_grounds(structure, grounds)
    if problems:
        raise ModelError(problems)
    structure = subdivided(structure)
    if problems := problems_of_control(structure, sensors, controllers, loads, drives, grounds):
        raise ModelError(problems)
    given = Given(
        structure,
        vector,
        loads,
        damping,
        motions,
        grouped(elements),
        drives=drives,
        sensors=all_sensors(structure, sensors, controllers, grounds),
        controllers=controllers,
        holds=_holds(controllers, loads, drives),
        grounds=grounds,
    )
    return _plant(given, watched_by(given, events), velocities or {}, iterative=solver == "iterative")


def _holds(controllers: Iterable[Controller], loads: Sequence[Load], drives: Sequence[Drive]) -> dict[str, str]:
    """How every command of a controller is held."""
    names, driven = load_names(loads), [drive.name for drive in drives]
    return {input_named(name, names, driven): one.hold for one in controllers for name in one.commands}


def with_commands(
    plant: Plant, commands: Mapping[str, float], holds: Mapping[str, str], sensors: Sequence[Sensor]
) -> Plant:
    """The plant with the signals of some loads and drives commanded, from these values on, and with more sensors.

    commands: by "load:name" and "drive:name".
    """
    given = plant.given
    loads = tuple(
        replace(load, signal=Command(commands[key])) if (key := f"load:{name}") in commands else load
        for name, load in zip(given.load_names, given.loads, strict=True)
    )
    drives = tuple(
        (replace(drive, by=Command(commands[key])) if drive.to is None else replace(drive, to=Command(commands[key])))
        if (key := f"drive:{drive.name}") in commands
        else drive
        for drive in given.drives
    )
    every = {sensor.name: sensor for sensor in (*given.sensors, *sensors)}
    problems = problems_of_control(given.structure, [*every.values()], given.controllers, loads, drives, given.grounds)
    if problems:
        raise ModelError(problems)
    given = replace(given, loads=loads, drives=drives, holds={**given.holds, **holds}, sensors=tuple(every.values()))
    made = _plant(given, plant.things, {}, iterative=plant.spec.system == "minres")
    return replace(made, positions=plant.positions, velocities=plant.velocities)


def without_controllers(plant: Plant) -> Plant:
    """The plant with its commands as they start, and nobody to change them."""
    given = replace(plant.given, controllers=(), sensors=(), holds={})
    made = _plant(given, plant.things, {}, iterative=plant.spec.system == "minres")
    return replace(made, positions=plant.positions, velocities=plant.velocities)


def reassembled(
    given: Given, things: tuple[Watched, ...], *, iterative: bool, wider: Callable[[Spec], Spec] | None = None
) -> Plant:
    """The plant of what another was assembled from, elsewhere; wider: as one of a Spec that has more kinds."""
    return _plant(given, things, {}, iterative=iterative, wider=wider)


def with_structure(plant: Plant, structure: Structure, gravity: tuple[float, float, float]) -> Plant:
    """The plant of a structure that differs in masses alone, and with this gravity; it starts as the other does."""
    given = replace(plant.given, structure=structure, gravity=gravity)
    made = _plant(given, plant.things, {}, iterative=plant.spec.system == "minres")
    return replace(made, positions=plant.positions, velocities=plant.velocities)


def assembled_as_printed(structure: Structure, **options: Any) -> Plant:
    """The same with every bar compressible by eqs. (53) to (56) of Hsu, Tadiparthi and Bhattacharya as they stand.

    Without the energy of a bar's ends moving apart and without -dT/dq: for `taut.papers`, to show what that does.
    options: those of `assemble`, except bars.
    """
    right = assemble(structure, bars="compressible", **options)
    problems = without_inertia(with_bars(structure, "compressible"))
    if problems:
        raise ModelError(problems)
    given, speeds = replace(right.given, printed=True), options.get("velocities") or {}
    return _plant(given, right.things, speeds, iterative=options.get("solver") == "iterative")


def _plant(
    given: Given,
    things: tuple[Watched, ...],
    velocities: Mapping[str, tuple[float, float, float]],
    *,
    iterative: bool,
    wider: Callable[[Spec], Spec] | None = None,
) -> Plant:
    """Of what has passed its checks."""
    signals = tabulated([load.signal for load in given.loads])
    spec, tables = assembled(given, watch_table(things), iterative=iterative, wider=wider)
    if iterative:
        check_solver(tables)
    pack, tables = packed_by_name(tables)
    knots = [*signals.breaks, *(thing.level for thing in things if thing.is_time)]
    for kind in imposed_of(spec):
        knots += kind.breaks(given) if kind.breaks is not None else []
    breaks = in_order(knots)
    speeds = start_velocities(given.structure, velocities)
    size = 2 * speeds.size
    start = np.concatenate([given.structure.positions.ravel(), speeds.ravel(), [0.0], _internal(tables)])
    places, speeds = start[:size].reshape(2, -1, 3)
    driving = tabulated_drives(given).functions if given.drives else ()
    laws = tuple(Law(one) for one in given.controllers)
    plant = Plant(given, spec, pack, tables, breaks, places, speeds, signals.functions, things, driving, laws)
    if spec.imposed:
        tables["constants"].piece[0] = pieces_of(breaks, np.zeros(1))[0]
        plant.operations()["impose"](pack, 0.0, start)
    return plant
