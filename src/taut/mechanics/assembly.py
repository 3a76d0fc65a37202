"""From a Structure to the nodal tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from taut.errors import OptionError
from taut.mechanics.inertia import inertia
from taut.mechanics.tables import (
    DIRECT,
    EXPLICIT,
    ITERATIVE,
    METRIC,
    SYSTEM,
    Bars,
    Cables,
    Constants,
    Guides,
    Krylov,
    Moved,
    Nodal,
    Nodes,
    Pairs,
    Signals,
    Work,
)
from taut.mechanics.thickness import changing_bars, placed, whole_blocks
from taut.mechanics.watching import Watched, switches
from taut.numerics.packing import Pack, packed
from taut.numerics.saddle import Saddle, analyse, nothing
from taut.structure import properties
from taut.structure.records import AXES, Bar
from taut.structure.scenario import Damping
from taut.structure.structure import Structure


def nodal_tables(
    structure: Structure,
    gravity: tuple[float, float, float],
    damping: Damping,
    signals: Signals,
    moved: Moved,
    things: Sequence[Watched] = (),
    *,
    iterative: bool = False,
    printed: bool = False,
) -> tuple[Pack, Nodal]:
    """The flat tables of a structure that has passed its checks.

    iterative: where bars meet, instead of a factor. printed: compressible bars move by eq. (56) as it stands.
    """
    index = {name: i for i, name in enumerate(structure.nodes)}
    soft = [bar.law == "compressible" for bar in structure.bars.values()]
    column = np.argsort(soft, kind="stable")
    rigid = len(soft) - sum(soft)
    bars = [list(structure.bars.values())[k] for k in column]
    bar_ends = _ends(index, [bar.nodes for bar in bars])
    bar_length = np.array([properties.bar_length(structure, bar) for bar in bars])
    own, weighing, coupling, _ = inertia(structure)
    coupling = coupling[column]
    free = np.flatnonzero(~_held(structure, index))
    guides = _guides(structure, index)
    mass = np.repeat(own, 3)
    changes = changing_bars(structure, column, printed=printed)
    full = np.isin(np.arange(len(bars)), changes.bar)
    system, bar_entry = _system(mass, coupling, bar_ends, rigid, free, guides, full, iterative=iterative)
    springs = _springs(structure, index, bars[rigid:], damping.stiffness)
    cables = len(structure.cables)
    lengths = [*bar_length, *(properties.route_length(structure, cable.route) for cable in structure.cables.values())]
    typical = float(np.mean(lengths)) if lengths else 1.0
    # Stiff bars tremble; the structure swings by its cables, and has only bars to swing by where it has none.
    swinging = springs.stiffness[:cables] if cables else springs.stiffness
    slowness = float(np.sqrt(own.sum() / swinging.sum())) if swinging.size and own.any() else 1.0
    size, rows = mass.size, rigid + guides.value.size
    per_length = np.where(np.arange(len(bars)) < rigid, 1.0 / bar_length, 0.0)
    return _packed(
        Nodal(
            springs,
            Bars(*bar_ends, bar_entry, bar_length, per_length, coupling, column),
            guides,
            Nodes(free, mass, _shares(mass, coupling, bar_ends, free, guides), np.outer(weighing, gravity).ravel()),
            signals,
            Constants(
                solver=np.array([_solver_of(system)]),
                cables_damp=np.array([int(springs.damping.any())]),
                nodes_damp=np.array([int(damping.node != 0.0 or damping.mass != 0.0)]),
                stabilised=np.array([0]),
                systems=np.array([SYSTEM, SYSTEM]),
                node_damping=np.array([damping.node]),
                mass_damping=np.array([damping.mass]),
                gains=np.zeros(2),
                scale=np.array([typical, slowness]),
                crushed=np.array([-1]),
            ),
            Work(*(np.zeros(n) for n in (size, size, rows, free.size, rows, free.size))),
            switches(np.flatnonzero(springs.least == 0.0), springs.least.size, things, size),
            *system,
            *_nothing(),
            moved,
            placed(changes, system[1], *bar_ends, free, mass.size) if changes.bar.size else changes,
        )
    )


def _springs(structure: Structure, index: dict[str, int], bars: list[Bar], beta: float) -> Cables:
    """Cables, and compressible bars as springs; beta: Rayleigh's damping in proportion to the stiffness [s]."""
    cables = list(structure.cables.values())
    stiffness = [properties.stiffness(structure, cable) for cable in cables]
    stiffness += [properties.bar_stiffness(structure, bar) for bar in bars]
    rest = [properties.rest_length(structure, cable) for cable in cables]
    rest += [properties.bar_length(structure, bar) for bar in bars]
    least = [-np.inf if cable.law == "spring" else 0.0 for cable in cables] + [-np.inf] * len(bars)
    drag = np.array([*(cable.damping for cable in cables), *(bar.damping for bar in bars)], dtype=float)
    firm = np.array(stiffness, dtype=float)
    ends = _ends(index, [*(cable.route for cable in cables), *(bar.nodes for bar in bars)])
    return Cables(*ends, np.array(least, dtype=float), firm, np.array(rest, dtype=float), drag + beta * firm)


def euclidean(tables: Nodal) -> tuple[Pack, Nodal]:
    """The same tables with corrections measured by plain coordinates, as in eq. (45), instead of by mass."""
    bars = tables.bars
    system, _ = _system(
        np.ones_like(tables.nodes.mass),
        np.zeros_like(bars.coupling),
        (bars.first, bars.second),
        int(np.count_nonzero(bars.per_length)),
        tables.nodes.free,
        tables.guides,
        np.isin(np.arange(bars.first.size), tables.thick.bar),
        pattern=tables.bars.coupling,
        iterative=bool(tables.constants.solver[0] == ITERATIVE),
    )
    constants = tables.constants._replace(systems=np.array([SYSTEM, METRIC]))
    pairs, saddle, krylov = system
    return _packed(tables._replace(constants=constants, metric_pairs=pairs, metric_saddle=saddle, metric_krylov=krylov))


def _shares(
    mass: np.ndarray, coupling: np.ndarray, bar_ends: tuple[np.ndarray, np.ndarray], free: np.ndarray, guides: Guides
) -> np.ndarray:
    """What each coordinate has of the mass that moves when the whole structure shifts; none where it cannot shift."""
    share = mass.reshape(-1, 3).copy()
    for end in bar_ends:
        np.add.at(share, end // 3, coupling[:, None])
    held = np.setdiff1d(np.arange(mass.size), free) % 3
    share[:, np.union1d(held, guides.coordinate % 3)] = 0.0
    return share.ravel()


def _packed(tables: Nodal) -> tuple[Pack, Nodal]:
    pack, views = packed(tables)
    return pack, Nodal._make(views)


System = tuple[Pairs, Saddle, Krylov]
"""One of them with content."""


def _nothing() -> System:
    """A system that is not there."""
    pairs = Pairs(np.empty(0), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
    return pairs, nothing(), Krylov(*(np.empty(0) for _ in Krylov._fields))


def _solver_of(system: System) -> int:
    pairs, _, krylov = system
    return EXPLICIT if pairs.place.size else ITERATIVE if krylov.place.size else DIRECT


def _ends(index: dict[str, int], routes: Sequence[tuple[str, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """First coordinates of the first and of the last node of each route."""
    first, last = ([3 * index[route[end]] for route in routes] for end in (0, -1))
    return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)


def _held(structure: Structure, index: dict[str, int]) -> np.ndarray:
    held = np.zeros(3 * len(index), dtype=bool)
    for node, axes in structure.supports.items():
        for axis in axes:
            held[3 * index[node] + AXES.index(axis)] = True
    return held


def _guides(structure: Structure, index: dict[str, int]) -> Guides:
    """Linear constraints as rows of unit norm, so that their gaps are lengths and their multipliers forces."""
    shape = structure.positions.ravel()
    starts, coordinates, coefficients, values = [0], [], [], []
    for constraint in structure.constraints.values():
        merged: dict[int, float] = {}
        for node, axis, coefficient in constraint.terms:
            at = 3 * index[node] + AXES.index(axis)
            merged[at] = merged.get(at, 0.0) + coefficient
        places, row = np.array(list(merged), dtype=np.int64), np.array(list(merged.values()))
        norm = float(np.linalg.norm(row))
        coordinates += places.tolist()
        coefficients += (row / norm).tolist()
        values.append(float(row @ shape[places] if constraint.value is None else constraint.value) / norm)
        starts.append(len(coordinates))
    return Guides(
        np.array(starts, dtype=np.int64),
        np.array(coordinates, dtype=np.int64),
        np.array(coefficients, dtype=float),
        np.array(values, dtype=float),
    )


def _system(
    mass: np.ndarray,
    coupling: np.ndarray,
    bar_ends: tuple[np.ndarray, np.ndarray],
    rigid: int,
    free: np.ndarray,
    guides: Guides,
    full: np.ndarray,
    pattern: np.ndarray | None = None,
    *,
    iterative: bool,
) -> tuple[System, np.ndarray]:
    """The system with W = diag(mass) + coupling between bar ends: explicit where no bar touches another.

    Beside it, where a saddle keeps the bars' rows of G. rigid: so many bars, the first ones, have a row. full: bars
    between whose ends W may have any entry, for which there is only the saddle.
    """
    ends = np.concatenate(bar_ends)
    pairs, saddle, krylov = _nothing()
    bar_entry = np.full(3 * ends.size, -1, dtype=np.int64)
    if guides.value.size == 0 and np.unique(ends).size == ends.size and not full.any():
        pairs = _pairs(mass, coupling, bar_ends, free)
    elif iterative:
        if full.any():
            raise OptionError(
                f"{full.sum()} compressible bars are cylinders, whose mass matrix changes with their shape; the "
                "iterative solver cannot do that: take the direct one, or inertia: thin"
            )
        weight = np.zeros_like(mass)
        weight[free] = mass[free]
        size = mass.size + rigid + guides.value.size
        krylov = Krylov(weight, coupling, np.zeros_like(mass), np.zeros(size), np.zeros(9 * size))
    else:
        saddle, bar_entry = _saddle(mass, coupling, bar_ends, rigid, free, guides, full, pattern)
    return (pairs, saddle, krylov), bar_entry


def _pairs(mass: np.ndarray, coupling: np.ndarray, bar_ends: tuple[np.ndarray, np.ndarray], free: np.ndarray) -> Pairs:
    movable = np.zeros(mass.size, dtype=bool)
    movable[free] = True
    axes = np.arange(3)
    i, j = (end[:, None] + axes for end in bar_ends)
    both = movable[i] & movable[j]
    determinant = np.where(both, mass[i] * mass[j] - coupling[:, None] ** 2, 1.0)
    block = np.zeros((coupling.size, 3, 3))
    block[:, 0] = np.where(both, mass[j] / determinant, np.where(movable[i], 1.0 / mass[i], 0.0))
    block[:, 1] = np.where(both, -coupling[:, None] / determinant, 0.0)
    block[:, 2] = np.where(both, mass[i] / determinant, np.where(movable[j], 1.0 / mass[j], 0.0))
    loose = np.setdiff1d(np.arange(mass.size), np.concatenate([i.ravel(), j.ravel()]))
    single = np.where(movable[loose], 1.0 / np.where(movable, mass, 1.0)[loose], 0.0)
    return Pairs(block.ravel(), loose, single, np.zeros(mass.size))


def _saddle(
    mass: np.ndarray,
    coupling: np.ndarray,
    bar_ends: tuple[np.ndarray, np.ndarray],
    rigid: int,
    free: np.ndarray,
    guides: Guides,
    full: np.ndarray,
    pattern: np.ndarray | None = None,
) -> tuple[Saddle, np.ndarray]:
    """[W G^T; G 0] over the free coordinates, W = diag(mass) + coupling between bar ends, and the bars' entries in it.

    pattern: couplings that shape the sparsity where those of W are zero, so that two saddles share their layout.
    """
    unknown = np.full(mass.size, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    touched = np.concatenate([unknown[end[:, None] + np.arange(3)] for end in bar_ends], axis=1)
    first, second = touched[:, :3], touched[:, 3:]
    linked = (first >= 0) & (second >= 0) & ((coupling if pattern is None else pattern) != 0.0)[:, None]
    i, j = np.minimum(first, second)[linked], np.maximum(first, second)[linked]
    every = np.arange(free.size)
    block_i, block_j = whole_blocks(touched[full])
    weight = sp.coo_matrix(
        (
            np.concatenate([mass[free], np.broadcast_to(coupling[:, None], linked.shape)[linked], 0.0 * block_i]),
            (np.concatenate([every, i, block_i]), np.concatenate([every, j, block_j])),
        ),
        shape=(free.size, free.size),
    )
    saddle, entry = bordered(weight, (bar_ends[0][:rigid], bar_ends[1][:rigid]), unknown, guides)
    return saddle, np.concatenate([entry, np.full(6 * (coupling.size - rigid), -1, dtype=np.int64)])


def bordered(
    weight: sp.spmatrix, bar_ends: tuple[np.ndarray, np.ndarray], unknown: np.ndarray, guides: Guides
) -> tuple[Saddle, np.ndarray]:
    """[W G^T; G 0] with the guides' rows filled in, and where the rigid bars' rows go, -1 for a held coordinate.

    unknown: (3 n,) the row of every coordinate in W, -1 where it is held.
    """
    free = np.flatnonzero(unknown >= 0)
    touched = np.concatenate([unknown[end[:, None] + np.arange(3)] for end in bar_ends], axis=1)
    guided = unknown[guides.coordinate]
    movable = touched >= 0
    owner = np.repeat(np.arange(guides.value.size), np.diff(guides.start))[guided >= 0]
    sizes = np.concatenate([movable.sum(axis=1), np.bincount(owner, minlength=guides.value.size)])
    row_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    saddle, places = analyse(weight, row_start, np.concatenate([touched[movable], guided[guided >= 0]]), free // 3)
    entry = np.full(touched.shape, -1, dtype=np.int64)
    entry[movable] = places[: int(movable.sum())]
    saddle.values[places[int(movable.sum()) :]] = guides.coefficient[guided >= 0]
    return saddle, entry.ravel()
