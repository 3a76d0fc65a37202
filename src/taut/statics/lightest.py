"""Least mass of a given shape: which members carry, how thick they are, and a proof of how far from the best it is.

The problem: over member forces t (one set for each case) and areas a,

    least   sum density * length * a
    with    every case's forces in balance,     cables  t >= minimum tension,
            |t| <= yield stress * a,            bars  -t <= pi E a^2 / (4 length^2)  (Euler, solid round, pinned)

Forces are free wherever balance leaves them free: for one case they are made real by rest lengths, which the answer
has; for several cases this is the limit theorem of plasticity, and `elastic_sizes` asks the elastic question.

Without buckling this is a linear program and its dual proves the answer. Euler's area grows like the root of the push,
which makes the problem concave: it is solved by linear programs with the prices of the last answer until the mass falls
no more. The proof is then a linear program. Members that no self-stress reaches have the same forces in every design
and count with the mass that these need. For the others it has the chord of the root up to the push that alone would
weigh as much as all of them in the answer: no design that is lighter than the answer is lighter than that bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from taut.errors import OptionError
from taut.labelled import Labelled, Tabular, Variable
from taut.numerics.subspaces import null_space
from taut.reprs import titled
from taut.statics.balancing import refuse_adrift
from taut.statics.commands import pulling
from taut.statics.elements import refuse_torques
from taut.statics.load_case import LoadCase
from taut.statics.matrices import equilibrium_matrix, motions
from taut.statics.network import Network, network
from taut.statics.sections import Stocks, require_safety, stocks, with_areas
from taut.structure.properties import fitted_bar
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

ROUNDS = 60
FIXED = 1e-9
"""Where no self-stress of unit length has more than this in a member, balance alone says its force."""

UNUSED = 1e-9
"""Members below this fraction of the largest area are not needed."""


SIZES = {
    "area": Variable(("member",), "m^2", "cross-section of each member"),
    "radius": Variable(("member",), "m", "of solid round members"),
    "governed": Variable(("member",), "", "which limit each is at"),
    "lowest_force": Variable(("member",), "N", "least force over all cases"),
    "highest_force": Variable(("member",), "N", "largest force over all cases"),
}


@dataclass(frozen=True, repr=False)
class Sizing(Tabular):
    """The sizes of m members, cables first; k cases.

    structure: with the new radii, without unused members.
    lower_bound: no design can be lighter [kg]; equal to the mass where the answer is proved to be the best.
    certificate: a sentence that says what was solved and what is proved.
    """

    structure: Structure
    members: tuple[str, ...]
    area: np.ndarray  # (m,) [m^2]
    member_force: np.ndarray  # (k, m) [N]
    governed: tuple[str, ...]  # "yield", "euler", or "" for members without force
    mass: float
    lower_bound: float
    certificate: str
    status: str = "sized"
    iterations: int = 0
    unused: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.status == "sized"

    @property
    def radius(self) -> np.ndarray:
        """(m,) of solid round members [m]."""
        return np.asarray(np.sqrt(self.area / np.pi))

    def labelled(self) -> Labelled:
        """One row a member."""
        extremes = {"lowest_force": self.member_force.min(axis=0), "highest_force": self.member_force.max(axis=0)}
        values = {"area": self.area, "radius": self.radius, "governed": np.asarray(self.governed), **extremes}
        facts = {"status": self.status, "certificate": self.certificate}
        return Labelled(("member",), {"member": self.members}, SIZES, values, facts)

    def __repr__(self) -> str:
        return titled("Sizing", "", f"{self.mass:.6g} kg, at least {self.lower_bound:.6g} kg; {self.status}")


@checked_arguments
def least_mass(
    structure: Structure,
    cases: Mapping[str, LoadCase],
    *,
    minimum_tension: float = 0.0,
    safety: float = 1.0,
    buckling: bool = True,
) -> Sizing:
    """The lightest solid round members that carry all cases at the shape as it stands; see the head of this file.

    cases: their gravity and loads count; gravity acts on the masses that the structure has now.
    minimum_tension: [N], of every cable in every case. safety: forces times this must be borne.
    Raises OptionError where no forces balance a case.
    """
    require_safety(safety)
    if not cases:
        raise OptionError("there is no case to size for; give one or more")
    if not 0.0 <= minimum_tension < np.inf:
        raise OptionError(f"minimum_tension = {minimum_tension!r} must be a finite number, zero or more [N]")
    nets = {
        name: network(structure, gravity=case.gravity, loads=case.loads, elastic=False) for name, case in cases.items()
    }
    refuse_torques(structure, "the least mass")
    for net in nets.values():
        refuse_adrift(net, net.external)
    stock = stocks(structure)
    if not buckling:
        stock = replace(stock, bars=np.zeros_like(stock.bars))
    program = _Program(nets, minimum_tension, safety, next(iter(nets.values())).unilateral)
    price = stock.mass(1.0 / stock.strength)
    forces = program.solve(price, price)[0]
    mass = float(stock.mass(stock.area(forces)).sum())
    rounds = 0
    while rounds < ROUNDS:
        rounds += 1
        trial = program.solve(price, _push_price(stock, forces))[0]
        weight = float(stock.mass(stock.area(trial)).sum())
        if weight >= mass * (1.0 - 1e-12):
            break
        forces, mass = trial, weight
    bound = _bound(program, stock, price, forces)
    return _sized(structure, stock, forces, safety, min(bound, mass), rounds)


class _Program:
    """min sum z with z >= price * force and the balance of every case; built once, priced often."""

    def __init__(
        self, nets: Mapping[str, Network], minimum_tension: float, safety: float, unilateral: np.ndarray
    ) -> None:
        first = next(iter(nets.values()))
        allowed = motions(first)
        self.balance = equilibrium_matrix(first, allowed)
        self.loads = {name: safety * (allowed.T @ net.external.ravel()) for name, net in nets.items()}
        self.unit = max(max(float(np.abs(load).max(initial=0.0)) for load in self.loads.values()), minimum_tension)
        self.unit = self.unit or 1.0
        low = np.where(unilateral, safety * minimum_tension / self.unit, -np.inf)
        self.size, self.cases = first.members, len(nets)
        self.bounds = np.column_stack(
            [
                np.concatenate([np.tile(low, self.cases), np.zeros(self.size)]),
                np.full((self.cases + 1) * self.size, np.inf),
            ]
        )

    def solve(self, pull: np.ndarray, push: np.ndarray) -> tuple[np.ndarray, float]:
        """Forces (k, m) [N] and the value of the program, by its dual: a bound that holds whatever the primal does."""
        from scipy.optimize import linprog

        scale = float(pull.max())
        each = sp.identity(self.cases)
        stacked = sp.csr_matrix(np.ones((self.cases, 1)))
        limits = sp.vstack(
            [
                sp.hstack([sign * sp.kron(each, sp.diags(p / scale)), -sp.kron(stacked, sp.identity(self.size))])
                for sign, p in ((1.0, pull), (-1.0, push))
            ],
            format="csr",
        )
        balance = sp.hstack(
            [sp.kron(each, self.balance), sp.csr_matrix((self.cases * self.balance.shape[0], self.size))], format="csr"
        )
        loads = -np.concatenate(list(self.loads.values())) / self.unit
        cost = np.concatenate([np.zeros(self.cases * self.size), np.ones(self.size)])
        found = linprog(cost, A_ub=limits, b_ub=np.zeros(limits.shape[0]), A_eq=balance, b_eq=loads, bounds=self.bounds)
        if found.x is None:
            names = ", ".join(f'"{name}"' for name in self.loads)
            raise OptionError(
                f"no forces with cables in tension balance the cases {names} at this shape; "
                "add members or supports, lower the minimum tension, or change the shape"
            )
        low = self.bounds[:, 0]
        at_low = np.isfinite(low)
        dual = float(loads @ found.eqlin.marginals + low[at_low] @ found.lower.marginals[at_low])
        forces = found.x[: self.cases * self.size].reshape(self.cases, self.size) * self.unit
        return forces, dual * scale * self.unit


def _push_price(stock: Stocks, forces: np.ndarray) -> np.ndarray:
    """What one more newton of push costs where the forces are now [kg/N]."""
    most = np.maximum(-forces, 0.0).max(axis=0)
    floor = 1e-9 * (most.max(initial=0.0) or 1.0)
    push = np.maximum(most, floor)
    by_yield = stock.mass(1.0 / stock.strength)
    by_euler = stock.mass(stock.euler_area(-push[None])[0]) / (2.0 * push)
    bends = stock.euler_area(-push[None])[0] > push / stock.strength
    return np.asarray(np.where(bends, by_euler, by_yield))


def _bound(program: _Program, stock: Stocks, price: np.ndarray, forces: np.ndarray) -> float:
    """The mass below which no design lies [kg], from the forces of one."""
    variable = np.abs(null_space(program.balance)).max(axis=1, initial=0.0) > FIXED
    mass = stock.mass(stock.area(forces))
    if not variable.any():
        return float(mass.sum())
    chord = _chord_price(stock, float(mass[variable].sum()))
    others = program.solve(np.where(variable, price, 0.0), np.where(variable, chord, 0.0))[1]
    return float(mass[~variable].sum()) + others


def _chord_price(stock: Stocks, mass: float) -> np.ndarray:
    """The chord of the mass of a pushed bar, from nothing to the push at which it alone weighs `mass` [kg/N]."""
    by_yield = stock.mass(1.0 / stock.strength)
    heavy = 2.0 * stock.density * stock.length**2 / np.sqrt(np.pi * stock.modulus)
    chord = np.where(stock.bars, heavy**2 / mass, 0.0) if mass > 0.0 else np.zeros_like(heavy)
    return np.asarray(np.maximum(by_yield, chord))


def _sized(structure: Structure, stock: Stocks, borne: np.ndarray, safety: float, bound: float, rounds: int) -> Sizing:
    """borne: (k, m) forces times safety."""
    area = stock.area(borne)
    mass = float(stock.mass(area).sum())
    names = (*structure.cables, *structure.bars)
    kinds = ["cable"] * len(structure.cables) + ["bar"] * len(structure.bars)
    needed = area > UNUSED * area.max(initial=0.0)
    area = np.where(needed, area, 0.0)
    thinned = with_areas(structure, area)
    if len(borne) == 1:
        thinned = _tightened(thinned, dict(zip(zip(kinds, names, strict=True), borne[0] / safety, strict=True)))
    gap = 1.0 - bound / mass if mass > 0.0 else 0.0
    proved = (
        "no design of this shape is lighter"
        if gap < 1e-9
        else f"no design of this shape is lighter than {bound:.6g} kg, {100.0 * gap:.3g} % less"
    )
    return Sizing(
        thinned,
        names,
        area,
        borne / safety,
        stock.governed(borne),
        mass,
        bound,
        f"least mass with forces in balance, cases: {len(borne)}; {proved} (dual of a linear program)",
        iterations=rounds,
        unused=tuple(name for name, kept in zip(names, needed, strict=True) if not kept),
    )


def _tightened(structure: Structure, forces: Mapping[tuple[str, str], float]) -> Structure:
    """Members that carry these forces at the shape as it stands: cables by their rest lengths or their commands, bars
    by their length without force. forces: by kind and name."""
    cables = {name: pulling(structure, c, float(forces["cable", name])) for name, c in structure.cables.items()}
    bars = {name: fitted_bar(structure, bar, float(forces["bar", name])) for name, bar in structure.bars.items()}
    return replace(structure, cables=cables, bars=bars)
