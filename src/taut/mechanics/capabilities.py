"""What goes with what: one table behind every refusal, each a sentence that says what to do instead.

A plant has features (`features_of`); a use, such as a method, may not go with some of them. Whatever is not refused
here runs, and `tests/test_capabilities.py` tries every Spec with every method, correction and solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from taut.errors import OptionError, listed
from taut.mechanics.spec import Spec, imposed_of, rows_of, terms_of
from taut.structure.grounds import Plane

if TYPE_CHECKING:
    from taut.mechanics.plant_protocol import PlantProtocol

COORDINATES = "coordinates of its own"
JOINTS = "coordinates of joints or of a map"
CYLINDERS = "a mass matrix that changes"
MOVED = "supports that move"
DAMPING = "damping"
ITERATIVE = "the iterative solver"
FUNCTIONS = "loads as Python functions"
WATCHED = "events to watch"
ONE_BY_ONE = "kinds that go one by one"
HELD = "cables held at their length"
FRICTION = "friction at guides"
PULLEYS = "pulleys at guides"
TREES = "coordinates of a tree of bodies"
BODIES = "bodies on rigid grounds"
ANSWERING = "controllers at every evaluation"
GROUND = "rigid grounds"
NO_GROUND = "nothing to strike"
COMPLIANT = "grounds that give way"
STATES = "states with rates of their own"
UNEVEN = "contacts that are not of separate bars with planes"
SWITCHED = "friction by a threshold of speed"
NO_SECANT = "forces or constraints without a secant"
HELD_WATCHED = "a tension to watch of a cable held at its length"
YIELDING_UNDER_JOINTS = "grounds that give way, under joints"

EXPLICIT, RATTLE, IMPLICIT, IMPULSES, CONSERVING = "explicit", "RATTLE", "implicit", "impulses", "conserving"
BATCH, ITERATION = "ensemble", "iterative"
UNLOCATED, LINEAR = "events that are not located", "a linear model"
IN_COORDINATES = "coordinates of joints or of a map, for a plant in nodes"

_STRIKES = (
    'method "{method}" follows smooth motion, but {what} is rigid, and what strikes it changes its velocity at once; '
    'use method "impulses" with a step, or "energy-momentum", or give it a compliance'
)

_KEPT = (
    'method "{method}" moves positions and velocities only, but {what} has states with rates of their own; use dp5 or '
    "dp8"
)

_BODIES = (
    'a tree of bodies on a rigid ground ({what}) goes by method "impulses" with a step only; or give the ground a '
    "compliance, and use dp5, dp8 or implicit3"
)

_NOT_STRIKING = (
    'method "{method}" needs a structure, or a tree of bodies, that strikes a rigid ground; use dp5 or dp8 for a '
    "plant in other coordinates"
)

_OTHER_COORDINATES: dict[str, str] = {
    RATTLE: 'method "{method}" needs a mass matrix that does not change; use dp5 or dp8',
    IMPLICIT: "implicit methods need the Newton matrix of a structure with nodes, bars and cables, in nodes or in "
    "joints, or of a tree of bodies; use dp5 or dp8 for a plant in other coordinates",
    CONSERVING: 'method "{method}" needs a structure with nodes, bars and cables; use dp5 or dp8 for a plant in other '
    "coordinates",
    BATCH: "an ensemble needs a structure with nodes, bars and cables; simulate plants in other coordinates one by one",
}

REFUSED: dict[tuple[str, str], str] = {
    **{(use, COORDINATES): told for use, told in _OTHER_COORDINATES.items()},
    **{(use, own): told for use, told in _OTHER_COORDINATES.items() for own in (JOINTS, TREES) if use != IMPLICIT},
    **{(use, BODIES): _BODIES for use in (RATTLE, IMPLICIT, CONSERVING, BATCH)},
    **{(use, GROUND): _STRIKES for use in (EXPLICIT, RATTLE, IMPLICIT)},
    (IMPULSES, NO_GROUND): 'method "impulses" is for structures that strike a ground, and there is none; use dp5 or '
    "dp8, or rattle4 for motion without damping",
    **{(IMPULSES, own): _NOT_STRIKING for own in (COORDINATES, TREES)},
    (IMPULSES, COMPLIANT): 'method "{method}" is for rigid grounds, but {what} has a compliance; use dp5, dp8, rk4 or '
    "implicit3, or take the compliance away",
    **{(use, STATES): _KEPT for use in (RATTLE, IMPULSES, CONSERVING)},
    (IMPLICIT, SWITCHED): "{what} has friction by a threshold of speed, which jumps: Newton's method of implicit steps "
    "does not follow it; take bristles, or use rk4",
    (LINEAR, SWITCHED): "{what} has friction by a threshold of speed, which has no slope; take bristles for a linear "
    "model",
    (
        CONSERVING,
        COMPLIANT,
    ): '{what} has a compliance, whose work over a step method "{method}" does not know; use dp5, '
    "dp8, rk4 or implicit3, or take it away",
    (CONSERVING, NO_SECANT): 'method "{method}" needs forces and constraints whose work over a step is known exactly, '
    "which {what} does not say; use dp5 or dp8",
    (CONSERVING, HELD): "{what} is held at its length: it goes slack and catches at instants that have to be located, "
    'which method "{method}" does not do; give it a stiffness',
    (
        CONSERVING,
        FRICTION,
    ): '{what} has friction at its guides, whose work over a step method "{method}" does not know; '
    "take the friction away, or use dp5 or dp8",
    (CONSERVING, CYLINDERS): 'method "{method}" needs a mass matrix that does not change; take inertia: thin for '
    "compressible bars, or use dp5 or dp8",
    (CONSERVING, MOVED): 'method "{method}" is for supports that stand still, but {what} is moved; use dp5 or dp8',
    (
        CONSERVING,
        WATCHED,
    ): 'method "{method}" notes what contacts do at the end of its steps, and locates nothing; take '
    "the events to watch away",
    (CONSERVING, ITERATIVE): 'method "{method}" factors its matrix; take the direct solver',
    (CONSERVING, ANSWERING): "{what} decides at every evaluation, which the Newton matrix of implicit steps does not "
    "know; give it a rate, or use dp5 or dp8",
    (LINEAR, GROUND): "{what} is touched or not, sticks or slides, and has no slope; take the ground away for a linear "
    "model",
    (RATTLE, CYLINDERS): 'method "{method}" needs a mass matrix that does not change; use dp5 or dp8',
    (RATTLE, MOVED): 'method "{method}" is for supports that stand still, but {what} is moved; use dp5 or dp8',
    (RATTLE, DAMPING): 'method "{method}" is for motion without damping, but {what} damps; use dp5 or dp8, or take the '
    "damping away",
    (
        IMPLICIT,
        ANSWERING,
    ): "{what} decides at every evaluation, which the Newton matrix of implicit steps does not know; "
    "give it a rate, or use dp5 or dp8",
    (BATCH, FUNCTIONS): "an ensemble needs loads that are signals; a Python function of time would be called for each",
    (BATCH, MOVED): "an ensemble needs supports that stand still; simulate those with motions one by one",
    (UNLOCATED, HELD): "{what} is held at its length: it goes slack and catches at instants that have to be located; "
    "leave out locate=False, and take an adaptive method in an ensemble",
    (LINEAR, FRICTION): "{what} has friction at its guides, which sticks or slides and has no slope; take the friction "
    "away for a linear model",
    (CONSERVING, PULLEYS): '{what} goes over pulleys of a radius, whose work over a step method "{method}" does not '
    "know; leave its radii out, or use dp5 or dp8",
    (
        LINEAR,
        YIELDING_UNDER_JOINTS,
    ): "{what} has no linear model in coordinates of joints, nor under bodies; linearise a plant in nodes",
    (IN_COORDINATES, MOVED): "generalised coordinates do not go with supports that move, and {what} is moved; drive a "
    "bar, an angle or a coordinate instead",
    (IN_COORDINATES, FUNCTIONS): "generalised coordinates do not go with loads or drives that are Python functions; "
    "give signals",
    (IN_COORDINATES, HELD_WATCHED): "the tension of {what} cannot be watched in generalised coordinates, since it is "
    "held at its length as a rod there; look at cable_tension after the run",
    (ITERATION, CYLINDERS): "{what} compressible bars are cylinders, whose mass matrix changes with their shape; the "
    "iterative solver cannot do that: take the direct one, or inertia: thin",
}
"""(use, feature) -> why not, and what to do."""

NOT_IN_LANES = frozenset((COORDINATES, JOINTS, TREES, BODIES, CYLINDERS, MOVED, WATCHED, ONE_BY_ONE, UNEVEN))
"""Features whose plants go one by one in an ensemble, whatever the method: lanes have no kernels for them."""


def features_of(plant: PlantProtocol) -> dict[str, str]:
    """What a plant has that not everything goes with, and an example of it."""
    spec = getattr(plant, "spec", None)
    if spec is None:
        damping = {DAMPING: plant.dampers[0]} if plant.dampers else {}
        if plant.points is not None:
            return {JOINTS: "", **damping, **_under(plant.points)}
        nodal: Any = getattr(plant, "nodal", None)  # of a tree of bodies
        under = {} if nodal is None else _under(nodal.plant)
        if GROUND in under:
            return {BODIES: under[GROUND], **damping, **under}
        own = TREES if plant.formulation == "tree" else COORDINATES
        return {own: "", **damping, **{key: under[key] for key in (YIELDING_UNDER_JOINTS, SWITCHED) if key in under}}
    found: dict[str, str] = {}
    if not plant.constant_mass:
        found[CYLINDERS] = ""
    if any(kind.accelerates for kind in imposed_of(spec)):
        found[MOVED] = listed(plant.moved or ("a support",), most=1)
    if plant.dampers:
        found[DAMPING] = listed(plant.dampers, most=1)
    if spec.system == "minres":
        found[ITERATIVE] = ""
    given: Any = getattr(plant, "given")  # noqa: B009 - a nodal plant, as its Spec says
    for feature, cables in (
        (HELD, given.held_cables),
        (FRICTION, [c for c in given.routed if c.friction > 0.0 and len(c.route) > 2]),
        (PULLEYS, [c for c in given.routed if any(c.radii)]),
    ):
        if cables:
            found[feature] = f'cable "{cables[0].name}"'
    continuous = [one.name for one in given.controllers if one.rate is None]
    if continuous:
        found[ANSWERING] = f'the controller "{continuous[0]}"'
    kept = [f'the kind "{term.name}"' for term in terms_of(spec) if term.states is not None and term.record is not None]
    if kept:
        found[STATES] = kept[0]
    yielding = given.compliant_grounds
    switched = [g for g in yielding if g.compliance.friction_law == "threshold"]
    for feature, grounds in ((COMPLIANT, yielding), (SWITCHED, switched), (GROUND, given.rigid_grounds)):
        if grounds:
            found[feature] = f'the ground "{grounds[0].name}"'
    flat = all(isinstance(ground.shape, Plane) for ground in given.grounds)
    if not flat or (given.rigid_grounds and spec.system != "pairs"):
        found[UNEVEN] = ""
    if not given.rigid_grounds:
        found[NO_GROUND] = ""
    free = [f'the free angle "{angle.name}"' for angle in given.free_angles]
    without = free + [f'the kind "{term.name}"' for term in terms_of(spec) if term.secant_force is None]
    without += [name for kind in rows_of(spec) if not kind.quadratic for name in kind.labels(given)]
    if without:
        found[NO_SECANT] = without[0]
    if not plant.compiled:
        found[FUNCTIONS] = ""
    if getattr(plant, "things", ()):
        found[WATCHED] = ""
    kinds: list[Any] = [*terms_of(spec), *rows_of(spec), *imposed_of(spec)]
    if not all(kind.lanes for kind in kinds):
        found[ONE_BY_ONE] = ""
    return found


def _under(nodes: PlantProtocol) -> dict[str, str]:
    """What a plant in coordinates of joints has from its nodes: what acts on them, not how they are solved for."""
    found = features_of(nodes)
    kept = {
        key: found[key] for key in (STATES, COMPLIANT, SWITCHED, GROUND, NO_GROUND, FRICTION, WATCHED) if key in found
    }
    return kept | ({YIELDING_UNDER_JOINTS: found[COMPLIANT]} if COMPLIANT in found else {})


def check(use: str, features: dict[str, str], method: str = "") -> None:
    """Raise OptionError where a use does not go with a feature."""
    for feature, what in features.items():
        if (use, feature) in REFUSED:
            raise OptionError(REFUSED[use, feature].format(method=method, what=what))


def check_linear(spec: Spec) -> None:
    """Raise OptionError where a term from outside does not say how its force changes, which tangents need, or where
    that hangs on more than positions and velocities."""
    for term in terms_of(spec):
        if term.record is not None and term.states is not None:
            raise OptionError(
                f'the kind "{term.name}" has states with rates of their own, which linear models and statics do not '
                "have; take its elements away"
            )
        if term.record is not None and term.stiffness is None:
            raise OptionError(
                f'the kind "{term.name}" has no stiffness, which linear models and statics need; say it, and its links'
            )


def goes_in_lanes(features: Iterable[str]) -> bool:
    """Whether variants of a plant can go side by side in one kernel."""
    return not NOT_IN_LANES & set(features)


def check_solver(tables: Any) -> None:
    """Raise OptionError where linear systems cannot be solved by iteration."""
    cylinders = tables["cylinders"].first.size
    check(ITERATION, {CYLINDERS: str(cylinders)} if cylinders else {})
