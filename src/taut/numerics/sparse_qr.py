"""Sparse QR that finds the rank: M = Q R by dense QR of small fronts, Q not kept.

The columns are cut into blocks by nested dissection. A block's front holds every row that begins there; its own columns
are eliminated by QR with column pivoting, and what is left of the rows goes on to the block where they begin next
(multifrontal QR, Davis, ACM TOMS 38:8, 2011). A column that nothing is left of depends on the others: it is dead, R has
no row for it (Heath 1982). Only orthogonal transformations touch the numbers, so the rank is that of M and not of
M^T M, in which small singular values drown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack, qr, solve_triangular

from taut.numerics.dissection import dissection

BLOCK, ROUNDS = 6, 6
"""Vectors and rounds of inverse iteration: the gap it looks for is of many powers of ten."""

REORDERINGS = 5


@dataclass(frozen=True)
class Front:
    """Rows of R: an upper triangle over the live columns, and what stands beside it."""

    start: int  # number of its first row in R
    live: np.ndarray
    others: np.ndarray  # its dead columns, then columns of later fronts
    triangle: np.ndarray  # (live, live)
    beside: np.ndarray  # (live, others)


@dataclass(frozen=True)
class Factor:
    """R of a matrix with `columns` columns: R is (rank, columns); dead columns are combinations of the live ones."""

    columns: int
    fronts: tuple[Front, ...]
    dead: np.ndarray

    @property
    def rank(self) -> int:
        return self.columns - self.dead.size

    def solve(self, right: np.ndarray) -> np.ndarray:
        """x with R x = right, zero in the dead columns; right is (rank,) or (rank, k)."""
        x = np.zeros((self.columns, *right.shape[1:]))
        for front in reversed(self.fronts):
            rows = right[front.start : front.start + front.live.size]
            x[front.live] = solve_triangular(front.triangle, rows - front.beside @ x[front.others], check_finite=False)
        return x

    def solve_transposed(self, right: np.ndarray) -> np.ndarray:
        """y with (R^T y = right) in the live columns; right is (columns,) or (columns, k)."""
        left = np.array(right, dtype=float)
        y = np.zeros((self.rank, *right.shape[1:]))
        for front in self.fronts:
            piece = solve_triangular(front.triangle, left[front.live], trans="T", check_finite=False)
            y[front.start : front.start + front.live.size] = piece
            left[front.others] -= front.beside.T @ piece
        return y

    def null_vectors(self) -> np.ndarray:
        """A basis of the null space, (columns, dead): each has one dead column at 1 and the other dead ones at 0."""
        return self.null_combinations(np.eye(self.dead.size))

    def null_combinations(self, weights: np.ndarray) -> np.ndarray:
        """Null vectors with the given values in the dead columns, (dead, k); returns (columns, k)."""
        x = np.zeros((self.columns, weights.shape[1]))
        x[self.dead] = weights
        for front in reversed(self.fronts):
            beside = x[front.others]
            used = np.flatnonzero(beside.any(axis=0))
            if used.size:
                values = solve_triangular(front.triangle, front.beside @ beside[:, used], check_finite=False)
                x[np.ix_(front.live, used)] = -values
        return x


def factorise(matrix: sp.spmatrix, drop: float) -> tuple[Factor, float]:
    """R of a sparse matrix, and its smallest singular value over the live columns (estimated from above).

    A column of which no more than `drop` is left after those before it is dead. Columns may depend on each other
    without any of them showing it (every pivot is large, their inverse is huge). Inverse iteration finds such
    combinations; one column of each then goes to the end of the order, where the dependence has to show.
    """
    last = np.zeros(0, dtype=np.int64)
    for _ in range(REORDERINGS):
        factor = _factorised(matrix, drop, last)
        hidden, smallest = _hidden(matrix, factor, drop)
        if not hidden.shape[1]:
            break
        last = np.union1d(last, qr(hidden.T, mode="r", pivoting=True)[1][: hidden.shape[1]])
    return factor, smallest


def _hidden(matrix: sp.spmatrix, factor: Factor, drop: float) -> tuple[np.ndarray, float]:
    """Combinations of live columns that come to no more than `drop`, orthonormal, and the next singular value."""
    width = min(BLOCK, factor.rank)
    while width:
        block = np.random.default_rng(2).standard_normal((factor.columns, width))
        for _ in range(ROUNDS):
            block = np.linalg.qr(factor.solve(factor.solve_transposed(block)))[0]
        _, values, right = np.linalg.svd(matrix @ block, full_matrices=False)
        small = int(np.count_nonzero(values <= drop))
        if small < width or width == factor.rank:
            found = block @ right[width - small :].T
            return found, float(values[width - small - 1]) if small < width else 0.0
        width = min(4 * width, factor.rank)
    return np.zeros((factor.columns, 0)), np.inf


def _factorised(matrix: sp.spmatrix, drop: float, last: np.ndarray) -> Factor:
    """With the columns of `last` at the end of the order."""
    rows = sp.csr_matrix(matrix)
    others = np.setdiff1d(np.arange(rows.shape[1]), last)
    inner = rows[:, others]
    pattern = sp.csr_matrix((np.ones(inner.nnz), inner.indices, inner.indptr), shape=inner.shape)
    blocks = [others[block] for block in dissection(sp.csr_matrix(pattern.T @ pattern))]
    blocks += [last] if last.size else []
    home = np.empty(rows.shape[1], dtype=np.int64)
    for number, block in enumerate(blocks):
        home[block] = number
    waiting: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in blocks]
    filled = np.flatnonzero(np.diff(rows.indptr))
    if filled.size:
        begins = np.minimum.reduceat(home[rows.indices], rows.indptr[filled])
        order = np.argsort(begins, kind="stable")
        numbers, starts = np.unique(begins[order], return_index=True)
        for number, group in zip(numbers, np.split(filled[order], starts[1:]), strict=True):
            own = rows[group]
            columns = np.unique(own.indices)
            waiting[number].append((columns, own[:, columns].toarray()))
    place = np.empty(rows.shape[1], dtype=np.int64)
    fronts: list[Front] = []
    dead: list[np.ndarray] = []
    rank = 0
    for number, block in enumerate(blocks):
        front, gone, columns, rest = _eliminate(block, waiting[number], place, drop, rank)
        waiting[number] = []
        dead.append(gone)
        if front.live.size:
            fronts.append(front)
            rank += front.live.size
        if rest.size:
            waiting[int(home[columns].min())].append((columns, rest))
    return Factor(rows.shape[1], tuple(fronts), np.sort(np.concatenate(dead)) if dead else np.zeros(0, dtype=np.int64))


def _eliminate(
    block: np.ndarray, pieces: list[tuple[np.ndarray, np.ndarray]], place: np.ndarray, drop: float, start: int
) -> tuple[Front, np.ndarray, np.ndarray, np.ndarray]:
    """Eliminate a block's columns from the rows that wait there: front, dead columns, columns and rows that go on."""
    reached = np.unique(np.concatenate([block, *(columns for columns, _ in pieces)]))
    beyond = np.setdiff1d(reached, block, assume_unique=True)
    own, width = block.size, block.size + beyond.size
    place[block] = np.arange(own)
    place[beyond] = np.arange(own, width)
    height = sum(values.shape[0] for _, values in pieces)
    front = np.zeros((height, width), order="F")
    at = 0
    for columns, values in pieces:
        front[at : at + values.shape[0], place[columns]] = values
        at += values.shape[0]
    if height == 0:
        nothing = np.zeros((0, 0))
        return Front(start, block[:0], block, nothing, np.zeros((0, own))), block, beyond, nothing
    (reflected, tau), upper, order = qr(front[:, :own], mode="raw", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diagonal(upper))
    live = int(np.count_nonzero(diagonal > drop))
    beside = front[:, own:]
    if beyond.size and tau.size:
        beside = _reflect(reflected, tau, beside)
    rest = beside[live:]
    if rest.shape[0] > beyond.size:
        rest = np.asarray(qr(rest, mode="r", check_finite=False)[0][: beyond.size])
    made = Front(
        start,
        block[order[:live]],
        np.concatenate([block[order[live:]], beyond]),
        np.ascontiguousarray(upper[:live, :live]),
        np.hstack([upper[:live, live:], beside[:live]]),
    )
    return made, block[order[live:]], beyond, rest


def _reflect(reflected: np.ndarray, tau: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Q^T times the matrix, Q as LAPACK keeps it."""
    _, work, _ = lapack.dormqr("L", "T", reflected[:, : tau.size], tau, matrix, -1)
    product, _, _ = lapack.dormqr("L", "T", reflected[:, : tau.size], tau, matrix, int(work[0]))
    return np.asarray(product)
