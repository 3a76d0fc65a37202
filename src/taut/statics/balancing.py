"""Where a structure comes to rest under gravity and loads: `balance`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem, listed
from taut.numerics.quasidefinite import factored
from taut.statics.commands import standing_cable
from taut.statics.elastic_members import lengths_at
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice, EquilibriumEquations, Setting, equations_of
from taut.statics.network import Force, Network, network
from taut.statics.newton import Settled, drawn_together
from taut.statics.slackening import stepped
from taut.structure import properties
from taut.structure.angles import rest_value
from taut.structure.joining import subdivided
from taut.structure.records import AXES, Bar, Cable
from taut.structure.scenario import SOLVERS
from taut.structure.structure import Structure
from taut.structure.topology import parts
from taut.type_checks import checked_arguments

UNSTABLE = 1e-8
"""A balance counts as unstable along a direction whose stiffness is below minus this fraction of the mean one."""


UNSHORTENED = 1e-9
"""Of the longest member: a held cable that is off its length by more was not brought to it."""


@checked_arguments
def balance(
    structure: Structure,
    *,
    gravity: float | Force = 0.0,
    loads: Mapping[str, Force] | None = None,
    bars: BarChoice = None,
    tolerance: float = 1e-10,
    iterations: int = 200,
    solver: str = "direct",
    elements: Iterable[Any] = (),
) -> Equilibrium:
    """The equilibrium that a structure falls into from its present shape: a minimum of its potential energy.

    Newton's method on the energy, with slack cables left out while they are slack and every step downhill; external
    forces in steps where the way in one is too far. Cables with segments are cut, so the structure of the answer is
    the finer one. An answer that did not converge says so in `status` and holds what was found.

    gravity: [m/s^2], a number acts along -z. loads: node -> force [N].
    bars: None takes every bar by its own law; "rigid" (keep their length), "compressible" (E A / length from material
        and radius), or a selector -> word for some of them. The structure of the answer has its bars so.
    tolerance: the residual against the largest force; round-off of stiff members may set a higher limit.
    elements: records of kinds that `taut.register` has made known.
    solver: "direct" factors; "iterative" takes less memory, for lattices that fill space.
    """
    if solver not in SOLVERS:
        raise OptionError(f'solver = "{solver}" is not one of {", ".join(SOLVERS)}')
    if iterations < 0:
        raise OptionError(f"iterations = {iterations!r} must be zero or more")
    given = network(subdivided(structure), gravity=gravity, loads=loads)
    elements = tuple(elements)
    if not elements:
        refuse_adrift(given, given.external)
    problem = equations_of(given, bars, elements=elements)
    unloaded = problem.setting._replace(external=np.zeros_like(given.external))
    with np.errstate(over="ignore", invalid="ignore"):  # trial steps of what collapses may be huge; they are refused
        found, count = stepped(
            problem, unloaded, problem.setting, given.positions, tolerance=tolerance, limit=iterations, solver=solver
        )
    return equilibrium_of(
        problem, problem.setting, found, iterations=count, counted=solver == "direct", elements=elements
    )


def refuse_adrift(given: Network, external: np.ndarray) -> None:
    """Raise where external forces push a part that nothing holds in their direction: it has no equilibrium at all."""
    if not external.any():
        return
    structure = given.structure
    index = {name: i for i, name in enumerate(structure.nodes)}
    held = np.ones(3 * len(index), dtype=bool)
    held[given.free] = False
    problems = []
    for part in parts(structure):
        at = np.array([index[node] for node in part])
        ways = [held.reshape(-1, 3)[at].any(axis=0)[axis] * np.eye(3)[axis] for axis in range(3)]
        guided = given.guides[:, (3 * at[:, None] + np.arange(3)).ravel()] if given.guides.shape[0] else None
        if guided is not None:
            ways += list(np.asarray(guided @ np.tile(np.eye(3), (len(at), 1))))
        _, sizes, axes = np.linalg.svd(np.array(ways))
        loose = axes[sizes < 1e-9 * max(sizes.max(), 1e-300)] if sizes.any() else np.eye(3)
        pushed = loose.T @ (loose @ external[at].sum(axis=0))
        size = float(np.abs(external[at]).sum())
        if np.abs(pushed).max(initial=0.0) <= 1e-9 * size:
            continue
        axis = AXES[int(np.argmax(np.abs(pushed)))]
        whole = f'structure "{structure.name}"' if structure.name else "the structure"
        what = whole if len(part) == len(index) else f'the part of {whole} with node "{part[0]}"'
        problems.append(
            Problem(
                ("supports",),
                f"{what} is not held along {axis}, where gravity and loads push it with "
                f"{pushed[AXES.index(axis)]:g} N, "
                f'so it has no equilibrium; support a node along {axis}, as in supported("{part[0]}", "{axis}")',
            )
        )
    if problems:
        raise ModelError(problems)


def equilibrium_of(
    problem: EquilibriumEquations,
    setting: Setting,
    found: Settled,
    *,
    iterations: int,
    counted: bool = True,
    method: str = "newton",
    elements: Iterable[Any] = (),
) -> Equilibrium:
    """What was found, as an Equilibrium; counted: look whether it is a minimum."""
    structure = problem.network.structure
    problem = problem.slackened(found.multipliers)
    forces = problem.tensions(found.positions, found.multipliers, setting)
    unbalance = problem.unbalance(found.positions, found.multipliers, setting).reshape(-1, 3)
    held = (problem.unknown < 0).reshape(-1, 3)
    supported = list(structure.supported_nodes.values())
    cables = problem.network.cables
    others = found.multipliers[problem.rigid.size + problem.guide_values.size :]
    return Equilibrium(
        structure=standing(structure, found.positions, setting),
        cable_tension=forces[:cables],
        bar_force=forces[cables:],
        constraint_force=-found.multipliers[problem.rigid.size :][: problem.guide_values.size],
        reaction=np.where(held, unbalance, 0.0)[supported],
        external=np.asarray(setting.external),
        residual=found.residual,
        method=method,
        iterations=iterations,
        status="balanced" if found.converged else _failure(problem, setting, found),
        notes=_notes(problem, setting, found) if counted and found.converged else (),
        history=found.history,
        elements=tuple(elements),
        element_force=-others,
        angle_torque=np.zeros(0) if problem.elements is None else problem.elements.torques(found.positions, others),
    )


def falling(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray, multipliers: np.ndarray) -> int:
    """In how many directions the energy falls from a balance."""
    matrix = problem.stiffness(positions, multipliers, setting)
    # What moves freely has no stiffness, of either sign by round-off: it is not to be counted.
    mean = abs(matrix.diagonal()).sum() / max(matrix.shape[0], 1)
    lifted = sp.csc_matrix(matrix + UNSTABLE * mean * sp.eye(matrix.shape[0]))
    return factored(lifted, problem.free_rows(positions, setting)).negative


def standing(structure: Structure, positions: np.ndarray, setting: Setting) -> Structure:
    """The structure at a balanced shape, with all that it was by its old shape written out: rest lengths, masses."""
    placed = structure.placed(positions)
    cables = [
        standing_cable(structure, cable, rest, command)
        for cable, rest, command in zip(structure.cables.values(), setting.rest_length, setting.command, strict=False)
    ]

    def kept(bar: Bar, length: float) -> Bar:
        if bar.law == "rigid":
            return replace(bar, length=float(length))
        return replace(bar, length=float(length), mass=properties.bar_mass(structure, bar))

    kept_bars = map(kept, structure.bars.values(), setting.rest_length[len(structure.cables) :])
    angles = {
        angle.name: replace(angle, value=rest_value(structure, angle)) if angle.mode == "free" else angle
        for angle in structure.angles.values()
    }
    return replace(placed, cables=_named(cables), bars={bar.name: bar for bar in kept_bars}, angles=angles)


def _named(cables: list[Cable]) -> dict[str, Cable]:
    return {cable.name: cable for cable in cables}


def _failure(problem: EquilibriumEquations, setting: Setting, found: Settled) -> str:
    longer = problem.residuals(found.positions, setting)[: problem.held.size]
    if longer.size and not np.abs(longer).max() <= UNSHORTENED * setting.rest_length.max():
        worst = problem.held[int(np.nanargmax(np.abs(longer)))]
        length = lengths_at(problem.members, found.positions)[worst]
        return (
            f'not balanced: cable "{problem.network.names[worst]}" is held at {setting.rest_length[worst]:.6g} m, and '
            f"no shape was found in which it is not {length:.6g} m long; hold it at another length, or free a node"
        )
    names = list(problem.network.structure.nodes)
    met = np.flatnonzero(drawn_together(problem, found.positions))
    if met.size:
        first, second = (names[end[met[0]]] for end in (problem.network.first, problem.network.second))
        return (
            f'not balanced: nodes "{first}" and "{second}" slide together along cable '
            f'"{problem.network.names[problem.network.owner[met[0]]]}", and between them it has no direction any more; '
            "keep them apart with a bar, or end the cable at one of them"
        )
    node = names[found.worst // 3]
    if found.jammed:
        return (
            f'not balanced: bars and supports keep node "{node}" from moving along {AXES[found.worst % 3]}, where '
            f"{found.residual:.4g} N pushes it, but lie across that, so that no finite force of theirs holds it; "
            "support it along that axis, or free it along the bars"
        )
    return (
        f"not balanced after {len(found.history) - 1} iterations: {found.residual:.1e} N is left at "
        f'node "{node}" along {AXES[found.worst % 3]}, where {found.goal:.1e} N is asked; '
        "start nearer to a balance or load it in smaller steps"
    )


def _notes(problem: EquilibriumEquations, setting: Setting, found: Settled) -> tuple[str, ...]:
    negative = falling(problem, setting, found.positions, found.multipliers)
    notes = []
    if negative > 0:
        ways = "direction" if negative == 1 else "directions"
        notes.append(f"unstable: the energy falls in {negative} {ways}; the least push makes it leave")
    forces = problem.tensions(found.positions, found.multipliers, setting)
    slack = int(np.sum((problem.members.one_sided | problem.can_slacken) & (forces <= 0.0)))
    if slack:
        notes.append(f"{slack} of {problem.network.cables} cables are slack")
    cables = problem.network.structure.cables.values()
    rubbed = [cable.name for cable in cables if cable.friction > 0.0 and len(cable.route) > 2]
    if rubbed:
        notes.append(
            f"friction at the guides of {listed(rubbed)} is left out: each has one tension here; "
            "taut.statics.friction_bounds says how far its segments may differ"
        )
    return tuple(notes)
