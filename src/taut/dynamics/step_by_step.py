"""`start`: a plant made ready to be stepped."""

from __future__ import annotations

from collections.abc import Sequence

from taut.dynamics.batch_simulation import BatchSimulation
from taut.dynamics.correction import Correction
from taut.dynamics.inputs import Inputs, inputs_for
from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import EnergyMomentum, Implicit
from taut.dynamics.settings import Settings
from taut.dynamics.setup import check_options
from taut.dynamics.simulating import correction_for, options_of
from taut.dynamics.simulation import Simulation
from taut.errors import OptionError
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.controllers import Sensor
from taut.structure.sensing import quantities_of
from taut.type_checks import checked_arguments


@checked_arguments
def start(
    plant: PlantProtocol,
    *,
    observe: Sequence[str | Sensor] = (),
    hold: str | None = None,
    method: str = "dp5",
    tolerance: float = 1e-8,
    step: float | None = None,
    correction: Correction | str | None = None,
    locate: bool = True,
    keep: bool = True,
) -> Simulation:
    """Make a plant ready to be stepped: observe, decide, `step`.

    Inputs are the loads and drives whose signals are numbers or Commands; the others follow their own signals.
    observe: sensors, or quantities as those of a Sensor, "node:top.position", "cable:*.tension"; nothing: the plant's
        own sensors, or where it has none the positions and velocities of all nodes.
    hold: "zero" lets an input act at once, "first" along a line over the step, "smooth" without a jump in its rate.
        None takes zero, and smooth for lengths and angles, which cannot jump.
    method, tolerance, step, correction, locate: as in `simulate`.
    keep: whether states are kept for `trajectory`; without it a simulation can go on for ever.
    """
    chosen = method_for(method, tolerance, step)
    wish = correction_for(correction, chosen)
    check_options(plant, chosen, wish, 1.0, None, tolerance, step)
    inputs, own = Inputs((), ()), getattr(plant, "names", ())
    outputs = [f"coordinate:{name}{more}" for more in ("", ".rate") for name in own]
    if isinstance(plant, Plant):
        sensors, asked = _sensors(plant, observe)
        plant, inputs = inputs_for(plant, hold, sensors)
        outputs = asked or [*plant.sensor_names] or _positions_and_velocities(plant)
    elif observe:
        raise OptionError(
            "a plant in coordinates of its own is observed by its coordinates; leave out what to observe, and look at "
            "trajectory().reading for what sensors show"
        )
    settings = Settings(plant, method, tolerance, step, wish, dense=False, locate=locate)
    return Simulation(settings, inputs, outputs, options_of(chosen, wish, tolerance, step), keep=keep)


@checked_arguments
def start_many(
    plant: Plant,
    count: int,
    *,
    observe: Sequence[str | Sensor] = (),
    hold: str | None = None,
    method: str = "impulses",
    step: float | None = 1e-3,
    correction: Correction | str | None = None,
    threads: int = 1,
) -> BatchSimulation:
    """Make so many variants of a plant ready to be stepped together: `step(dt, inputs)` takes and gives arrays.

    observe, hold: as in `start`. method, step: of equal steps, that locate nothing: "impulses" on rigid grounds, else
        "rk4". correction: as in `simulate`. threads: over which variants are spread; the bits are the same.
    """
    if count < 1 or threads < 1:
        raise OptionError(f"count {count} and threads {threads} must be one or more")
    chosen = method_for(method, 1e-8, step)
    wish = correction_for(correction, chosen)
    check_options(plant, chosen, wish, 1.0, None, 1e-8, step)
    if chosen.adaptive or isinstance(chosen, Implicit | EnergyMomentum):
        raise OptionError(f'method "{method}" does not step many at once; use impulses on rigid grounds, else rk4')
    if plant.things or not plant.compiled:
        told = "events that are watched" if plant.things else "loads or drives that are Python functions"
        raise OptionError(f"variants that are stepped together have no {told}; step them one by one, by taut.start")
    sensors, asked = _sensors(plant, observe)
    plant, inputs = inputs_for(plant, hold, sensors)
    outputs = asked or [*plant.sensor_names] or _positions_and_velocities(plant)
    settings = Settings(plant, method, 1e-8, step, wish, dense=False, locate=False)
    return BatchSimulation(settings, inputs, outputs, count, threads, plant)


def _positions_and_velocities(plant: Plant) -> list[str]:
    return [
        f"node:{node}.{quantity}.{axis}"
        for quantity in ("position", "velocity")
        for node in plant.structure.nodes
        for axis in "xyz"
    ]


def _sensors(plant: Plant, observe: Sequence[str | Sensor]) -> tuple[list[Sensor], list[str]]:
    """Sensors that the plant does not have yet, and the names of all that is to be observed."""
    known, found, asked = set(plant.sensor_names), list[Sensor](), list[str]()
    for one in observe:
        if isinstance(one, str) and one in known:
            asked.append(one)
            continue
        ports = () if isinstance(one, Sensor) else quantities_of(plant.structure, one, plant.grounds)
        new = [one] if isinstance(one, Sensor) else [Sensor(str(port), str(port)) for port in ports]
        found += [sensor for sensor in new if sensor.name not in known]
        asked += [sensor.name for sensor in new]
        known |= {sensor.name for sensor in new}
    return found, asked
