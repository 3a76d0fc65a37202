"""A Comparison: how far what was measured is from what was computed, node by node and member by member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.labelled import Columns, Labelled, Tabular, Variable, one_below_another
from taut.measurement.alignment import RigidMotion
from taut.measurement.measurements import Measurements
from taut.reprs import titled
from taut.structure.records import AXES

VARIABLES = {
    "time": Variable(("time",), "s", "time of each row, in that of the run"),
    "node_error": Variable(("time", "node", "axis"), "m", "measured less computed place", "node:{node}.{axis}"),
    "force_error": Variable(("time", "member"), "N", "measured less computed force", "{member}"),
}


@dataclass(frozen=True)
class Errors:
    """Of p nodes or members over the rows that were compared; NaN where a part was never measured."""

    count: np.ndarray  # (p,) rows with a number
    mean: np.ndarray  # (p,) of distances, or of measured less computed forces
    rms: np.ndarray  # (p,)
    largest: np.ndarray  # (p,)
    time: np.ndarray  # (p,) of the largest [s]


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """T rows, k nodes, m members; measured less computed, SI units. NaN where nothing was measured, or computed.

    measured: as compared, in the frame of the structure and the time of the run.
    motion: from the frame of the markers into that of the structure. shift: [s] added to measured times.
    outside: rows whose time the run does not cover, which are not compared.
    """

    measured: Measurements
    node_error: np.ndarray  # (T, k, 3) [m]
    force_error: np.ndarray  # (T, m) [N]
    motion: RigidMotion
    shift: float
    outside: int
    notes: tuple[str, ...] = ()

    @cached_property
    def distance(self) -> np.ndarray:
        """(T, k) of markers from their nodes [m], along the coordinates that were seen."""
        seen = np.isfinite(self.node_error)
        return np.where(seen.any(axis=2), np.sqrt(np.nansum(self.node_error**2, axis=2)), np.nan)

    @cached_property
    def nodes(self) -> Errors:
        """Distances of markers from their nodes [m]."""
        return _errors(self.distance, self.measured.time)

    @cached_property
    def forces(self) -> Errors:
        """Forces [N]; the largest is the one that is farthest off, with its sign."""
        return _errors(self.force_error, self.measured.time)

    @property
    def node_rms(self) -> float:
        """Of all distances [m]."""
        return _rms(self.distance)

    @property
    def force_rms(self) -> float:
        """Of all forces [N]."""
        return _rms(self.force_error)

    def labelled(self) -> Labelled:
        """One row a time."""
        labels: dict[str, Sequence[str] | np.ndarray] = {"time": self.measured.time, "axis": tuple(AXES)}
        labels |= {"node": self.measured.node_names, "member": self.measured.member_names}
        values = {"time": self.measured.time, "node_error": self.node_error, "force_error": self.force_error}
        facts = {"notes": "; ".join(self.notes)}
        return Labelled(("time",), labels, VARIABLES, values, facts)

    def columns(self) -> Columns:
        """One row a node and a member: part, unit, count, mean, rms, largest and its time."""
        return one_below_another(
            _rows([f"node:{name}" for name in self.measured.node_names], "m", self.nodes),
            _rows(list(self.measured.member_names), "N", self.forces),
        )

    def __repr__(self) -> str:
        told = [f"{self.measured.time.size - self.outside} rows"]
        told += [f"nodes off by {self.node_rms:.3g} m (rms)"] if self.node_error.size else []
        told += [f"forces by {self.force_rms:.3g} N"] if self.force_error.size else []
        return titled("Comparison", "", *told, f"{self.outside} rows outside the run" if self.outside else "")


def _rows(names: list[str], unit: str, errors: Errors) -> Columns:
    own = {name: getattr(errors, name) for name in ("count", "mean", "rms", "largest", "time")}
    return {"part": np.array(names, dtype=str), "unit": np.full(len(names), unit), **own}


def _errors(values: np.ndarray, time: np.ndarray) -> Errors:
    """values: (T, p)."""
    count = np.isfinite(values).sum(axis=0)
    known = np.maximum(count, 1)
    nothing = np.where(count > 0, 0.0, np.nan)
    worst = np.argmax(np.where(np.isfinite(values), np.abs(values), -1.0), axis=0)
    return Errors(
        count,
        np.nansum(values, axis=0) / known + nothing,
        np.sqrt(np.nansum(values**2, axis=0) / known) + nothing,
        values[worst, np.arange(values.shape[1])] + nothing,
        time[worst] + nothing,
    )


def _rms(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if known.size else float("nan")
