"""What algorithms ask of a plant in generalised coordinates (`taut.dynamics.operations`), and what is read off it."""

from __future__ import annotations

import numpy as np

from taut.mechanics.operations.energy import energies
from taut.mechanics.operations.events import pass_imposed_break as pass_break_of_nodes
from taut.mechanics.operations.motion import all_forces, enter_piece
from taut.mechanics.parts import (
    accept_step,
    add_kinetic_gradient,
    carry,
    conservative_force,
    impose,
    load_power,
    row_jacobian_rate,
    row_residuals,
    row_values,
)
from taut.mechanics.points.coordinate_terms import (
    add_spring_slope,
    coordinate_terms_in,
    impose_coordinates,
    imposed_count,
    push_coordinates,
    push_power,
    spring_energy,
)
from taut.mechanics.points.generalised_motion import (
    accelerate,
    all_rows,
    dot,
    fill_bias,
    fill_mass,
    fill_rows,
    power_of_imposed,
    prepare_coordinates,
    pull_back,
    solve_coordinates,
    stand,
)
from taut.mechanics.points.generalised_tables import BEGIN, generalised_in, kept_count
from taut.mechanics.points.joints import columns, generalised_count, place
from taut.mechanics.points.operations.singularities import note_passing, passing_in
from taut.mechanics.tables import (
    Layout,
    constants_in,
    coordinate_count,
    internal_count,
    jacobian_in,
    layout_of,
    row_count,
    term_state_count,
    term_states_in,
    work_in,
)
from taut.numerics.array_views import array_at
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


@entry
def rate(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    state, rates, m = start_of(y), start_of(out), generalised_count(p)
    rates[2 * m] = accelerate(p, t, state, shifted(rates, m))
    for k in range(m):
        rates[k] = state[m + k]
    states, begin = term_states_in(p), states_begin(p)
    for k in range(term_state_count(p)):
        rates[begin + k] = states.rate[k]
    note_passing(p, t, state)


@inlined
def states_begin(p: Pack) -> int:
    """Where the states of terms begin in a state of coordinates."""
    return 2 * generalised_count(p) + 1 + internal_count(p) - term_state_count(p)


@entry
def forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """J^T (force - M b) and what acts on coordinates; returns the power of loads and dampers."""
    work = work_in(p)
    s = stand(p, start_of(y), BEGIN)
    impose(p, t, s)
    power = all_forces(p, t, s, work.force)
    columns(p, s, generalised_in(p).column)
    pull_back(p, s, work.force, start_of(out))
    return power + push_coordinates(p, t, start_of(y), start_of(out))


@entry
def power(p: Pack, t: float, y: np.ndarray) -> float:
    return load_power(p, t, stand(p, start_of(y), BEGIN)) + push_power(p, t, start_of(y))


@entry
def drive_power(p: Pack, t: float, y: np.ndarray) -> float:
    state, made = start_of(y), generalised_in(p)
    accelerate(p, t, state, made.force)
    return power_of_imposed(p, t, stand(p, state, BEGIN))


@entry
def impose_on(p: Pack, t: float, y: np.ndarray) -> None:
    state, terms, m = start_of(y), coordinate_terms_in(p), generalised_count(p)
    impose_coordinates(p, t)
    for c in range(imposed_count(p)):
        k = terms.imposed[c]
        state[k], state[m + k] = terms.now[3 * c], terms.now[3 * c + 1]
    impose(p, t, stand(p, state, BEGIN))


@entry
def pass_break(p: Pack, t: float, inside: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """The next piece begins: at the nodes what jumps by it does work at once, cables may slacken or tighten, and
    commands become part of the state."""
    state, n, m, more = start_of(y), coordinate_count(p), generalised_count(p), 1 + internal_count(p)
    s = stand(p, state, BEGIN)
    filled = pass_break_of_nodes(p, t, inside, array_at(s, 2 * n + more), log, filled)
    for i in range(more):
        state[2 * m + i] = s[2 * n + i]
    return filled


@entry
def error_size(p: Pack, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float, h: float) -> float:
    """Errors by how far they move nodes at the start: positions relative to a typical length, rates to the largest
    speed, work to the energy that such speeds mean; h is not used, since round-off is not known here."""
    made, scale, m = generalised_in(p), constants_in(p).scale, generalised_count(p)
    before, after, wrong, speed, mass = start_of(y), start_of(trial), start_of(error), 0.0, made.reach[m]
    for k in range(m):
        speed = max(speed, made.reach[k] * max(abs(before[m + k]), abs(after[m + k])))
    speed = max(speed, 1e-3 * scale[0] / scale[1])
    worst, sound = 0.0, 0.0
    for k in range(m):
        worst = max(worst, made.reach[k] * max(abs(wrong[k]) / scale[0], abs(wrong[m + k]) / speed))
        sound += 0.0 * (wrong[k] + wrong[m + k])  # a maximum would lose what is not a number
    states, begin = term_states_in(p), states_begin(p)
    for k in range(term_state_count(p)):
        worst = max(worst, abs(wrong[begin + k]) / states.size[k])
    work = mass * speed * speed + max(abs(before[2 * m]), abs(after[2 * m]))
    return (max(worst, abs(wrong[2 * m]) / work) + sound) / tolerance


@entry
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    """Of all rows; the worst of each without dimension."""
    made, work, scale, size, n = generalised_in(p), work_in(p), constants_in(p).scale, jacobian_in(p).size, 0
    s, off, moving = stand(p, start_of(y), BEGIN), start_of(residual), start_of(rate)
    n = coordinate_count(p)
    row_residuals(p, s, work.residual, work.residual_rate)
    worst, worst_rate, speed, sound = 0.0, 0.0, scale[0] / scale[1], 0.0
    for i in range(n):
        speed = max(speed, abs(s[n + i]))
    for r in range(kept_count(p)):
        off[r], moving[r] = work.residual[made.kept[r]], work.residual_rate[made.kept[r]]
        worst, worst_rate = max(worst, abs(off[r]) / size[made.kept[r]]), max(worst_rate, abs(moving[r]))
        sound += 0.0 * (off[r] + moving[r])
    terms, state, m = coordinate_terms_in(p), start_of(y), generalised_count(p)
    for c in range(imposed_count(p)):
        k, r = terms.imposed[c], kept_count(p) + c
        off[r], moving[r] = state[k] - terms.now[3 * c], state[m + k] - terms.now[3 * c + 1]
        worst = max(worst, abs(off[r]) * made.reach[k] / scale[0])
        worst_rate = max(worst_rate, abs(moving[r]) * made.reach[k])
        sound += 0.0 * (off[r] + moving[r])
    return worst + sound, worst_rate / speed + sound


@entry
def prepare_projection(p: Pack, y: np.ndarray) -> int:
    return prepare_coordinates(p, stand(p, start_of(y), BEGIN), constants_in(p).metric[0] != 0)


@entry
def project(p: Pack, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    solve_coordinates(p, start_of(covector), start_of(rates), start_of(direction), generalised_in(p).multiplier)


@kernel
def _bend(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> None:
    """out = d2X/dq2 (v, direction), from b(v + direction) - b(v - direction)."""
    made, n, m = generalised_in(p), coordinate_count(p), generalised_count(p)
    for i in range(n):
        out[i] = 0.0
    for sign in range(-1, 2, 2):
        for k in range(m):
            made.speeds[k] = y[m + k] + sign * direction[k]
        place(p, y, made.speeds, made.spare, shifted(made.spare, n), made.bias)
        for i in range(n):
            out[i] += 0.25 * sign * made.bias[i]


@entry
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    """d(G J v)/dq . direction: nodes move by J direction, and their velocities by the bend of the map."""
    made, work, jacobian = generalised_in(p), work_in(p), jacobian_in(p)
    n, m, state, way, out = coordinate_count(p), generalised_count(p), start_of(y), start_of(direction), start_of(rates)
    _bend(p, state, way, made.bent)
    s = stand(p, state, BEGIN)
    columns(p, s, made.column)
    row_values(p, s, jacobian.value)
    for i in range(n):
        made.spare[i] = 0.0
    for k in range(m):
        for i in range(n):
            made.spare[i] += made.column[k * n + i] * way[k]
    row_jacobian_rate(p, s, made.spare, work.residual_rate)
    for r in range(kept_count(p)):
        row = made.kept[r]
        out[r] = work.residual_rate[row]
        for e in range(jacobian.start[row], jacobian.start[row + 1]):
            out[r] += jacobian.value[e] * made.bent[jacobian.coordinate[e]]
    for c in range(imposed_count(p)):
        out[kept_count(p) + c] = 0.0


@entry
def independence(p: Pack) -> float:
    """How independent the constraints were at worst since the last call, which a step that is kept makes."""
    accept_step(p)
    passing_in(p).fresh[0] = 1
    made = generalised_in(p)
    least = made.weakest[0]
    made.weakest[0] = 1.0
    return least


@inlined
def _size(moving: float, elastic: float, gravity: float, work: float) -> float:
    return moving + abs(elastic) + abs(gravity) + abs(work)


@entry
def energy(p: Pack, y: np.ndarray) -> tuple[float, float]:
    s, n = stand(p, start_of(y), BEGIN), coordinate_count(p)
    moving, elastic, gravity, _ = energies(p, s)
    elastic += spring_energy(p, start_of(y))
    return moving + elastic + gravity, _size(moving, elastic, gravity, s[2 * n])


@entry
def energy_gradient(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    """dE/dq = J^T (dV/dx + dT/dx) + (M x') . d(x')/dq, and dE/dv = J^T M x'."""
    made, n, m = generalised_in(p), coordinate_count(p), generalised_count(p)
    gradient, momentum, state = start_of(along_q), start_of(along_v), start_of(y)
    s = stand(p, state, BEGIN)
    columns(p, s, made.column)
    pull, pushed = work_in(p).force, work_in(p).acceleration
    for i in range(n):
        pull[i] = 0.0
    elastic, gravity, _ = conservative_force(p, s, pull)
    for i in range(n):
        pull[i] = -pull[i]
    add_kinetic_gradient(p, s, pull)
    carry(p, s, shifted(s, n), pushed)
    moving = 0.5 * dot(n, shifted(s, n), pushed)
    for k in range(m):
        column = shifted(made.column, k * n)
        gradient[k], momentum[k] = dot(n, column, pull), dot(n, column, pushed)
    for k in range(m):
        for j in range(m):
            made.force[j] = 1.0 if j == k else 0.0
        _bend(p, state, made.force, made.bent)
        gradient[k] += dot(n, made.bent, pushed)
    elastic += spring_energy(p, state)
    add_spring_slope(p, state, gradient)
    return moving + elastic + gravity, _size(moving, elastic, gravity, s[2 * n])


@entry
def keep_momentum(p: Pack, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """No momentum is known to be kept."""


@entry
def layout(p: Pack) -> Layout:
    return layout_of(generalised_count(p), internal_count(p), 0)


@entry
def fill_terms(
    p: Pack, t: float, y: np.ndarray, mass: np.ndarray, rows: np.ndarray, force: np.ndarray, bias: np.ndarray
) -> None:
    """M, G, force and bias of M a = force + G^T l, G a = bias at a state, as matrices."""
    made, work, m, count = generalised_in(p), work_in(p), generalised_count(p), all_rows(p)
    s = stand(p, start_of(y), BEGIN)
    impose(p, t, s)
    impose_coordinates(p, t)
    all_forces(p, t, s, work.force)
    columns(p, s, made.column)
    fill_rows(p, s)
    fill_mass(p, s, made.mass)
    pull_back(p, s, work.force, made.force)
    push_coordinates(p, t, start_of(y), made.force)
    fill_bias(p, t, start_of(y), s)
    for k in range(m):
        force[k] = made.force[k]
        for j in range(m):
            mass[k, j] = made.mass[k * m + j]
    for r in range(count):
        bias[r] = made.wanted[r]
        for k in range(m):
            rows[r, k] = made.rows[r * m + k]


@entry
def fill_nodal(p: Pack, times: np.ndarray, pieces: np.ndarray, states: np.ndarray, out: np.ndarray) -> None:
    """States of nodes that states of coordinates mean, followed by their accelerations and all multipliers: of rows of
    nodes, and of those that impose coordinates."""
    n, m, size = coordinate_count(p), generalised_count(p), 2 * coordinate_count(p) + 1 + internal_count(p)
    made, work = generalised_in(p), work_in(p)
    for row in range(times.size):
        enter_piece(p, pieces[row])
        accelerate(p, times[row], start_of(states[row]), made.speeds)
        s = stand(p, start_of(states[row]), BEGIN)
        impose(p, times[row], s)
        for i in range(size):
            out[row, i] = s[i]
        for i in range(n):
            total = made.bias[i]
            for k in range(m):
                total += made.column[k * n + i] * made.speeds[k]
            out[row, size + i] = total
        for k in range(row_count(p)):
            out[row, size + n + k] = work.multiplier[k]
        for c in range(imposed_count(p)):
            out[row, size + n + row_count(p) + c] = made.multiplier[kept_count(p) + c]


MOTION = (
    *(layout, rate, forces, power, drive_power, enter_piece, pass_break, impose_on),
    *(error_size, residuals, prepare_projection, project, jacobian_rate, independence, energy, energy_gradient),
    keep_momentum,
)
"""What a stepper, a correction or the time loop may ask."""
