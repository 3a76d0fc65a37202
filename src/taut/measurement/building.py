"""Monte Carlo of building tolerances: what becomes of a structure whose parts are not cut as they were drawn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from taut.errors import OptionError, listed
from taut.measurement.limits import limits_of
from taut.measurement.propagation import linear_scatter
from taut.measurement.scatter import COMMANDED, BySelector, Scatter, check_possible, scatter_of
from taut.measurement.tolerance_results import Tolerances
from taut.statics.balancing import balance
from taut.statics.copies import Balanced, balanced_copies
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice
from taut.statics.linearised import Linearised, linearised
from taut.statics.network import Force
from taut.structure.memory import memory_problem
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

BLOCK = 250
"""Builds that are balanced side by side: enough for arrays to pay, few enough for a processor's cache."""


@checked_arguments
def tolerances(
    structure: Structure | Equilibrium,
    *,
    cut_length: BySelector = 0.0,
    cut_ratio: BySelector = 0.0,
    stiffness: BySelector = 0.0,
    supports: BySelector = 0.0,
    distribution: str = "normal",
    minimum_tension: float | Mapping[str, float] | None = 0.0,
    maximum_tension: float | Mapping[str, float] | None = None,
    safety: float = 1.0,
    gravity: float | Force = 0.0,
    loads: Mapping[str, Force] | None = None,
    bars: BarChoice = None,
    builds: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    executor: Executor | None = None,
) -> Tolerances:
    """Build a structure many times with members that are a little off, and see how its tensions scatter.

    Every member and support scatters by itself. Numbers are standard deviations or, of a uniform distribution, half the
    width; one for all, or selector -> number. Masses stay what they are.

    cut_length: [m] of cables' rest lengths and bars' lengths. cut_ratio: the same as a part of the length; both add.
    stiffness: as a part of it, of cables and compressible bars. supports: [m] of held nodes, along each held axis.
    minimum_tension, maximum_tension: [N] limits, a number for all cables; by default no cable may be slack.
    safety: forces times this must stay below yield and Euler's load, where they are known.
    gravity, loads, bars: as of `balance`, where a structure is given; an equilibrium has its own.
    seed: the same gives the same builds, to the last bit, whatever the number of threads.
    executor: computes blocks of builds instead of threads of this process: any of `concurrent.futures`.
    """
    if builds < 2:
        raise OptionError(f"builds = {builds} must be two or more; a scatter has no meaning for less")
    if threads is not None and threads < 1:
        raise OptionError(f"threads {threads} must be one or more")
    equilibrium = _standing(structure, gravity, loads, bars)
    view = linearised(equilibrium, bars)
    if view.factor.negative:
        raise OptionError(
            "the structure as designed is unstable (taut.stability says how), so that its builds fall away from there; "
            "prestress it, or support it otherwise"
        )
    given: dict[str, Any] = {"cut_length": cut_length, "cut_ratio": cut_ratio, "stiffness": stiffness}
    scatter = scatter_of(view, **given, supports=supports, distribution=distribution, seed=seed)
    limits = limits_of(view.problem.network, minimum_tension, maximum_tension, safety)
    size = 8e-9 * builds * 2 * (view.problem.network.members + view.positions.size)
    if wrong := memory_problem(size):
        raise OptionError(f"{builds} builds {wrong}; or build fewer")
    linear = linear_scatter(equilibrium, view, scatter, bars)
    parts = _balanced(view, scatter, builds, threads, executor)
    tension = np.concatenate([part.tension for part in parts])
    slack = ((tension <= 0.0) & view.problem.network.unilateral).any(axis=1)
    converged = np.concatenate([part.converged for part in parts])
    if not converged.sum() > 1:
        raise OptionError(f"only {converged.sum()} of {builds} builds found a balance; let less scatter")
    found = Tolerances(
        structure=view.problem.network.structure,
        nominal=equilibrium.member_force,
        tension=tension,
        nodes=np.concatenate([part.positions for part in parts]),
        status=np.where(converged, np.where(slack, "slack", "balanced"), "not balanced"),
        linear=linear,
        limits=limits,
        scatter=scatter,
        view=view,
    )
    return replace(found, notes=tuple(_notes(found)))


def _standing(
    given: Structure | Equilibrium, gravity: float | Force, loads: Mapping[str, Force] | None, bars: BarChoice
) -> Equilibrium:
    if isinstance(given, Equilibrium):
        if loads or np.any(gravity):
            raise OptionError("an equilibrium has its own gravity and loads; give the structure with others")
        found = given
    else:
        cut = [cable.name for cable in given.cables.values() if cable.segments > 1]
        if cut:
            raise OptionError(
                f"cables {listed(cut)} are cut into segments, of which each would scatter by itself; "
                'make them one with changed("cable:*", segments=1)'
            )
        found = balance(given, gravity=gravity, loads=loads, bars=bars)
    if not found.ok:
        raise OptionError(f"the structure as designed has no equilibrium ({found.status}); its builds have none either")
    return found


def _balanced(
    view: Linearised, scatter: Scatter, builds: int, threads: int | None, executor: Executor | None
) -> list[Balanced]:
    """In blocks by their order, which do not depend on who computes them."""
    block = partial(_block, view, scatter, builds)
    if executor is not None:
        return list(executor.map(block, range(0, builds, BLOCK)))
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
    try:
        return list(pool.map(block, range(0, builds, BLOCK)))
    finally:
        pool.shutdown(cancel_futures=True)


def _block(view: Linearised, scatter: Scatter, builds: int, first: int) -> Balanced:
    scattered = scatter.drawn(view, range(first, min(first + BLOCK, builds)))
    check_possible(view, scatter, scattered)
    return balanced_copies(view, scattered)


def _notes(found: Tolerances) -> Iterator[str]:
    lost, network = int((~found.balanced).sum()), found.view.problem.network
    if lost:
        yield f"{lost} of {found.status.size} builds found no balance; the numbers are of the others"
    slack = int((found.status == "slack").sum())
    if slack:
        yield f"a cable is slack in {slack} of {found.status.size} builds"
    off = np.flatnonzero(found.differs)
    if off.size:
        ratio = found.deviation[off] / found.linear.tension[off]
        worst = off[int(np.argmax(np.abs(np.log(ratio))))]
        why = "cables that slacken, and large motions, are not in it" if slack else "large motions are not in it"
        yield (
            f"linear propagation is off for {off.size} of {network.members} members, most for {found.members[worst]}: "
            f"{found.linear.tension[worst]:.4g} N instead of {found.deviation[worst]:.4g} N; {why}"
        )
    commanded = np.flatnonzero(np.isin(found.view.problem.modes, COMMANDED))
    if commanded.size:
        names = listed([found.members[k] for k in commanded])
        yield f"the force of {names} is given, so their lengths and stiffness do not scatter"
