"""The Arm and the Ball of the stedy paper as structures, from the published numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import taut

DATA = Path(__file__).resolve().parents[1] / "data"
STRING = taut.Material("string", youngs_modulus=2e9)


def stedy_model(name: str) -> tuple[taut.Structure, dict[str, Any]]:
    """The structure, its strings without prestress, and the numbers it was made of."""
    given = json.loads((DATA / f"stedy_model_{name}.json").read_text())
    structure = taut.Structure(
        nodes={f"n{i}": place for i, place in enumerate(given["nodes"], 1)},
        bars=[taut.Bar(f"b{i}", (f"n{b['i']}", f"n{b['j']}"), mass=b["mass"]) for i, b in enumerate(given["bars"], 1)],
        cables=[
            taut.Cable(f"s{i}", (f"n{s['i']}", f"n{s['j']}"), material=STRING, radius=1e-3)
            for i, s in enumerate(given["strings"], 1)
        ],
        supports={f"n{i}": "xyz" for i, held in enumerate(given["fixed"], 1) if all(held)},
        point_masses={f"n{node}": mass for node, mass in given["point_masses"]},
        name=name,
    )
    return structure, given
