"""What can be read off a state of a nodal plant: tensions, bar forces, reactions, energies."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.mechanics.inertia.masses import rigid_thickness
from taut.mechanics.kinds import Given
from taut.mechanics.operations.energy import energies
from taut.mechanics.operations.motion import enter_piece, rate, reactions
from taut.mechanics.parts import impose, observe_terms, row_residuals, row_values
from taut.mechanics.rows.bars import PER_LENGTH
from taut.mechanics.tables import coordinate_count, jacobian_in, row_count, work_in
from taut.mechanics.terms.loads import LOADS, load_at, loads_in
from taut.mechanics.terms.springs import law_count, member_state, springs_in
from taut.mechanics.terms.torques import free_torque, torque_count, torque_state, torques_in
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack, reals_of, size_of
from taut.numerics.pointers import row_of, shifted, start_of
from taut.structure.structure import Structure

SCALARS = ("energy_kinetic", "energy_elastic", "energy_gravity", "length_violation", "rate_violation")
"""Energies [J], the worst residual of a constraint [m] and its rate [m/s]."""


def columns(springs: int, rows: int, held: int, others: int) -> dict[str, int]:
    """What a row of outputs holds, in order, and how many numbers of each. Springs in the order of their
    laws.

    Forces [N]: tension positive; reactions act on the structure.
    """
    many = {"length": springs, "tension": springs, "multiplier": rows, "reaction": 3 * held, "others": others}
    return {**dict.fromkeys(SCALARS, 1), **many}


@entry
def observe(
    p: Pack,
    times: np.ndarray,
    pieces: np.ndarray,
    samples: np.ndarray,
    held: np.ndarray,
    rates: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill the outputs, a row a sample; `pieces` are times inside the signals' pieces, `held` the supported nodes.

    rates: work space for the rate of a state.
    """
    springs, work, jacobian = springs_in(p), work_in(p), jacobian_in(p)
    n, rows, count = coordinate_count(p), row_count(p), law_count(p)
    balance = work.balance
    for row in range(times.size):
        state, line = row_of(samples, row), start_of(row_of(out, row))
        y = start_of(state)
        enter_piece(p, pieces[row])
        rate(p, times[row], state, rates)
        line[0], line[1], line[2], _ = energies(p, y)
        line[3], line[4], at = 0.0, 0.0, 5
        for k in range(count):
            length, _, elastic, viscous = member_state(p, k, y, springs.damps[0])
            line[at + k] = length
            line[at + count + k] = elastic + viscous
        at += 2 * count
        row_residuals(p, y, work.residual, work.residual_rate)
        for k in range(rows):
            line[at + k] = work.multiplier[k]
            line[3] = max(line[3], abs(work.residual[k]))
            line[4] = max(line[4], abs(work.residual_rate[k]))
        at += rows
        row_values(p, y, jacobian.value)
        reactions(p, shifted(start_of(rates), n), y, balance)
        for k in range(held.size):
            for axis in range(3):
                line[at + 3 * k + axis] = balance[3 * held[k] + axis]
        observe_terms(p, times[row], y, shifted(line, at + 3 * held.size))


def cable_outputs(
    given: Given,
    tables: Any,
    states: np.ndarray,
    length: np.ndarray,
    tension: np.ndarray,
    multiplier: np.ndarray,
    pulls: np.ndarray,
) -> dict[str, np.ndarray]:
    """Lengths [m] and tensions [N] of all cables, a row a sample; length, tension: of springs, by their laws; pulls: of
    cables that impulses hold at a length."""
    lengths, tensions = (np.zeros((len(states), len(given.structure.cables))) for _ in range(2))
    place = {name: k for k, name in enumerate(given.structure.cables)}
    columns, laws = [place[name] for name in given.cable], [*given.cable.values()]
    lengths[:, columns], tensions[:, columns] = length[:, laws], tension[:, laws]
    count = len(given.coordinate)
    places = states[:, : 3 * count].reshape(len(states), count, 3)
    for k, cable in enumerate(given.held_cables):
        nodes = [given.coordinate[node] // 3 for node in cable.route]
        spans = np.diff(places[:, nodes], axis=1)
        lengths[:, place[cable.name]] = np.linalg.norm(spans, axis=2).sum(axis=1)
        tensions[:, place[cable.name]] = -multiplier[:, tables["held_lengths"].row[0] + k]
        if pulls.size:
            tensions[:, place[cable.name]] += pulls[:, k]
    return {"cable_length": lengths, "cable_tension": tensions}


def bar_forces(given: Given, tables: Any, tension: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
    """(T, b) forces of all bars [N], tension positive; tension: of springs, by their laws."""
    found, place = np.zeros((len(tension), len(given.structure.bars))), list(given.structure.bars).index
    for name, row in (given.compressible_bar | given.pneumatic_bar).items():
        found[:, place(name)] = tension[:, row]
    rigid = tables["bars"].column
    found[:, rigid] = -multiplier[:, : rigid.size]
    before = rigid.size + len(given.structure.constraints) + len(given.held_cables)
    for name, row in given.driven_bars.items():
        found[:, place(name)] = -multiplier[:, before + row]
    return found


def turning_push(structure: Structure, bars: np.ndarray, p: Pack, velocities: np.ndarray) -> np.ndarray:
    """(..., r) what the multipliers of rigid bars lack of their mean push [N] because the bars are thick and turn.

    A multiplier carries e (G a) = -e |w|^2 / l too, with w the relative velocity of the ends and e as in
    `rigid_thickness`. bars: (r,) their places in the structure. velocities: (..., 3 n).
    """
    index = {name: i for i, name in enumerate(structure.nodes)}
    every = list(structure.bars.values())
    ends = [[index[node] for node in every[k].nodes] for k in bars]
    first, second = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    nodal = velocities.reshape(*velocities.shape[:-1], len(index), 3)
    with np.errstate(over="ignore", invalid="ignore"):  # of motions that blow up, which say so
        apart = nodal[..., second, :] - nodal[..., first, :]
        return np.asarray(rigid_thickness(structure, bars) * reals_of(p, PER_LENGTH) * np.sum(apart**2, axis=-1))


@entry
def observe_energies(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, out: np.ndarray) -> None:
    """Fill kinetic, elastic and gravity's energy [J] alone, a row a sample."""
    for row in range(times.size):
        y = start_of(row_of(samples, row))
        enter_piece(p, pieces[row])
        impose(p, times[row], y)
        out[row, 0], out[row, 1], out[row, 2], _ = energies(p, y)


@entry
def observe_loads(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, out: np.ndarray) -> None:
    """Fill the force of every load [N], a row a sample."""
    loads = loads_in(p)
    for row in range(times.size):
        enter_piece(p, pieces[row])
        impose(p, times[row], start_of(row_of(samples, row)))
        for k in range(size_of(p, LOADS)):
            out[row, k] = load_at(p, loads, k, times[row])


@entry
def observe_torques(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, out: np.ndarray) -> None:
    """Fill the whole torque of every free angle [N m] and the power of what is commanded of it [W], a row a sample."""
    torques = torques_in(p)
    for row in range(times.size):
        y = start_of(row_of(samples, row))
        enter_piece(p, pieces[row])
        impose(p, times[row], y)
        for k in range(torque_count(p)):
            out[row, 2 * k] = free_torque(p, k, y)
            out[row, 2 * k + 1] = 0.0
            if torques.command[k] != 0.0:
                out[row, 2 * k + 1] = torques.command[k] * torque_state(p, k, y)[2]


def angle_torques(given: Given, multiplier: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """(T, a) torques of all angles [N m]; multiplier: of those that are held, turned: what `observe_torques` fills."""
    found, place = np.zeros((len(multiplier), len(given.structure.angles))), list(given.structure.angles).index
    for values, angles in ((multiplier, given.held_angles), (turned[:, ::2], given.free_angles)):
        found[:, [place(angle.name) for angle in angles]] = values
    return found
