"""Contacts of a tree with rigid grounds: what steps with impulses (`taut.dynamics.contact_operations`) ask of it.

Nodes of the nodal plant are points of bodies. A move goes along velocities of the tree by retraction, so that nodes go
along curves: to contacts a node's velocity in a move is its way over the step, as it is for nodal plants. Impulses
change velocities of the tree by S J^T P, with J and S of the start of a move while it moves, and of its end where
velocities jump there; what they lead to is looked at again and again until it is as it is to be.

Where velocities jump, forces that velocities make act with those of one side, loops turn their directions and the mass
matrix changes, each of which makes or takes energy to the order of the step. A bounce is therefore bounded not by the
work of impulses but by all of the kinetic energy that the step made and no other force accounts for (`_made`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.mechanics.contact.impulses import MET, ROUNDS
from taut.mechanics.tables import SCALE
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.contact.response_tables import RESPONSE, WORK, contact_kernels
from taut.mechanics.trees.loops import moving
from taut.mechanics.trees.saddle import Factored, factor, solve, weight_of, without_inertia
from taut.numerics.packing import reals_of

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant
    from taut.mechanics.trees.tree_operations import Workspace

TURNS = 20
CLOSED = 5e-16
"""Of the plant's size: a loop that is open by round-off."""


class Striking:
    """Contacts in one run: the place that was looked at last, and what impulses do there."""

    def __init__(self, nodal: Plant) -> None:
        self.kernels = contact_kernels(nodal.spec)
        n = nodal.coordinates
        self.x, self.q, self.places = np.zeros(0), np.zeros(0), np.zeros((n // 3, 3))
        self.points, self.rows = np.zeros((n, 0)), np.zeros((0, 0))  # J and K there
        self.factored: Factored
        self.begun, self.velocity = np.zeros(0), np.zeros(0)  # of nodes and of the tree, where the step begins
        self.impulse = np.zeros(n)
        self.mass, self.mass_begun = np.zeros((0, 0)), np.zeros((0, 0))  # there, and where the step begins
        self.step, self.struck = 0.0, False
        self.acting = ((np.zeros(0),) * 3,) * 2  # q, v and generalised forces at the start and the end of the step
        self.bounces = any(ground.restitution > 0.0 for ground in nodal.grounds)

    def note(self, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> None:
        """Keep what acted, at the state it did."""
        self.acting = (self.acting[1], (q.copy(), v.copy(), force))


def look(d: Workspace, x: np.ndarray) -> bool:
    """Find J, K and what impulses do at coordinates x; whether there is inertia for it."""
    s = d.striking
    assert d.pushes.points is not None
    if not np.isfinite(x).all():
        return False
    q, first = on_sphere.configuration(d.embedding, x), len(d.plant.tree.wrenches)
    at = d.equations._terms(q, np.zeros(d.equations.nv))
    tree, w = d.equations.tree_jacobians()
    found = moving(d.pushes.points, tree[0], tree[1], w)
    s.x, s.q, s.places, s.rows, s.mass = x.copy(), q.copy(), found.place[first:], at.loop_jacobian, at.mass.copy()
    s.points = d.equations.pulled_back(found.jacobian[first:]).reshape(-1, d.equations.nv)
    weight = weight_of(at.mass, at.loop_jacobian)
    try:
        s.factored = factor(weight, at.loop_jacobian, d.longest)
    except np.linalg.LinAlgError:
        d.stuck = str(without_inertia(weight, d.equations.velocity_names))
        return False
    d.independence = min(d.independence, s.factored.independence)
    reals_of(d.pushes.tables, RESPONSE)[:] = (s.points @ _changes(d, s.points.T)).ravel()
    return True


def _changes(d: Workspace, forces: np.ndarray) -> np.ndarray:
    """(nv, k) what impulses (nv, k) do to velocities, with loops as they are."""
    s = d.striking
    if s.factored.whole is None:
        return solve(s.factored, forces, np.zeros((len(s.rows), forces.shape[1])))[0]
    still = np.zeros(len(s.rows))
    return np.column_stack([solve(s.factored, force, still)[0] for force in forces.T])


def _changed(d: Workspace, force: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """(nv,) what an impulse (nv,) does to velocities where rates of rows are to change so."""
    s = d.striking
    return solve(s.factored, force, rates)[0]


def _nodal(d: Workspace, places: np.ndarray, rates: np.ndarray, y: np.ndarray) -> np.ndarray:
    return d.pushes.stand(places, rates.reshape(-1, 3), d.kept(y))


def _velocity(d: Workspace, y: np.ndarray) -> np.ndarray:
    return on_sphere.velocity(d.embedding, y[: d.n], y[d.n : 2 * d.n])


def _give(d: Workspace, y: np.ndarray, v: np.ndarray) -> None:
    """Velocities to a state, at its place."""
    y[d.n : 2 * d.n] = on_sphere.rates_of(d.embedding, y[: d.n], v)


def _impulses(d: Workspace) -> np.ndarray:
    s = d.striking
    s.kernels["fill_impulses"](d.pushes.tables, s.impulse)
    return s.impulse


def _take_back(d: Workspace, state: np.ndarray, y: np.ndarray) -> None:
    """States of the nodal plant's terms, from a state of its own."""
    kept = d.kept(y)
    kept[:] = state[state.size - kept.size :]


# --- operations, as in taut.dynamics.contact_operations


def begin_contacts(d: Workspace, y: np.ndarray) -> None:
    s = d.striking
    state = _nodal(d, s.places, np.zeros_like(s.places), y)
    s.kernels["begin_contacts"](d.pushes.tables, state)
    _take_back(d, state, y)


def resume_contacts(d: Workspace, y: np.ndarray, afresh: bool) -> None:
    """All is found again at every step."""
    s = d.striking
    _, _, q, _ = d.split(y)
    if wrong := d.equations.unwound_wrong(q) or (d.pushes.spans.wrong(q) if d.pushes.spans is not None else ""):
        d.stuck = wrong
        y[0] = np.nan
    if not look(d, y[: d.n]):
        y[0] = np.nan
        return
    s.velocity, s.mass_begun = _velocity(d, y), s.mass
    s.begun = _nodal(d, s.places, s.points @ s.velocity, y)
    state = s.begun.copy()
    s.kernels["resume_contacts"](d.pushes.tables, state, True)
    _take_back(d, state, y)


def accelerate(d: Workspace, force: np.ndarray, out: np.ndarray) -> None:
    s = d.striking
    pushed = on_sphere.forces_of(d.embedding, s.x, force[: d.n])
    out[: d.n] = on_sphere.rates_of(d.embedding, s.x, _changed(d, pushed, np.zeros(len(s.rows))))


def move_apart(d: Workspace, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """Bring the end of a move of h onto loops and out of every ground, in turn; 0 where loops cannot be met."""
    s, pack = d.striking, d.pushes.tables
    if not np.isfinite(trial).all():
        return 0
    v, s.step = on_sphere.velocity(d.embedding, s.x, trial[d.n : 2 * d.n]), h
    small, taken = 0.5 * MET * reals_of(pack, SCALE)[0], np.zeros(s.impulse.size)
    for k in range(ROUNDS):
        v, q = _meet(d, h, v)
        if not v.size:
            return 0
        end = _nodal(d, *_way(d, h, q), trial)
        if k + 1 == ROUNDS:
            s.kernels["keep_apart"](pack, h, s.begun, end, True)  # what is left is counted
            break
        s.kernels["press"](pack, h, s.begun, end)
        more = _changed(d, s.points.T @ (_impulses(d) - taken), np.zeros(len(s.rows)))
        v, taken = v + more, s.impulse.copy()
        if not h * np.abs(s.points @ more).max() > small:
            break  # with positions as they are
    trial[: d.n] = q
    _give(d, trial, v)
    if d.pushes.spans is not None:  # no step goes half way round
        d.turned(trial)[:] = d.pushes.spans.followed(q, d.turned(y))
    return k + 1


def _way(d: Workspace, h: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of nodes at positions q, and their ways to there over the step."""
    s = d.striking
    assert d.pushes.points is not None
    places = d.equations.places(q, d.pushes.points)[len(d.plant.tree.wrenches) :]
    return places, (places - s.places) / h


def _meet(d: Workspace, h: float, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of a move of h that ends with closed loops, and positions there; none where loops cannot close."""
    s, before = d.striking, np.inf
    for _ in range(TURNS):
        q = d.equations.integrate(s.q, h * v)
        if not len(s.rows):
            return v, q
        off = d.equations.loop_error(q)
        worst = float(np.abs(off).max()) / d.plant.size
        if worst <= CLOSED or (worst < 1e-14 and worst > 0.5 * before):
            return v, q
        before = worst
        v = v + _changed(d, np.zeros(v.size), -off / h)
    return np.zeros(0), q


def foresee(d: Workspace, y: np.ndarray, trial: np.ndarray) -> None:
    s = d.striking
    s.struck = bool(s.kernels["has_struck"](d.pushes.tables, s.begun))
    if not s.struck:
        _give(d, trial, 2.0 * _velocity(d, trial) - s.velocity)


def keep_rates(d: Workspace, y: np.ndarray) -> None:
    """Take out of velocities what would open loops."""
    s = d.striking
    if len(s.rows):
        v = _velocity(d, y)
        _give(d, y, v + _changed(d, np.zeros(v.size), -(s.rows @ v)))


def strike(d: Workspace, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    s = d.striking
    v, came = _velocity(d, trial), on_sphere.velocity(d.embedding, s.x, moved[: d.n])
    end = _nodal(d, s.places, s.points @ v, trial)
    if s.struck and s.bounces:
        reals_of(d.pushes.tables, WORK)[0], came = _made(d, came, v)
    sweeps = int(s.kernels["strike"](d.pushes.tables, s.begun, s.points @ came, end))
    if sweeps:
        s.kernels["name_sticking"](d.pushes.tables, end)
        _give(d, trial, v + _changed(d, s.points.T @ _impulses(d), np.zeros(len(s.rows))))
    return sweeps


def _made(d: Workspace, came: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray]:
    """What kinetic energy the step made that no force accounts for but those of contacts, loops and velocities, before
    velocities v jump at its end [J]; and velocities that say, with those after the jump, what this adds: v less what
    other forces did in this half. came: velocities of the move."""
    s, quarter = d.striking, 0.25 * d.striking.step
    start, last = (_external(d, *acted) for acted in s.acting)
    made = 0.5 * float(v @ s.mass @ v - s.velocity @ s.mass_begun @ s.velocity)
    made -= quarter * float(start @ (s.velocity + came) + last @ (came + v))
    return made, v - 2.0 * quarter * _changed(d, last, np.zeros(len(s.rows)))


def _external(d: Workspace, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Generalised forces without those that velocities make by inertia."""
    return np.asarray(force + d.equations.bias(q, v) - d.equations.bias(q, np.zeros(v.size)))


def book_contacts(d: Workspace, before: np.ndarray, trial: np.ndarray) -> float:
    s = d.striking
    begun = s.points @ on_sphere.velocity(d.embedding, s.x, before[: d.n])
    state = _nodal(d, s.places, s.points @ _velocity(d, trial), trial)
    return float(s.kernels["book_contacts"](d.pushes.tables, begun, state))


def leave_forces(d: Workspace, h: float, trial: np.ndarray) -> None:
    s = d.striking
    state = _nodal(d, s.places, np.zeros_like(s.places), trial)
    s.kernels["leave_forces"](d.pushes.tables, h, state)
    _take_back(d, state, trial)


def note_contacts(d: Workspace, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    s = d.striking
    ends = (_nodal(d, s.places, np.zeros_like(s.places), one) for one in (y, trial))
    now = int(s.kernels["note_contacts"](d.pushes.tables, t, *ends, log, filled))
    log[filled:now, 1] += d.events.own
    return now


def imposes(d: Workspace) -> bool:
    """What acts at the end of a step hangs on velocities that are not known before: the next one asks for it anew."""
    return True


def power(d: Workspace, t: float, y: np.ndarray) -> float:
    """None by itself: forces say the power of all that is not conservative, at both ends of a step."""
    return 0.0


IMPULSES = (
    *(begin_contacts, resume_contacts, accelerate, move_apart, foresee, keep_rates, strike),
    *(book_contacts, leave_forces, note_contacts, imposes, power),
)
"""What steps with impulses ask beside what others do."""
