"""The six-strut robot dropped, at rest, on slopes and on boxes: forces, energy, books."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, followed, frame, inclined, robot, slope
from scipy.spatial.transform import Rotation

from taut import Bar, Box, Ground, ModelError, Structure, Terrain, assemble, simulate
from taut.locomotion import SinusoidGait

FLOOR = Ground("floor", friction=0.6)
WEIGHT = 3.0 * GRAVITY


def test_at_rest_the_ground_bears_the_weight() -> None:
    """After fifteen seconds with damped cables: nothing moves, three nodes bear the robot, none is in the ground."""
    run = followed(robot(0.05, damping=20.0), FLOOR, 15.0, 1e-3, every=0.1)
    assert run.ok
    assert np.abs(run.velocities[-1]).max() < 1e-9
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, WEIGHT], abs=1e-9)
    assert np.count_nonzero(run.contact_force[-1, :, 2]) == 3
    assert run.nodes[:, :, 2].min() > -1e-10
    # Bar forces, tensions and contact forces are in balance at every node.
    places, net = run.nodes[-1], np.zeros((12, 3))
    index = {name: k for k, name in enumerate(run.structure.nodes)}
    for members, forces in ((run.structure.bars, run.bar_force[-1]), (run.structure.cables, run.cable_tension[-1])):
        for member, force in zip(members.values(), forces, strict=True):
            i, j = (index[node] for node in (member.nodes if isinstance(member, Bar) else member.route))
            along = (places[j] - places[i]) / np.linalg.norm(places[j] - places[i])
            net[i] += force * along
            net[j] -= force * along
    net += run.contact_force[-1]
    net[:, 2] -= WEIGHT / 12.0
    assert np.abs(net).max() < 1e-8


def test_it_stands_still_on_a_slope() -> None:
    """10 degrees, friction 0.6; settled for 5 s (the slow test takes 30), then 2 s."""
    _stands(5.0, 2.0)


@pytest.mark.slow
def test_it_stands_still_on_a_slope_for_ten_seconds() -> None:
    _stands(30.0, 10.0)


def _stands(settling: float, standing: float) -> None:
    down, normal = slope(10.0)
    made = robot(0.0, damping=20.0, turned=_tilted(normal))
    places = np.array(list(made.nodes.values()))
    low = (places @ normal).min()
    places = {name: np.array(place) - low * normal for name, place in made.nodes.items()}
    made = Structure(
        {name: tuple(map(float, place)) for name, place in places.items()}, made.bars.values(), made.cables.values()
    )
    run = followed(made, inclined(10.0, 0.6), settling + standing, 1e-3, every=0.5)
    rest = run.nodes[run.time >= settling - 1e-9]
    assert np.abs(rest - rest[0]).max() < 1e-6
    force = run.contact_force[-1].sum(axis=0)
    assert -force @ down / (force @ normal) == pytest.approx(np.tan(np.radians(10.0)), rel=1e-6)


def _tilted(normal: np.ndarray) -> np.ndarray:
    """Turns a face of the robot onto a slope."""
    up, side = np.full(3, 1.0 / np.sqrt(3.0)), np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
    across = np.array([0.0, 1.0, 0.0])
    own = np.array([side, np.cross(up, side), up])
    return np.array([np.cross(across, normal), across, normal]).T @ own


@pytest.mark.slow
@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
def test_drops_make_no_energy(step: float) -> None:
    """Of robots turned at random: the energy exceeds that at the start by no more than the same robot's in free flight
    does, whose explicit steps let it swing by their square."""
    _no_energy(step, 3)


@pytest.mark.slow
@pytest.mark.parametrize("step", [1e-4, 3e-4, 1e-3, 2e-3, 5e-3])
def test_two_hundred_drops_make_no_energy(step: float) -> None:
    _no_energy(step, 200)


def _no_energy(step: float, count: int) -> None:
    for seed in range(count):
        draw = np.random.default_rng(seed)
        made = robot(0.1, turned=Rotation.from_rotvec(draw.normal(size=3)).as_matrix())
        speeds = {node: tuple(map(float, draw.normal(size=3))) for node in made.nodes}
        runs = [
            simulate(
                assemble(made, gravity=GRAVITY, velocities=speeds, ground=ground),
                0.5,
                every=5 * step,
                method="impulses" if ground else "rattle2",
                step=step,
                verify=False,
            )
            for ground in ([FLOOR], [])
        ]
        energy = [run.energy_kinetic + run.energy_elastic + run.energy_gravity for run in runs]
        rise, free = (float((one - one[0]).max()) for one in energy)
        assert rise <= max(free, 1e-12 * abs(energy[0][0])) * 1.0001
        assert runs[0].nodes[:, :, 2].min() > -1e-10


def test_the_books_close_to_the_order_of_the_step() -> None:
    """Energy and the work of impulses and dampers, in a drop with friction; halving the step halves what is left."""
    left = []
    for step in (1e-3, 2.5e-4):
        run = followed(robot(0.1, damping=2.0), FLOOR, 0.4, step)
        assert run.work[-1] < -1.0
        left.append(np.abs(run.energy_violation).max())
    assert left[0] < 0.02
    assert left[1] < 0.5 * left[0]


def test_what_drives_do_against_an_impact_belongs_to_its_step() -> None:
    """In no sample is the book open by more than the order of the step; half of an impact's work was once booked in the
    step after it, by 0.02 J here, whatever the step."""
    made, left = robot(0.3, damping=5.0), list[float]()
    gait = SinusoidGait(tuple(f"bar:{name}" for name in made.bars), 0.1, 1.0, tuple(map(float, range(6))))
    for step in (1e-3, 5e-4):
        plant = assemble(made, gravity=GRAVITY, ground=[Ground("floor")], drives=gait.drives(made))
        run = simulate(plant, 1.0, every=step, method="impulses", step=step, verify=False)
        assert np.linalg.norm(run.contact_force, axis=2).max() > 500.0, "it strikes"
        left.append(np.abs(run.energy_violation).max())
    assert left[0] < 0.01
    assert left[1] < 0.7 * left[0]


def test_momentum_changes_by_the_impulses_of_the_ground() -> None:
    """Over the whole of a tumbling drop, as weight and contact forces of every step say."""
    step = 1e-3
    run = followed(robot(0.1, turned=np.eye(3)), FLOOR, 0.5, step, every=step)
    momentum = 0.25 * run.velocities.sum(axis=1)
    pushed = np.cumsum(run.contact_force[1:].sum(axis=1) * step, axis=0)
    pushed[:, 2] -= WEIGHT * run.time[1:]
    assert np.abs(momentum[1:] - momentum[0] - pushed).max() < 1e-11


def test_a_bar_rocks_across_a_box() -> None:
    """It falls across a step, touches its edges and no node of it; its middle never enters the box."""
    box = Ground("step", Box((0.5, 0.0, 0.1), (0.2, 1.0, 0.2)), friction=0.4)
    made = Structure({"a": (0.0, 0.0, 0.5), "b": (1.0, 0.0, 0.6)}, [Bar("ab", ("a", "b"), mass=2.0)])
    run = followed(made, box, 1.0, 1e-3)
    assert {event.subject.split(",")[0] for event in run.events} == {"ab on step"}
    for share in np.linspace(0.3, 0.7, 41):
        point = (1.0 - share) * run.nodes[:, 0] + share * run.nodes[:, 1]
        above = np.abs(point[:, 0] - 0.5) < 0.1
        assert point[above, 2].min(initial=1.0) > 0.2 - 1e-9


@pytest.mark.slow
def test_a_rocking_frame_loses_what_housner_says() -> None:
    """A slender braced frame, tilted about one side of its base and let go: it falls back as a pendulum upside down
    does, and goes on about the other side with the angular velocity that keeps the angular momentum about that."""
    width, height, tilt = 0.4, 1.0, 0.05
    made = frame(0.0, width, height)
    turned = Rotation.from_rotvec([0.0, -tilt, 0.0])  # about y: the far side of the base is in the air
    made = Structure(
        {name: tuple(map(float, turned.apply(place))) for name, place in made.nodes.items()}, made.bars.values()
    )
    ends = np.array([[made.nodes[node] for node in bar.nodes] for bar in made.bars.values()])
    masses, middles, spans = (
        np.array([bar.mass for bar in made.bars.values()]),
        ends.mean(axis=1),
        ends[:, 1] - ends[:, 0],
    )
    centre = masses @ middles / masses.sum()
    off, across = middles - centre, spans[:, [0, 2]]
    inertia = float(masses @ (np.sum(off[:, [0, 2]] ** 2, axis=1) + np.sum(across**2, axis=1) / 12.0))
    mass, away = float(masses.sum()), np.hypot(centre[0], centre[2])
    kept = (inertia + mass * (0.25 * height**2 - 0.25 * width**2)) / (inertia + mass * away**2)
    pace = np.sqrt(mass * GRAVITY * away / (inertia + mass * away**2))
    lean = np.arctan2(0.5 * width, 0.5 * height)
    # Exact motion about the first side, by energy: the time until the base is level.
    angles = lean - tilt + tilt * np.sin(np.linspace(0.0, 0.5 * np.pi, 20_001)) ** 2
    speed = pace * np.sqrt(2.0 * (np.cos(lean - tilt) - np.cos(angles)))
    middle = 0.5 * (angles[1:] + angles[:-1])
    fall = np.sum(np.diff(angles) / (pace * np.sqrt(2.0 * (np.cos(lean - tilt) - np.cos(middle)))))
    step = 1e-4
    run = followed(made, Ground("floor", friction=2.0), 1.5 * float(fall), step, every=step)
    top = list(made.nodes).index("001")
    foot = list(made.nodes).index("000")
    upright = run.nodes[:, top] - run.nodes[:, foot]
    leaning = np.unwrap(np.arctan2(upright[:, 0], upright[:, 2]))
    rate = np.gradient(leaning, run.time)
    landed = int(np.argmin(np.abs(run.time - fall)))
    before, after = rate[landed - 4], rate[landed + 4]
    assert abs(before) == pytest.approx(speed[-1], rel=5e-3)
    assert after / before == pytest.approx(kept, rel=1e-2)
    assert run.nodes[..., 2].min() > -1e-9


def test_a_bar_slides_over_an_edge_while_it_turns() -> None:
    """It neither sinks in nor chatters; its book is of second order, since nothing strikes and nothing rubs."""
    half, turning = np.array([np.cos(0.7), 0.0, -np.sin(0.7)]), 3.0
    middle, box = np.array([0.5, 0.0, 0.0]), Box((0.0, 0.0, -0.25), (1.0, 1.0, 0.5))
    across = np.array([-half[2], 0.0, half[0]])
    made = Structure(
        {name: tuple(map(float, middle + side * half)) for name, side in (("a", -1.0), ("b", 1.0))},
        [Bar("ab", ("a", "b"), mass=2.0)],
    )
    speeds = {n: tuple(map(float, -2.0 * half + s * turning * across)) for n, s in (("a", -1.0), ("b", 1.0))}
    left = []
    for step in (1e-3, 5e-4):
        ground = Ground("box", box, friction=0.0, touched_by=("bar:ab",))
        run = followed(made, ground, 0.15, step, gravity=0.0, velocities=speeds, every=step)
        ends = run.nodes[:, 1] - run.nodes[:, 0]
        # The corner seen from the bar, along its normal in the x-z plane.
        corner = np.array([0.5, 0.0, 0.0]) - run.nodes[:, 0]
        depth = (ends[:, 0] * corner[:, 2] - ends[:, 2] * corner[:, 0]) / np.linalg.norm(ends, axis=1)
        assert depth.max() < 1e-9
        left.append(np.abs(run.energy_violation).max())
    assert left[1] < 0.3 * left[0] + 1e-12


@pytest.mark.parametrize("speed", [5.0, 15.0, 25.0, 400.0])
def test_no_node_goes_through_a_thin_box(speed: float) -> None:
    plate = Ground("plate", Box((0.0, 0.0, 0.0), (1.0, 1.0, 0.01)))
    made = Structure({"a": (0.1, 0.2, 1.0)}, point_masses={"a": 1.0})
    run = followed(made, plate, 0.5, 1e-3, gravity=0.0, velocities={"a": (0.0, 0.0, -speed)})
    assert run.nodes[-1, 0, 2] == pytest.approx(0.005, abs=1e-9)


def test_a_bar_through_a_box_is_refused() -> None:
    made = Structure({"a": (-2.0, 0.0, 0.0), "b": (2.0, 0.01, 0.0)}, [Bar("ab", ("a", "b"), mass=1.0)])
    with pytest.raises(ModelError, match=r'bar "ab" (goes through|is .* inside) the ground "box"; lift'):
        followed(made, Ground("box", Box((0.0, 0.0, 0.02), (0.2, 1.0, 0.4))), 0.1, 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.0), (0.5, 0.0), (0.5, 0.3)])
def test_a_rigid_tripod_comes_to_rest(friction: float, restitution: float) -> None:
    """Six bars that meet, dropped askew: contacts that bars join converge, and in the end bear the weight."""
    corners = np.array([[0.0, 0.0, 0.2], [1.0, 0.0, 0.3], [0.3, 0.9, 0.4], [0.4, 0.3, 1.1]])
    names = "abcd"
    bars = [Bar(a + b, (a, b), mass=1.0) for k, a in enumerate(names) for b in names[k + 1 :]]
    made = Structure({n: tuple(map(float, c)) for n, c in zip(names, corners, strict=True)}, bars)
    run = followed(made, Ground("floor", friction=friction, restitution=restitution), 2.0, 1e-3)
    assert run.finished
    assert run.nodes[..., 2].min() > -1e-9
    energy = run.energy_kinetic + run.energy_gravity
    assert (np.diff(energy) < 1e-2).all()
    if friction:
        assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 6.0 * GRAVITY], abs=1e-3)


def test_a_level_terrain_is_a_floor() -> None:
    """But for round-off: of a plane it is known that what was brought onto it is there, of a terrain it is looked."""
    heights = tuple((0.0,) * 5 for _ in range(5))
    level = Ground("field", Terrain(heights, (1.0, 1.0), (-2.0, -2.0)), friction=0.6)
    one, other = (followed(robot(0.1), ground, 0.5, 1e-3).nodes for ground in (FLOOR, level))
    assert np.abs(one - other).max() < 1e-12


def test_an_even_terrain_is_a_slope() -> None:
    """Of 10 degrees, by heights on a grid."""
    down, _ = slope(10.0)
    heights = tuple((-np.tan(np.radians(10.0)) * x,) * 3 for x in (-2.0, 0.0, 2.0))
    hill = Ground("hill", Terrain(heights, (2.0, 2.0), (-2.0, -2.0)), friction=0.1)
    made = Structure({"a": (0.0, 0.0, 0.0)}, point_masses={"a": 1.0})
    run = followed(made, hill, 0.5, 1e-3)
    wanted = 0.125 * GRAVITY * (np.sin(np.radians(10.0)) - 0.1 * np.cos(np.radians(10.0)))
    assert run.nodes[-1, 0] == pytest.approx(wanted * down, abs=1e-12)


@pytest.mark.slow
def test_bodies_of_bars_that_meet_do_not_know_of_one_another() -> None:
    """25 tetrahedra dropped side by side, 75 contacts and more candidates than responses of the whole had room for:
    each moves as it does alone, though one solution gives the responses of many."""
    corners = np.array([[0.0, 0.0, 0.02], [1.0, 0.0, 0.03], [0.3, 0.9, 0.04], [0.4, 0.3, 0.9]])

    def tetrahedra(count: int) -> Structure:
        names = [[f"{letter}{k}" for letter in "abcd"] for k in range(count)]
        places = {n: (x + 3.0 * k, y, z) for k in range(count) for n, (x, y, z) in zip(names[k], corners, strict=True)}
        pairs = [(own[i], own[j]) for own in names for i in range(4) for j in range(i + 1, 4)]
        return Structure(places, [Bar(a + b, (a, b), mass=1.0) for a, b in pairs])

    ground = Ground("floor", friction=0.5, restitution=0.3)
    alone, many = (followed(tetrahedra(count), ground, 0.5, 1e-3) for count in (1, 25))
    assert many.finished
    assert not any("left out" in note for note in many.notes)
    for k in range(25):
        own = many.nodes[:, 4 * k : 4 * k + 4] - [3.0 * k, 0.0, 0.0]
        assert np.abs(own - alone.nodes).max() < 1e-9
        assert np.abs(many.contact_force[-1, 4 * k : 4 * k + 4] - alone.contact_force[-1]).max() < 1e-4
