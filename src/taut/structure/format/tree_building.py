"""From the entries of a model file to a tree of bodies, with every problem of their meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from taut.errors import ModelError, Problem
from taut.structure.bodies import NOTHING, ORIGIN, UNTURNED, Body, Matrix, Vector
from taut.structure.contact_points import ContactPoint
from taut.structure.format.generating import TREE_GENERATORS, called_generator
from taut.structure.format.schema import ModelEntry
from taut.structure.format.staging import signal_of, staged
from taut.structure.format.tree_schema import (
    LoopEntry,
    RigidBodyEntry,
    SpanEntry,
    TreeEntry,
    TreeJointEntry,
    WrenchEntry,
)
from taut.structure.scenario import Scenario
from taut.structure.signal_checks import signal_problems
from taut.structure.span_cables import SpanCable
from taut.structure.structure import Structure
from taut.structure.tree_models import TreeModel
from taut.structure.trees import LoopJoint, PulleyCable, Tree, TreeJoint, Wrench, turned

NODAL = (
    *("nodes", "materials", "bars", "cables", "properties", "supports", "point_masses", "plates", "angles"),
    *("constraints", "groups", "generate"),
)
ACTING = ("loads", "motions", "drives", "sensors", "controllers", "joints", "damping", "velocities", "solver")
"""What of a scenario acts on nodes and members, which trees do not have."""


def build_tree(entry: ModelEntry) -> tuple[TreeModel | None, Scenario, list[Problem]]:
    """The tree that a file describes and its scenario; usable only if there are no problems."""
    assert entry.tree is not None
    problems = [*_strays(entry)]
    scenario, found = staged(entry.scenario, Structure({}), {}, watched=False)
    if problems or found:
        return None, scenario, problems + found
    sideways, strength = entry.scenario.gravity[:2], 0.0 - entry.scenario.gravity[2]
    if any(sideways) or strength < 0.0:
        message = f"{list(entry.scenario.gravity)} is not down; of a tree it is along -z, as in gravity: 9.81"
        problems.append(Problem(("scenario", "gravity"), message))
    tree, found = _tree(entry.tree, entry.name)
    problems += found
    for name, signal in entry.tree.torques.items():
        for wrong in signal_problems(signal_of(signal)):
            problems.append(Problem(("tree", "torques", name, *wrong.path), wrong.message))
    if problems or tree is None:
        return None, scenario, problems
    told = TreeModel(
        replace(tree, gravity=strength, name=entry.name or tree.name),
        {name: signal_of(signal) for name, signal in entry.tree.torques.items()},
        {name: tuple(start.values) for name, start in entry.tree.start.items() if start.values is not None},
        {name: tuple(start.rates) for name, start in entry.tree.start.items() if start.rates is not None},
        (entry.tree.urdf.text or "") if entry.tree.urdf is not None else "",
        entry.tree.urdf is not None and entry.tree.urdf.floating,
        tuple(ContactPoint(name, point.body, _vector(point.at)) for name, point in entry.tree.points.items()),
    )
    if told.urdf:
        return told, scenario, []
    try:
        return replace(told, tree=told.started(told.tree), points=()), scenario, []
    except ModelError as error:
        return None, scenario, [*error.problems]


def _strays(entry: ModelEntry) -> Iterator[Problem]:
    for key in NODAL:
        if key in entry.model_fields_set:
            yield Problem((key,), "does not go with a tree, whose bodies stand under tree; take one of the two away")
    for key in ACTING:
        if key in entry.scenario.model_fields_set:
            yield Problem(("scenario", key), "does not go with a tree of bodies; use torques and wrenches under tree")


def _tree(entry: TreeEntry, name: str) -> tuple[Tree | None, list[Problem]]:
    if entry.urdf is not None:
        return Tree((), name=name), []
    if entry.generate is not None:
        made, problems = called_generator(entry.generate, TREE_GENERATORS)
        message = "is that of the scenario in a model file; say it there, as in scenario: {gravity: 9.81}"
        weighed = [label for label, options in entry.generate.items() if options and "gravity" in options]
        problems += [Problem(("generate", label, "gravity"), message) for label in weighed]
        return made, [Problem(("tree", *one.path), one.message) for one in problems]
    joints, problems = list[TreeJoint](), list[Problem]()
    for label, joint in (entry.joints or {}).items():
        try:
            joints.append(_joint(label, joint))
        except ModelError as error:
            problems += [Problem(("tree", "joints", label, "body"), one.message) for one in error.problems]
    if problems:
        return None, problems
    try:
        return (
            Tree(
                tuple(joints),
                tuple(_loop(label, loop) for label, loop in entry.loops.items()),
                tuple(_wrench(label, wrench) for label, wrench in entry.wrenches.items()),
                name=name,
                spans=tuple(_span(label, span) for label, span in entry.spans.items()),
            ),
            [],
        )
    except ModelError as error:
        return None, [Problem(("tree", *one.path), one.message) for one in error.problems]


def _joint(name: str, entry: TreeJointEntry) -> TreeJoint:
    rotation = _matrix(entry.rotation, UNTURNED)
    if entry.turned is not None:
        rotation = turned(_vector(entry.turned.about), entry.turned.by)
    return TreeJoint(
        name,
        entry.kind,
        entry.parent,
        _body(entry.body.name or name, entry.body),
        _vector(entry.at),
        rotation,
        tuple(map(_vector, entry.axes)),
        tuple(entry.values),
        tuple(entry.rates),
        entry.driven,
        entry.damping,
        None if entry.cable is None else PulleyCable(**entry.cable.own()),
    )


def _body(name: str, entry: RigidBodyEntry) -> Body:
    for shape in ("cylinder", "tube", "cube", "box"):
        given: Any = getattr(entry, shape)
        if given is not None:
            numbers = given.own()
            numbers |= {key: _vector(value) for key, value in numbers.items() if isinstance(value, list)}
            made: Body = getattr(Body, shape)(name, **numbers)
            return made
    return Body(name, entry.mass, _vector(entry.centre), _matrix(entry.inertia, NOTHING))


def _loop(name: str, entry: LoopEntry) -> LoopJoint:
    return LoopJoint(
        name,
        entry.predecessor,
        entry.successor,
        entry.kind,
        _vector(entry.at),
        _vector(entry.to),
        _matrix(entry.rotation, UNTURNED),
        _matrix(entry.to_rotation, UNTURNED),
        0.0 if entry.torque is None else signal_of(entry.torque),
        entry.damping,
    )


def _wrench(name: str, entry: WrenchEntry) -> Wrench:
    signal = 1.0 if entry.signal is None else signal_of(entry.signal)
    return Wrench(name, entry.body, _vector(entry.force), _vector(entry.torque), _vector(entry.at), signal)


def _span(name: str, entry: SpanEntry) -> SpanCable:
    pairs: dict[str, Any] = {key: tuple(getattr(entry, key)) for key in ("pulleys", "radii", "wound")}
    return SpanCable(name, **(entry.own() | pairs))


def _vector(values: list[float] | Vector) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2])) if values else ORIGIN


def _matrix(rows: list[list[float]] | None, otherwise: Matrix) -> Matrix:
    return otherwise if rows is None else (_vector(rows[0]), _vector(rows[1]), _vector(rows[2]))
