"""How an equilibrium answers: the compliance of a node, and derivatives with respect to what it is made of.

By the implicit function theorem: with the balance U(x, y, p) = 0 and the residuals g(x, p) = 0 of
`equilibrium_equations.py`,

    [K C^T; C 0] [dx/dp; dy/dp] = -[dU/dp; dg/dp]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError, suggestion
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
    changes = list(_of_positions(view, selector) if of == "position" else _of_members(view, of, selector))
    answers = [_answer(view, change) for _, change in changes]
    return EquilibriumDerivatives(
        equilibrium.structure,
        of,
        tuple(name for name, _ in changes),
        *(np.array([answer[part] for answer in answers]) for part in range(3)),
    )


@dataclass(frozen=True)
class _Change:
    """What one unit of a parameter does where nothing gives way: to tensions, residuals and held coordinates."""

    tension: np.ndarray  # (m,) [N]
    residual: np.ndarray  # (rows,) [m]
    held: np.ndarray  # (3 n,) [m]


def _of_members(view: Linearised, of: str, selector: str) -> Iterator[tuple[str, _Change]]:
    problem = view.problem
    structure = problem.network.structure
    kind, names = select(structure, selector)
    if kind not in ("cable", "bar"):
        raise OptionError(f'"{selector}" selects {kind}s; {of} is a property of cables and bars')
    offset = 0 if kind == "cable" else problem.network.cables
    index = {name: offset + i for i, name in enumerate(getattr(structure, f"{kind}s"))}
    members = problem.members_at(view.setting)
    lengths = elastic.lengths_at(members, view.positions)
    taut = elastic.taut(members, lengths)
    rigid = {int(member): row for row, member in enumerate(problem.rigid)}
    for name in names:
        member = index[name]
        tension, residual = np.zeros(lengths.size), np.zeros(problem.rows)
        mode = problem.modes[member]
        if of == ("command" if mode == "spring" else "rest_length"):
            raise OptionError(_misplaced(kind, name, mode))
        if mode == "length":
            residual[rigid[member]] = -1.0 if of == "command" and not problem.slack[member] else 0.0
        elif mode != "spring":
            grows = {"tension": -1.0 if kind == "bar" else 1.0, "force_density": lengths[member]}[mode]
            tension[member] = grows if of == "command" else 0.0
        elif member in rigid:
            if of == "stiffness":
                raise OptionError(f'bar "{name}" is rigid, so it has no stiffness; say bars="compressible"')
            residual[rigid[member]] = -1.0
            tension[member] = -view.multipliers[rigid[member]] / members.rest_length[member]
        elif taut[member] and of == "stiffness":
            tension[member] = lengths[member] - members.rest_length[member]
        elif taut[member]:
            fixed = np.isnan(problem.rigidity[member])
            ratio = 1.0 if fixed else lengths[member] / members.rest_length[member]
            tension[member] = -members.stiffness[member] * ratio
        yield name, _Change(tension, residual, np.zeros(view.positions.size))


def _misplaced(kind: str, name: str, mode: str) -> str:
    if mode == "spring":
        return f'{kind} "{name}" has no command; ask for its rest_length'
    what = "pneumatic" if kind == "bar" else f"of mode {mode}"
    return f'{kind} "{name}" is {what}, so nothing depends on its rest length; ask for its command'


def _of_positions(view: Linearised, selector: str) -> Iterator[tuple[str, _Change]]:
    structure = view.problem.network.structure
    index = {name: i for i, name in enumerate(structure.nodes)}
    for node in structure.select(selector, "node"):
        if node not in structure.supports:
            raise OptionError(f'node "{node}" is free, so its position is an answer; select supported nodes')
        for axis in structure.supports[node]:
            held = np.zeros(view.positions.size)
            held[3 * index[node] + AXES.index(axis)] = 1.0
            yield (
                f"{node}.{axis}",
                _Change(np.zeros(view.problem.network.members), np.zeros(view.problem.rows), held),
            )


def _answer(view: Linearised, change: _Change) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    problem = view.problem
    members = problem.members_at(view.setting)
    spans = elastic.spans_of(members, view.positions)
    apart = elastic.lengths_of(spans)
    lengths = elastic.summed(members, apart)
    unit = spans / apart[:, None]
    pulls = elastic.by_segment(members, change.tension)[:, None] * unit
    direct = -elastic.nodal_forces(members, pulls, len(view.positions)).ravel()
    direct = direct + view.everywhere @ change.held
    residual = change.residual + view.all_rows @ change.held
    # Two solves: the first only mends the residuals, so that dependent rows cannot make multipliers run away.
    shift = (
        view.factor.solve(np.zeros(problem.free.size), -residual)[0] if residual.any() else np.zeros(problem.free.size)
    )
    rest, multipliers = view.factor.solve(-direct[problem.free] - view.stiffness @ shift)
    nodes = change.held.copy()
    nodes[problem.free] = shift + rest
    moved = nodes.reshape(-1, 3)
    taut = elastic.taut(members, lengths)
    stretch = elastic.summed(members, (unit * elastic.spans_of(members, moved)).sum(axis=1))
    force = change.tension + np.where(taut, members.stiffness, 0.0) * stretch
    force[problem.rigid] = multipliers[: problem.rigid.size]
    left = (direct + view.everywhere @ (nodes - change.held) + view.all_rows.T @ multipliers).reshape(-1, 3)
    structure = problem.network.structure
    supported = list(structure.supported_nodes.values())
    held = (problem.unknown < 0).reshape(-1, 3)
    return moved, force, np.where(held, left, 0.0)[supported]
