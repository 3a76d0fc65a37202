"""Which kernels a plant in generalised coordinates runs with: those of its Spec, of joints or of a map."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from taut.mechanics.compose import bound_by_name
from taut.mechanics.points import generalised_operations as own
from taut.mechanics.points import joints, mapped
from taut.mechanics.points.generalised_events import EVENTS, begin_events, cut
from taut.mechanics.points.operations import deciding, implicit_stages, impulses
from taut.mechanics.spec import Spec

_BY_FUNCTION = {
    joints.place: mapped.place,
    joints.columns: mapped.columns,
    joints.generalised_count: mapped.generalised_count,
}
"""What stands in the place of joints where a function says where nodes are."""


def _instead(spec: Spec, by_function: bool) -> dict[Any, Any]:
    return {**(_BY_FUNCTION if by_function else {}), **(impulses.INSTEAD if "contacts" in spec.terms else {})}


@cache
def operations_of(spec: Spec, by_function: bool, imposes: bool) -> Mapping[str, Any]:
    """The operations of all plants of one Spec in generalised coordinates. imposes: whether time decides anything."""
    instead = _instead(spec, by_function)
    asked = [*own.MOTION, *EVENTS, *implicit_stages.STAGES, *(impulses.IMPULSES if "contacts" in spec.terms else ())]
    found = bound_by_name(spec, asked, instead)
    impose = {"impose": found.pop("impose_on")} if imposes else {}
    if "controllers" not in spec.imposed:
        return {**found, **impose}
    deciders = bound_by_name(spec, (deciding.decide_by,), {**instead, **deciding.INSTEAD})
    return {**found, **impose, "decide": deciders["decide_by"]}


@cache
def tools_of(spec: Spec, by_function: bool) -> Mapping[str, Any]:
    """What such plants ask of their own tables."""
    asked = (own.fill_terms, own.fill_nodal, begin_events, cut)
    return bound_by_name(spec, asked, _instead(spec, by_function))
