"""A structure and a scenario as the text of a model file, so that reading it gives exactly the same back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from taut.errors import ModelError, Problem
from taut.structure.angles import Angle
from taut.structure.corrections import Correction
from taut.structure.format.entries import NAME_LIMIT
from taut.structure.format.schema import VERSION
from taut.structure.format.yaml_words import block, entries, listed, number, value_text, word
from taut.structure.grounds import Ground
from taut.structure.plates import Plate
from taut.structure.records import Bar, Cable, LinearConstraint, Material
from taut.structure.scenario import Controller, Damping, Drive, LinearLaw, Load, Motion, Scenario, Sensor
from taut.structure.sensing import load_names
from taut.structure.signals import (
    Command,
    Constant,
    CosineRamp,
    Doublet,
    SampledSignal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    StepSignal,
)
from taut.structure.structure import Structure, materials_of

_SIGNALS: Mapping[type, str] = {
    Sinusoid: "sinusoid",
    Doublet: "doublet",
    CosineRamp: "cosine_ramp",
    SampledSignal: "table",
    StepSignal: "steps",
    Command: "command",
}
_EACH_ITS_OWN = ("name", "nodes", "route", "rest_length", "length")


def model_text(structure: Structure, scenario: Scenario | None = None) -> str:
    """The text of a model file. Numbers are written so that they read back bit for bit."""
    shared = {"bar": _shared(structure.bars.values()), "cable": _shared(structure.cables.values())}
    sections: list[tuple[str, Iterable[tuple[str, str]]]] = [
        ("nodes", ((node, listed(place)) for node, place in structure.nodes.items())),
        ("materials", ((m.name, entries(_given(m))) for m in _materials(structure))),
        ("bars", ((name, _member(bar, "nodes", shared["bar"])) for name, bar in structure.bars.items())),
        ("cables", ((name, _member(cable, "route", shared["cable"])) for name, cable in structure.cables.items())),
        ("properties", ((f"{kind}:*", entries(common)) for kind, common in shared.items() if common)),
        ("supports", ((node, word(axes)) for node, axes in structure.supports.items())),
        ("point_masses", ((node, number(mass)) for node, mass in structure.point_masses.items())),
        ("plates", ((name, _member(plate, "nodes", {})) for name, plate in structure.plates.items())),
        ("angles", ((name, _angle(angle)) for name, angle in structure.angles.items())),
        ("constraints", ((name, _constraint(item)) for name, item in structure.constraints.items())),
        ("groups", ((name, listed(members)) for name, members in structure.groups.items())),
        ("scenario", () if scenario is None else _scenario(scenario)),
    ]
    head = "# A taut model. Units are SI: m, kg, s, N.\n" + f"taut: {VERSION}\n"
    if structure.name:
        head += f"name: {word(structure.name)}\n"
    return head + "".join(_section(title, rows) for title, rows in sections)


def _section(title: str, rows: Iterable[tuple[str, str]]) -> str:
    written = "".join(f"  {word(key)}:{value if value.startswith(chr(10)) else ' ' + value}\n" for key, value in rows)
    return f"\n{title}:\n{written}" if written else ""


# --- members


def _materials(structure: Structure) -> list[Material]:
    """Every material once; two that share a name but not their numbers cannot be told apart in a file."""
    found: dict[str, Material] = {}
    for material in materials_of(structure):
        if found.setdefault(material.name, material) != material:
            message = "two different materials have this name; rename one before saving"
            raise ModelError([Problem(("materials", material.name), message)])
    return list(found.values())


def _given(record: Any) -> dict[str, Any]:
    """The fields of a record that differ from their defaults, in order, without the name."""
    given = {}
    for slot in fields(record):
        value = getattr(record, slot.name)
        if slot.name != "name" and (slot.default is MISSING or not _same(value, slot.default)):
            given[slot.name] = value.name if isinstance(value, Material) else value
    return given


def _same(a: Any, b: Any) -> bool:
    """Equal to the last bit: 0.0 and -0.0 differ."""
    return bool(a == b) and repr(a) == repr(b)


def _shared(members: Iterable[Bar] | Iterable[Cable]) -> dict[str, Any]:
    """Fields that all members have in common, so that they are said once."""
    all_given = [_given(member) for member in members]
    if len(all_given) < 2:
        return {}
    first, *others = all_given
    return {
        key: value
        for key, value in first.items()
        if key not in _EACH_ITS_OWN and all(key in other and _same(other[key], value) for other in others)
    }


def _member(member: Bar | Cable | Plate, ends: str, shared: Mapping[str, Any]) -> str:
    own = {key: value for key, value in _given(member).items() if key not in shared}
    return listed(own[ends]) if list(own) == [ends] else entries(own)


def _angle(angle: Angle) -> str:
    given = _given(angle)
    return entries({"between": (given.pop("first"), given.pop("second")), **given})


def _constraint(constraint: LinearConstraint) -> str:
    return entries(_given(constraint))


# --- scenario


def _scenario(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for slot in fields(scenario):
        value = getattr(scenario, slot.name)
        default = slot.default_factory() if slot.default_factory is not MISSING else slot.default
        if _same(value, default) or value is None:
            continue
        if slot.name == "gravity":
            yield slot.name, _gravity(value)
        elif slot.name == "loads":
            yield slot.name, block((name, _load(name, load)) for name, load in _named_loads(value))
        elif slot.name == "motions":
            yield slot.name, block((name, _motion(name, motion)) for name, motion in _named_motions(value))
        elif slot.name == "drives":
            yield slot.name, block((drive.name, _drive(drive)) for drive in value)
        elif slot.name == "sensors":
            yield slot.name, block((sensor.name, _sensor(sensor)) for sensor in value)
        elif slot.name == "controllers":
            yield slot.name, block((controller.name, _controller(controller)) for controller in value)
        elif slot.name == "ground":
            yield slot.name, block((ground.name, _ground(ground)) for ground in value)
        elif slot.name == "joints":
            yield slot.name, block((joint.name, entries(_given(joint))) for joint in value)
        elif slot.name == "events":
            yield slot.name, block((watch.name, entries(_given(watch))) for watch in value)
        elif slot.name == "velocities":
            if value:
                yield slot.name, block((node, listed(velocity)) for node, velocity in value.items())
        elif isinstance(value, Correction):
            yield slot.name, correction_text(value)
        elif isinstance(value, Damping):
            yield slot.name, entries(_given(value))
        else:
            yield slot.name, value_text(value)


def correction_text(correction: Correction) -> str:
    """A correction as YAML, on one line."""
    return entries(_given(correction))


def _gravity(gravity: tuple[float, float, float]) -> str:
    x, y, z = gravity
    downwards = repr(float(x)) == repr(float(y)) == "0.0" and z < 0.0
    return number(-z) if downwards else listed(gravity)


def _named_loads(loads: tuple[Load, ...]) -> Iterator[tuple[str, Load]]:
    """As controllers and runs call them, where a file can."""
    names = load_names(loads)
    if len({*names}) < len(names) or max(map(len, names), default=0) > NAME_LIMIT:
        names = tuple(_distinct(names, "load"))
    return zip(names, loads, strict=True)


def _named_motions(motions: tuple[Motion, ...]) -> Iterator[tuple[str, Motion]]:
    names = _distinct([motion.name or f"base_{motion.axis}" for motion in motions], "motion")
    return zip(names, motions, strict=True)


def _distinct(names: Iterable[str], plain: str) -> Iterator[str]:
    """Names with a number where they are taken, or a plain one where a number would not fit."""
    taken: dict[str, int] = {}
    for given in names:
        name = plain if len(given) > NAME_LIMIT - 12 or re.search(r"#\d+$", given) else given
        taken[name] = taken.get(name, 0) + 1
        yield name if taken[name] == 1 else f"{name}#{taken[name]}"


def _load(name: str, load: Load) -> str:
    told = _signal(load.signal, f'the load on node "{load.node}" along {load.axis}', ("loads", name))
    return f"{{node: {word(load.node)}, axis: {word(load.axis)}, signal: {told}}}"


def _motion(name: str, motion: Motion) -> str:
    told = [f"supports: {value_text(motion.supports)}", f"axis: {word(motion.axis)}"]
    for kind in ("displacement", "acceleration"):
        signal = getattr(motion, kind)
        if signal is not None:
            told.append(f"{kind}: {_signal(signal, f'a motion along {motion.axis}', ('motions', name))}")
    told += [] if _same(motion.velocity, 0.0) else [f"velocity: {number(motion.velocity)}"]
    return "{" + ", ".join(told) + "}"


def _drive(drive: Drive) -> str:
    plain = {key: value for key, value in _given(drive).items() if key not in ("to", "by")}
    told = [entries(plain)[1:-1]]
    for key in ("to", "by"):
        signal = getattr(drive, key)
        if signal is not None:
            told.append(f"{key}: {_signal(signal, f'the drive of {drive.member}', ('drives', drive.name))}")
    return "{" + ", ".join(told) + "}"


def _ground(ground: Ground) -> str:
    given = _given(ground)
    shape, soft = given.pop("shape", None), given.pop("compliance", None)
    told = [] if shape is None else [f"{type(shape).__name__.lower()}: {entries(_given(shape))}"]
    told += [entries(given)[1:-1]] if given else []
    told += [] if soft is None else [f"compliance: {entries(_given(soft))}"]
    return "{" + ", ".join(told) + "}"


def _sensor(sensor: Sensor) -> str:
    given = _given(sensor)
    if isinstance(sensor.quantity, Angle):
        told = {"between": (sensor.quantity.first, sensor.quantity.second), "about": sensor.quantity.about}
        angle = entries({key: value for key, value in told.items() if value is not None})
        rest = entries({key: value for key, value in given.items() if key != "quantity"})[1:-1]
        return f"{{angle: {angle}{', ' * bool(rest)}{rest}}}"
    return word(sensor.quantity) if list(given) == ["quantity"] else entries(given)


def _controller(controller: Controller) -> str:
    given = _given(controller)
    law = given.pop("law")
    if not isinstance(law, LinearLaw):
        message = "decides by a Python function, which a file cannot hold; give it a LinearLaw (taut.control), or save "
        path = ("scenario", "controllers", controller.name, "law")
        raise ModelError([Problem(path, f"{message}the model without it")])
    return f"{entries(given)[:-1]}, law: {{linear: {_linear(law)}}}}}"


def _linear(law: LinearLaw) -> str:
    numbers = {slot.name: np.asarray(getattr(law, slot.name)) for slot in fields(law)}
    left_out = ["a", "b", "c"] if not law.a.size else []
    left_out += [name for name in ("measured_offset", "command_offset") if not numbers[name].tobytes().strip(b"\0")]
    return entries({name: x.tolist() for name, x in numbers.items() if name not in left_out})


def _signal(signal: Any, of_what: str, path: tuple[str, str]) -> str:
    if isinstance(signal, Constant):
        return number(signal.value)
    if isinstance(signal, int | float):
        return number(signal)
    if isinstance(signal, Command) and _same(signal.start, 0.0):
        return "command"
    if type(signal) in _SIGNALS:
        return f"{{{_SIGNALS[type(signal)]}: {entries(_given(signal))}}}"
    if isinstance(signal, SmoothStart):
        times = f"start: {number(signal.start)}, over: {number(signal.over)}"
        return f"{{smooth_start: {{signal: {_signal(signal.signal, of_what, path)}, {times}}}}}"
    if isinstance(signal, SignalSum):
        return f"{{sum: [{', '.join(_signal(part, of_what, path) for part in signal.signals)}]}}"
    message = (
        f"{of_what} is driven by a Python function, "
        "which a file cannot hold; use a Constant, Sinusoid, Doublet, CosineRamp, SampledSignal or StepSignal"
    )
    raise ModelError([Problem(("scenario", *path), message)])
