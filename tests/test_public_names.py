"""The names that people use: which, where they live, what old ones are called now; and how things show themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.reprs import LONGEST

PACKAGE = Path(taut.__file__).parent

TOP = """
BalanceError FileError ModelError MotionError OptionError Problem SelectionError TautError
Angle Bar Cable LinearConstraint Material Plate Structure on_line on_plane tied
Controller Correction Damping Drive Load Motion Scenario Sensor Watch
Box Compliance Ground Plane Terrain
Command Constant CosineRamp Doublet Feedback SampledSignal SignalSum Sinusoid SmoothStart StepSignal
Model read read_model read_record save
LagrangianPlant Plant assemble register
Ensemble Event Trajectory ensemble rollout simulate start start_many
Equilibrium balance formfind modes prestress stability
LinearModel linearise
Study film page plot reproduce sweep
"""

PACKAGES = {
    "generators": """
        dbar geiger_dome hollow_bridge icosahedron lattice levy_dome needle_tower planar_lattice prism
        prismatic_robot six_strut_robot tbar tower truncated_octahedron truncated_tetrahedron x_mast
    """,
    "statics": """
        Envelope Equilibrium EquilibriumDerivatives FrictionBounds LoadCase LoadCaseTable LoadPath Modes PathEvent
        Sizing Stability StaticCounts Utilisation balance compliance counts deployment derivatives elastic_sizes
        formfind friction_bounds least_mass mechanism_basis modes path prestress self_stress_basis solve_cases
        stability utilisation
    """,
    "control": """
        Actuation Compensator Decision Estimator FeedForward FreeAccelerations InverseDynamics LeastInputs LinearLaw
        LinearModel LoopCovariance NearRigidControl Norm Prediction PredictiveControl Reduction Regulator
        Relaxed Response SampledModel Slackening Tracking actuation bounded_inverse_dynamics closed_loop computed_torque
        controllability_gramian doublet_response feed_forward frequency_response h2_norm harmonic_response hinf_norm
        impulse_response inverse_dynamics kalman least_inputs linearise loop_covariance lqg lqr near_rigid_control
        near_rigid_inputs observability_gramian pd pd_tracking predictive_control reduced sampled step_response
    """,
    "kinetostatics": """
        Coaxial EqualTensionSums Evaluated FollowedPath FoundPosture FoundPostures InputLimits InterpolatedMap
        InterpolatedPosture InterpolationError Level ModeStiffness NodePosition PlateOrientation PlatePosition
        PlateStiffness Pose PostureSolver ReachMap Reached Robot Sensitivity TensionLimits TensionSum Unreached
        WorkspaceMap control_modes follow follow_all interpolated inverse_kinematics plate_axes plate_stiffness posture
        postures reach sensitivity stiffness_by_mode workspace
    """,
    "dynamics": """
        BatchSimulation Correction Ensemble Event Predictability Simulation SimulationState Trajectory collisions
        curve_of ensemble predictability rollout signal_values simulate start start_many
    """,
    "measurement": """
        AtRest Comparison Identification InMotion Measurements Tolerances Unknown compare identify read_measurements
        tolerances
    """,
    "locomotion": """
        Course DriveCost FacePolicy FaceSequence GaitSymmetry Locomotion Measures PatternGait ReactiveGait ReactiveSpace
        RobotShape Roll RollNoise RollOutcome RollPlan RollPlanner RollTransition SinusoidGait SinusoidSpace Stance
        Stand Symmetry TableGait TableSpace base_polygon by_symmetry course_of do_roll drive_cost face_sequence
        faces_below gait_symmetries gait_symmetry locomotion_of measured_rollout measured_transitions measures_of
        random_members slip_distance stands symmetries touching_nodes
    """,
    "live": "live_plant replay",
    "learning": "Randomisation RobotEnv RobotVectorEnv Task",
    "trees": """
        Body ContactPoint LoopJoint PulleyCable Reduction SpanCable Tree TreeEquations TreeJoint TreePlant TreeTerms
        Wrench in_bodies manipulator plant_of_model read_urdf reduction single_strut tree_plant
    """,
    "mechanisms": """
        CoordinateDrive CoordinateEquilibrium CoordinateMap GeneralisedPlant Joint coordinate_equilibrium in_coordinates
    """,
    "output": "ModeShape Still Winch winch",
    "search": """
        Candidate Check GaitSearch Goal Limit Objective Score SearchOptions Trial load_gaits search_gaits searched
    """,
}


def test_the_names_at_the_top_are_these() -> None:
    assert set(taut.__all__) == {"__version__", *TOP.split()}
    assert len(TOP.split()) <= 73
    for name in taut.__all__:
        assert getattr(taut, name) is not None
        assert name in dir(taut)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_names_of_each_package_are_these(package: str) -> None:
    if package == "learning":
        pytest.importorskip("gymnasium")  # which its environments are classes of
    module = getattr(taut, package)
    assert set(module.__all__) == set(PACKAGES[package].split())
    for name in module.__all__:
        found = getattr(module, name)
        assert isinstance(found, type) or callable(found)
        assert name in dir(module)
        if name in taut.__all__:
            assert getattr(taut, name) is found, "one thing, under two names"


def test_a_name_means_the_same_whatever_was_imported_before() -> None:
    """No module has the name of a function beside it: importing it would put it in the function's place."""
    for package, names in PACKAGES.items():
        if (PACKAGE / package).is_dir():
            files = {path.stem for path in (PACKAGE / package).iterdir()}
            assert not files & set(names.split())


@pytest.mark.parametrize("package", ["", *(name for name in PACKAGES if name != "generators")])
def test_the_lazy_names_are_the_ones_shown_to_type_checkers(package: str) -> None:
    module = getattr(taut, package) if package else taut
    tree = ast.parse((PACKAGE / package / "__init__.py").read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    shown = {(node.module, alias.name) for node in imports for alias in node.names}
    wanted = {(home, name) for home, names in module._HOMES.items() for name in names}
    wanted |= {("taut", name) for name in PACKAGES} if not package else set()
    assert shown == wanted
    assert {name for _, name in wanted} - PACKAGES.keys() == set(module.__all__) - {"__version__"}


def test_importing_costs_nothing() -> None:
    packages = ", ".join(f"taut.{name}" for name in PACKAGES if name != "generators")
    look = f"import sys, taut, {packages}; print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("tower", "taut.generators.tower"),
        ("counts", "taut.statics.counts"),
        ("Stability", "taut.statics.Stability"),
        ("lqr", "taut.control.lqr"),
        ("predictability", "taut.dynamics.predictability"),
        ("Still", "taut.output.Still"),
        ("Path", "taut.statics.LoadPath"),
        ("Case", "taut.statics.LoadCase"),
        ("CaseTable", "taut.statics.LoadCaseTable"),
        ("load_cases", "taut.statics.solve_cases"),
        ("Counts", "taut.statics.StaticCounts"),
        ("Derivatives", "taut.statics.EquilibriumDerivatives"),
        ("Table", "taut.SampledSignal"),
        ("load", "taut.read"),
    ],
)
def test_an_old_name_says_where_it_lives_now(old: str, now: str) -> None:
    with pytest.raises(AttributeError, match=rf"^taut has no name '{old}'; it is {now}$"):
        getattr(taut, old)
    found: Any = taut
    for part in now.split(".")[1:]:
        found = getattr(found, part)
    assert found is not None


def test_a_misspelt_name_is_guessed() -> None:
    with pytest.raises(AttributeError, match="^taut has no name 'simulat'; did you mean \"simulate\"\\?$"):
        _ = taut.simulat
    with pytest.raises(AttributeError, match="^taut.statics has no name 'pth'; did you mean \"path\"\\?$"):
        _ = taut.statics.pth
    with pytest.raises(AttributeError, match="^taut has no name '__wrapped__'$"):
        _ = taut.__wrapped__


# --- what things say of themselves


@cache
def large() -> tuple[taut.Structure, taut.Plant]:
    """A tower of a thousand members."""
    tower = taut.generators.tower(56).supported("bottom*").changed("cable:*", damping=1.0, rest_ratio=0.95)
    assert len(tower.bars) + len(tower.cables) >= 1000
    speeds = dict.fromkeys(tower.nodes, (0.0, 0.0, 0.1))
    pushes = [taut.Load(node, "x", record()) for node in list(tower.nodes)[:3]]
    return tower, taut.assemble(tower, gravity=9.81, loads=pushes, velocities=speeds)


@cache
def record() -> taut.SampledSignal:
    return taut.SampledSignal(tuple(np.arange(1000.0)), tuple(np.sin(np.arange(1000.0))))


@cache
def small() -> tuple[taut.Equilibrium, taut.LinearModel]:
    prism = taut.generators.prism(3).supported("bottom*").changed("cable:*", damping=1.0)
    rest = taut.balance(prism, gravity=9.81)
    plant = taut.assemble(rest.structure, gravity=9.81)
    return rest, taut.linearise(plant, inputs=["node:top*"], outputs=["node:top*"])


@cache
def still() -> dict[str, Any]:
    """One of everything that nothing has to move for, of a large tower; what is dense, of a small one."""
    tower, plant = large()
    signal = record()
    pushes = tuple(taut.Load(node, "x", signal) for node in tower.nodes)
    watches = tuple(taut.Watch.at_time(f"at {k}", 0.5 + k, cut=tuple(tower.cables)) for k in range(50))
    speeds = dict.fromkeys(tower.nodes, (0.0, 0.0, 0.1))
    scenario = taut.Scenario(loads=pushes, velocities=speeds, events=watches)
    rest, model = small()
    case = taut.statics.LoadCase(gravity=9.81, loads=dict.fromkeys(tower.nodes, (1.0, 0.0, 0.0)))
    table = taut.statics.solve_cases(rest.structure, {"weight": taut.statics.LoadCase(gravity=9.81)})
    standing = taut.balance(tower)
    everything: list[Any] = [
        *(tower, scenario, plant, plant.given, pushes[0], signal, watches[0], case),
        taut.Motion(tuple(tower.nodes), "x", signal),
        taut.Drive("winch", "cable:" + "c" * 1000, "rest_length", by=signal),
        *(taut.Command(1.0), taut.StepSignal(signal.times, signal.values), taut.Sensor("s" * 1000, "cable:*")),
        taut.Controller("c", tuple(tower.nodes), ("winch",), taut.control.LinearLaw(np.zeros((3, 1000)))),
        taut.control.LinearLaw(np.zeros((3, 1000))),
        taut.output.Winch("winch", 0.1, *np.zeros((4, 1000))),
        taut.Model(tower, scenario, "text " * 1000, "tower.yaml", "text " * 1000),
        taut.on_plane("plane", "top1", (1.0, 2.0, 0.5)),
        *(taut.Plate("disc", tuple(tower.nodes), mass=1.0), taut.Angle("knee", ("a", "b"), ("a", "c"))),
        *(standing, taut.modes(standing, 6), taut.statics.counts(tower), taut.stability(rest)),
        taut.statics.friction_bounds(standing),
        *(table, table.envelope(), taut.statics.utilisation(standing)),
        taut.statics.derivatives(rest, "rest_length", "cable:*"),
        taut.statics.path(
            rest.structure, taut.statics.LoadCase(gravity=10.0), start=taut.statics.LoadCase(gravity=9.81)
        ),
        *(model, taut.control.h2_norm(model), taut.control.step_response(model, 1.0)),
        *_followed(),
        taut.output.Still(tower, standing.cable_tension, standing.bar_force, standing.reaction),
        taut.output.ModeShape("sway", 1.0, np.zeros((len(tower.nodes), 3))),
        taut.LagrangianPlant(("a",) * 300, lambda q: np.eye(q.size), np.sum, np.zeros(300), np.zeros(300)),
        taut.measurement.tolerances(rest, cut_length=1e-4, builds=2),
        *_identified(),
        *(next(iter(tower.bars.values())), next(iter(tower.cables.values())), taut.Correction(), taut.Damping()),
        *(
            taut.Ground("g"),
            taut.Compliance(),
            taut.Plane(),
            taut.Box((0, 0, 0), (1, 1, 1)),
            taut.Terrain(((0.0,) * 50,) * 50),
        ),
        *(taut.Constant(1.0), taut.Sinusoid(1.0, 2.0), taut.Doublet(1.0, 2.0), taut.Feedback(lambda t, x, v: 0.0)),
        *(taut.CosineRamp(0.0, 1.0, 0.0, 1.0), taut.SmoothStart(signal, 0.0, 1.0), taut.SignalSum((signal,) * 50)),
        *(taut.Material("m" * 1000, density=7850.0), taut.Event(1.0, "e" * 1000), taut.Problem(("a", "b"), "c")),
        taut.statics.PathEvent(0.5, "slack", "vertical1.1", 3),
        _sized(),
    ]
    return {type(thing).__name__: thing for thing in everything}


@cache
def shown() -> dict[str, Any]:
    """One of everything, also of motions, controllers, robots, mechanisms and trees, which take a minute."""
    tower, plant = large()
    run = taut.simulate(plant, 1e-3, every=1e-4)
    told = taut.measurement.Measurements(run.time, tuple(tower.nodes), run.nodes)
    more = [
        *(run, run.checkpoint, taut.start(plant), taut.start(plant).state),
        taut.ensemble(plant, 1e-3, velocities=np.zeros((2, len(tower.nodes), 3)), method="rk4", step=1e-4),
        *(told, taut.measurement.compare(run, told)),
        *(taut.control.lqr(small()[1]), *_designed(small()[1])),
        *_robots(),
        *_locomotion(),
        *_mechanisms(),
        *_trees(),
        *(taut.dynamics.predictability(plant, run), _swept()),
    ]
    return {**still(), **{type(thing).__name__: thing for thing in more}}


def _followed() -> list[Any]:
    """What actuators give along a motion, and what follows one."""
    lever = taut.Structure(
        {"a": (1.0, 0.0, 0.0), "b": (0.0, 0.0, 0.0), "c": (0.0, 1.0, 0.0)},
        [taut.Bar("one", ("a", "b"), mass=1.0), taut.Bar("two", ("b", "c"), mass=1.0)],
        supports={"a": "xyz", "b": "xyz", "c": "z"},
        angles=[taut.Angle("knee", ("b", "a"), ("b", "c"), mode="free")],
    )
    motor = taut.Drive("motor", "angle:knee", "torque", to=taut.Command())
    times, still = np.linspace(0.0, 1.0, 50), np.zeros(50)
    plant = taut.assemble(lever, drives=[motor])
    places = np.repeat(plant.positions[None], 50, axis=0)
    nothing = np.zeros_like(places)
    return [
        taut.control.inverse_dynamics(plant, times, places, nothing, nothing),
        taut.control.pd_tracking(
            times, {"knee": still + 1.0}, {"knee": still}, proportional=1.0, derivative=1.0, rate=100.0
        ),
    ]


def _designed(model: taut.LinearModel) -> list[Any]:
    discrete = taut.control.sampled(model, 1000.0, delay=0.05)
    noise = dict.fromkeys(model.inputs, 1.0), dict.fromkeys(model.outputs, 1e-3)
    estimator = taut.control.kalman(discrete, *noise)
    compensator = taut.control.lqg(taut.control.lqr(discrete), estimator)
    spread = taut.control.loop_covariance(discrete, compensator, *noise)
    prompt = taut.control.sampled(model, 1000.0)
    ahead = taut.control.feed_forward(prompt, {model.outputs[0]: np.zeros(1000)}, input_cost=1.0)
    return [discrete, estimator, compensator, spread, ahead, taut.control.reduced(model, states=4)]


def _sized() -> taut.statics.Sizing:
    steel = taut.Material("steel", density=7850.0, youngs_modulus=2.1e11, yield_stress=2.5e8)
    prism = taut.generators.prism(3).supported("bottom*")
    made = prism.changed("cable:*", material=steel, radius=1e-3, stiffness=None).changed("bar:*", material=steel)
    return taut.statics.least_mass(made, {"at rest": taut.statics.LoadCase()}, minimum_tension=10.0)


def _identified() -> list[Any]:
    prism = taut.generators.prism(3).supported("bottom*")
    nodes = prism.positions[None]
    told = taut.measurement.Measurements(np.zeros(1), tuple(prism.nodes), nodes)
    still, unknown = taut.measurement.AtRest(told), taut.measurement.Unknown("cable:vertical*", "rest_length")
    found = taut.measurement.identify(prism, [still], [unknown], deviations={"node:*": 1e-3})
    moving = taut.measurement.InMotion(told, taut.Scenario(velocities=dict.fromkeys(prism.nodes, (0.0, 0.0, 0.1))))
    return [still, moving, unknown, found]


def _robots() -> list[Any]:
    kin = taut.kinetostatics
    prism = taut.balance(taut.generators.prism(3).supported("bottom*")).structure
    robot = kin.Robot(prism, ("cable:vertical*",))
    rest, task = kin.posture(robot), kin.NodePosition("top1", (None, None, 1.0))
    solver = kin.PostureSolver(robot)
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    found = kin.postures(robot, tries=2)
    between = kin.interpolated(kin.workspace(robot, {"cable:vertical*": robot.values[0] * np.array([0.995, 1.005])}))
    pose = kin.Pose(robot, prism.positions, np.zeros(12), robot.values)
    return [
        *(robot, solver, found, found.found[0], task, pose, task.evaluate(pose)),
        *(kin.PlatePosition("p" * 1000, (0.0, 0.0, 0.0)), kin.PlateOrientation("p" * 1000, axes)),
        *(kin.Level("p" * 1000), kin.Coaxial("p" * 1000, "node:*"), kin.TensionSum(("c",) * 1000, 1.0)),
        *(kin.EqualTensionSums((("c",) * 100,) * 100), kin.TensionLimits(lowest=1.0), kin.InputLimits("a", lowest=1.0)),
        *(kin.stiffness_by_mode(rest, robot)["all lengths locked"], kin.sensitivity(robot, rest)),
        kin.PlateStiffness("p", np.zeros(3), np.eye(6), np.eye(6)),
        *(kin.inverse_kinematics(robot, [task]), kin.follow(robot, lambda t: [task], [0.0, 1.0])),
        *(between, between.area, between.error, between.at([float(robot.values[0])])),
        kin.Unreached(0.0, 1.0, 2, "not reached" * 100),
        kin.reach(robot, {"z": [1.0]}, lambda z: [kin.NodePosition("top1", (None, None, z))]),
    ]


def _mechanisms() -> list[Any]:
    arm = taut.Structure(
        {"o": (0.0, 0.0, 0.0), "a": (1.0, 0.0, 0.0)}, [taut.Bar("oa", ("o", "a"), mass=1.0)], supports={"o": "xyz"}
    )
    joint = taut.mechanisms.Joint.revolute("hip", "o", (0.0, 1.0, 0.0), ("a",))
    drive = taut.mechanisms.CoordinateDrive("hip", "force", 1.0)
    given = taut.mechanisms.CoordinateMap(np.sin, ("hip",), (0.0,))
    plant = taut.mechanisms.in_coordinates(taut.assemble(arm), [joint], drives=[drive])
    held = taut.mechanisms.in_coordinates(taut.assemble(arm, gravity=9.81), [joint])
    return [joint, drive, given, plant, taut.mechanisms.coordinate_equilibrium(held)]


def _trees() -> list[Any]:
    trees = taut.trees
    machine = trees.manipulator()
    equations = trees.TreeEquations(machine)
    joint, push = machine.joints[-1], trees.Wrench("w" * 1000, "B1-strut", (0.0, 0.0, 1.0))
    rest = equations.start()
    return [
        *(machine, equations, joint, joint.body, joint.cable, machine.loops[0], push),
        *(trees.SpanCable("s" * 1000, ("a", "b"), (0.1, 0.1), 1.0), trees.ContactPoint("p" * 1000, "B1-strut")),
        *(equations.terms(*rest), trees.reduction(equations, *rest)),
        trees.tree_plant(machine),
        *_controlled(equations),
    ]


def _controlled(equations: Any) -> list[Any]:
    control = taut.control
    still = taut.dynamics.curve_of([taut.SampledSignal((0.0,), (0.0,))] * 3)
    law = control.near_rigid_control(equations, [f"floatingJt.{axis}" for axis in "xyz"], still, least_strain=0.01)
    told = control.Relaxed("cable", 1.0, 0.1)
    free = control.FreeAccelerations(np.zeros((50, 50)), np.zeros(50))
    numbers = np.zeros((100, 100))
    model = control.SampledModel(
        np.eye(2), np.ones((2, 1)), np.eye(2), np.zeros((2, 1)), ("a", "b"), ("u",), ("a", "b"), period=0.1
    )
    ahead = control.predictive_control(model, horizon=50, input_cost=1.0)
    return [
        *(law, law.decide(0.0, *equations.start()), told, free, control.Slackening("cable", 0.0)),
        *(control.LeastInputs(numbers[0], numbers[0], numbers[0], (told,) * 50, 0.0), control.Actuation(2, 3, 2)),
        *(ahead, ahead.decide(np.zeros(2))),
    ]


def _locomotion() -> list[Any]:
    loco = taut.locomotion
    robot = taut.generators.six_strut_robot()
    plant = taut.assemble(robot, gravity=9.81, ground=[taut.Ground("floor")])
    run = taut.simulate(plant, 0.2, every=0.01, method="impulses", step=1e-3, verify=False)
    told, many = loco.locomotion_of(run), taut.rollout(plant, {}, 0.1, seeds=range(3))
    members = tuple(f"bar:{name}" for name in robot.bars) * 20
    return [
        *(told, told.stands[0], loco.course_of(run), loco.drive_cost(run), loco.SinusoidGait(members, 0.1, 1.0)),
        *(loco.measures_of(many), taut.start_many(plant, 3)),
        loco.TableGait(members, (0.0, 1.0), ((0.0,) * 120,) * 2),
        loco.PatternGait(members, (0.0,) * 100, 1.0, 10.0),
        loco.ReactiveGait(members, (0.5,) * 12),
        loco.ReactiveSpace(members),
        *_searched(plant, members),
        *_rolled(robot),
    ]


def _rolled(robot: taut.Structure) -> list[Any]:
    loco, learning = taut.locomotion, taut.learning
    members = tuple(f"bar:{name}" for name in robot.bars)
    roll = loco.Roll(("x2b", "y2b", "z2b"), ("y2b", "z2b"), (0.0,) * 6)
    shape = loco.RobotShape(robot)
    outcome = loco.RollOutcome(roll.face, 1.0, np.array([0.2, 0.0, 0.0]), 0.0, np.eye(3), 0.0)
    moved = loco.RollTransition(roll, np.eye(3), (outcome,) * 20, 1)
    planner = loco.RollPlanner(shape, members, [moved], (1.0, 0.0))
    stance = planner.pose(robot.positions)
    return [
        *(roll, shape, outcome, moved, planner, stance, planner.plan(stance), loco.RollNoise()),
        *(loco.FacePolicy(members, (roll,) * 50), shape.symmetries[0]),
        loco.GaitSymmetry("C1/C1", tuple(range(50)), (0.0,) * 50),
        loco.FaceSequence((roll.face,) * 50, ("closed",) * 50, 9, 16, 49.0, 1.0, {"closed closed": 49.0}),
        *(learning.Task(), learning.Randomisation(), learning.RobotEnv(), learning.RobotVectorEnv(num_envs=2)),
    ]


def _searched(plant: taut.Plant, members: tuple[str, ...]) -> list[Any]:
    space, found = taut.locomotion.SinusoidSpace(members), taut.search
    copies = np.ones((4, 10))
    goal, score = found.Goal("along", deviations=1.0), found.Score(1.0, 0.1, 64)
    objective = found.Objective((goal,), (found.Limit("peak_tension", 100.0),))
    one, check = found.Candidate(np.full(space.size, 0.5), 3, copies), found.Check("at h/10", score, True)
    options, none = found.SearchOptions(), np.zeros((0, 4, 10))
    whole = found.GaitSearch(space, objective, options, (), (one,), none, copies, (check,), "finished", "text " * 1000)
    trial = found.Trial(plant, space, {}, 10.0, 1e-3, 0.02)
    table = taut.locomotion.TableSpace(members)
    return [*(space, table, goal, score, objective, objective.limits[0], options, one), *(check, whole, trial)]


def _swept() -> taut.Study:
    model = taut.read_model(Path(__file__).parents[1] / "examples" / "tbar.yaml", ["scenario.duration=1e-3"])
    return taut.sweep(model, {"properties.cable:*.stiffness": tuple(np.linspace(50.0, 100.0, 3).tolist())})


@pytest.mark.slow
def test_everything_is_shown() -> None:
    homes = [taut, *(getattr(taut, package) for package in PACKAGES)]
    named = {name: getattr(home, name) for home in homes for name in home.__all__}
    classes = {name for name, one in named.items() if isinstance(one, type) and not issubclass(one, Exception)}
    assert classes <= shown().keys()


@pytest.mark.parametrize("things", [still, pytest.param(shown, marks=pytest.mark.slow)])
def test_everything_fits_on_a_screen(things: Callable[[], dict[str, Any]]) -> None:
    long = {name: len(repr(thing)) for name, thing in things().items() if len(repr(thing)) > LONGEST}
    assert not long
    assert all(repr(thing).lstrip("<").startswith(name) for name, thing in things().items())
    assert LONGEST <= 400


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "Structure",
            "<Structure tower of 56 stages, 3 struts each, class 1: 336 nodes, 168 bars, 834 cables, 3 supports",
        ),
        ("Plant", "<Plant of tower of 56 stages, 3 struts each, class 1: 336 nodes, 168 bars, 834 cables, 3 loads"),
        ("Model", "<Model tower.yaml: <Structure tower of"),
        ("Scenario", "Scenario(loads=<336 items>, velocities=<336 items>, events=<50 items>)"),
        ("Load", "Load(node='bottom1', axis='x', signal=SampledSignal(times=<1000 items>, values=<1000 items>))"),
        ("Response", "Response(time=<"),
    ],
)
def test_what_some_say(name: str, text: str) -> None:
    assert repr(still()[name]).startswith(text)


def test_a_long_name_is_cut() -> None:
    assert len(repr(taut.Structure({"a": (0.0, 0.0, 0.0)}, name="x" * 5000))) <= LONGEST
