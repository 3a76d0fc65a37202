"""A structure at rest as a system of equations: elastic members, bars that keep their length, guides, what is imposed.

Unknown are the free coordinates x and the multipliers y (tensions of rigid bars, then forces of guides):

    unbalance(x, y) = C(x)^T y - external - forces of elastic members = 0,    residual(x) = 0,    C = d residual / dx

where a rigid bar's residual is (b.b - l^2) / (2 l) and a guide's is row . x - value with a row of unit norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, Problem
from taut.numerics.link_blocks import Pattern, pattern
from taut.reprs import brief
from taut.statics import elastic_members as tangent
from taut.statics.elastic_members import Members
from taut.statics.elements import Elements, elements_of
from taut.statics.network import Network
from taut.structure import properties
from taut.structure.properties import with_bars
from taut.structure.structure import Structure

BarChoice = str | Mapping[str, str] | None
"""How bars are taken: "rigid" or "compressible" for all, or selector -> word; by their own law if None or not named."""


class Setting(NamedTuple):
    """What is imposed on a structure at rest; a sum of settings times numbers is one too."""

    external: np.ndarray  # (n, 3) gravity and loads [N]
    rest_length: np.ndarray  # (m,) of all members, a rigid bar's length [m]
    anchors: np.ndarray  # (n, 3) where held coordinates are [m]

    def towards(self, other: Setting, share: complex) -> Setting:
        """The setting that far on the way to another one."""
        return Setting(*(a + share * (b - a) for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class EquilibriumEquations:
    """m members, of which r rigid; g guides; f free coordinates."""

    network: Network
    members: Members  # the stiffness of rigid bars is zero here
    rigidity: np.ndarray  # (m,) E A [N] where the stiffness is E A / rest length, NaN where it is given
    rigid: np.ndarray  # (r,) member numbers
    guides: sp.csr_matrix  # (g, 3 n) rows of unit norm
    guide_values: np.ndarray  # (g,) [m]
    unknown: np.ndarray  # (3 n,) the place of a coordinate among the free ones, -1 where it is held
    pattern: Pattern
    elements: Elements | None = None  # of kinds from outside

    __repr__ = brief

    @property
    def free(self) -> np.ndarray:
        return self.network.free

    @property
    def rows(self) -> int:
        return int(self.rigid.size + self.guide_values.size + (self.elements.rows if self.elements else 0))

    @property
    def setting(self) -> Setting:
        """What the structure itself says."""
        return Setting(self.network.external, self.members.rest_length, self.network.positions)

    def members_at(self, setting: Setting) -> Members:
        """The members with imposed rest lengths; those with a rigidity keep it."""
        rest = setting.rest_length
        stiffness = np.where(np.isnan(self.rigidity), self.members.stiffness, self.rigidity / rest)
        return self.members._replace(rest_length=rest, stiffness=stiffness)

    def placed(self, positions: np.ndarray, setting: Setting) -> np.ndarray:
        """The positions with held coordinates on their anchors."""
        return np.where(self.unknown.reshape(-1, 3) < 0, setting.anchors, positions)

    def tensions(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """Of all members [N]."""
        members = self.members_at(setting)
        pulls = tangent.tensions(members, tangent.lengths_of(tangent.spans_of(members, positions)))
        pulls = pulls.astype(np.result_type(pulls, multipliers))
        pulls[self.rigid] = multipliers[: self.rigid.size]
        return np.asarray(pulls)

    def unbalance(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """(3 n,) minus the force on every coordinate, held ones too [N]."""
        spans = tangent.spans_of(self.members, positions)
        lengths = tangent.lengths_of(spans)
        divisor = lengths.astype(np.result_type(lengths, setting.rest_length))
        divisor[self.rigid] = setting.rest_length[self.rigid]  # as the gradient of the residual has it
        pulls = (self.tensions(positions, multipliers, setting) / divisor)[:, None] * spans
        forces = tangent.nodal_forces(self.members, pulls, len(positions)) + setting.external
        held, others = np.split(multipliers[self.rigid.size :], [self.guide_values.size])
        left = np.asarray(self.guides.T @ held - forces.ravel())
        if self.elements is None:
            return left
        return np.asarray(left - self.elements.force(positions)[0] + self.elements.jacobian(positions).T @ others)

    def residuals(self, positions: np.ndarray, setting: Setting) -> np.ndarray:
        """(r + g,) how far rigid bars are too long and guided nodes off their guides [m]."""
        spans = tangent.spans_of(self.members, positions)[self.rigid]
        length = setting.rest_length[self.rigid]
        bars = ((spans * spans).sum(axis=1) - length * length) / (2.0 * length)
        others = self.elements.residuals(positions) if self.elements else np.zeros(0)
        return np.concatenate([bars, self.guides @ positions.ravel() - self.guide_values, others])

    def all_rows(self, positions: np.ndarray, setting: Setting) -> sp.csr_matrix:
        """(r + g, 3 n): gradients of the residuals."""
        count = self.rigid.size
        unit = tangent.spans_of(self.members, positions)[self.rigid] / setting.rest_length[self.rigid][:, None]
        ends = (3 * end[self.rigid][:, None] + np.arange(3) for end in (self.members.first, self.members.second))
        columns = np.concatenate(list(ends), axis=1)
        values = np.concatenate([-unit, unit], axis=1)
        bars = sp.csr_matrix(
            (values.ravel(), columns.ravel(), np.arange(count + 1) * 6), shape=(count, self.unknown.size)
        )
        others = [self.guides] if self.guide_values.size else []
        others += [self.elements.jacobian(positions)] if self.elements else []
        return sp.csr_matrix(sp.vstack([bars, *others], format="csr")) if others else bars

    def free_rows(self, positions: np.ndarray, setting: Setting) -> sp.csr_matrix:
        """(r + g, f)."""
        return sp.csr_matrix(self.all_rows(positions, setting)[:, self.free])

    def blocks(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """(m, 3, 3) tangent stiffness of every member [N/m]."""
        members = self.members_at(setting)
        spans = tangent.spans_of(members, positions)
        found = tangent.stiffness_blocks(members, spans)
        density = multipliers[: self.rigid.size] / setting.rest_length[self.rigid]
        found[self.rigid] = density[:, None, None] * np.eye(3)
        return found

    def pushed_blocks(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """(m, 3, 3) what members that push take from the stiffness, turned positive; with it no block is negative."""
        spans = tangent.spans_of(self.members, positions)
        lengths = tangent.lengths_of(spans)
        pushed = np.maximum(-self.tensions(positions, multipliers, setting), 0.0) / lengths
        along = np.zeros_like(pushed)
        along[self.rigid] = pushed[self.rigid]
        return tangent.blocks(spans, lengths, along, pushed)

    def stiffness(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> sp.csc_matrix:
        """(f, f): d unbalance / d x [N/m]."""
        return self.matrix(self.blocks(positions, multipliers, setting), positions, multipliers)

    def matrix(self, blocks: np.ndarray, positions: np.ndarray, multipliers: np.ndarray) -> sp.csc_matrix:
        """(f, f) of the blocks of members, and what elements add."""
        whole = self.pattern.matrix(blocks)
        if self.elements is None:
            return whole
        held = multipliers[self.rigid.size + self.guide_values.size :]
        return sp.csc_matrix(whole + self.elements.stiffness(positions, held))

    def energy(self, positions: np.ndarray, setting: Setting) -> tuple[float, float]:
        """Elastic energy minus the work of external forces, and the size of its terms [J]."""
        members = self.members_at(setting)
        lengths = tangent.lengths_of(tangent.spans_of(members, positions))
        elastic = tangent.energy(members, lengths) + (self.elements.force(positions)[1] if self.elements else 0.0)
        work = setting.external * positions
        # A last digit of a length means its tension times as much energy.
        carried = float(np.abs(tangent.tensions(members, lengths) * lengths).sum())
        return elastic - float(work.sum()), elastic + float(np.abs(work).sum()) + carried


def equations_of(
    network: Network, bars: BarChoice = None, bar_force: np.ndarray | None = None, elements: Iterable[Any] = ()
) -> EquilibriumEquations:
    """Pose a network. bar_force: with it, compressible bars are as long without force as makes them carry it."""
    structure = with_bars(network.structure, bars)
    _check_stiffness(structure)
    if bar_force is not None:
        structure = _carrying(structure, bar_force)
    cables, bar_list = list(structure.cables.values()), list(structure.bars.values())
    soft = np.array([bar.law == "compressible" for bar in bar_list], dtype=bool)
    rest = np.array([properties.rest_length(structure, cable) for cable in cables], dtype=float)
    rigidity = [np.nan if c.stiffness is not None else properties.axial_rigidity(c) for c in cables]
    stiffness = [properties.stiffness(structure, cable) for cable in cables]
    lengths = np.array([properties.bar_length(structure, bar) for bar in bar_list], dtype=float)
    bar_rigidity, bar_stiffness = np.full(soft.size, np.nan), np.zeros(soft.size)
    for k in np.flatnonzero(soft):
        bar = bar_list[k]
        if bar.stiffness is None:
            bar_rigidity[k] = properties.axial_rigidity(bar)
            bar_stiffness[k] = bar_rigidity[k] / lengths[k]
        else:
            bar_stiffness[k] = bar.stiffness
    unknown = np.full(3 * len(network.positions), -1, dtype=np.int64)
    unknown[network.free] = np.arange(network.free.size)
    guides, values = _unit_guides(network)
    return EquilibriumEquations(
        network if structure is network.structure else replace(network, structure=structure),
        Members(
            network.first,
            network.second,
            np.concatenate([np.array(stiffness, dtype=float), bar_stiffness]),
            np.concatenate([rest, lengths]),
            network.unilateral,
        ),
        np.concatenate([np.array(rigidity, dtype=float), bar_rigidity]),
        network.cables + np.flatnonzero(~soft),
        guides,
        values,
        unknown,
        pattern(network.first, network.second, unknown, network.free.size),
        elements_of(structure, elements),
    )


def _carrying(structure: Structure, bar_force: np.ndarray) -> Structure:
    """The structure with compressible bars that carry these forces where they are; as it is where there are none."""
    if all(bar.law == "rigid" for bar in structure.bars.values()):
        return structure
    fitted = {
        bar.name: properties.fitted_bar(structure, bar, float(force)) if bar.law == "compressible" else bar
        for bar, force in zip(structure.bars.values(), bar_force, strict=True)
    }
    return replace(structure, bars=fitted)


def _check_stiffness(structure: Structure) -> None:
    unknown = [
        bar.name
        for bar in structure.bars.values()
        if bar.law == "compressible" and properties.bar_stiffness(structure, bar) is None
    ]
    if unknown:
        message = "E A is not known, which a compressible bar needs; give a material with youngs_modulus and a radius"
        raise ModelError([Problem(("bars", name, "material"), message) for name in unknown])


def _unit_guides(network: Network) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of unit norm, so that residuals are lengths and multipliers forces."""
    rows = sp.csr_matrix(network.guides)
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    constraints = list(network.structure.constraints.values())
    cancelled = [c.name for c, norm in zip(constraints, norms, strict=True) if norm == 0.0]
    if cancelled:
        raise ModelError(
            [Problem(("constraints", name), "its terms cancel; it constrains nothing") for name in cancelled]
        )
    here = rows @ network.positions.ravel()
    values = [h if c.value is None else c.value for c, h in zip(constraints, here, strict=True)]
    return sp.csr_matrix(sp.diags(1.0 / norms) @ rows), np.array(values, dtype=float) / norms
