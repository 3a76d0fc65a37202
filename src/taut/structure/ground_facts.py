"""Grounds as plain values, which a run file keeps, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from taut.structure.grounds import Box, Compliance, Ground, Plane, Terrain

SHAPES = {"plane": Plane, "box": Box, "terrain": Terrain}


def facts_of(grounds: Iterable[Ground]) -> list[dict[str, Any]]:
    """As a file gives them back: lists for tuples."""
    found = []
    for ground in grounds:
        kind = next(name for name, shape in SHAPES.items() if isinstance(ground.shape, shape))
        found.append(_listed({**asdict(ground), "shape": {"kind": kind, **asdict(ground.shape)}}))
    return found


def grounds_from(facts: Iterable[Mapping[str, Any]]) -> list[Ground]:
    found = []
    for fact in facts:
        told = {name: _tupled(value) for name, value in fact["shape"].items()}
        others = {name: _tupled(value) for name, value in fact.items() if name not in ("shape", "compliance")}
        soft = fact.get("compliance")
        shape = SHAPES[told.pop("kind")](**told)
        found.append(Ground(**others, shape=shape, compliance=None if soft is None else Compliance(**soft)))
    return found


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(one) for name, one in value.items()}
    return [_listed(one) for one in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
