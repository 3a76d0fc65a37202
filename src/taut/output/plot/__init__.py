"""Figures for papers with matplotlib: each function draws on the axes it is given, or on new ones, and returns them."""

from taut.output.plot.builds import tension_scatter
from taut.output.plot.commands import drives, readings
from taut.output.plot.contacts import contact_forces, contact_states
from taut.output.plot.energies import energy, violations
from taut.output.plot.forces import tensions
from taut.output.plot.motion import coordinates, paths
from taut.output.plot.shapes import mode, structure
from taut.output.plot.static_paths import static_path
from taut.output.plot.studies import study
from taut.output.plot.workspaces import reach, workspace

__all__ = [
    "contact_forces",
    "contact_states",
    "coordinates",
    "drives",
    "energy",
    "mode",
    "paths",
    "reach",
    "readings",
    "static_path",
    "structure",
    "study",
    "tension_scatter",
    "tensions",
    "violations",
    "workspace",
]
