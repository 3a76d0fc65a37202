"""Slips in Python: values of another type than wanted are named where they are handed over, with a remedy."""

from __future__ import annotations

import inspect
import pickle
import pkgutil
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import taut
from taut import Bar, Cable, Load, Material, Structure, statics
from taut.errors import ModelError, OptionError
from taut.type_checks import _wanted

NODES = {"a": (0.0, 0.0, 0.0), "c": (1.0, 0.0, 0.0)}
CABLE = Cable("c", ("a", "c"), stiffness=10.0)
BAR = Bar("b", ("a", "c"), mass=1.0)
STEEL = 'taut.Material("steel", density=7850.0, youngs_modulus=2.1e11)'


@cache
def prism() -> Structure:
    return taut.generators.prism(3).supported("bottom*")


@cache
def standing() -> taut.Equilibrium:
    return taut.balance(prism())


@cache
def table() -> statics.LoadCaseTable:
    return statics.solve_cases(prism(), {"weight": statics.LoadCase(gravity=9.81)})


RECORDS: dict[str, tuple[Callable[[], Any], str]] = {
    "material by its name": (
        lambda: Bar("b", ("a", "c"), material="steel"),
        f"bars.b.material: 'steel' is a text, where a Material is wanted: {STEEL}",
    ),
    "modulus for a material": (
        lambda: Cable("c", ("a", "c"), material=2e11),
        f"cables.c.material: 200000000000.0 is a number, where a Material is wanted: {STEEL}",
    ),
    "ends as arguments": (
        lambda: Bar("b", "a", "c"),
        "bars.b.nodes: 'a' is a text, where two texts are wanted\nbars.b.mass: 'c' is a text, where a number is wanted",
    ),
    "one text for two nodes": (
        lambda: Bar("b", "ac", mass=1.0),
        "bars.b.nodes: 'ac' is a text, where two texts are wanted",
    ),
    "nodes by number": (
        lambda: Bar("b", (0, 1), mass=1.0),
        "bars.b.nodes[0]: 0 is a number, where a text is wanted\n"
        "bars.b.nodes[1]: 1 is a number, where a text is wanted",
    ),
    "a number as a text": (
        lambda: Material("s", density="7850"),
        "materials.s.density: '7850' is a text, where a number is wanted",
    ),
    "an array for a number": (
        lambda: Bar("b", ("a", "c"), mass=np.ones(2)),
        "bars.b.mass: is an array, where a number is wanted",
    ),
    "a force with direction": (
        lambda: Load("a", "x", (1, 0, 0)),
        "Load.signal: (1, 0, 0) is a tuple, where a number, a Constant, a Sinusoid, a Doublet, a CosineRamp, "
        "a SampledSignal, a StepSignal, a Command, a Feedback, a function, a SmoothStart or a SignalSum is wanted",
    ),
    "an axis by number": (lambda: Load("a", 0, 1.0), "Load.axis: 0 is a number, where a text is wanted"),
    "loads of a case": (
        lambda: statics.LoadCase(loads=5.0),
        "LoadCase.loads: 5.0 is a number, where a dict {name: (number, number, number)} is wanted",
    ),
    "a load of a case": (
        lambda: statics.LoadCase(loads={"a": 5.0}),
        "LoadCase.loads.a: 5.0 is a number, where three numbers are wanted",
    ),
    "a signal of one point": (
        lambda: taut.SampledSignal(0, (1.0,)),
        "SampledSignal.times: 0 is a number, where a list [number, ...] is wanted",
    ),
    "a constraint's terms": (
        lambda: taut.LinearConstraint("q", [("a", "x")]),
        "constraints.q.terms[0]: ('a', 'x') is a tuple, where a tuple (text, text, number) is wanted",
    ),
    "a watch's number": (
        lambda: taut.Watch.at_tension("w", "cable:*", "9"),
        "Watch.tension: '9' is a text, where a number is wanted",
    ),
    "nodes in a list": (
        lambda: Structure([(0, 0, 0)]),
        "nodes: [(0, 0, 0)] is a list, where a dict {name: (number, number, number)} is wanted",
    ),
    "a node in a plane": (
        lambda: Structure({"a": (0, 0)}),
        "nodes.a: (0, 0) is a tuple, where three numbers are wanted",
    ),
    "a coordinate in words": (
        lambda: Structure({"a": ("left", 0, 0)}),
        "nodes.a[0]: 'left' is a text, where a number is wanted",
    ),
    "cables among bars": (
        lambda: Structure(NODES, [CABLE]),
        'bars[0]: is a Cable, where a Bar is wanted: taut.Bar("b1", ("a", "b"), mass=1.0)',
    ),
    "bars as tuples": (
        lambda: Structure(NODES, {"b": ("a", "c")}),
        'bars.b: (\'a\', \'c\') is a tuple, where a Bar is wanted: taut.Bar("b1", ("a", "b"), mass=1.0)',
    ),
    "one bar": (
        lambda: Structure(NODES, BAR),
        'bars: is a Bar, where a dict {name: Bar} or a list [Bar, ...] is wanted; put it into a dict: {"a name": ...}',
    ),
    "supports in a list": (
        lambda: Structure(NODES, supports=["a"]),
        "supports: ['a'] is a list, where a dict {name: text} is wanted",
    ),
    "axes in a tuple": (
        lambda: Structure(NODES, supports={"a": ("x", "y")}),
        "supports.a: ('x', 'y') is a tuple, where a text is wanted",
    ),
    "a support that is true": (
        lambda: Structure(NODES, supports={"a": True}),
        "supports.a: True is a bool, where a text is wanted",
    ),
    "a group of one": (
        lambda: Structure(NODES, groups={"g": "node:a"}),
        "groups.g: 'node:a' is a text, where a list [text, ...] is wanted",
    ),
}


@pytest.mark.parametrize("slip", RECORDS)
def test_a_record_says_what_is_of_another_type(slip: str) -> None:
    make, said = RECORDS[slip]
    with pytest.raises(ModelError, match=f"^{re.escape(said)}$"):
        make()


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "with_cables of a list": (
        lambda: Structure(NODES).with_cables([CABLE]),
        'with_cables: cables[0]: is a list, where a Cable is wanted: taut.Cable("c1", ("a", "b"), stiffness=100.0); '
        "put a * before it: with_cables(*cables)",
    ),
    "a bar as a cable": (
        lambda: Structure(NODES).with_cables(BAR),
        'with_cables: cables[0]: is a Bar, where a Cable is wanted: taut.Cable("c1", ("a", "b"), stiffness=100.0)',
    ),
    "nodes in a list": (
        lambda: prism().supported(["top1", "top2"]),
        "supported: selector: ['top1', 'top2'] is a list, where a text is wanted",
    ),
    "a rest ratio in words": (
        lambda: prism().changed("cable:*", rest_ratio="tight"),
        "cable \"bottom1\": rest_ratio: 'tight' is a text, where a number is wanted",
    ),
    "a way for a rotation": (
        lambda: prism().moved((0, 0, 1)),
        "moved: rotation has the shape (3,), not (3, 3): the rows of a matrix, as in [(1, 0, 0), (0, 0, -1), "
        "(0, 1, 0)] for a quarter turn about x; a way to go is translation=(x, y, z)",
    ),
    "no direction": (
        lambda: taut.on_line("l", "a", (0, 0, 0)),
        "on_line: direction [0, 0, 0] is not a direction; give one such as (0, 0, 1)",
    ),
    "loads that are a number": (
        lambda: taut.assemble(prism(), loads=5.0),
        'assemble: loads: 5.0 is a number, where a list [Load, ...] is wanted: taut.Load("top", "z", -5.0)',
    ),
    "loads by node": (
        lambda: taut.assemble(prism(), loads={"top1": (0, 0, -5)}),
        "assemble: loads: {'top1': (0, 0, -5)} is a dict, where a list [Load, ...] is wanted: "
        'taut.Load("top", "z", -5.0)',
    ),
    "one load": (
        lambda: taut.assemble(prism(), loads=Load("top1", "x", 1.0)),
        "assemble: loads: is a Load, where a list [Load, ...] is wanted; put it into a list: [...]",
    ),
    "gravity as a text": (
        lambda: taut.assemble(prism(), gravity="9.81"),
        "assemble: gravity: '9.81' is a text, where a number or three numbers are wanted",
    ),
    "damping as a number": (
        lambda: taut.assemble(prism(), damping=5.0),
        "assemble: damping: 5.0 is a number, where a Damping is wanted: taut.Damping(node=0.1)",
    ),
    "the name of a file": (
        lambda: taut.assemble("tbar.yaml"),
        "assemble: structure: 'tbar.yaml' is a text, where a Structure is wanted; taut.read reads files",
    ),
    "an equilibrium to assemble": (
        lambda: taut.assemble(standing()),
        "assemble: structure: is an Equilibrium, where a Structure is wanted; it has one: .structure",
    ),
    "a structure to simulate": (
        lambda: taut.simulate(prism(), 1.0),
        "simulate: plant: is a Structure, where a Plant is wanted: taut.assemble(structure)",
    ),
    "loads of a balance": (
        lambda: taut.balance(prism(), loads={"top1": 5.0}),
        "balance: loads.top1: 5.0 is a number, where three numbers are wanted",
    ),
    "one target for all": (
        lambda: taut.prestress(prism(), 100.0),
        "prestress: targets: 100.0 is a number, where a dict {name: number} is wanted",
    ),
    "modes of a structure": (
        lambda: taut.modes(prism()),
        "modes: equilibrium: is a Structure, where an Equilibrium is wanted: "
        "taut.balance(structure) or taut.prestress(structure, {...})",
    ),
    "one case": (
        lambda: statics.solve_cases(prism(), statics.LoadCase()),
        "solve_cases: cases: is a LoadCase, where a dict {name: LoadCase} is wanted; "
        'put it into a dict: {"a name": ...}',
    ),
    "a regulator of a plant": (
        lambda: taut.control.lqr(taut.assemble(prism())),
        "lqr: model: is a Plant, where a LinearModel or a SampledModel is wanted: taut.linearise(plant)",
    ),
    "the norm of a plant": (
        lambda: taut.control.h2_norm(taut.assemble(prism())),
        "h2_norm: model: is a Plant, where a LinearModel is wanted: taut.linearise(plant)",
    ),
    "a time for a run": (
        lambda: taut.dynamics.predictability(taut.assemble(prism()), 1.0),
        "predictability: run: 1.0 is a number, where a Trajectory is wanted: "
        "taut.simulate(taut.assemble(structure), duration)",
    ),
    "a structure for a file": (
        lambda: taut.read_model(prism()),
        "read_model: path: is a Structure, where the name of a file is wanted",
    ),
    "a table to plot": (
        lambda: taut.plot.structure(table()),
        "structure: shown: is a LoadCaseTable, where a Structure, a Still, an Equilibrium or a Trajectory is wanted; "
        "it has one: .structure",
    ),
    "the energy of a structure": (
        lambda: taut.plot.energy(prism()),
        "energy: run: is a Structure, where a Trajectory is wanted: taut.simulate(taut.assemble(structure), duration)",
    ),
    "a number to show": (
        lambda: taut.page(5),
        "page: shown: 5 is a number, where a Structure, a Still, an Equilibrium, a Trajectory, a LoadCaseTable, a "
        "WorkspaceMap, an InterpolatedMap, a list of them or a dict of them by name is wanted: "
        "taut.balance(structure) or taut.prestress(structure, {...})",
    ),
    "a thing where the file goes": (
        lambda: taut.save(prism(), prism()),
        "save: path: is a Structure, where the name of a file is wanted",
    ),
}


@pytest.mark.parametrize("slip", CALLS)
def test_a_call_says_which_argument_is_of_another_type(slip: str) -> None:
    make, said = CALLS[slip]
    with pytest.raises(OptionError, match=f"^{re.escape(said)}$"):
        make()


def test_what_python_takes_as_well_is_taken() -> None:
    bar = Bar("b", ["a", "c"], mass=np.float32(2.0), radius=np.array(0.1))
    assert bar.nodes == ("a", "c")
    assert type(bar.mass) is float
    assert bar.radius == 0.1
    assert Cable("c", np.array(["a", "c"]), segments=2.0).segments == 2
    assert taut.SampledSignal(np.arange(3), [0.0, 1, 2]).times == (0, 1, 2)
    assert Structure({"a": np.zeros(3), "c": [1, 0, 0]}, [BAR]).nodes["a"] == (0.0, 0.0, 0.0)
    held = Structure(NODES).with_constraints([taut.on_plane("p", "a", (0, 0, 1))])
    assert list(held.constraints) == ["p"]
    assert list(Structure(NODES).with_nodes({"d.1": (0, 0, 1)}, e=(0, 1, 0)).nodes) == ["a", "c", "d.1", "e"]
    taut.assemble(prism(), gravity=np.array([0.0, 0.0, -9.81]), loads=iter([Load("top1", "x", np.float64(3.0))]))


def test_an_argument_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(TypeError, match=r'simulate\(\) has no argument "steps"; did you mean "step"'):
        taut.simulate(taut.assemble(prism()), 1.0, steps=1e-3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r'has no argument "dt"; there are plant, duration, every, method'):
        taut.simulate(taut.assemble(prism()), 1.0, dt=1e-3)  # type: ignore[call-arg]


def test_a_field_that_is_not_there_is_told_as_an_argument_is() -> None:
    with pytest.raises(TypeError, match=r'^Bar\(\) has no argument "mas"; did you mean "mass"\?$'):
        Bar("b", ("a", "c"), mas=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r'^Ground\(\) has no argument "normal"; there are name, shape, friction, '):
        taut.Ground("slope", normal=(0.0, 0.0, 1.0))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r'Bar\(\) has no argument "mas"; did you mean "mass"'):
        replace(BAR, mas=2.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r'Bar\(\) has no argument "node"; did you mean "nodes"'):
        Bar("b", node=("a", "c"))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^Bar.__init__\(\) missing 1 required positional argument: 'nodes'$"):
        Bar("b")  # type: ignore[call-arg]
    assert [*inspect.signature(Bar).parameters][:3] == ["name", "nodes", "mass"]
    assert pickle.loads(pickle.dumps(BAR)) == BAR


def _after_init(kind: Any) -> Any:
    return getattr(vars(kind).get("__post_init__"), "__code__", None)


def test_every_record_whose_fields_are_checked_knows_them_by_name() -> None:
    kinds = set[Any]()
    for found in pkgutil.walk_packages(taut.__path__, "taut."):
        if found.name.startswith("taut.papers") or found.name.endswith("__main__"):
            continue
        kinds |= {one for one in vars(import_module(found.name)).values() if isinstance(one, type)}
    records = [one for one in kinds if "conform" in getattr(_after_init(one), "co_names", ())]
    assert len(records) > 60
    for kind in [*records, taut.dynamics.Correction, taut.Event, taut.output.Still]:
        with pytest.raises(TypeError, match=rf'^{kind.__name__}\(\) has no argument "xxxx"; there are '):
            kind(xxxx=1)


def test_what_is_missing_python_says_itself() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'duration'"):
        taut.simulate(taut.assemble(prism()))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'selector'"):
        prism().changed(stiffness=3.0)  # type: ignore[call-arg]


def test_the_annotations_of_what_is_checked_can_be_read() -> None:
    """An annotation that cannot be resolved is not checked: only those of matplotlib may be."""
    homes = [taut, *(getattr(taut, name) for name in ("statics", "control", "dynamics", "measurement", "output"))]
    functions = {getattr(home, name) for home in homes for name in home.__all__ if callable(getattr(home, name, None))}
    functions |= {getattr(taut.plot, name) for name in taut.plot.__all__}
    checked = [one.__wrapped__ for one in functions if hasattr(one, "__wrapped__")]
    plain = {one.__name__ for one in functions if not isinstance(one, type) and not hasattr(one, "__wrapped__")}
    assert plain == {"register", "reproduce", "sweep"}, "which look for themselves"
    for function in checked:
        signature, hints = _wanted(function)
        unknown = {name for name in signature.parameters if name not in hints}
        assert unknown <= {"ax"}, function.__name__
        assert inspect.signature(function) == signature
