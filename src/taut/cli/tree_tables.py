"""What the command says of trees of rigid bodies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from taut.cli.arguments import placed
from taut.errors import Problem

if TYPE_CHECKING:
    from taut.structure.files import Model


def check_tree(model: Model, path: Path, problems: Sequence[Problem]) -> None:
    """Raise what is wrong with a tree, loops that stay open included; else say that it is sound."""
    from taut.output.model_runs import plant_of
    from taut.structure.files import located

    if problems:
        raise located(model, problems)
    with placed(model):
        plant = plant_of(model)
    print(f"{path}: sound; {plant!r}")


def show_tree(model: Model, *, as_json: bool) -> None:
    """Counts, actuation, and the topology of a tree."""
    import numpy as np

    from taut.control.input_counts import counted_inputs
    from taut.mechanics.trees.independent import reduction
    from taut.mechanics.trees.plant import TreePlant
    from taut.output.model_runs import plant_of

    with placed(model):
        plant = plant_of(model)
    assert isinstance(plant, TreePlant)
    equations, tree = plant.equations, plant.tree
    q, v = plant.split(np.concatenate(plant.start()))
    values: dict[str, int | float | str] = {
        "name": tree.name,
        "bodies": len(tree.joints),
        "velocity coordinates": equations.nv,
        "loops": len(tree.loops),
        "loop rows": equations.rows,
        "degrees of freedom": int(reduction(equations, q, v).independent.size),
        "cables on pulleys": len(equations.cable_names),
        "cables between pulleys": len(tree.spans),
        "driven joints": len(equations.input_names),
        "actuation": str(counted_inputs(equations.mass(q), equations.loop_jacobian(q), equations.input_matrix)),
        "mass": sum(body.mass for body in tree.bodies.values()),
    }
    if as_json:
        print(json.dumps({**values, "topology": tree.listing().splitlines()}, indent=2))
        return
    values["mass"] = f"{values['mass']:.6g} kg"
    width = max(map(len, values))
    for name, value in values.items():
        print(f"{name:<{width}}  {value}")
    print(f"\n{tree.listing()}")
