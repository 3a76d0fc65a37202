"""What drives are told and what they do, and what sensors show, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.dynamics.sensor_facts import sensors_of
from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError, suggestion
from taut.output.plot.axes import keyed, label, over_time, ready, require_kept, require_samples
from taut.type_checks import checked_arguments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = {
    "value": ("drive_value", "driven quantity"),
    "rate": ("drive_rate", "rate of drives"),
    "force": ("drive_force", "force or torque of drives [N], [N m]"),
    "power": ("drive_power", "power of drives [W]"),
}


@checked_arguments
def drives(run: Trajectory, what: str = "value", *, ax: Axes | None = None) -> Axes:
    """What drives are told ("value", "rate"), or the "force" in what they drive, or their "power"."""
    require_samples(run)
    if what not in SHOWN:
        raise OptionError(f'"{what}" is not one of {", ".join(SHOWN)}{suggestion(what, SHOWN)}')
    if not run.drive_names:
        raise OptionError("this run has no drives to draw")
    name, title = SHOWN[what]
    require_kept(run, name)
    drawn = ready(ax)
    for k, drive in enumerate(run.drive_names):
        drawn.plot(run.time, getattr(run, name)[:, k], linewidth=1.0, label=label(drive))
    over_time(drawn, title)
    keyed(drawn, "")
    return drawn


@checked_arguments
def readings(run: Trajectory, unit: str | None = None, *, ax: Axes | None = None) -> Axes:
    """What sensors show, those of one unit only if it is given; a measurement stands until the next one."""
    require_samples(run)
    if not run.sensor_names:
        raise OptionError("this run has no sensors to draw")
    facts = dict(enumerate(sensors_of(run)))
    units = list(dict.fromkeys(fact.unit for fact in facts.values()))
    if unit is not None and unit not in units:
        raise OptionError(f'no sensor shows "{unit}"; there are {", ".join(units)}')
    shown = [unit] if unit is not None else units
    drawn = ready(ax)
    for k, fact in facts.items():
        if fact.unit in shown:
            told = f"{label(fact.name)} [{fact.unit}]" if len(shown) > 1 else label(fact.name)
            how = "steps-post" if fact.rate is not None else "default"
            drawn.plot(run.time, run.reading[:, k], linewidth=1.0, label=told, drawstyle=how)
    over_time(drawn, f"reading [{shown[0]}]" if len(shown) == 1 and shown[0] else "reading")
    keyed(drawn, "")
    return drawn
