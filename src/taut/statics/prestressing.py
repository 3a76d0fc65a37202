"""Prestress: the forces and rest lengths with which a structure stands at the shape it has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real

import numpy as np
import scipy.sparse as sp

from taut.errors import BalanceError, OptionError
from taut.numerics.bounded import cheapest, closest, least_wrong
from taut.numerics.subspaces import least_norm
from taut.statics.balancing import refuse_adrift
from taut.statics.by_selector import given_by_selector
from taut.statics.carrying import carrying
from taut.statics.commands import pulling
from taut.statics.elements import refuse_torques
from taut.statics.equilibrium import Equilibrium
from taut.statics.matrices import equilibrium_matrix, motions
from taut.statics.network import Force, Network, network
from taut.statics.self_stress import counts_of, plural
from taut.structure import properties
from taut.structure.records import Cable
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

OBJECTIVES = ("least_squares", "least_force_density")

DEFAULT_MINIMUM = 0.01
"""Of the largest target: the least tension of cables where none is given."""

WEIGHINGS = 20
"""A cable's weight follows its rest length, which follows its tension; this many rounds at most."""


@checked_arguments
def prestress(
    structure: Structure,
    targets: Mapping[str, float] | None = None,
    *,
    gravity: float | Force = 0.0,
    loads: Mapping[str, Force] | None = None,
    minimum: float | Mapping[str, float] | None = None,
    minimum_force_density: float | Mapping[str, float] = 0.0,
    objective: str = "least_squares",
) -> Equilibrium:
    """The structure with rest lengths such that it stands at its present shape, cables pulling; forces are unique.

    Forces balance gravity and loads at every node; cables pull with their minimum at least, springs and bars push or
    pull as they must. Of all such forces the ones are taken that have

    1. the least sum of (force - target)^2 over the members with a target, and among these
    2. "least_squares": the least sum of force^2 over all other members, or
       "least_force_density": the least sum of tension / length over all cables (springs do not count), and if several
       have it, of these the least sum of squares (with more than 500 states it may not be found; a note says so).

    targets: selector -> force [N], tension positive: {"cable:vertical": 200.0, "bar:*": -500.0}; of two selectors that
        name a member the later holds. A target below a cable's minimum gives way to it.
    gravity: [m/s^2], a number acts along -z. loads: node -> force [N].
    minimum: least tension of cables [N], for all or by selector (others: zero); by default a hundredth of the largest
        target. minimum_force_density: [N/m], likewise. The larger of both holds.

    Raises BalanceError where no forces do it, with the node that cannot be balanced.
    """
    if objective not in OBJECTIVES:
        raise OptionError(f'objective = "{objective}" is not one of {", ".join(OBJECTIVES)}')
    net = network(structure, gravity=gravity, loads=loads)
    refuse_torques(structure, "prestress")
    refuse_adrift(net, net.external)
    wanted = given_by_selector(net, "targets", targets)
    pushed = np.flatnonzero(net.unilateral & (wanted < 0.0))
    if pushed.size:
        name, force = net.names[pushed[0]], wanted[pushed[0]]
        raise OptionError(
            f'targets: cable "{name}" is to carry {force:g} N, but cables cannot push; ask for zero or more'
        )
    low = _lower_bounds(net, wanted, minimum, minimum_force_density)
    for _ in range(WEIGHINGS):
        forces, notes = _forces(net, wanted, low, objective)
        tightened = _tightened(net, forces)
        weighed = network(tightened, gravity=gravity, loads=loads)
        change = np.abs(weighed.external - net.external).max(initial=0.0)
        if change <= 1e-13 * np.abs(net.external).max(initial=0.0):
            break
        net = replace(net, external=weighed.external)
    notes = (*notes, *_missed(net, targets or {}, forces))
    found = carrying(net, tightened, forces / net.lengths(), method=f"prestress, {objective}", notes=notes)
    # Force over length times length is off by round-off, and a minimum is a minimum.
    return replace(found, cable_tension=forces[: net.cables], bar_force=forces[net.cables :])


def _missed(net: Network, targets: Mapping[str, float], forces: np.ndarray) -> list[str]:
    """A sentence for every target that balance does not allow to be met by all it names."""
    told, wanted = list[str](), given_by_selector(net, "targets", targets)
    for selector, target in targets.items():  # of a member that is named again later, that line holds
        chosen = forces[given_by_selector(net, "targets", {selector: target}) == wanted]
        off = np.abs(chosen - target).max(initial=0.0)
        if off > 1e-6 * max(abs(float(target)), float(np.abs(forces).max(initial=0.0)) * 1e-6):
            told.append(
                f"{selector}: {target:g} N was asked and {chosen.min():.4g} to {chosen.max():.4g} N are had; "
                "balance allows no better"
            )
    return told


def _lower_bounds(
    net: Network,
    wanted: np.ndarray,
    minimum: float | Mapping[str, float] | None,
    minimum_force_density: float | Mapping[str, float],
) -> np.ndarray:
    """Least force of every member, -inf for those that may push; (m,) [N]."""
    densities = _by_member(net, "minimum_force_density", minimum_force_density)
    if minimum is None:
        largest = float(np.nanmax(np.abs(wanted), initial=0.0)) if np.isfinite(wanted).any() else 0.0
        if largest == 0.0 and not densities.any() and not net.external.any() and net.unilateral.any():
            raise OptionError(
                "nothing says how tight the cables are to be: give targets, as in "
                'prestress(structure, {"cable:*": 100.0}), or a minimum tension [N]'
            )
        minimum = DEFAULT_MINIMUM * largest
    bounds = np.maximum(_by_member(net, "minimum", minimum), densities * net.lengths())
    return np.asarray(np.where(net.unilateral, bounds, -np.inf))


def _by_member(net: Network, option: str, values: float | Mapping[str, float]) -> np.ndarray:
    if isinstance(values, Mapping):
        numbers = np.nan_to_num(given_by_selector(net, option, values, "cable"))
    elif isinstance(values, Real) and not isinstance(values, bool) and math.isfinite(values):
        numbers = np.full(net.members, float(values))
    else:
        raise OptionError(f"{option} = {values!r} must be a finite number, or selectors with one each")
    if np.any(numbers < 0.0):
        raise OptionError(f"{option} = {values!r} must be zero or more: cables cannot push")
    return np.asarray(numbers)


def _forces(net: Network, wanted: np.ndarray, low: np.ndarray, objective: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """The forces by the objective, (m,) [N], with notes; raises where there are none."""
    notes: tuple[str, ...] = ()
    allowed = motions(net)
    matrix = equilibrium_matrix(net, allowed)
    load = -(allowed.T @ net.external.ravel())
    # Solvers have absolute tolerances: forces are counted in the largest that is asked for.
    unit = max(
        float(np.abs(load).max(initial=0.0)),
        float(low[np.isfinite(low)].max(initial=0.0)),
        float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)),
    )
    if unit == 0.0:
        return np.zeros(net.members), notes
    first = np.isfinite(wanted)
    goal, right, bound = np.where(first, wanted, 0.0) / unit, load / unit, low / unit
    found: np.ndarray | None = np.zeros(net.members)
    if objective == "least_squares" or first.any():
        found = closest(matrix, right, bound, goal, first)
    if objective == "least_force_density" and found is not None:
        fitted = np.where(first, found, 0.0)
        cost = np.where(net.unilateral, 1.0 / net.lengths(), 0.0)[~first]
        rest, settled = cheapest(sp.csr_matrix(matrix[:, ~first]), right - matrix @ fitted, bound[~first], cost)
        if not settled:
            notes = ("other forces may have the same sum of force densities; the least squares of these was not found",)
        found = None
        if rest is not None:
            fitted[~first] = rest
            found = fitted
    if found is None:
        carried = np.abs(matrix @ least_norm(matrix, right) - right).max(initial=0.0) <= 1e-9
        raise _unbalanced(net, allowed @ least_wrong(matrix, right, bound) * unit, low, carried=carried)
    return np.asarray(found * unit), notes


def _unbalanced(net: Network, left: np.ndarray, low: np.ndarray, *, carried: bool) -> BalanceError:
    """The complaint: where forces are left over even if they are made as small as can be; carried: but for the bounds,
    members could take the loads."""
    on_nodes = left.reshape(-1, 3)
    sizes = np.linalg.norm(on_nodes, axis=1)
    worst = int(np.argmax(sizes))
    node, force = list(net.structure.nodes)[worst], on_nodes[worst]
    most = float(low[np.isfinite(low)].max(initial=0.0))
    asked = f" with cables pulling {most:.4g} N and more" if most else ""
    if sizes[worst] <= 1e-7 * max(most, float(np.abs(net.external).max(initial=0.0))):
        return BalanceError(
            "forces that do all this exist, but the search for the ones of the objective ended before it was exact; "
            "try the other objective, a larger minimum, or fewer targets"
        )
    states = counts_of(net)
    remedy = "Find the form first, move or support the node, add members, or lower the minimum"
    if not carried:
        why = f"loads drive it along a motion that changes no length ({plural(states.mechanisms, 'mechanism')})"
        remedy = "Prestress it without them and let it settle with balance(...), or support the node or add members"
    elif states.self_stress_states == 0:
        why = "the shape has no self-stress state at all"
    elif net.external.any():
        why = "to carry the loads a cable would have to push"
    else:
        why = (
            f"of its {states.self_stress_states} self-stress states none keeps every cable tight"
            if states.self_stress_states > 1
            else "its one self-stress state has cables that push"
        )
    several = int(np.count_nonzero(sizes > 1e-6 * sizes[worst]))
    return BalanceError(
        f'node "{node}" cannot be balanced{asked}: at best ({force[0]:.4g}, {force[1]:.4g}, {force[2]:.4g}) N is left '
        f"on it{f' and forces on {several - 1} more nodes' if several > 1 else ''}; {why}. {remedy}",
        node,
        (float(force[0]), float(force[1]), float(force[2])),
    )


def _tightened(net: Network, forces: np.ndarray) -> Structure:
    """The structure with the rest lengths that go with the forces."""
    structure = net.structure
    cables: dict[str, Cable] = {}
    soft = []
    for cable, tension in zip(structure.cables.values(), forces.tolist(), strict=False):
        cables[cable.name] = tight = pulling(structure, cable, tension)
        if tight.rest_length is not None and tight.rest_length < 0.0:
            soft.append((cable, tension))
    if soft:
        cable, tension = soft[0]
        stretched = properties.route_length(structure, cable.route) * (cable.stiffness or 0.0)
        more = f" ({len(soft)} cables are)" if len(soft) > 1 else ""
        raise OptionError(
            f'cable "{cable.name}" is too soft{more}: it should pull {tension:.4g} N but with a rest length of zero '
            f"pulls only {stretched:.4g} N; make it stiffer or ask for less"
        )
    bars = {
        bar.name: properties.fitted_bar(structure, bar, force)
        for bar, force in zip(structure.bars.values(), forces[len(cables) :].tolist(), strict=True)
    }
    return replace(structure, cables=cables, bars=bars)
