"""A structure at rest as a system of equations: elastic members, what keeps its length, guides, what is imposed.

Unknown are the free coordinates x and the multipliers y (tensions of held cables, of rigid bars, then forces of
guides):

    unbalance(x, y) = C(x)^T y - external - forces of elastic members = 0,    residual(x) = 0,    C = d residual / dx

where a rigid bar's residual is (b.b - l^2) / (2 l), a held cable's is the length of its route less the one commanded,
and a guide's is row . x - value with a row of unit norm. A held cable that is slack has an empty row, a residual of
zero and no tension; which are, `slackening.py` finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, Problem
from taut.numerics.link_blocks import Pattern, pattern
from taut.reprs import brief
from taut.statics import commands
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
    rest_length: np.ndarray  # (m,) of all members, the length of a rigid bar and of a held cable [m]
    anchors: np.ndarray  # (n, 3) where held coordinates are [m]
    command: np.ndarray  # (m,) commanded tension [N] or force density [N/m], zero for other members

    def towards(self, other: Setting, share: complex) -> Setting:
        """The setting that far on the way to another one."""
        return Setting(*(a + share * (b - a) for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class EquilibriumEquations:
    """m members in s segments, of which r members keep their length; g guides; f free coordinates."""

    network: Network
    members: Members  # the stiffness of members that keep their length, or have a command, is zero here
    rigidity: np.ndarray  # (m,) E A [N] where the stiffness is E A / rest length, NaN where it is given
    modes: np.ndarray  # (m,) words, as of cables
    rigid: np.ndarray  # (r,) numbers of members that keep their length: held cables, then rigid bars
    slack: np.ndarray  # (m,) True for held cables that are slack
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
        structure = self.network.structure
        command = np.concatenate([commands.given(structure.cables.values()), commands.pushed(structure.bars.values())])
        return Setting(self.network.external, self.members.rest_length, self.network.positions, command)

    @cached_property
    def held(self) -> np.ndarray:
        """(h,) numbers of cables that are held at a length."""
        return np.flatnonzero(self.modes == "length")

    @cached_property
    def can_slacken(self) -> np.ndarray:
        """(m,) True for held cables that do not push."""
        return np.asarray((self.modes == "length") & self.network.unilateral)

    @cached_property
    def _commanded(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(m,), (m,) which members have a tension and a force density; None where none has."""
        found = self.modes == "tension", self.modes == "force_density"
        return found if found[0].any() or found[1].any() else None

    @cached_property
    def _bar_segments(self) -> np.ndarray:
        """(b,) segments of rigid bars."""
        return np.searchsorted(self.network.owner, self.rigid[self.held.size :])

    def members_at(self, setting: Setting) -> Members:
        """The members with imposed rest lengths and commands; those with a rigidity keep it."""
        rest = setting.rest_length
        stiffness = np.where(np.isnan(self.rigidity), self.members.stiffness, self.rigidity / rest)
        if self._commanded is None:
            return self.members._replace(rest_length=rest, stiffness=stiffness)
        tension, density = self._commanded
        return self.members._replace(
            rest_length=np.where(density, 0.0, rest),
            stiffness=np.where(density, setting.command, stiffness),
            command=np.where(tension, setting.command, 0.0),
        )

    def with_slack(self, slack: np.ndarray) -> EquilibriumEquations:
        """The equations where these held cables are slack."""
        return replace(self, slack=slack) if self.held.size else self

    def slackened(self, multipliers: np.ndarray) -> EquilibriumEquations:
        """The equations at a balance with these multipliers: held cables without tension are slack."""
        idle = np.zeros(self.network.members, dtype=bool)
        idle[self.rigid] = multipliers[: self.rigid.size] <= 0.0
        return self.with_slack(idle & self.can_slacken)

    def placed(self, positions: np.ndarray, setting: Setting) -> np.ndarray:
        """The positions with held coordinates on their anchors."""
        return np.where(self.unknown.reshape(-1, 3) < 0, setting.anchors, positions)

    def tensions(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """Of all members [N]."""
        members = self.members_at(setting)
        pulls = tangent.tensions(members, tangent.lengths_at(members, positions))
        pulls = pulls.astype(np.result_type(pulls, multipliers))
        pulls[self.rigid] = np.where(self.slack[self.rigid], pulls[self.rigid] + 0.0, multipliers[: self.rigid.size])
        return np.asarray(pulls)

    def unbalance(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """(3 n,) minus the force on every coordinate, held ones too [N]."""
        spans = tangent.spans_of(self.members, positions)
        lengths = tangent.lengths_of(spans)
        divisor = lengths.astype(np.result_type(lengths, setting.rest_length))
        # as the gradient of the residual has it
        divisor[self._bar_segments] = setting.rest_length[self.rigid[self.held.size :]]
        tension = tangent.by_segment(self.members, self.tensions(positions, multipliers, setting))
        pulls = (tension / divisor)[:, None] * spans
        forces = tangent.nodal_forces(self.members, pulls, len(positions)) + setting.external
        held, others = np.split(multipliers[self.rigid.size :], [self.guide_values.size])
        left = np.asarray(self.guides.T @ held - forces.ravel())
        if self.elements is None:
            return left
        return np.asarray(left - self.elements.force(positions)[0] + self.elements.jacobian(positions).T @ others)

    def residuals(self, positions: np.ndarray, setting: Setting) -> np.ndarray:
        """(r + g,) how far held cables and rigid bars are too long and guided nodes off their guides [m]."""
        spans = tangent.spans_of(self.members, positions)
        length = setting.rest_length[self.rigid[self.held.size :]]
        bar_spans = spans[self._bar_segments]
        found = [((bar_spans * bar_spans).sum(axis=1) - length * length) / (2.0 * length)]
        if self.held.size:
            excess = (tangent.summed(self.members, tangent.lengths_of(spans)) - setting.rest_length)[self.held]
            found.insert(0, np.where(self.slack[self.held], 0.0, excess))
        others = self.elements.residuals(positions) if self.elements else np.zeros(0)
        return np.concatenate([*found, self.guides @ positions.ravel() - self.guide_values, others])

    def all_rows(self, positions: np.ndarray, setting: Setting) -> sp.csr_matrix:
        """(r + g, 3 n): gradients of the residuals."""
        spans, bars = tangent.spans_of(self.members, positions), self._bar_segments
        unit = spans[bars] / setting.rest_length[self.rigid[self.held.size :]][:, None]
        ends = (3 * end[bars][:, None] + np.arange(3) for end in (self.members.first, self.members.second))
        columns = np.concatenate(list(ends), axis=1)
        values = np.concatenate([-unit, unit], axis=1)
        of_bars = sp.csr_matrix(
            (values.ravel(), columns.ravel(), np.arange(bars.size + 1) * 6), shape=(bars.size, self.unknown.size)
        )
        found = [of_bars]
        if self.held.size:
            gradients = tangent.length_gradients(self.members, spans, self.held, self.unknown.size)
            found.insert(0, sp.diags(np.where(self.slack[self.held], 0.0, 1.0)) @ gradients)
        found += [self.guides] if self.guide_values.size else []
        found += [self.elements.jacobian(positions)] if self.elements else []
        return sp.csr_matrix(sp.vstack(found, format="csr")) if len(found) > 1 else of_bars

    def free_rows(self, positions: np.ndarray, setting: Setting) -> sp.csr_matrix:
        """(r + g, f)."""
        return sp.csr_matrix(self.all_rows(positions, setting)[:, self.free])

    def blocks(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """(s, 3, 3) tangent stiffness of every segment [N/m]."""
        members = self.members_at(setting)
        spans = tangent.spans_of(members, positions)
        tension = self.tensions(positions, multipliers, setting) if self.held.size else None
        found = tangent.stiffness_blocks(members, spans, tension)
        density = multipliers[self.held.size : self.rigid.size] / setting.rest_length[self.rigid[self.held.size :]]
        found[self._bar_segments] = density[:, None, None] * np.eye(3)
        return found

    def pushed_blocks(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> np.ndarray:
        """(s, 3, 3) what members that push take from the stiffness, turned positive; with it no block is negative."""
        spans = tangent.spans_of(self.members, positions)
        lengths = tangent.lengths_of(spans)
        forces = tangent.by_segment(self.members, self.tensions(positions, multipliers, setting))
        pushed = np.maximum(-forces, 0.0) / lengths
        along = np.zeros_like(pushed)
        along[self._bar_segments] = pushed[self._bar_segments]
        return tangent.blocks(spans, lengths, along, pushed)

    def stiffness(self, positions: np.ndarray, multipliers: np.ndarray, setting: Setting) -> sp.csc_matrix:
        """(f, f): d unbalance / d x [N/m]."""
        return self.matrix(self.blocks(positions, multipliers, setting), positions, multipliers, setting)

    def matrix(
        self, blocks: np.ndarray, positions: np.ndarray, multipliers: np.ndarray, setting: Setting
    ) -> sp.csc_matrix:
        """(f, f) of the blocks of segments, what acts along whole routes, and what elements add."""
        whole = self.pattern.matrix(blocks)
        if self.members.owner is not None:
            along = self.along_routes(positions, setting)[:, self.free]
            whole = sp.csc_matrix(whole + along.T @ along)
        if self.elements is None:
            return whole
        held = multipliers[self.rigid.size + self.guide_values.size :]
        return sp.csc_matrix(whole + self.elements.stiffness(positions, held))

    def along_routes(self, positions: np.ndarray, setting: Setting) -> sp.csr_matrix:
        """(c, 3 n) the gradient of the length of each elastic cable over guides times the root of its stiffness."""
        members = self.members_at(setting)
        slopes = tangent.slopes(members, tangent.lengths_at(members, positions))
        chosen = np.flatnonzero(members.routed & (slopes != 0.0))
        spans = tangent.spans_of(members, positions)
        gradients = tangent.length_gradients(members, spans, chosen, self.unknown.size)
        return sp.csr_matrix(sp.diags(np.sqrt(slopes[chosen])) @ gradients)

    def energy(self, positions: np.ndarray, setting: Setting) -> tuple[float, float]:
        """Elastic energy minus the work of external forces, and the size of its terms [J]."""
        members = self.members_at(setting)
        lengths = tangent.lengths_at(members, positions)
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
    rigid = np.array([bar.law == "rigid" for bar in bar_list], dtype=bool)
    rest = commands.rest_lengths(structure, cables)
    given = [c.stiffness is not None or c.mode != "spring" for c in cables]
    rigidity = [np.nan if known else properties.axial_rigidity(c) for c, known in zip(cables, given, strict=True)]
    stiffness = [properties.stiffness(structure, cable) if cable.mode == "spring" else 0.0 for cable in cables]
    modes = np.array([cable.mode for cable in cables] + [commands.bar_mode(bar) for bar in bar_list], dtype="<U16")
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
            network.unilateral & (modes == "spring"),
            owner=network.owner if network.routed.any() else None,
        ),
        np.concatenate([np.array(rigidity, dtype=float), bar_rigidity]),
        modes,
        np.concatenate([np.flatnonzero(modes == "length"), network.cables + np.flatnonzero(rigid)]),
        np.zeros(network.members, dtype=bool),
        guides,
        values,
        unknown,
        pattern(network.first, network.second, unknown, network.free.size),
        elements_of(structure, elements),
    )


def _carrying(structure: Structure, bar_force: np.ndarray) -> Structure:
    """The structure with compressible and pneumatic bars that carry these forces where they are."""
    if all(bar.law == "rigid" for bar in structure.bars.values()):
        return structure
    fitted = {
        bar.name: properties.fitted_bar(structure, bar, float(force)) if bar.law != "rigid" else bar
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
