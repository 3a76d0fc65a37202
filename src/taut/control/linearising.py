"""`linearise`: a plant at a state in, a LinearModel out, in coordinates of the motions that its constraints allow.

Where constraints leave d motions, T holds them as columns, T^T M T = 1, turned so that T^T K T (its symmetric part) is
diagonal: at an equilibrium they are the undamped modes. With P b the shortest displacement (by mass) that changes the
constraints by b, and H = d(G v)/dq, a small change of the state that stays on the constraints is

    dq = T z + P s,      dv = T w - P H dq + P s'

with 2 d numbers z = T^T M dq and w = T^T M dv, and lengths s of bars that are driven (two states each, driven by s'').
As T and M are those of the state, z' = w and w' = T^T M da hold for large motions too: the model is the linear part of
the whole equations in these coordinates, also where the state moves or is no equilibrium.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from taut.control.linear_model import LinearModel
from taut.control.port_names import Ports
from taut.control.ports import Inputs, Outputs, inputs_of, outputs_of, own_inputs, own_outputs
from taut.errors import ModelError, OptionError, Problem, listed
from taut.mechanics.assemble import assemble, without_controllers
from taut.mechanics.linear.linearisation import supports_at
from taut.mechanics.plant import Plant
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.lagrangian import LagrangianPlant
from taut.mechanics.points.linearisation import Linearisation
from taut.mechanics.signals import pieces_of
from taut.mechanics.trees.plant import TreePlant
from taut.numerics.dense_saddle import lift, null_basis
from taut.statics.equilibrium import Equilibrium
from taut.structure.records import AXES
from taut.structure.scenario import Constant, Load
from taut.type_checks import checked_arguments

Places = np.ndarray | Mapping[str, tuple[float, float, float]]
AnyPlant = Plant | LagrangianPlant | GeneralisedPlant | TreePlant

BALANCED = 1e-9
"""An unbalanced force below this part of the largest force present counts as none."""

MOST = 3000
"""Coordinates; the work grows with their third power."""

ROUNDS = 20
"""Of bringing a state onto the constraints."""


@checked_arguments
def linearise(
    plant: AnyPlant | Equilibrium,
    *,
    inputs: Ports = None,
    outputs: Ports = None,
    positions: Places | None = None,
    velocities: Places | None = None,
    time: float = 0.0,
    held: str = "rest_length",
) -> LinearModel:
    """The linear model of a plant at its start, or at a state that is given; minimal as to the constraints.

    plant: from `assemble` or `in_coordinates`, a LagrangianPlant, or an Equilibrium, whose structure is assembled with
        the forces that act on it and without dampers.
    inputs, outputs: names and selectors such as "node:top.z", "cable:*.rest_length", "bar:b1.tension"; see
        docs/linear-models.md. By default forces at, and positions of, all node coordinates that can move.
    positions, velocities: (n, 3) in the order of the nodes, or node -> three numbers for those that differ from the
        start; of plants in other coordinates (n,). They are brought onto the constraints.
    time: at which loads and drives are taken, and motions of supports, whose places then count whatever positions say.
    held: "rest_length" for passive cables; "force_density" where a control sets their force densities, so that tensions
        do not answer to motion (A of Hsu, Tadiparthi and Bhattacharya, eq. (49)); "all_force_densities" holds those of
        compressible bars too (eq. (59)).
    A state that moves or is not in balance is allowed: see `drift` and `notes` of the model.
    """
    if not np.isfinite(time):
        raise OptionError(f"time {time} must be a finite number [s]")
    plant = _timely(_placed(_as_plant(plant), positions, velocities), time)
    alone: tuple[str, ...] = ()
    if isinstance(plant, Plant) and plant.given.controllers:
        names = listed([f'"{one.name}"' for one in plant.given.controllers])
        plant, alone = (
            without_controllers(plant),
            (f"controllers are left out ({names}): the model is of the plant alone",),
        )
    _check_size(plant)
    q, v = _on_constraints(plant, time)
    linear = plant.linearised(q, v, time, held)
    if isinstance(plant, LagrangianPlant | GeneralisedPlant | TreePlant):
        chosen = own_inputs(plant, linear, inputs)
        shown = own_outputs(plant, linear, q, v, chosen, outputs)
    else:
        chosen = inputs_of(plant, linear, q, v, time, held, inputs)
        shown = outputs_of(plant, linear, q, v, time, held, chosen, outputs)
    notes = (*alone, *plant.changes(q, v), *linear.notes, *chosen.notes, *_drift_notes(plant, linear, q, v))
    return _reduced(plant, linear, chosen, shown, q, v, notes)


def _as_plant(plant: AnyPlant | Equilibrium) -> AnyPlant:
    if isinstance(plant, Equilibrium):
        structure, external = plant.structure, plant.external
        loads = [
            Load(node, axis, Constant(float(force)))
            for node, forces in zip(structure.nodes, external, strict=True)
            for axis, force in zip(AXES, forces, strict=True)
            if force
        ]
        return assemble(structure, loads=loads, elements=plant.elements)
    return plant


def _check_size(plant: AnyPlant) -> None:
    if plant.coordinates > MOST:
        raise OptionError(
            f"a linear model is dense, and {plant.coordinates} coordinates are more than the {MOST} it can have; "
            "for frequencies alone, see modes"
        )


def _placed(plant: AnyPlant, positions: Places | None, velocities: Places | None) -> AnyPlant:
    """The plant with another start."""
    changed = {}
    for what, given in (("positions", positions), ("velocities", velocities)):
        if given is None:
            continue
        start = np.array(getattr(plant, what), dtype=float)
        if isinstance(given, Mapping):
            names = list(plant.structure.nodes)
            unknown = [node for node in given if node not in names]
            if unknown:
                raise OptionError(f'{what} name the node "{unknown[0]}", which is not there')
            for node, place in given.items():
                start[names.index(node)] = place
        elif np.shape(given) != start.shape:
            raise OptionError(f"{what} of shape {np.shape(given)} do not fit: give {start.shape}")
        else:
            start = np.array(given, dtype=float)
        if not np.all(np.isfinite(start)):
            raise OptionError(f"{what} must be finite numbers")
        changed[what] = start
    return replace(plant, **changed) if changed else plant  # type: ignore[arg-type]


def _timely(plant: AnyPlant, time: float) -> AnyPlant:
    """The plant with moved supports where they are at a time."""
    if not isinstance(plant, Plant) or not plant.motions:
        return plant
    there = supports_at(plant, plant.positions.ravel(), plant.velocities.ravel(), time)
    return replace(plant, positions=there.q.reshape(-1, 3), velocities=there.v.reshape(-1, 3))


def _on_constraints(plant: AnyPlant, time: float) -> tuple[np.ndarray, np.ndarray]:
    """The start brought onto the constraints of a time by Newton's method, the shortest way by mass."""
    tables, operations, size = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.operations(), plant.coordinates
    y = np.concatenate([*plant.start(), [0.0], plant.internal])
    operations["enter_piece"](tables, float(pieces_of(plant.breaks, np.array([time]))[0]))
    if "impose" in operations:
        operations["impose"](tables, time, y)
    residual, rate, step, none = (np.zeros(n) for n in (plant.rows, plant.rows, size, size))
    for _ in range(ROUNDS):
        before = operations["residuals"](tables, y, residual, rate)
        operations["prepare_projection"](tables, y)
        operations["project"](tables, none, -residual, step)
        y[:size] += step
        operations["prepare_projection"](tables, y)
        operations["residuals"](tables, y, residual, rate)
        operations["project"](tables, none, -rate, step)
        y[size : 2 * size] += step
        after = operations["residuals"](tables, y, residual, rate)
        if not max(after) > 1e-15 or max(after) >= 0.5 * max(before):
            break
    if max(after) > 1e-9:
        worst = plant.constraint_names[int(np.argmax(np.abs(residual)))]
        message = (
            f"the constraints cannot all be met from this state: {worst} stays {np.abs(residual).max():.3g} m off; "
            "move the nodes, or take one of them away"
        )
        raise ModelError([Problem((), message)])
    return y[:size].copy(), y[size : 2 * size].copy()


def _drift_notes(plant: AnyPlant, linear: Linearisation, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
    """What is unbalanced, what moves."""
    notes = []
    left = linear.mass @ linear.acceleration
    scale = float(np.abs(linear.rows.T @ linear.multiplier).max(initial=0.0))
    scale = max(scale, float(np.abs(linear.stiffness @ q[linear.moving]).max(initial=0.0)))
    if np.abs(left).max(initial=0.0) > BALANCED * scale:
        force, where = _largest(plant, linear, left)
        notes.append(
            f"not an equilibrium: {force:.3g} N are left unbalanced at {where}, so x = 0 does not stay (see drift)"
        )
    if np.any(v[linear.moving]):
        speed, where = _largest(plant, linear, v[linear.moving])
        notes.append(
            f"the state moves, fastest {where} with {speed:.3g} m/s: the model holds for a short time about it"
        )
    return tuple(notes)


def _largest(plant: AnyPlant, linear: Linearisation, values: np.ndarray) -> tuple[float, str]:
    """The largest of some vectors at nodes, or of numbers along coordinates, and where it is."""
    whole = np.zeros(plant.coordinates)
    whole[linear.moving] = values
    if isinstance(plant, LagrangianPlant | GeneralisedPlant | TreePlant):
        at = int(np.argmax(np.abs(whole)))
        return float(abs(whole[at])), f'coordinate "{plant.names[at]}"'
    sizes = np.linalg.norm(whole.reshape(-1, 3), axis=1)
    return float(sizes.max()), f'node "{list(plant.structure.nodes)[int(np.argmax(sizes))]}"'


def _reduced(
    plant: AnyPlant,
    linear: Linearisation,
    inputs: Inputs,
    outputs: Outputs,
    q: np.ndarray,
    v: np.ndarray,
    notes: tuple[str, ...],
) -> LinearModel:
    """The equations of the module's docstring, with s'' the second rates among the inputs."""
    basis, up = _modes(linear), lift(linear.system)
    count, drives = basis.shape[1], len(inputs.driven)
    driven = up[:, [row for _, row in inputs.driven]]
    _check_driven(plant, linear, driven, inputs)
    x_z, x_w, x_s, x_r = np.split(np.eye(2 * count + 2 * drives), np.cumsum([count, count, drives]))
    place = basis @ x_z + driven @ x_s
    speed = basis @ x_w - up @ (linear.jacobian_rate @ place) + driven @ x_r
    push = -linear.stiffness @ place - linear.damping @ speed
    second = np.zeros((drives, len(inputs.names)))
    rows = np.zeros((linear.multiplier.size, len(inputs.names)))
    for k, (column, row) in enumerate(inputs.driven):
        second[k, column] = rows[row, column] = 1.0
    # Multipliers follow from G da: S^+ (G da) - P^T (forces), S = G M^-1 G^T.
    firm = up.T @ linear.mass @ up
    multiplier = -firm @ (linear.jacobian_change @ place + 2.0 * linear.jacobian_rate @ speed) - up.T @ push
    direct = firm @ rows - up.T @ inputs.force
    still = np.zeros((count, len(inputs.names)))
    weighed, moving = basis.T @ linear.mass, linear.moving
    reading = np.zeros((2 * count + 2 * drives, 2 * plant.coordinates))
    reading[:count, moving] = reading[count : 2 * count, plant.coordinates + moving] = weighed
    for k, (_, row) in enumerate(inputs.driven):
        reading[2 * count + k, moving] = reading[2 * count + drives + k, plant.coordinates + moving] = linear.rows[row]
        reading[2 * count + drives + k, moving] = linear.jacobian_rate[row]
    return LinearModel(
        A=np.concatenate([x_w, basis.T @ push, x_r, np.zeros_like(x_r)]),
        B=np.concatenate([still, basis.T @ inputs.force, np.zeros_like(second), second]),
        C=outputs.by_position @ place + outputs.by_velocity @ speed + outputs.by_multiplier @ multiplier,
        D=outputs.direct + outputs.by_multiplier @ direct,
        states=_state_names(count, inputs),
        inputs=inputs.names,
        outputs=outputs.names,
        drift=np.concatenate([weighed @ v[moving], weighed @ linear.acceleration, np.zeros(2 * drives)]),
        offset=outputs.offset,
        about=np.concatenate([q, v]),
        reading=reading,
        notes=notes,
    )


def _modes(linear: Linearisation) -> np.ndarray:
    """The basis T, the softest motion first, its largest entry positive."""
    basis = null_basis(linear.system)
    reduced = basis.T @ linear.stiffness @ basis
    turned = basis @ np.linalg.eigh(0.5 * (reduced + reduced.T))[1]
    if not turned.size:
        return basis
    largest = turned[np.argmax(np.abs(turned), axis=0), np.arange(turned.shape[1])]
    return np.asarray(turned * np.sign(largest))


def _check_driven(plant: AnyPlant, linear: Linearisation, driven: np.ndarray, inputs: Inputs) -> None:
    reached = linear.rows @ driven
    for k, (_, row) in enumerate(inputs.driven):
        wanted = np.eye(linear.multiplier.size)[row]
        if np.abs(reached[:, k] - wanted).max() > 1e-6:
            raise OptionError(
                f"{plant.constraint_names[row]} depends on other constraints here, so it cannot be an input by "
                "itself; take a constraint away, or drive another"
            )


def _state_names(count: int, inputs: Inputs) -> tuple[str, ...]:
    modes = [f"mode {k}" for k in range(1, count + 1)]
    driven = [inputs.names[column].removesuffix("_acceleration") for column, _ in inputs.driven]
    return (
        *modes,
        *(f"{mode} rate" for mode in modes),
        *driven,
        *(f"{quantity}_rate" for quantity in driven),
    )
