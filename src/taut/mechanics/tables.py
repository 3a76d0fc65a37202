"""The flat tables of a structure in nodal coordinates, and how kernels unpack them.

In Python the parts of a table are arrays; in a kernel they are pointers, and `sizes_in` says how far they reach.

3 n coordinates (u of them free), s springs (cables, then compressible bars), b bars (rigid ones first), g guides,
r rows: one for every rigid bar and guide. "Coordinate" means a place in the vector
of all 3 n of them; a node is named by its first one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.numerics.saddle import Saddle


class Cables(NamedTuple):
    """Cables, then compressible bars, which are springs as well, in the order of `Bars`."""

    first: np.ndarray  # (s,) nodes
    second: np.ndarray  # (s,)
    least: np.ndarray  # (s,) the least stretch and tension: 0, or -inf for springs, which push too
    stiffness: np.ndarray  # (s,) [N/m]
    rest_length: np.ndarray  # (s,) [m]
    damping: np.ndarray  # (s,) [N s/m]


class Bars(NamedTuple):
    """Rigid bars, a constraint each, then compressible ones, which have mass here and no constraint."""

    first: np.ndarray  # (b,) nodes
    second: np.ndarray  # (b,)
    entry: np.ndarray  # (6 b,) where a bar's row of G goes in the saddle's values, -1 for a held coordinate
    length: np.ndarray  # (b,) [m]
    per_length: np.ndarray  # (b,) [1/m], zero for compressible ones
    coupling: np.ndarray  # (b,) what M has between the two ends [kg]
    column: np.ndarray  # (b,) the bar's place in the structure


class Guides(NamedTuple):
    """Linear constraints as rows of unit norm."""

    start: np.ndarray  # (g+1,)
    coordinate: np.ndarray
    coefficient: np.ndarray
    value: np.ndarray  # (g,) [m]


class Nodes(NamedTuple):
    free: np.ndarray  # (u,) coordinates that can move
    mass: np.ndarray  # (3 n,) diagonal of M [kg]
    share: np.ndarray  # (3 n,) of the whole mass: M times ones; zero along axes on which something holds the whole [kg]
    weight: np.ndarray  # (3 n,) gravity's force [N]


class Signals(NamedTuple):
    """Signals one after another, each the load along one coordinate."""

    coordinate: np.ndarray  # (loads,)
    kind: np.ndarray  # (loads,)
    start: np.ndarray  # (loads,) where its numbers begin in `data`
    data: np.ndarray
    piece: np.ndarray  # (1,) a time inside the current smooth piece, written by the time loop


class Moved(NamedTuple):
    """Held coordinates that move as time says (`taut.mechanics.moving`); empty where all supports stand still."""

    first: np.ndarray  # (s + 1,) where each of s motions begins in the next two
    coordinate: np.ndarray  # what it moves
    place: np.ndarray  # where that is without any motion [m]
    kind: np.ndarray  # (s,)
    start: np.ndarray  # (s,) where its numbers begin in `data`
    data: np.ndarray
    acceleration: np.ndarray  # (3 n,) now [m/s^2], zero at all other coordinates; work space
    balance: np.ndarray  # (3 n,) work space


class Pairs(NamedTuple):
    """A class-1 system, bar by bar; empty where the sparse saddle is used."""

    block: np.ndarray  # (9 b,) W^-1 of each bar: first-first for x y z, first-second, second-second [1/kg]
    loose: np.ndarray  # (l,) the coordinates of nodes without a bar ...
    single: np.ndarray  # (l,) ... and their 1 / W, zero where they are held [1/kg]
    place: np.ndarray  # (3 n,) the positions it was prepared at, work space


class Krylov(NamedTuple):
    """A system solved by iteration (`taut.mechanics.iterating`); empty where another way is used."""

    mass: np.ndarray  # (3 n,) diagonal of W at free coordinates, zero at held ones [kg]
    coupling: np.ndarray  # (b,) W between the ends of each bar [kg]
    place: np.ndarray  # (3 n,) the positions it was prepared at, work space
    scaling: np.ndarray  # (3 n + r,) inverse diagonal of the preconditioner, work space
    room: np.ndarray  # (9 (3 n + r),) vectors of the iteration, work space


class Constants(NamedTuple):
    solver: np.ndarray  # (1,) how systems are solved, one of the numbers below
    cables_damp: np.ndarray  # (1,) 1 where any cable does
    nodes_damp: np.ndarray  # (1,) 1 where node_damping or mass_damping is not zero
    stabilised: np.ndarray  # (1,) 1 where gains are not zero
    systems: np.ndarray  # (2,) at which parts the systems of motion and of corrections begin
    node_damping: np.ndarray  # (1,) [N s/m]
    mass_damping: np.ndarray  # (1,) [1/s]
    gains: np.ndarray  # (2,) Baumgarte's 2 alpha and beta^2
    scale: np.ndarray  # (2,) typical length [m] and time [s]
    crushed: np.ndarray  # (1,) the last compressible bar found pressed to nothing, -1 if none was since a step


class Work(NamedTuple):
    force: np.ndarray  # (3 n,)
    acceleration: np.ndarray  # (3 n,)
    multiplier: np.ndarray  # (r,)
    top: np.ndarray  # (u,)
    bottom: np.ndarray  # (r,)
    unknown: np.ndarray  # (u,)


class Switches(NamedTuple):
    """What can happen at an instant (`taut.mechanics.nodal_events`): w cables that can slacken, then u things to watch.

    While a run looks for events, the cables' own columns say what each does now; what they were is kept here.
    """

    cable: np.ndarray  # (w,) rows of cables
    state: np.ndarray  # (w + u,) what each is doing now
    burst: np.ndarray  # (w + u,) how often it has changed in quick succession
    last: np.ndarray  # (w + u,) when it changed last [s]
    stiffness: np.ndarray  # (c,) as given
    damping: np.ndarray  # (c,)
    least: np.ndarray  # (c,)
    kind: np.ndarray  # (u,) of what is watched
    first: np.ndarray  # (u,) a node's first coordinate, or a row of cables
    second: np.ndarray  # (u,) another node's
    normal: np.ndarray  # (3 u,)
    level: np.ndarray  # (u,) [m], [N] or [s]
    sense: np.ndarray  # (u,) 1 rising, -1 falling, 0 both
    action: np.ndarray  # (u,)
    cut_start: np.ndarray  # (u + 1,) the members that each cuts ...
    cut_member: np.ndarray  # ... rows of cables, or -1 - row of bars
    band: np.ndarray  # (1,) round-off of lengths [m]
    middle: np.ndarray  # (6 n,) the state half way through a step, work space


class Thick(NamedTuple):
    """Compressible bars whose part of M changes with their shape (`taut.mechanics.thick`); t of them, mostly none.

    Each adds e (I - u u^T) - d u u^T against the relative motion of its ends, e = excess (l / l0)^power.
    """

    bar: np.ndarray  # (t,) which of Bars
    place: np.ndarray  # (21 t,) where its part of W goes in the saddle's values, -1 for a held coordinate
    changing: np.ndarray  # (w,) all those places ...
    settled: np.ndarray  # (w,) ... and what they hold without these parts [kg]
    excess: np.ndarray  # (t,) [kg]
    power: np.ndarray  # (t,)
    axial: np.ndarray  # (t,) d, zero unless the equations are those of the paper as printed [kg]
    turning: np.ndarray  # (4 t,) coefficients of the velocity terms: across per e, across, along per e, along


DIRECT, EXPLICIT, ITERATIVE = 0, 1, 2
"""Solvers: a sparse Saddle, Pairs, or Krylov."""


class Nodal(NamedTuple):
    """All tables of a plant, as views into its pack."""

    cables: Cables
    bars: Bars
    guides: Guides
    nodes: Nodes
    signals: Signals
    constants: Constants
    work: Work
    switches: Switches
    pairs: Pairs  # the system [M G^T; G 0], one of these three ...
    saddle: Saddle
    krylov: Krylov
    metric_pairs: Pairs  # ... and that of corrections, where its weight is not M
    metric_saddle: Saddle
    metric_krylov: Krylov
    moved: Moved
    thick: Thick


CABLES = 0
BARS = CABLES + len(Cables._fields)
GUIDES = BARS + len(Bars._fields)
NODES = GUIDES + len(Guides._fields)
SIGNALS = NODES + len(Nodes._fields)
CONSTANTS = SIGNALS + len(Signals._fields)
WORK = CONSTANTS + len(Constants._fields)
SWITCHES = WORK + len(Work._fields)
SYSTEM = SWITCHES + len(Switches._fields)
METRIC = SYSTEM + len(Pairs._fields) + len(Saddle._fields) + len(Krylov._fields)
MOVED = METRIC + METRIC - SYSTEM
THICK = MOVED + len(Moved._fields)
"""Where each table begins in the pack's directory."""

PAIR_PARTS, SADDLE_PARTS = len(Pairs._fields), len(Saddle._fields)
SIGNAL_DATA = SIGNALS + Signals._fields.index("data")
CABLES_DAMP = CONSTANTS + Constants._fields.index("cables_damp")
STABILISED = CONSTANTS + Constants._fields.index("stabilised")
GAINS = CONSTANTS + Constants._fields.index("gains")
CRUSHED = CONSTANTS + Constants._fields.index("crushed")
MULTIPLIER = WORK + Work._fields.index("multiplier")
