"""What a page shows of load cases: a row for each, with its shape, forces, loads, reactions and utilisation.

A reader chooses the case and how large its displacements are drawn (parts/cases.js).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.output.page.content import MOST_NUMBERS, Store, arrows_of, bounds_of, told
from taut.output.page.embedding import Arrays
from taut.output.page.layout import centre_of_mass, described
from taut.statics.cases import LoadCaseTable


def case_content(name: str, table: LoadCaseTable, arrays: Arrays) -> dict[str, Any]:
    """Load cases: a run whose samples are cases instead of times."""
    structure, cables = table.structure, len(table.structure.cables)
    found = list(table.equilibria.values())
    numbers = table.nodes.size + table.member_force.size + table.utilisation.size
    if numbers > MOST_NUMBERS:
        each = numbers // len(found)
        raise OptionError(
            f"{len(found)} load cases of {each} numbers are more than the {MOST_NUMBERS} that a page holds; "
            f"show {MOST_NUMBERS // each} of them"
        )
    store = Store(arrays, fine=True)
    external = np.array([one.external for one in found])
    given = structure.positions[None]
    return {
        "name": name,
        "kind": "cases",
        "structure": described(structure, arrays),
        "driven": [],
        "time": arrays.exact(np.zeros(1)),
        "positions": store.positions(table.nodes),
        "cable_tension": store.forces(table.member_force[:, :cables]),
        "bar_force": store.forces(table.member_force[:, cables:]),
        "centre": arrays.sampled(centre_of_mass(structure, table.nodes)),
        "bounds": bounds_of(np.concatenate([given, table.nodes])),
        "arrows": _arrows(table, external, store),
        "grounds": [],
        "footprints": arrays.exact(np.zeros((0, 7))),
        "charts": [],
        **told(_facts(table), structure),
        "finished": table.ok,
        "model": "",
        "events": [],
        "modes": [],
        "measured": None,
        "kept": "",
        "utilisation": arrays.sampled(table.utilisation) if np.isfinite(table.utilisation).any() else None,
        "cases": {
            "given": store.positions(given),
            "told": [
                {"name": case, "status": one.status, "balanced": one.ok, "notes": list(one.notes)}
                for case, one in table.equilibria.items()
            ],
        },
    }


def _arrows(table: LoadCaseTable, external: np.ndarray, store: Store) -> list[dict[str, Any]]:
    """Reactions and loads, with one scale for all cases."""
    places = {node: k for k, node in enumerate(table.structure.nodes)}
    pulled = np.flatnonzero(np.any(external, axis=(0, 2)))
    return [
        arrows_of("reaction", "tip", [places[node] for node in table.supports], table.reaction, store),
        arrows_of("load", "tail", pulled.tolist(), external[:, pulled], store),
    ]


def _facts(table: LoadCaseTable) -> dict[str, str]:
    residuals = {case: one.residual for case, one in table.equilibria.items()}
    worst = max(residuals, key=lambda case: residuals[case])
    steps = [one.iterations for one in table.equilibria.values()]
    return {
        "status": table.status,
        "load cases": str(len(residuals)),
        "force left over": f"{residuals[worst]:.2g} N at most, in {worst}",
        "iterations": f"{min(steps)} to {max(steps)} a case",
    }
