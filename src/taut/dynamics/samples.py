"""The parts of a Trajectory that have one row a sample: what they are, in run files and in tables."""

from __future__ import annotations

from taut.labelled import Variable

VARIABLES = {
    "time": Variable(("time",), "s", "time since the start"),
    "nodes": Variable(("time", "node", "axis"), "m", "position of each node", "node:{node}.{axis}"),
    "velocities": Variable(("time", "node", "axis"), "m/s", "velocity of each node", "node:{node}.velocity.{axis}"),
    "cable_length": Variable(("time", "cable"), "m", "length of each cable", "cable:{cable}.length"),
    "cable_tension": Variable(
        ("time", "cable"), "N", "force in each cable, positive in tension", "cable:{cable}.tension"
    ),
    "bar_force": Variable(("time", "bar"), "N", "force in each bar, positive in tension", "bar:{bar}.force"),
    "constraint_force": Variable(
        ("time", "constraint"), "N", "force of each constraint", "constraint:{constraint}.force"
    ),
    "angle_torque": Variable(
        ("time", "angle"), "N m", "torque about each angle, positive where it turns it up", "angle:{angle}.torque"
    ),
    "reaction": Variable(
        ("time", "support", "axis"), "N", "force of each support on the structure", "node:{support}.reaction.{axis}"
    ),
    "load_force": Variable(("time", "loaded"), "N", "each load, along its axis", "load:{loaded}"),
    "drive_value": Variable(("time", "drive"), "m, N, N/m, rad or N m", "each driven quantity", "drive:{drive}"),
    "drive_rate": Variable(("time", "drive"), "its unit per s", "its rate", "drive:{drive}.rate"),
    "drive_force": Variable(
        ("time", "drive"),
        "N or N m",
        "force in each driven member, positive in tension; torque of an angle",
        "drive:{drive}.force",
    ),
    "drive_power": Variable(("time", "drive"), "W", "power of each drive", "drive:{drive}.power"),
    "contact_force": Variable(
        ("time", "contact", "axis"), "N", "force of the ground in each contact", "contact:{contact}.{axis}"
    ),
    "contact_state": Variable(
        ("time", "contact"), "", "what each contact does: 0 open, 1 sticks, 2 slides", "contact:{contact}.state"
    ),
    "reading": Variable(("time", "sensor"), "of its quantity", "what each sensor showed last", "sensor:{sensor}"),
    "coordinate": Variable(
        ("time", "freedom"), "m or rad", "each coordinate of a plant that has its own", "coordinate:{freedom}"
    ),
    "coordinate_rate": Variable(("time", "freedom"), "m/s or rad/s", "its rate", "coordinate:{freedom}.rate"),
    "multiplier": Variable(
        ("time", "condition"), "N or N m", "force of each constraint among such coordinates", "multiplier:{condition}"
    ),
    "element_output": Variable(
        ("time", "element"), "as its kind says", "what elements of other kinds show", "element:{element}"
    ),
    "energy_kinetic": Variable(("time",), "J", "kinetic energy"),
    "energy_elastic": Variable(("time",), "J", "energy stored in cables and compressible bars"),
    "energy_gravity": Variable(("time",), "J", "energy of weight"),
    "work": Variable(
        ("time",), "J", "work of loads, dampers, moved supports, drives, contacts and cuts since the start"
    ),
    "energy_violation": Variable(("time",), "J", "energy less start energy less work"),
    "length_violation": Variable(("time",), "m", "largest residual of a bar or constraint"),
    "rate_violation": Variable(("time",), "m/s", "largest rate of such a residual"),
}
"""Every variable with samples: its dimensions, its unit, what it is, and the name of its columns."""
