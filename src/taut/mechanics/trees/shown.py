"""A tree as nodes and members, to be shown and kept in run files: origins of bodies, ends of loops, cables off
pulleys and between them.

Nothing acts on these nodes. Bodies that turn about a common point share its node, and so do both sides of a point loop.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.operations.observation import pieces_at
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.events.tree_events import freeze, release
from taut.mechanics.trees.loops import Points
from taut.mechanics.trees.spans.span_cables import Spans
from taut.mechanics.trees.spans.span_starts import begun
from taut.mechanics.trees.tree_operations import Workspace, energies, enter_piece, motion, residuals
from taut.structure.bodies import ORIGIN, Vector
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure
from taut.structure.trees import WORLD, Tree

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant

NEXT_TO_NOTHING = 1e-9
"""[kg] of bars that show massless bodies, since bars have a mass."""

Place = tuple[str, Vector]
"""A body, and a point in it."""


class Shown(NamedTuple):
    structure: Structure
    bodies: tuple[str, ...]
    """Of every node but those where cables touch pulleys, then of two points of each cable's end."""
    places: tuple[Vector, ...]
    fixed: int
    """Nodes that are points of bodies."""
    pulleys: tuple[dict[str, Any], ...] = ()
    """The node in the middle of each, two more in its plane, and its radius [m]."""

    def points(self, equations: TreeEquations) -> Points:
        return equations.points_at(self.bodies, self.places)

    def nodes(
        self, equations: TreeEquations, points: Points, spans: Spans | None, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n, 3) where nodes are and how they move, and the lengths of cables."""
        place, rate = equations.places_and_rates(q, v, points, 0)
        at = equations.standing(q, v)
        ends, ahead = (place[self.fixed + k :: 2] for k in (0, 1))
        end_rates, ahead_rates = (rate[self.fixed + k :: 2] for k in (0, 1))
        length, length_rate = at.length[:, None], at.length_rate[:, None]
        contacts = ends - length * (ahead - ends)
        contact_rates = end_rates - length * (ahead_rates - end_rates) - length_rate * (ahead - ends)
        places, rates, lengths = [place[: self.fixed], contacts], [rate[: self.fixed], contact_rates], at.length
        if spans is not None:
            touches, touch_rates = spans.touching(q, *equations.tree_jacobians())
            places.append(touches)
            rates.append(touch_rates)
            lengths = np.concatenate([lengths, np.linalg.norm(touches[1::2] - touches[::2], axis=1)])
        return np.concatenate(places), np.concatenate(rates), lengths


def shown(plant: TreePlant, equations: TreeEquations) -> Shown:
    """Where it starts."""
    tree, q = plant.tree, on_sphere.configuration(plant.embedding, plant.positions)
    same = _shared(tree)
    names = dict[Place, str]()
    for joint in tree.joints:
        names.setdefault(_first(same, (joint.body.name, ORIGIN)), joint.body.name)
    members = list[tuple[str, Place]]()
    for loop in tree.loops:
        for body, at in ((loop.predecessor, loop.at), (loop.successor, loop.to)):
            place = _first(same, (body, at))
            names.setdefault(place, f"{body}:{loop.name}")
            if body != WORLD and place != _first(same, (body, ORIGIN)) and (body, place) not in members:
                members.append((body, place))
    cables = [joint for joint in tree.joints if joint.cable is not None]
    ends = [joint.body.name for joint in cables]
    touching = {point.name: (point.body, point.at) for point in tree.points}
    tips = [(end, at) for end in ends for at in (ORIGIN, (1.0, 0.0, 0.0))]
    bodies, places = zip(*names, *touching.values(), *tips, strict=True)
    drawn = [(body, names[place]) for body, place in members if body not in ends]
    drawn += [(body, name) for name, (body, at) in touching.items() if at != ORIGIN and body not in ends]
    total = Counter(body for body, _ in drawn)
    bars, counts = list[Bar](), Counter[str]()
    for body, end in drawn:
        counts[body] += 1
        label = body if counts[body] == 1 else f"{body} {counts[body]}"
        share = tree.bodies[body].mass / total[body] or NEXT_TO_NOTHING
        bars.append(Bar(label, (names[_first(same, (body, ORIGIN))], end), mass=share))
    wires = [
        Cable(
            joint.name,
            (f"{joint.name} at pulley", names[_first(same, (joint.body.name, ORIGIN))]),
            float(natural),
            float(stiffness / natural) or 1.0,
        )
        for joint, natural, stiffness in zip(cables, _natural(equations, q), equations.cables.stiffness, strict=True)
    ]
    spans, touches = begun(plant, equations), list[str]()
    if spans is not None:
        for span, natural in zip(tree.spans, spans.states(q)[1], strict=True):
            ends_of = (f"{span.name} at {span.pulleys[0]}", f"{span.name} at {span.pulleys[1]}")
            wires.append(Cable(span.name, ends_of, float(natural), float(span.stiffness / natural)))
            touches += ends_of
    found = Shown(Structure({}), tuple(bodies), tuple(places), len(names) + len(touching))
    where, _, _ = found.nodes(equations, found.points(equations), spans, q, np.zeros(equations.nv))
    labels = [*names.values(), *touching, *(f"{joint.name} at pulley" for joint in cables), *touches]
    if twice := [label for label, count in Counter(labels).items() if count > 1]:
        raise ModelError([Problem(("points",), f'two nodes to be shown would be called "{twice[0]}"; rename a point')])
    nodes = {label: (float(x), float(y), float(z)) for label, (x, y, z) in zip(labels, where, strict=True)}
    pulleys = [
        {"nodes": [names[middle], *wire.route], "radius": joint.cable.radius}
        for joint, wire in zip(cables, wires, strict=False)
        if joint.cable is not None and (middle := _first(same, (joint.parent, joint.at))) in names
    ]
    carried = {joint.name: _first(same, (joint.body.name, ORIGIN)) for joint in tree.joints}
    for span, *between in zip(tree.spans, touches[::2], touches[1::2], strict=True):
        for joint_name, radius in zip(span.pulleys, span.radii, strict=True):
            pulleys.append({"nodes": [names[carried[joint_name]], *between], "radius": radius})
    return found._replace(
        structure=Structure(
            nodes, {bar.name: bar for bar in bars}, {wire.name: wire for wire in wires}, name=tree.name
        ),
        pulleys=tuple(pulleys),
    )


def _natural(equations: TreeEquations, q: np.ndarray) -> np.ndarray:
    """[m] of the part of every cable that is off its pulley."""
    return np.asarray(equations.cables.radius * q[equations.cables.angle])


def _shared(tree: Tree) -> dict[Place, Place]:
    """Points that are always at the same place as another: of joints that only turn, and of point loops."""
    same = dict[Place, Place]()
    for joint in tree.joints:
        if joint.kind in ("revolute", "universal", "spherical") and joint.parent != WORLD:
            same[joint.body.name, ORIGIN] = (joint.parent, joint.at)
    for loop in tree.loops:
        if loop.kind != "prismatic":
            one, two = _first(same, (loop.predecessor, loop.at)), _first(same, (loop.successor, loop.to))
            if one != two:
                same[two] = one
    return same


def _first(same: dict[Place, Place], place: Place) -> Place:
    while place in same:
        place = same[place]
    return place


def observed(plant: TreePlant, tables: Workspace, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
    """Strains, tensions and torques are in `element_output`; tensions of rigid cables come from their loops."""
    n, count, shown = plant.coordinates, times.size, len(plant.element_outputs)
    multiplier, parts, shows = np.zeros((count, plant.rows)), np.zeros((count, 5)), np.zeros((count, shown))
    off, rate = np.zeros(plant.rows), np.zeros(plant.rows)
    nodes, cables = len(plant.structure.nodes), len(plant.equations.cable_names)
    places, speeds = np.zeros((2, count, nodes, 3))
    lengths = np.zeros((count, cables + len(plant.tree.spans)))
    at = tables.equations
    release(tables)
    tables.pushes.release()
    drawn = plant.shown.points(at) if plant.in_nodes is None else None
    touched = [np.zeros((count, 0 if plant.nodal is None else len(plant.nodal.bodies), 3)) for _ in range(2)]
    pieces, inside = pieces_at(plant.breaks, times), tables.inside
    for row in range(count):
        y, t = states[row], float(times[row])
        enter_piece(tables, float(pieces[row]))
        _, multiplier[row], _ = motion(tables, t, y)
        _, _, q, v = tables.split(y)
        parts[row, :3] = energies(tables, y)
        residuals(tables, y, off, rate)
        parts[row, 3:] = np.abs(off).max(initial=0.0), np.abs(rate).max(initial=0.0)
        pulls, u = at.cable_pulls(q, v, multiplier[row, : at.rows]), tables.inputs(t, y, q, v)
        spans = tables.pushes.spans
        if spans is not None:
            at._terms(q, v)  # residuals have left the tree at rest
        held = None if spans is None else spans.act(q, *at.tree_jacobians())[2]
        shown_of_spans = () if held is None else np.concatenate([tables.true_turns(y), held.strain, held.tension])
        shows[row] = np.concatenate([at.strains(q), pulls, u, shown_of_spans])
        if drawn is not None:
            places[row], speeds[row], lengths[row] = plant.shown.nodes(at, drawn, spans, q, v)
        if plant.nodal is not None:
            touched[0][row], touched[1][row], _ = tables.nodal_rates(y)
    freeze(tables)
    tables.pushes.freeze()
    seen: dict[str, np.ndarray] = {
        "nodes": places,
        "velocities": speeds,
        "cable_length": lengths,
        "cable_tension": np.hstack([shows[:, cables : 2 * cables], shows[:, shown - len(plant.tree.spans) :]]),
        "bar_force": np.full((count, len(plant.structure.bars)), np.nan),
        "reaction": np.zeros((count, 0, 3)),
    }
    if plant.nodal is not None:
        kept = tables.kept(states.T).T
        nodal = tables.pushes.observed(times, touched[0], touched[1], kept)
        if plant.in_nodes is None:
            seen |= {name: nodal[name] for name in ("contact_force", "contact_state")}
        else:
            seen, parts[:, 1], parts[:, 2] = nodal, nodal["energy_elastic"], nodal["energy_gravity"]
    enter_piece(tables, inside)
    return {
        **seen,
        "coordinate": states[:, :n].copy(),
        "coordinate_rate": states[:, n : 2 * n].copy(),
        "multiplier": multiplier,
        "element_output": shows,
        "energy_kinetic": parts[:, 0].copy(),
        "energy_elastic": parts[:, 1].copy(),
        "energy_gravity": parts[:, 2].copy(),
        "length_violation": parts[:, 3].copy(),
        "rate_violation": parts[:, 4].copy(),
    }
