"""`start`: a plant made ready to be stepped."""

from __future__ import annotations

from collections.abc import Sequence

from taut.dynamics.correction import Correction
from taut.dynamics.inputs import Inputs, inputs_for
from taut.dynamics.methods import method_for
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
        outputs = (
            asked
            or [*plant.sensor_names]
            or [
                f"node:{node}.{quantity}.{axis}"
                for quantity in ("position", "velocity")
                for node in plant.structure.nodes
                for axis in "xyz"
            ]
        )
    elif observe:
        raise OptionError("a plant in coordinates of its own has no sensors; leave out what to observe")
    settings = Settings(plant, method, tolerance, step, wish, dense=False, locate=locate)
    return Simulation(settings, inputs, outputs, options_of(chosen, wish, tolerance, step), keep=keep)


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
