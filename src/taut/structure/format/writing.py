"""A structure and a scenario as the text of a model file, so that reading it gives exactly the same back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from taut.errors import ModelError, Problem
from taut.structure.angles import Angle
from taut.structure.corrections import Correction
from taut.structure.format.entries import NAME_LIMIT
from taut.structure.format.schema import VERSION
from taut.structure.plates import Plate
from taut.structure.records import Bar, Cable, LinearConstraint, Material
from taut.structure.scenario import Damping, Drive, Load, Motion, Scenario
from taut.structure.signals import Constant, CosineRamp, Doublet, SampledSignal, SignalSum, Sinusoid, SmoothStart
from taut.structure.structure import Structure, materials_of

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.~-]*")
_NOT_PLAIN = {"null", "Null", "NULL", "true", "false"}
_SIGNALS = {Sinusoid: "sinusoid", Doublet: "doublet", CosineRamp: "cosine_ramp", SampledSignal: "table"}
_EACH_ITS_OWN = ("name", "nodes", "route", "rest_length", "length")


def model_text(structure: Structure, scenario: Scenario | None = None) -> str:
    """The text of a model file. Numbers are written so that they read back bit for bit."""
    shared = {"bar": _shared(structure.bars.values()), "cable": _shared(structure.cables.values())}
    sections: list[tuple[str, Iterable[tuple[str, str]]]] = [
        ("nodes", ((node, _list(place)) for node, place in structure.nodes.items())),
        ("materials", ((m.name, _entries(_given(m))) for m in _materials(structure))),
        ("bars", ((name, _member(bar, "nodes", shared["bar"])) for name, bar in structure.bars.items())),
        ("cables", ((name, _member(cable, "route", shared["cable"])) for name, cable in structure.cables.items())),
        ("properties", ((f"{kind}:*", _entries(common)) for kind, common in shared.items() if common)),
        ("supports", ((node, _word(axes)) for node, axes in structure.supports.items())),
        ("point_masses", ((node, _number(mass)) for node, mass in structure.point_masses.items())),
        ("plates", ((name, _member(plate, "nodes", {})) for name, plate in structure.plates.items())),
        ("angles", ((name, _angle(angle)) for name, angle in structure.angles.items())),
        ("constraints", ((name, _constraint(item)) for name, item in structure.constraints.items())),
        ("groups", ((name, _list(members)) for name, members in structure.groups.items())),
        ("scenario", () if scenario is None else _scenario(scenario)),
    ]
    head = "# A taut model. Units are SI: m, kg, s, N.\n" + f"taut: {VERSION}\n"
    if structure.name:
        head += f"name: {_word(structure.name)}\n"
    return head + "".join(_section(title, rows) for title, rows in sections)


def _section(title: str, rows: Iterable[tuple[str, str]]) -> str:
    written = "".join(f"  {_word(key)}:{value if value.startswith(chr(10)) else ' ' + value}\n" for key, value in rows)
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
    return _list(own[ends]) if list(own) == [ends] else _entries(own)


def _angle(angle: Angle) -> str:
    given = _given(angle)
    return _entries({"between": (given.pop("first"), given.pop("second")), **given})


def _constraint(constraint: LinearConstraint) -> str:
    return _entries(_given(constraint))


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
            yield slot.name, _block((name, _load(name, load)) for name, load in _named_loads(value))
        elif slot.name == "motions":
            yield slot.name, _block((name, _motion(name, motion)) for name, motion in _named_motions(value))
        elif slot.name == "drives":
            yield slot.name, _block((drive.name, _drive(drive)) for drive in value)
        elif slot.name == "events":
            yield slot.name, _block((watch.name, _entries(_given(watch))) for watch in value)
        elif slot.name == "velocities":
            if value:
                yield slot.name, _block((node, _list(velocity)) for node, velocity in value.items())
        elif isinstance(value, Correction):
            yield slot.name, correction_text(value)
        elif isinstance(value, Damping):
            yield slot.name, _entries(_given(value))
        else:
            yield slot.name, _value(value)


def correction_text(correction: Correction) -> str:
    """A correction as YAML, on one line."""
    return _entries(_given(correction))


def _gravity(gravity: tuple[float, float, float]) -> str:
    x, y, z = gravity
    downwards = repr(float(x)) == repr(float(y)) == "0.0" and z < 0.0
    return _number(-z) if downwards else _list(gravity)


def _named_loads(loads: tuple[Load, ...]) -> Iterator[tuple[str, Load]]:
    """By its own name, or node and axis."""
    names = _distinct([load.name or f"{load.node}_{load.axis}" for load in loads], "load")
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
    return f"{{node: {_word(load.node)}, axis: {_word(load.axis)}, signal: {told}}}"


def _motion(name: str, motion: Motion) -> str:
    told = [f"supports: {_value(motion.supports)}", f"axis: {_word(motion.axis)}"]
    for kind in ("displacement", "acceleration"):
        signal = getattr(motion, kind)
        if signal is not None:
            told.append(f"{kind}: {_signal(signal, f'a motion along {motion.axis}', ('motions', name))}")
    told += [] if _same(motion.velocity, 0.0) else [f"velocity: {_number(motion.velocity)}"]
    return "{" + ", ".join(told) + "}"


def _drive(drive: Drive) -> str:
    plain = {key: value for key, value in _given(drive).items() if key not in ("to", "by")}
    told = [_entries(plain)[1:-1]]
    for key in ("to", "by"):
        signal = getattr(drive, key)
        if signal is not None:
            told.append(f"{key}: {_signal(signal, f'the drive of {drive.member}', ('drives', drive.name))}")
    return "{" + ", ".join(told) + "}"


def _signal(signal: Any, of_what: str, path: tuple[str, str]) -> str:
    if isinstance(signal, Constant):
        return _number(signal.value)
    if isinstance(signal, int | float):
        return _number(signal)
    if type(signal) in _SIGNALS:
        return f"{{{_SIGNALS[type(signal)]}: {_entries(_given(signal))}}}"
    if isinstance(signal, SmoothStart):
        times = f"start: {_number(signal.start)}, over: {_number(signal.over)}"
        return f"{{smooth_start: {{signal: {_signal(signal.signal, of_what, path)}, {times}}}}}"
    if isinstance(signal, SignalSum):
        return f"{{sum: [{', '.join(_signal(part, of_what, path) for part in signal.signals)}]}}"
    message = (
        f"{of_what} is driven by a Python function, "
        "which a file cannot hold; use a Constant, Sinusoid, Doublet, CosineRamp or SampledSignal"
    )
    raise ModelError([Problem(("scenario", *path), message)])


# --- words and numbers


def _block(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"\n    {_word(key)}: {value}" for key, value in rows)


def _entries(entries: Mapping[str, Any]) -> str:
    # A field whose name is a word of Python's ends in an underscore there.
    return "{" + ", ".join(f"{key.removesuffix('_')}: {_value(value)}" for key, value in entries.items()) + "}"


def _list(values: Iterable[Any]) -> str:
    return "[" + ", ".join(map(_value, values)) + "]"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, tuple | list):
        return _list(value)
    return str(value) if isinstance(value, int) else _number(value)


def _number(value: float) -> str:
    """The shortest decimal that reads back as the same double; 200000000000.0 as 2e11."""
    text = repr(float(value)).removesuffix(".0")
    digits = text.rstrip("0")
    zeros = len(text) - len(digits)
    return f"{digits}e{zeros}" if zeros > 5 and digits.lstrip("-").isdigit() else text


def _word(text: str) -> str:
    """A name or text, in quotes unless it is plain."""
    if len(text) > NAME_LIMIT:
        message = f'the name "{text[:40]}..." has {len(text)} characters; a file holds at most {NAME_LIMIT}'
        raise ModelError([Problem((), message)])
    if _PLAIN.fullmatch(text) and text not in _NOT_PLAIN:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
