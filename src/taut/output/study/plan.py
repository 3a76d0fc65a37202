"""What a study is to compute; two with the same plan are the same study, and one may go on with the other's points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.output.study.grid import Grid


@dataclass(frozen=True)
class Plan:
    """The model's text without the values of the grid, the grid, the program, and the folder for whole runs, if any."""

    model_text: str
    grid: Grid
    program: str
    runs: str = ""

    def data(self) -> dict[str, Any]:
        """As JSON can hold it."""
        axes = [[key, list(values)] for key, values in zip(self.grid.keys, self.grid.values, strict=True)]
        return {"model_text": self.model_text, "axes": axes, "program": self.program, "runs": self.runs}

    def differences(self, other: Plan) -> str:
        """In which respects the other one is not the same, in words; nothing where it is."""
        same = {
            "another model": self.model_text == other.model_text,
            "other keys": self.grid.keys == other.grid.keys,
            "other values": self.grid.values == other.grid.values or self.grid.keys != other.grid.keys,
            f"another version of taut, {other.program}": self.program == other.program,
            f"its runs kept in {other.runs or 'no folder'}": self.runs == other.runs,
        }
        return " and ".join(what for what, equal in same.items() if not equal)


def plan_from(data: Mapping[str, Any]) -> Plan:
    """The plan that `Plan.data` told."""
    axes = {str(key): tuple(values) for key, values in data["axes"]}
    grid = Grid(tuple(axes), tuple(axes.values()))
    return Plan(str(data["model_text"]), grid, str(data["program"]), str(data["runs"]))


def this_program() -> str:
    """The version of taut and of its equations."""
    from taut import __version__
    from taut.numerics.code_stamps import sources_stamp

    return f"{__version__} ({sources_stamp()})"
