"""What people do first with taut: the commands whose code is shipped, in a folder with all examples and mast.yaml."""

from __future__ import annotations

import shutil
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MODELS = sorted(path.name for path in EXAMPLES.glob("*.yaml"))

MAST = """taut: 1
nodes:  {foot: [0, 0, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0.05, 0, 1]}
bars:   {mast: {nodes: [foot, top], mass: 2.0}}
cables: {west: [left, top], east: [right, top]}
properties:
  "cable:*": {stiffness: 500, rest_length: 1.35, damping: 5}
supports: {foot: xyz, left: xyz, right: xyz, top: y}
scenario: {gravity: 9.81, duration: 5, every: 0.01}
"""
"""The first model of docs/start.md."""

RUNS = [["run", name, "-o", f"{name}.nc"] for name in (*MODELS, "mast.yaml")]
RUNS[MODELS.index("rolling.yaml")] += ["--no-verify"]  # as its file says: two runs of it part, and that is no success

OTHER_METHODS = [
    ["run", "tbar.yaml", "-o", "x.nc", "--method", "rk4", "--step", "0.002"],
    ["run", "tbar.yaml", "-o", "x.nc", "--method", "rattle4", "--step", "0.002", "--correction", "none"],
    ["run", "mast.yaml", "-o", "x.nc", "--method", "implicit4"],
    ["run", "tower.yaml", "-o", "x.nc", "--method", "implicit4"],
    ["run", "tower.yaml", "-o", "x.nc", "--method", "rattle4", "--step", "0.0005", "--correction", "none"],
]

STATICS = [
    ["check", "tower.yaml"],
    *(["info", name] for name in ("tbar.yaml", "tower.yaml", "six_strut.yaml", "prismatic.yaml", "mast.yaml")),
    ["prestress", "tower.yaml", "--target", "cable:vertical=200", "--settle"],
    ["modes", "tower-tight.yaml"],
    ["cases", "tower-tight.yaml", "--case", "wind={loads: {top1: [20, 0, 0]}}"],
    ["path", "tower-tight.yaml", "--case", "{loads: {top1: [100, 0, 0]}}"],
    ["linear", "tower-tight.yaml", "--inputs", "node:top1.x", "--outputs", "node:top*"],
    ["run", "tower-tight.yaml"],
    ["modes", "dome.yaml"],
    ["posture", "prismatic.yaml", "--input", "cable:a*", "--set", "cable:a1=1.63"],
    ["gait", "summary", "rolling.yaml.nc", "--faces"],
]

FIRST = [*RUNS, *OTHER_METHODS, *STATICS]


def laid_out(folder: Path) -> Path:
    """The files that the commands speak of."""
    for name in MODELS:
        shutil.copy(EXAMPLES / name, folder)
    (folder / "mast.yaml").write_text(MAST, encoding="utf-8")
    return folder
