"""What a model file says of a tree: the tree, or a robot description that becomes one, and torques of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from taut.errors import ModelError, Problem
from taut.reprs import brief
from taut.structure.contact_points import ContactPoint
from taut.structure.signals import Signal
from taut.structure.trees import Tree


@dataclass(frozen=True)
class TreeModel:
    """A tree of a model file and what drives it; `taut.trees.plant_of_model` makes a plant of it.

    tree: as the file describes it; without joints where it is in `urdf`, the text of a robot description. floating:
    whether the first link of that floats. values, rates: of joints by name at the start, in place of the tree's own.
    torques: at driven joints by name [N m], of prismatic ones forces [N]. points: that grounds touch, more than the
    tree's own.
    """

    tree: Tree
    torques: Mapping[str, Signal | float] = field(default_factory=dict)
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    rates: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    urdf: str = ""
    floating: bool = False
    points: tuple[ContactPoint, ...] = ()

    __repr__ = brief

    def started(self, tree: Tree) -> Tree:
        """A tree that begins, and touches grounds, as the file says; problems have the paths of the file."""
        try:
            made = tree.with_start(dict(self.values), dict(self.rates))
        except ModelError as error:
            problems = [Problem(("tree", "start", *one.path[1:]), one.message) for one in error.problems]
            raise ModelError(problems) from None
        try:
            return replace(made, points=(*made.points, *self.points))
        except ModelError as error:
            raise ModelError([Problem(("tree", *one.path), one.message) for one in error.problems]) from None
