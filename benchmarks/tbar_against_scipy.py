"""The T-bar for ten seconds: taut against scipy on the same nodal equations in plain numpy.

Both give positions on the same grid of samples and are compared with the same exact trajectory. Scipy gets the
loosest tolerance with which it is as accurate as taut, so what is compared is the time for equal quality. Times are
CPU times of this process, warm: compiled and imported before. DOP853 and dp8 are one method, so are RK45 and dp5.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from taut import Structure, assemble, read_model, simulate
from taut.structure import properties

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = 1e-10
PEERS = ("DOP853", "RK45")

Motion = tuple[np.ndarray, np.ndarray]
"""Positions and velocities of all nodes, (T, n, 3) each."""

Errors = tuple[float, float, float]


@dataclass(frozen=True)
class Result:
    """One contestant: CPU time [s], worst errors against the exact motion [m], of bar lengths [m] and of energy [J]."""

    name: str
    seconds: float
    position: float
    length: float
    energy: float


class PlainNumpy:
    """Eq. (21) of Hsu, Tadiparthi and Bhattacharya for bars and springs, with the held coordinates left out."""

    def __init__(self, structure: Structure) -> None:
        names = list(structure.nodes)
        bars, cables = list(structure.bars.values()), list(structure.cables.values())
        self.start = structure.positions
        held = np.array([[axis in structure.supports.get(name, "") for axis in "xyz"] for name in names])
        self.free = np.flatnonzero(~held.ravel())
        self.bar_ends = np.array([[names.index(node) for node in bar.nodes] for bar in bars]).T
        self.cable_ends = np.array([[names.index(node) for node in cable.route] for cable in cables]).T
        self.stiffness = np.array([properties.stiffness(structure, cable) for cable in cables])
        self.rest = np.array([properties.rest_length(structure, cable) for cable in cables])
        count = len(names)
        mass = np.zeros((count, count))
        for bar, i, j in zip(bars, *self.bar_ends, strict=True):
            whole, rotary = properties.bar_mass(structure, bar), properties.bar_rotary_mass(structure, bar)
            mass[[i, j], [i, j]] += whole / 4.0 + rotary
            mass[[i, j], [j, i]] += whole / 4.0 - rotary
        self.mass = np.kron(mass, np.eye(3))[np.ix_(self.free, self.free)]
        self.rows = np.zeros((len(bars), 3 * count))
        unknowns = self.free.size + len(bars)
        self.matrix = np.zeros((unknowns, unknowns))
        self.matrix[: self.free.size, : self.free.size] = self.mass
        self.right = np.zeros(unknowns)
        self.q, self.v = self.start.ravel().copy(), np.zeros(3 * count)

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """y: free positions, then their rates."""
        free, size = self.free, self.free.size
        self.q[free], self.v[free] = y[:size], y[size:]
        q, v = self.q.reshape(-1, 3), self.v.reshape(-1, 3)
        first, second = self.cable_ends
        stretched = q[second] - q[first]
        lengths = np.sqrt(np.einsum("ij,ij->i", stretched, stretched))
        pulls = (self.stiffness * (1.0 - self.rest / lengths))[:, None] * stretched
        force = np.zeros_like(q)
        np.add.at(force, first, pulls)
        np.subtract.at(force, second, pulls)
        first, second = self.bar_ends
        bars, speeds = q[second] - q[first], v[second] - v[first]
        each = np.arange(len(bars))
        rows = self.rows.reshape(len(bars), -1, 3)
        rows[each, first], rows[each, second] = -bars, bars
        jacobian = self.rows[:, free]
        self.matrix[size:, :size] = jacobian
        self.matrix[:size, size:] = jacobian.T
        self.right[:size] = force.ravel()[free]
        self.right[size:] = -np.einsum("ij,ij->i", speeds, speeds)
        return np.concatenate([y[size:], np.linalg.solve(self.matrix, self.right)[:size]])

    def follow(self, times: np.ndarray, method: str, tolerance: float) -> Motion:
        """By scipy."""
        y = np.concatenate([self.start.ravel()[self.free], np.zeros(self.free.size)])
        answer = solve_ivp(
            self.rate, (times[0], times[-1]), y, method=method, rtol=tolerance, atol=tolerance, t_eval=times
        )
        shape = (times.size, *self.start.shape)
        nodes = np.broadcast_to(self.start, shape).reshape(times.size, -1).copy()
        speeds = np.zeros_like(nodes)
        nodes[:, self.free], speeds[:, self.free] = answer.y[: self.free.size].T, answer.y[self.free.size :].T
        return nodes.reshape(shape), speeds.reshape(shape)

    def errors(self, nodes: np.ndarray, speeds: np.ndarray, exact: np.ndarray) -> Errors:
        """Worst error of the top nodes' x and z, of a bar's length, and of the energy."""
        first, second = self.bar_ends
        lengths = np.linalg.norm(nodes[:, second] - nodes[:, first], axis=2)
        first, second = self.cable_ends
        stretch = np.linalg.norm(nodes[:, second] - nodes[:, first], axis=2) - self.rest
        moving = speeds.reshape(len(speeds), -1)[:, self.free]
        energy = 0.5 * np.einsum("ti,ij,tj->t", moving, self.mass, moving) + 0.5 * stretch**2 @ self.stiffness
        return (
            float(np.abs(nodes[:, 2:, ::2].reshape(-1, 4) - exact).max()),
            float(np.abs(lengths - lengths[0]).max()),
            float(np.abs(energy - energy[0]).max()),
        )


def measure(duration: float = 10.0, repeats: int = 9) -> list[Result]:
    """Taut first, then scipy; the repeats alternate, so that a busy moment of the machine hits all."""
    model = read_model(ROOT / "examples" / "tbar.yaml")
    with np.load(ROOT / "tests" / "data" / "stedy_tbar_rigid_10s.npz") as file:
        data = dict(file)
    kept = data["t"] <= duration + 1e-9
    times, exact = data["t"][kept], (data["q"] + data["q_lo"])[kept]
    plant, plain = assemble(model.structure), PlainNumpy(model.structure)

    def by_taut(method: str, tolerance: float) -> Motion:
        run = simulate(
            plant, duration, every=0.01, method=method, tolerance=tolerance, correction="energy", verify=False
        )
        return run.nodes, run.velocities

    def by_scipy(method: str, tolerance: float) -> Motion:
        return plain.follow(times, method, tolerance)

    names = [f"taut dp5, tolerance {TOLERANCE:.0e}, energy correction"]
    contestants: list[Callable[[], Motion]] = [partial(by_taut, "dp5", TOLERANCE)]
    errors = [plain.errors(*contestants[0](), exact)]
    for name, follow, method in (
        ("taut dp8, tolerance {:.0e}, energy correction", by_taut, "dp8"),
        *((f"scipy {method}, tolerance {{:.0e}}, plain numpy", by_scipy, method) for method in PEERS),
    ):
        tolerance, found = _loosest(follow, method, lambda motion: plain.errors(*motion, exact), errors[0][0])
        names.append(name.format(tolerance))
        errors.append(found)
        contestants.append(partial(follow, method, tolerance))
    seconds: list[list[float]] = [[] for _ in contestants]
    for _ in range(repeats):
        for spent, contestant in zip(seconds, contestants, strict=True):
            begun = time.process_time()
            contestant()
            spent.append(time.process_time() - begun)
    return [
        Result(name, statistics.median(spent), *worst)
        for name, spent, worst in zip(names, seconds, errors, strict=True)
    ]


def _loosest(
    follow: Callable[[str, float], Motion], method: str, errors: Callable[[Motion], Errors], wanted: float
) -> tuple[float, Errors]:
    """The loosest tolerance, in steps of half a decade, whose position error is as small as wanted."""
    for tolerance in (1e-8, 3e-9, 1e-9, 3e-10, 1e-10, 3e-11, 1e-11, 3e-12, 1e-12, 3e-13, 1e-13):
        found = errors(follow(method, tolerance))
        if found[0] <= wanted:
            break
    return tolerance, found


def table(results: list[Result]) -> str:
    lines = [
        "T-bar (examples/tbar.yaml), samples every 0.01 s, CPU time, median, warm",
        f"{'':<48}{'time [s]':>10}{'relative':>10}{'position [m]':>14}{'length [m]':>12}{'energy [J]':>12}",
    ]
    for r in results:
        ratio = r.seconds / results[0].seconds
        lines.append(
            f"{r.name:<48}{r.seconds:>10.4f}{ratio:>10.1f}{r.position:>14.1e}{r.length:>12.1e}{r.energy:>12.1e}"
        )
    return "\n".join(lines)
