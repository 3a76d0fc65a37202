"""Stability of a balance whose members do not stretch: what forces alone do against motions that change no length.

Cables count as inextensible, bars and springs as rigid; a cable without tension counts as absent, since it does not
resist the way in which it would get shorter. Only a cable of commanded tension or force density changes its length as
it likes, and counts with its forces alone. Finite stiffness is another question, that of `taut.statics.modes`.

Prestress stability (Pellegrino and Calladine 1986; Connelly and Whiteley 1996): on the mechanisms, rigid motions left
out, the geometric stiffness is positive: the second derivative of lengths times tensions, that of whole routes where
cables run over guides. Super-stability (Connelly 1982): the force-density matrix is positive but for affine motions,
and no affine motion keeps all lengths, which is so unless the member directions lie on a conic. No other shape then has
all cables as short and all bars as long, in any dimension. That is a theorem on straight members: where a cable runs
over guides, or has a commanded force, it is not claimed. With supports or constraints both matrices are restricted to
what these leave free; with constant loads the statement is about the load's potential.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from taut.errors import OptionError, listed
from taut.numerics.subspaces import rank_of
from taut.numerics.weakest import Weakest, margin, weakest
from taut.reprs import brief
from taut.statics.commands import bar_mode
from taut.statics.elements import elements_of
from taut.statics.equilibrium import Equilibrium
from taut.statics.matrices import (
    affine_motions,
    equilibrium_matrix,
    geometric_stiffness,
    length_curvature,
    motions,
    moving_parts,
    parts,
    rigid_motions,
)
from taut.statics.network import Network, network
from taut.type_checks import checked_arguments

SLACK = 1e-9
"""A cable below this part of the largest force is slack."""

FLAT = 1e-10
"""A stiffness below this part of the norm of the stiffness matrix is none."""

VERDICTS = ("super-stable", "first-order rigid", "prestress-stable", "mechanism not stiffened", "unstable")


@dataclass(frozen=True)
class Stability:
    """The verdict on an equilibrium, the strongest of VERDICTS that holds, and what it rests on.

    stiffness: of the weakest mechanism against unit displacement, mode . geometric stiffness . mode [N/m]; None
        without mechanisms.
    mode: (n, 3) the weakest mechanism, of unit length over all nodes.
    mechanisms: independent motions that change no length of members under force, rigid motions left out.
    rigid_motions: motions as a whole along which nothing changes; the sentence tells of those that supports leave.
        Where loads resist or drive a turn of the whole, it is no rigid motion in this sense but one of the mechanisms,
        as in a pendulum.
    force_density_margin: the least eigenvalue of the force-density matrix beside its affine null vectors, relative to
        its norm; zero where it is not positive there, and super-stability is out of reach or not claimed.
    affine_flex: an affine motion keeps all lengths.
    """

    verdict: str
    sentence: str
    stiffness: float | None
    mode: np.ndarray | None
    mechanisms: int
    rigid_motions: int
    super_stable: bool
    force_density_margin: float
    affine_flex: bool

    __repr__ = brief

    @property
    def ok(self) -> bool:
        """Stable in one of the three senses."""
        return self.verdict in VERDICTS[:3]


@checked_arguments
def stability(equilibrium: Equilibrium) -> Stability:
    """Whether a balance is stable by its forces, and its weakest mechanism; see the head of this file for the terms."""
    net = network(equilibrium.structure)
    net = replace(net, external=equilibrium.external)
    force = equilibrium.member_force
    _require_balance(equilibrium, net)
    largest = float(np.abs(force).max(initial=0.0))
    tight = ~net.unilateral | (force > SLACK * largest)
    pulled, pulls_by_length = (_of_mode(net, mode) for mode in ("tension", "force_density"))
    stressed = net.keeping(tight)
    allowed = motions(net)
    lengths = sp.csr_matrix(equilibrium_matrix(net.keeping(tight & ~pulled & ~pulls_by_length), allowed).T)
    bending, bodies = _bending(net, force, tight, pulled, allowed), elements_of(equilibrium.structure)
    if bodies is not None:  # what holds plates and angles turns with them, and its forces too
        within = sp.csr_matrix(allowed[net.free])
        held = bodies.stiffness(net.positions, -equilibrium.element_force[: bodies.rows])
        bending = sp.csr_matrix(bending + within.T @ held @ within)
    norm = float(abs(bending).sum(axis=1).max()) if bending.nnz else 0.0
    neutral = _idle(bending, rigid_motions(net, allowed), norm)
    mechanisms = allowed.shape[1] - rank_of(lengths).rank - neutral.shape[1]
    least = weakest(bending, lengths, neutral) if mechanisms else None
    bent = tight & (net.routed | pulled | pulls_by_length)
    spare, flex = 0.0, False
    if not bent.any():
        affine = _idle(bending, affine_motions(net, allowed), norm)
        spare = min(margin(bending, affine) / norm, 1.0) if norm else 0.0
        flex = affine.shape[1] > neutral.shape[1] and _on_conic(stressed, parts(net))
    super_stable = spare > FLAT and not flex and bodies is None  # the theorem is of bars and cables
    verdict = _verdict(super_stable, mechanisms, least, norm)
    mode = None if least is None else np.asarray(allowed @ least.vector).reshape(-1, 3)
    value = None if least is None else least.value
    sentence = _sentence(verdict, net, mechanisms, value, mode, allowed @ neutral, int(np.count_nonzero(~tight)))
    return Stability(
        verdict=verdict,
        sentence=sentence + _withheld(net, bent),
        stiffness=value,
        mode=mode,
        mechanisms=mechanisms,
        rigid_motions=neutral.shape[1],
        super_stable=super_stable,
        force_density_margin=spare,
        affine_flex=flex,
    )


def _of_mode(net: Network, mode: str) -> np.ndarray:
    """(m,) which members are of a mode."""
    cables = [cable.mode == mode for cable in net.structure.cables.values()]
    return np.array(cables + [bar_mode(bar) == mode for bar in net.structure.bars.values()], dtype=bool)


def _bending(
    net: Network, force: np.ndarray, tight: np.ndarray, pulled: np.ndarray, allowed: sp.csr_matrix
) -> sp.csr_matrix:
    """(p, p) [N/m]: what forces do; pulled: the members whose tension is the same whatever their length."""
    density = force / net.lengths()
    found = geometric_stiffness(net.keeping(tight & ~pulled), density[tight & ~pulled], allowed)
    if not (tight & pulled).any():
        return found
    curvature = length_curvature(net.keeping(tight & pulled), force[tight & pulled])
    return sp.csr_matrix(found + allowed.T @ curvature @ allowed)


def _withheld(net: Network, bent: np.ndarray) -> str:
    """Why super-stability is not claimed; nothing where it is asked."""
    if not bent.any():
        return ""
    names = listed([net.names[k] for k in np.flatnonzero(bent)])
    return (
        f" Super-stability is not claimed: its theorem is on straight members that keep their lengths, and {names} run "
        "over guides or have a commanded force."
    )


def _require_balance(equilibrium: Equilibrium, net: Network) -> None:
    force = equilibrium.member_force
    scale = max(float(np.abs(force).max(initial=0.0)), float(np.abs(equilibrium.external).max(initial=0.0)))
    if not equilibrium.ok or equilibrium.residual > 1e-6 * scale:
        raise OptionError(
            f"stability is asked of a balance, and here {equilibrium.residual:.3g} N is left on a node "
            f"({equilibrium.status}); find the equilibrium first"
        )
    pushing = np.flatnonzero(net.unilateral & (force < -1e-6 * scale))
    if pushing.size:
        raise OptionError(
            f'cable "{net.names[pushing[0]]}" pushes with {-force[pushing[0]]:.3g} N, which a cable cannot; '
            'make it a bar or a cable of law "spring", or find another balance'
        )


def _idle(bending: sp.csr_matrix, fields: sp.csr_matrix, norm: float) -> sp.csr_matrix:
    """The combinations of orthonormal fields that the stiffness does not notice, orthonormal again."""
    if not fields.shape[1]:
        return fields
    _, sizes, right = np.linalg.svd((bending @ fields).toarray(), full_matrices=False)
    return sp.csr_matrix(fields @ right[sizes <= 1e-9 * norm].T)


def _on_conic(stressed: Network, label: np.ndarray) -> bool:
    """Whether some quadratic form other than zero vanishes on all members of a part: an affine motion may keep them."""
    vectors = stressed.vectors() / stressed.spans()[:, None]
    for part in np.unique(label):
        places = stressed.positions[label == part]
        _, sizes, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
        span = axes[sizes > 1e-9 * max(float(sizes[0]), 1e-300)] if len(places) > 1 else axes[:0]
        own = vectors[label[stressed.first] == part] @ span.T
        i, j = np.triu_indices(span.shape[0])
        forms = own[:, i] * own[:, j]
        if rank_of(sp.csr_matrix(forms), dense=max(forms.shape[0], 1)).rank < i.size:
            return True
    return False


def _verdict(super_stable: bool, mechanisms: int, least: Weakest | None, norm: float) -> str:
    if super_stable:
        return "super-stable"
    if not mechanisms or least is None:
        return "first-order rigid"
    if least.value < -FLAT * norm:
        return "unstable"
    if least.value > FLAT * norm and least.negative == 0:
        return "prestress-stable"
    return "mechanism not stiffened"


def _sentence(
    verdict: str,
    net: Network,
    mechanisms: int,
    stiffness: float | None,
    mode: np.ndarray | None,
    rigid: sp.csr_matrix,
    slack: int,
) -> str:
    text = {
        "super-stable": "Super-stable: no other shape has every cable as short and every bar as long",
        "first-order rigid": "First-order rigid: nothing can move without a member changing its length",
        "prestress-stable": "Prestress-stable: the forces hold every motion that changes no length",
        "mechanism not stiffened": "Not held: a motion that changes no length is not resisted by the forces",
        "unstable": "Unstable: along a motion that changes no length the forces push it away",
    }[verdict]
    if mode is not None and stiffness is not None:
        most = _most_moved(net, mode.reshape(-1, 1))
        count = "its one mechanism" if mechanisms == 1 else f"the weakest of its {mechanisms} mechanisms"
        text += f'; {count} has {stiffness:.4g} N/m and moves node "{most}" most'
    text += _at_large(net, rigid)
    if slack:
        text += f"; {slack} slack cable{'s are' if slack > 1 else ' is'} left out"
    remedies = {
        "mechanism not stiffened": "; add a member or a support against it, or another self-stress",
        "unstable": "; it needs another self-stress, supports or members",
    }
    return f"{text}{remedies.get(verdict, '')}."


def _at_large(net: Network, rigid: sp.csr_matrix) -> str:
    """What to say of motions as a whole (3 n, r) that nothing resists; nothing of one structure that stands alone."""
    count = rigid.shape[1]
    several = moving_parts(net) > 1
    if not count or not (net.structure.supports or net.structure.constraints or several):
        return ""
    whole = "parts as a whole" if several else "the whole"
    most = _most_moved(net, rigid.toarray())
    if count == 1:
        return f'; nothing resists a motion of {whole}, which moves node "{most}" most'
    return f'; nothing resists {count} motions of {whole}, which move node "{most}" most'


def _most_moved(net: Network, fields: np.ndarray) -> str:
    """The node that displacement fields (3 n, k) move most, taken together."""
    moves = np.linalg.norm(fields.reshape(-1, 3 * fields.shape[1]), axis=1)
    return list(net.structure.nodes)[int(np.argmax(moves))]
