"""Trees of model files as plants."""

from __future__ import annotations

from dataclasses import replace

from taut.errors import ModelError, OptionError, Problem
from taut.mechanics.trees.plant import TreePlant, tree_plant
from taut.structure.scenario import Scenario
from taut.structure.tree_models import TreeModel
from taut.trees.urdf import tree_of_urdf
from taut.type_checks import checked_arguments


@checked_arguments
def plant_of_model(told: TreeModel, scenario: Scenario) -> TreePlant:
    """The plant that a model file describes: its tree, or that of its robot description, with torques, events, grounds.

    Problems have the paths of the file.
    """
    tree = told.tree
    if told.urdf:
        named = tree_of_urdf(told.urdf, "tree.urdf", floating=told.floating, gravity=tree.gravity)
        tree = told.started(replace(named, name=tree.name or named.name))
    try:
        return tree_plant(tree, torques=told.torques, events=scenario.events, ground=scenario.ground)
    except OptionError as error:
        if "torques name" not in str(error):
            raise
        raise ModelError([Problem(("tree", "torques"), str(error))]) from None
    except ModelError as error:
        placed = {"events": "scenario", "ground": "scenario"}
        raise ModelError(
            [replace(one, path=(placed.get(str(one.path[0]), "tree"), *one.path)) for one in error.problems]
        ) from None
