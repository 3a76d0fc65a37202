"""How an equilibrium answers: the compliance of a node, and derivatives with respect to what it is made of.

By the implicit function theorem: with the balance U(x, y, p) = 0 and the residuals g(x, p) = 0 of
`equilibrium_equations.py`,

    [K C^T; C 0] [dx/dp; dy/dp] = -[dU/dp; dg/dp]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, suggestion
from taut.numerics.quasidefinite import Solver
from taut.reprs import brief
from taut.statics import elastic_members as elastic
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice
from taut.statics.linearised import Linearised, linearised
from taut.structure.records import AXES
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

PARAMETERS = ("rest_length", "stiffness", "command", "position")


@dataclass(frozen=True)
class EquilibriumDerivatives:
    """p parameters, n nodes, m members (cables first), s supports. Everything per unit of the parameter.

    parameters: names of members, or "node.axis" for positions of supports.
    """

    structure: Structure
    of: str
    parameters: tuple[str, ...]
    nodes: np.ndarray  # (p, n, 3) [m per ...]
    member_force: np.ndarray  # (p, m) [N per ...]
    reaction: np.ndarray  # (p, s, 3) [N per ...]

    __repr__ = brief


@checked_arguments
def compliance(equilibrium: Equilibrium, node: str, *, bars: BarChoice = None) -> np.ndarray:
    """(3, 3) [m/N]: how far a node gives, along x, y, z (rows), under a unit force along x, y, z (columns).

    Zero along held axes. Raises where the structure can move freely.
    """
    names = list(equilibrium.structure.nodes)
    if node not in equilibrium.structure.nodes:
        raise OptionError(f'no node "{node}"{suggestion(node, names)}')
    view = linearised(equilibrium, bars)
    at = view.problem.unknown[3 * names.index(node) + np.arange(3)]
    found = np.zeros((3, 3))
    for axis in np.flatnonzero(at >= 0):
        push = np.zeros(view.problem.free.size)
        push[at[axis]] = 1.0
        given = view.factor.solve(push)[0]
        found[at >= 0, axis] = given[at[at >= 0]]
    return found


@checked_arguments
def derivatives(equilibrium: Equilibrium, of: str, selector: str, *, bars: BarChoice = None) -> EquilibriumDerivatives:
    """Derivatives of nodes, member forces and reactions; external forces stay what they are.

    of: "rest_length" (of cables, or of bars; a member of given material keeps E A), "stiffness" (of cables, or of
        compressible bars, [N/m]; nothing depends on that of a cable with a command), "command" (of cables of mode
        tension, force_density or length, or the force of pneumatic bars), or "position" (of supported nodes, along each
        held axis).
    selector: "cable:*", "bar:strut1", "node:bottom*".
    """
    if of not in PARAMETERS:
        raise OptionError(f'of = "{of}" is not one of {", ".join(PARAMETERS)}{suggestion(of, PARAMETERS)}')
    view = linearised(equilibrium, bars)
    names, change = _of_positions(view, selector) if of == "position" else _of_members(view, of, selector)
    found = response(view, change)
    nodes = found.nodes.T.reshape(-1, len(view.positions), 3)
    reactions = _reactions(view, change, found)
    return EquilibriumDerivatives(equilibrium.structure, of, names, nodes, found.force.T, reactions)


class Change(NamedTuple):
    """What one unit of each of p parameters does where nothing gives way."""

    tension: np.ndarray  # (m, p) of members [N]
    residual: np.ndarray  # (rows, p) of what keeps its length [m]
    held: np.ndarray  # (3 n, p) of held coordinates [m]
    external: np.ndarray  # (3 n, p) of gravity and loads [N]


def nothing(view: Linearised, count: int) -> Change:
    """No change by any of so many parameters."""
    problem = view.problem
    return Change(
        *(np.zeros((size, count)) for size in (problem.network.members, problem.rows)),
        *(np.zeros((view.positions.size, count)) for _ in range(2)),
    )


def by_members(view: Linearised, rest_length: np.ndarray, stiffness: np.ndarray) -> Change:
    """By parameters that change rest lengths (lengths of what keeps it) and stiffness of all members, (m, p) each.

    Where the stiffness is E A / rest length, `stiffness` is what it changes by at the same rest length; what the rest
    length does to it is counted here. Nothing depends on either of a member with a command.
    """
    problem = view.problem
    members = problem.members_at(view.setting)
    lengths = elastic.lengths_at(members, view.positions)
    rest = members.rest_length
    springs = (problem.modes == "spring") & elastic.taut(members, lengths)
    springs[problem.rigid] = False
    bars = problem.rigid[problem.held.size :]
    change = nothing(view, rest_length.shape[1])
    ratio = np.where(np.isnan(problem.rigidity), 1.0, lengths / np.where(springs, rest, 1.0))
    stretched = (lengths - rest)[:, None] * stiffness - (members.stiffness * ratio)[:, None] * rest_length
    change.tension[springs] = stretched[springs]
    shortened = -rest_length[problem.rigid]
    change.residual[: problem.rigid.size] = np.where(problem.slack[problem.rigid][:, None], 0.0, shortened)
    pulls = view.multipliers[problem.held.size : problem.rigid.size] / rest[bars]
    change.tension[bars] = -pulls[:, None] * rest_length[bars]
    return change


def _of_members(view: Linearised, of: str, selector: str) -> tuple[tuple[str, ...], Change]:
    problem = view.problem
    structure = problem.network.structure
    kind, names = select(structure, selector)
    if kind not in ("cable", "bar"):
        raise OptionError(f'"{selector}" selects {kind}s; {of} is a property of cables and bars')
    offset = 0 if kind == "cable" else problem.network.cables
    index = {name: offset + i for i, name in enumerate(getattr(structure, f"{kind}s"))}
    for name in names:
        mode = problem.modes[index[name]]
        if of == ("command" if mode == "spring" else "rest_length"):
            raise OptionError(_misplaced(kind, name, mode))
        if of == "stiffness" and mode == "spring" and index[name] in problem.rigid:
            raise OptionError(f'bar "{name}" is rigid, so it has no stiffness; say bars="compressible"')
    one = np.zeros((problem.network.members, len(names)))
    one[[index[name] for name in names], np.arange(len(names))] = 1.0
    if of == "stiffness":
        return names, by_members(view, np.zeros_like(one), one)
    change = by_members(view, one, np.zeros_like(one))
    forced = problem.modes == "tension"
    grows = np.where(np.arange(forced.size) < problem.network.cables, 1.0, -1.0)
    change.tension[forced] = grows[forced][:, None] * one[forced]
    dense = problem.modes == "force_density"
    change.tension[dense] = elastic.lengths_at(problem.members, view.positions)[dense][:, None] * one[dense]
    return names, change


def _misplaced(kind: str, name: str, mode: str) -> str:
    if mode == "spring":
        return f'{kind} "{name}" has no command; ask for its rest_length'
    what = "pneumatic" if kind == "bar" else f"of mode {mode}"
    return f'{kind} "{name}" is {what}, so nothing depends on its rest length; ask for its command'


def _of_positions(view: Linearised, selector: str) -> tuple[tuple[str, ...], Change]:
    structure = view.problem.network.structure
    index = {name: i for i, name in enumerate(structure.nodes)}
    moved: dict[str, int] = {}
    for node in structure.select(selector, "node"):
        if node not in structure.supports:
            raise OptionError(f'node "{node}" is free, so its position is an answer; select supported nodes')
        moved |= {f"{node}.{axis}": 3 * index[node] + AXES.index(axis) for axis in structure.supports[node]}
    change = nothing(view, len(moved))
    change.held[list(moved.values()), np.arange(len(moved))] = 1.0
    return tuple(moved), change


class Response(NamedTuple):
    """Derivatives by p parameters, and what of them balances nodes."""

    nodes: np.ndarray  # (3 n, p) [m per ...]
    force: np.ndarray  # (m, p) of members [N per ...]
    multipliers: np.ndarray  # (rows, p)
    direct: np.ndarray  # (3 n, p) what is unbalanced where nothing gives way


def response(view: Linearised, change: Change, factor: Solver | None = None) -> Response:
    """How nodes and forces answer to a change. factor: of the tangent, its own if None."""
    problem, factor = view.problem, factor or view.factor
    members = problem.members_at(view.setting)
    spans = elastic.spans_of(members, view.positions)
    every = np.arange(members.stiffness.size)
    gradients = elastic.length_gradients(members, spans, every, view.positions.size)
    direct, residual = gradients.T @ change.tension - change.external, change.residual
    if change.held.any():
        direct, residual = direct + view.everywhere @ change.held, residual + view.all_rows @ change.held
    # Two solves: the first only mends the residuals, so that dependent rows cannot make multipliers run away.
    shift = np.zeros((problem.free.size, residual.shape[1]))
    if residual.any():
        shift = factor.solve(shift, -residual)[0]
    rest, multipliers = factor.solve(-direct[problem.free] - view.stiffness @ shift)
    nodes = change.held.copy()
    nodes[problem.free] = shift + rest
    slopes = elastic.slopes(members, elastic.lengths_at(members, view.positions))
    force = change.tension + slopes[:, None] * (gradients @ nodes)
    force[problem.rigid] = multipliers[: problem.rigid.size]
    return Response(nodes, force, multipliers, direct)


def _reactions(view: Linearised, change: Change, found: Response) -> np.ndarray:
    """(p, s, 3) [N per ...]."""
    left = found.direct + view.everywhere @ (found.nodes - change.held) + view.all_rows.T @ found.multipliers
    held = np.where((view.problem.unknown < 0)[:, None], left, 0.0).T.reshape(-1, len(view.positions), 3)
    return np.asarray(held[:, list(view.problem.network.structure.supported_nodes.values())])
