"""By how much the clock of a measurement is off: mean squares at all shifts of a grid, and the least of them.

Markers and the run are laid on a grid fine enough for the run's own samples. Sums of squares at all shifts are then
correlations, which Fourier transforms give at once; where the frame is to be found too, the best turn at each shift
follows from the 3 x 3 sums of products (Kabsch 1976). A motion that swings has a minimum at nearly every period, and
they differ by little: the best of them are refined on the measurement as it is, until no other can be better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.measurement.interpolating import Course
from taut.measurement.measurements import Measurements

OVERLAP = 0.5
"""Of the rows that can be compared at any shift: a shift at which fewer can be is not looked at."""

FINER = 2
"""Shifts that are tried between two samples of the run."""

FEWEST, MOST = 400, 1_000_000
"""Shifts that are tried."""

REFINED_AT_LEAST, REFINED_AT_MOST = 8, 200
"""Minima among them that are refined."""

ALIKE = 1.1
"""Another minimum is told of where its rms is below so many times the least."""


class Shift(NamedTuple):
    """Added to measured times [s]; notes: on how sure it is."""

    value: float
    notes: tuple[str, ...] = ()


class Tried(NamedTuple):
    """Mean squares at evenly spaced shifts; infinite where too little can be compared."""

    shift: np.ndarray
    square: np.ndarray
    coarse: bool  # farther apart than samples of the run

    @property
    def step(self) -> float:
        return float(self.shift[1] - self.shift[0])


def mean_squares(
    course: Course, measured: Measurements, nodes: np.ndarray, members: np.ndarray, *, align: bool
) -> Tried:
    """Of distances in each coordinate, or of forces where no marker is ever seen."""
    step = _step(course, measured)
    rows = np.round((measured.time - measured.time[0]) / step).astype(np.int64)
    time = course.time[0] + step * np.arange(int(np.ptp(course.time) / step + 1e-9) + 1)
    shifts = _Shifts(rows, time.size)
    if not measured.sees_nodes:
        square = shifts.apart(measured.tension, course.force_at(time, members))
    elif align:
        square = shifts.turned(measured.nodes, course.nodes_at(time, nodes))
    else:
        places = course.nodes_at(time, nodes)
        square = shifts.apart(measured.nodes.reshape(rows.size, -1), places.reshape(time.size, -1))
    compared = shifts.at_lags(shifts.of_rows(np.ones(rows.size)) * shifts.of_run(np.ones(time.size)))
    square[compared < OVERLAP * compared.max() - 0.5] = np.inf
    shift = course.time[0] - measured.time[0] + step * shifts.lag
    return Tried(shift, square, step > float(np.median(np.diff(course.time))))


def least(tried: Tried, exact: Callable[[float], float]) -> Shift:
    """The shift of the least mean square, which `exact` computes.

    Minima are refined in the order of what the grid says of them, until the next one is not better than the best by
    more than the grid was ever off.
    """
    order, hoped = _minima(tried)
    if not order.size:
        raise OptionError('shift="find" finds nothing to compare: no marker or force is seen where both are')
    found, off = list[tuple[float, float]](), 0.0
    for place, hope in zip(order[:REFINED_AT_MOST].tolist(), hoped.tolist(), strict=False):
        if len(found) >= REFINED_AT_LEAST and hope - 2.0 * off > min(found)[0]:
            break
        found.append(_refined(exact, float(tried.shift[place]), tried.step, 1e-3))
        off = max(off, hope - found[-1][0])
    found.sort()
    square, value = _refined(exact, found[0][1], 0.01 * tried.step, 1e-7)
    notes = [f"shifts were tried every {tried.step:.3g} s only, for all of so long a time"] if tried.coarse else []
    others = [one for one in found[1:] if abs(one[1] - value) > 2.0 * tried.step and one[0] <= ALIKE**2 * square]
    if not others:
        return Shift(value, tuple(notes))
    ratio = np.sqrt(others[0][0] / square) if square > 0.0 else 1.0
    more = ", and there are more like it" if others[1:] else ""
    told = f"the shift of {value:.6g} s is not certain: {others[0][1]:.6g} s leaves an rms {ratio:.4g} times as large"
    return Shift(value, (*notes, f"{told}{more}; say shift= if it is known"))


def _step(course: Course, measured: Measurements) -> float:
    """Of the grid [s]: fine enough for the run, and with measured times on it where they are even."""
    apart, own = (float(np.median(gaps[gaps > 0.0])) for gaps in (np.diff(course.time), np.diff(measured.time)))
    span = float(np.ptp(course.time) + np.ptp(measured.time))
    fine = min(apart / FINER, span / FEWEST)
    return max(own / math.ceil(own / fine - 1e-9), span / MOST)


def _minima(tried: Tried) -> tuple[np.ndarray, np.ndarray]:
    """Places of local minima, and the squares in the lowest points of parabolas there; the least first."""
    square = np.concatenate([[np.inf], tried.square, [np.inf]])
    before, here, after = square[:-2], square[1:-1], square[2:]
    places = np.flatnonzero(np.isfinite(here) & (here <= before) & (here <= after))
    left, lowest, right = before[places], here[places], after[places]
    inside = np.isfinite(left) & np.isfinite(right) & (left + right > 2.0 * lowest)
    left, right = np.where(inside, left, lowest), np.where(inside, right, lowest)
    bend = np.where(inside, left + right - 2.0 * lowest, 1.0)
    lowest = np.maximum(lowest - (right - left) ** 2 / (8.0 * bend), 0.0)
    order = np.argsort(lowest, kind="stable")
    return places[order], lowest[order]


def _refined(exact: Callable[[float], float], shift: float, reach: float, tolerance: float) -> tuple[float, float]:
    """The least square within reach of a shift, and where."""
    from scipy.optimize import minimize_scalar

    options = {"xatol": tolerance * reach}
    found = minimize_scalar(exact, bounds=(shift - reach, shift + reach), method="bounded", options=options)
    return float(found.fun), float(found.x)


class _Shifts:
    """Sums over all rows, at every shift of the grid, of products of something measured and something computed.

    lag: grid points by which the first row is later than the start of the run.
    """

    def __init__(self, rows: np.ndarray, samples: int) -> None:
        from scipy.fft import next_fast_len

        self._rows, self._width = rows, int(rows[-1]) + 1
        self._length = int(next_fast_len(self._width + samples, real=True))
        self.lag = np.arange(1 - self._width, samples)

    def of_rows(self, values: np.ndarray) -> np.ndarray:
        """The transform of (T,) numbers, one a row."""
        from scipy.fft import rfft

        return np.asarray(np.conj(rfft(np.bincount(self._rows, values, self._width), self._length)))

    def of_run(self, values: np.ndarray) -> np.ndarray:
        """The transform of numbers on the grid."""
        from scipy.fft import rfft

        return np.asarray(rfft(values, self._length))

    def at_lags(self, product: np.ndarray) -> np.ndarray:
        """(..., lags) sums of which a product of both transforms is the transform."""
        from scipy.fft import irfft

        return np.asarray(irfft(product, self._length)[..., self.lag])

    def apart(self, measured: np.ndarray, computed: np.ndarray) -> np.ndarray:
        """(lags,) mean squares of differences of (T, c) and (S, c); infinite where nothing is to compare."""
        squares = count = np.zeros(self._length // 2 + 1, dtype=complex)
        for own, theirs in zip(measured.T, computed.T, strict=True):
            seen, known = np.isfinite(own), np.isfinite(theirs)
            if not (seen.any() and known.any()):
                continue
            middle = float(np.mean(theirs[known]))
            y, x = (np.where(mask, given - middle, 0.0) for mask, given in ((seen, own), (known, theirs)))
            rows, run = self.of_rows(seen.astype(float)), self.of_run(known.astype(float))
            squares = squares + self.of_rows(y**2) * run + rows * self.of_run(x**2)
            squares = squares - 2.0 * self.of_rows(y) * self.of_run(x)
            count = count + rows * run
        return _mean(self.at_lags(squares), self.at_lags(count), 1)

    def turned(self, measured: np.ndarray, computed: np.ndarray) -> np.ndarray:
        """(lags,) the same of points (T, k, 3) and (S, k, 3), the former turned and shifted to where it is least."""
        shape = self._length // 2 + 1
        count, size = np.zeros(shape, dtype=complex), np.zeros(shape, dtype=complex)
        own, theirs = np.zeros((3, shape), dtype=complex), np.zeros((3, shape), dtype=complex)
        products = np.zeros((3, 3, shape), dtype=complex)
        whole = np.isfinite(measured).all(axis=2)
        if not whole.any():
            return np.full(self.lag.size, np.inf)
        middle, centre = measured[whole].mean(axis=0), computed.mean(axis=(0, 1))
        run = self.of_run(np.ones(len(computed)))
        for k in np.flatnonzero(whole.any(axis=0)):
            y, x = np.where(whole[:, k, None], measured[:, k] - middle, 0.0), computed[:, k] - centre
            rows = self.of_rows(whole[:, k].astype(float))
            ys, xs = (np.array([of(one) for one in given.T]) for of, given in ((self.of_rows, y), (self.of_run, x)))
            count += rows * run
            size += self.of_rows(np.sum(y**2, axis=1)) * run + rows * self.of_run(np.sum(x**2, axis=1))
            own += ys * run
            theirs += rows * xs
            products += xs[:, None] * ys[None]
        return _left(*(self.at_lags(sums) for sums in (count, size, own, theirs, products)))


def _left(count: np.ndarray, size: np.ndarray, own: np.ndarray, theirs: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Mean squares after the best turn, as in `alignment.laid_over`, which needs three points."""
    many = np.maximum(count, 1.0)
    size = size - (np.sum(own**2, axis=0) + np.sum(theirs**2, axis=0)) / many
    cross = np.moveaxis(products - theirs[:, None] * own[None] / many, 2, 0)
    widths = np.linalg.svd(cross, compute_uv=False)
    widths[:, 2] *= np.sign(np.linalg.det(cross))
    return _mean(size - 2.0 * widths.sum(axis=1), 3.0 * count, 9)


def _mean(squares: np.ndarray, count: np.ndarray, fewest: int) -> np.ndarray:
    enough = count > fewest - 0.5
    return np.where(enough, np.maximum(squares, 0.0) / np.where(enough, count, 1.0), np.inf)
