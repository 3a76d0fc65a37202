"""Natural frequencies and shapes of small motions about an equilibrium, with the masses that dynamics uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem
from taut.labelled import Labelled, Tabular, Variable
from taut.mechanics.inertia.masses import mass_matrix
from taut.numerics.quasidefinite import Solver, factored, preconditioned
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice
from taut.statics.linearised import Linearised, linearised
from taut.statics.matrices import moving_parts
from taut.structure import properties
from taut.structure.labels import labels_of
from taut.structure.scenario import SOLVERS
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

DENSE = 240
"""Up to this many free coordinates the eigenproblem is solved with full matrices."""

CLOSE = 1e-9
"""Eigenvalues of the inverse are found to this fraction; Rayleigh quotients of their shapes are good to its square."""

LANCZOS = 40
"""Vectors kept while looking for modes: frequencies that lie close together, as those of equal spans, need many."""

BROKEN = 1e-6
"""Of its largest displacement: a motion that changes what constraints keep by more is none; round-off made it."""

RESOLVED = 1e-13
"""Eigenvalues below this fraction of the largest are round-off of the stiffness."""


VARIABLES = {
    "frequency": Variable(("mode",), "Hz", "natural frequency, negative for a mode that buckles"),
    "residual": Variable(("mode",), "1", "of the eigenproblem, against the largest stiffness"),
    "shapes": Variable(("mode", "node", "axis"), "kg^-1/2", "displacement of each node", "node:{node}.{axis}"),
}
"""What `Modes.to_xarray` and tables of modes have."""


@dataclass(frozen=True, repr=False)
class Modes(Tabular):
    """k modes of n nodes, the lowest first; shapes have unit modal mass, so they are [kg^-1/2].

    frequency: [Hz]; negative for a mode that buckles, which then grows like exp(2 pi |frequency| t).
    rigid_motions: motions of the whole, or of parts that nothing joins, that meet no stiffness at all, kept apart from
        the modes.
    status: "all modes are stable", or a sentence that says which are not.
    """

    structure: Structure
    frequency: np.ndarray  # (k,)
    shapes: np.ndarray  # (k, n, 3)
    rigid_motions: np.ndarray  # (r, n, 3)
    residual: np.ndarray  # (k,) of the eigenproblem, against the largest stiffness

    status: str
    notes: tuple[str, ...] = ()

    @property
    def eigenvalue(self) -> np.ndarray:
        """(2 pi frequency)^2, negative for buckling modes [1/s^2]."""
        return np.asarray(np.sign(self.frequency) * (2.0 * np.pi * self.frequency) ** 2)

    @property
    def buckling(self) -> np.ndarray:
        """Which modes buckle."""
        return np.asarray(self.frequency < 0.0)

    def labelled(self) -> Labelled:
        """One row a mode, numbered from 1."""
        labels = {"mode": range(1, self.frequency.size + 1), **labels_of(self.structure)}
        values = {name: getattr(self, name) for name in VARIABLES}
        return Labelled(("mode",), labels, VARIABLES, values, {"status": self.status})

    def __repr__(self) -> str:
        shown = ", ".join(f"{f:.4g}" for f in self.frequency[:6])
        return titled("Modes", self.structure.name or "structure", f"{shown} Hz; {self.status}")


@checked_arguments
def modes(equilibrium: Equilibrium, count: int = 6, *, bars: BarChoice = None, solver: str = "direct") -> Modes:
    """The lowest natural modes about an equilibrium.

    K shape = (2 pi frequency)^2 M shape on the motions that constraints allow, with the consistent masses of the
    dynamics. bars: None, "rigid", "compressible" or selector -> word, as in `balance`. solver: "direct" or "iterative".
    """
    if count < 1 or int(count) != count:
        raise OptionError(f"count = {count!r} must be a whole number, 1 or more")
    if solver not in SOLVERS:
        raise OptionError(f'solver = "{solver}" is not one of {", ".join(SOLVERS)}')
    structure = equilibrium.structure
    unknown = [bar.name for bar in structure.bars.values() if properties.bar_mass(structure, bar) is None]
    if unknown:
        message = "is not known, and modes need it; give a mass, or a material and a radius"
        raise ModelError([Problem(("bars", name, "mass"), message) for name in unknown])
    tangent = linearised(equilibrium, bars)
    mass = mass_matrix(tangent.problem.network.structure, tangent.problem.free)
    rigid = _rigid_motions(tangent, mass)
    shifted, shift = _shifted(tangent, mass, rigid, solver)
    solve = _without(rigid, mass, shifted)
    if tangent.problem.free.size <= DENSE:
        vectors = _dense(solve, mass, _largest(tangent.stiffness, mass) + abs(shift), count)
    else:
        vectors = _sparse(solve, mass, shift, count)
    vectors = _allowed(tangent.rows, vectors)
    if shifted.negative > 0:
        raise OptionError(
            "the iterative solver met a direction of negative stiffness: this equilibrium buckles or has soft motions "
            'it cannot resolve; say solver="direct"'
        )
    return _told(tangent, equilibrium, mass, rigid, vectors)


def _rigid_motions(tangent: Linearised, mass: sp.csc_matrix) -> np.ndarray:
    """(f, r) free motions of unit modal mass each; those that move no mass are left out."""
    basis = tangent.free_motions
    if not basis.shape[1]:
        return basis
    weight, ways = np.linalg.eigh(basis.T @ (mass @ basis))
    moved = weight > 1e-12 * weight.max()
    return np.asarray(basis @ (ways[:, moved] / np.sqrt(weight[moved])))


def _largest(stiffness: sp.csc_matrix, mass: sp.csc_matrix) -> float:
    """The size of squared frequencies [1/s^2]; 1 where nothing is stiff at all."""
    heaviest = float(mass.diagonal().max(initial=0.0)) or 1.0
    return float(np.abs(stiffness.diagonal()).max(initial=0.0)) / heaviest or 1.0


def _shifted(tangent: Linearised, mass: sp.csc_matrix, rigid: np.ndarray, solver: str) -> tuple[Solver, float]:
    """A solver of K - shift M and the shift, below every eigenvalue by Sylvester's law of inertia."""
    stiffness, rows = tangent.stiffness, tangent.rows
    heavy = float(mass.diagonal().max(initial=0.0))
    if heavy == 0.0:
        raise ModelError([Problem(("point_masses",), "nothing that can move has a mass, so there are no modes")])
    largest = _largest(stiffness, mass)
    shift = -1e-9 * largest if rigid.shape[1] else 0.0
    while True:
        matrix = sp.csc_matrix(stiffness - shift * mass)
        if solver == "iterative":
            return preconditioned(matrix, rows, tolerance=1e-9), shift
        found = factored(matrix, rows)
        if found.negative == 0 and found.weakest > 0.0:
            return found, shift
        if abs(shift) > 1e3 * largest:
            raise ModelError([Problem(("supports",), "the stiffness is not finite; is a member of no length?")])
        shift = min(10.0 * shift, -1e-9 * largest)


def _without(rigid: np.ndarray, mass: sp.csc_matrix, solver: Solver) -> Callable[[np.ndarray], np.ndarray]:
    """Solving with rigid motions taken out of what goes in and of what comes out."""
    weighed = mass @ rigid

    def solve(right: np.ndarray) -> np.ndarray:
        x = solver.solve(right - weighed @ (rigid.T @ right))[0]
        return np.asarray(x - rigid @ (weighed.T @ x))

    return solve


def _dense(solve: Callable[[np.ndarray], np.ndarray], mass: sp.csc_matrix, stiffest: float, count: int) -> np.ndarray:
    """All of M^1/2 (K - shift M)^-1 M^1/2 on the allowed motions, so that coordinates without mass do no harm."""
    weight, ways = np.linalg.eigh(mass.toarray())
    root = ways * np.sqrt(np.maximum(weight, 0.0))
    inverse = np.array([solve(column) for column in root.T]).T
    values, vectors = np.linalg.eigh(root.T @ inverse)
    chosen = np.argsort(-values)[:count]
    # An inverse of round-off means no freedom: nothing is a billion billion times as stiff as the stiffest.
    chosen = chosen[values[chosen] > max(1e-12 * values.max(initial=0.0), 1e-12 / stiffest)]
    return np.asarray(inverse @ vectors[:, chosen])


def _sparse(solve: Callable[[np.ndarray], np.ndarray], mass: sp.csc_matrix, shift: float, count: int) -> np.ndarray:
    """Shift and invert by Lanczos."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    size = mass.shape[0]
    inverse = LinearOperator((size, size), matvec=solve, dtype=float)
    start = solve(mass @ np.random.default_rng(0).standard_normal(size))
    wanted = min(count, size - 2)
    unused = LinearOperator((size, size), matvec=lambda x: x, dtype=float)
    values, vectors = eigsh(
        unused,
        wanted,
        M=mass,
        sigma=shift,
        OPinv=inverse,
        v0=start,
        tol=CLOSE,
        ncv=min(size, max(2 * wanted + 1, LANCZOS)),
    )
    return np.asarray(vectors[:, values > shift])


def _allowed(rows: sp.csr_matrix, vectors: np.ndarray) -> np.ndarray:
    """Vectors that keep the constraints; where more are asked for than there are freedoms, round-off adds others."""
    if not rows.shape[0]:
        return vectors
    off = np.abs(rows @ vectors).max(axis=0, initial=0.0) / np.abs(rows).max()
    return np.asarray(vectors[:, off <= BROKEN * np.abs(vectors).max(axis=0, initial=0.0)])


def _told(
    tangent: Linearised,
    equilibrium: Equilibrium,
    mass: sp.csc_matrix,
    rigid: np.ndarray,
    vectors: np.ndarray,
) -> Modes:
    """Rayleigh quotients, residuals and sentences."""
    stiffness = tangent.stiffness
    vectors = vectors / np.sqrt(np.einsum("ij,ij->j", vectors, mass @ vectors))
    pulled = stiffness @ vectors
    values = np.einsum("ij,ij->j", vectors, pulled)
    order = np.argsort(values)
    values, vectors, pulled = values[order], vectors[:, order], pulled[:, order]
    left = pulled - (mass @ vectors) * values
    if tangent.rows.shape[0]:
        left = left - _constraint_part(tangent.rows, left)
    size = np.abs(stiffness.diagonal()).max(initial=0.0) * np.abs(vectors).max(axis=0, initial=0.0)
    residual = np.abs(left).max(axis=0, initial=0.0) / np.where(size > 0.0, size, 1.0)
    largest = _largest(stiffness, mass)
    frequency = np.sign(values) * np.sqrt(np.abs(values)) / (2.0 * np.pi)
    notes = []
    if rigid.shape[1]:
        what = "parts" if moving_parts(tangent.problem.network) > 1 else "the whole"
        notes.append(f"{rigid.shape[1]} rigid motions of {what} meet no stiffness")
    unresolved = int(np.sum(np.abs(values) < RESOLVED * largest))
    if unresolved:
        notes.append(f"{unresolved} modes have so little stiffness that round-off may be all of it")
    buckling = int(np.sum(values < -RESOLVED * largest))
    status = "all modes are stable" if values.size else "nothing can move but as a whole: there are no modes"
    if buckling:
        status = f"{buckling} of the modes shown buckle: the equilibrium is unstable"
    nodes = len(tangent.positions)
    return Modes(
        equilibrium.structure,
        frequency,
        _spread(vectors, tangent.problem.free, nodes),
        _spread(rigid, tangent.problem.free, nodes),
        residual,
        status,
        tuple(notes),
    )


def _constraint_part(rows: sp.csr_matrix, forces: np.ndarray) -> np.ndarray:
    """What of the forces constraints take up."""
    unit = factored(sp.csc_matrix(sp.eye(rows.shape[1])), rows)
    if not forces.shape[1]:
        return forces
    return np.stack([rows.T @ unit.solve(column)[1] for column in forces.T], axis=1)


def _spread(vectors: np.ndarray, free: np.ndarray, nodes: int) -> np.ndarray:
    shapes = np.zeros((vectors.shape[1], 3 * nodes))
    shapes[:, free] = vectors.T
    return shapes.reshape(-1, nodes, 3)
