"""Trees of rigid bodies with loops and cables on pulleys. Names are loaded when they are first used.

`TreeEquations(tree)` gives the terms of the equations of motion, for controllers and designs:

    M(q) a + c(q, v) = tau(q, v) + S u + K(q)^T l,   K(q) a = k(q, v)

`nq`, `nv`, `rows`; `start()`; `terms(q, v)` or one by one `mass(q)`, `bias(q, v)`, `loop_jacobian(q)`,
`loop_bias(q, v)`, `loop_error(q)`, `torques(q, v)` (of cables and damping); `input_matrix` S of torques at driven
joints; `strains`, `strain_rates`, `tensions`; `point`, `point_jacobian`; `forward(q, v, u)` -> a, l;
`integrate(q, dv)`; `velocity_names`, `position_names`, `loop_names`, `input_names`, `cable_names`.
`reduction(equations, q, v, keep=...)`
has G, g and the reduced mass, force and input matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "Body",
    "ContactPoint",
    "LoopJoint",
    "PulleyCable",
    "Reduction",
    "SpanCable",
    "Tree",
    "TreeEquations",
    "TreeJoint",
    "TreePlant",
    "TreeTerms",
    "Wrench",
    "in_bodies",
    "manipulator",
    "plant_of_model",
    "read_urdf",
    "reduction",
    "single_strut",
    "tree_plant",
]

_HOMES = {
    "taut.mechanics.trees.equations": ("TreeEquations", "TreeTerms"),
    "taut.trees.bars_as_bodies": ("in_bodies",),
    "taut.mechanics.trees.independent": ("Reduction", "reduction"),
    "taut.mechanics.trees.plant": ("TreePlant", "tree_plant"),
    "taut.trees.model_trees": ("plant_of_model",),
    "taut.trees.urdf": ("read_urdf",),
    "taut.structure.bodies": ("Body",),
    "taut.structure.contact_points": ("ContactPoint",),
    "taut.structure.generators.pulleys": ("manipulator", "single_strut"),
    "taut.structure.span_cables": ("SpanCable",),
    "taut.structure.trees": ("LoopJoint", "PulleyCable", "Tree", "TreeJoint", "Wrench"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.mechanics.trees.equations import TreeEquations, TreeTerms
    from taut.mechanics.trees.independent import Reduction, reduction
    from taut.mechanics.trees.plant import TreePlant, tree_plant
    from taut.structure.bodies import Body
    from taut.structure.contact_points import ContactPoint
    from taut.structure.generators.pulleys import manipulator, single_strut
    from taut.structure.span_cables import SpanCable
    from taut.structure.trees import LoopJoint, PulleyCable, Tree, TreeJoint, Wrench
    from taut.trees.bars_as_bodies import in_bodies
    from taut.trees.model_trees import plant_of_model
    from taut.trees.urdf import read_urdf
