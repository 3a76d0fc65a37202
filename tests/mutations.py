"""Model files changed at random, by seed: letters, lines, values, keys, whole parts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from taut.errors import TautError
from taut.structure.format.lines import read_document

EXAMPLES = Path(__file__).parents[1] / "examples"

EVERYTHING = """taut: 1
name: everything
nodes:
  a: [0, 0, 0]
  b: [1, 0, 0]
  c: [1, 0, 1]
  d: [0, 0, 1]
  e: [2, 0, 0]
  f: [2, 1, 1]
materials:
  wood: {density: 500, youngs_modulus: 1e10, yield_stress: 4e7, thermal_expansion: 5e-6, poisson_ratio: 0.3}
bars:
  b1: {nodes: [a, c], material: wood, radius: 0.02, inner_radius: 0.01}
  b2: {nodes: [b, d], mass: 1}
  b3: {nodes: [e, f], law: compressible, material: wood, radius: 0.01, length: 1.42, damping: 2}
cables:
  c1: {route: [a, b], rest_length: 0.9}
  c2: [b, c]
  c3: {route: [c, d], tension: 5, damping: 1}
  c4: {route: [d, a], law: spring, force_density: 3}
  c5: {route: [c, f], mass: 0.1, segments: 3}
  c6: {route: [b, e], material: wood, radius: 0.001, rest_ratio: 0.99, stiffness: 50}
properties: {"cable:*": {stiffness: 100}, "bar:b?": {inertia: thin}}
supports: {a: xyz, "node:e": xz}
point_masses: {f: 0.5}
groups: {sides: ["cable:c2", "cable:c4"], low: ["node:a", "node:b"]}
scenario:
  gravity: 9.81
  loads:
    push: {node: c, axis: x, signal: 5}
    swing: {node: d, axis: z, signal: {sinusoid: {amplitude: 2, frequency: 3, phase: 0.1, mean: 1}}}
    kick: {node: b, axis: y, signal: {doublet: {amplitude: 1, width: 0.01, start: 0.005}}}
    told: {node: f, axis: z, signal: {table: {times: [0, 0.1, 0.3], values: [0, 1, 0], slopes: [0, 1, 0]}}}
  drives:
    winch: {member: "cable:c1", quantity: rest_length, by: {cosine_ramp: {from: 0, to: -0.1, start: 0, end: 0.01}}}
    strut: {member: "bar:b2", quantity: length, to: {sum: [1.4, {sinusoid: {amplitude: 0.1, frequency: 5}}]}}
    press: {member: "bar:b3", quantity: rest_length, by: 0.01, drum_radius: 0.1, speed_limit: 3, force_limit: 100}
  damping: {node: 0.1, mass: 0.2, stiffness: 0.001}
  velocities: {c: [0.1, 0, 0]}
  events:
    low: {node: c, axis: z, level: 0.5, sense: falling, then: stop}
    far: {nodes: [a, c], length: 2}
    snap: {cable: "cable:*", tension: 500, then: cut}
    late: {time: 0.05, then: cut, cut: ["cable:c2"]}
  duration: 0.01
  every: 0.001
  method: dp5
  tolerance: 1e-7
  correction: {kind: energy, tolerance: 1e-13, iterations: 5, gains: [10, 10]}
  locate: true
  solver: direct
"""

HELD = """taut: 1
nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [0.5, 0.8, 0], d: [0.5, 0.3, 0.9]}
bars: {b1: {nodes: [a, d], mass: 1, radius: 0.05, inertia: cylinder}, b2: {nodes: [b, d], mass: 2}}
cables: {c1: [a, c], c2: {route: [c, d], tension: 2}}
properties: {"cable:*": {stiffness: 1000}}
supports: {a: xyz, b: z}
point_masses: {c: 1}
constraints:
  floor: {on_plane: c, normal: [0, 0, 1]}
  rail: {on_line: b, direction: [1, 0, 0]}
  pair: {tied: [c, d], axes: y}
  sum: {terms: [[c, x, 1], [d, x, -0.5]], value: 0.25}
scenario:
  motions:
    lift: {supports: a, axis: z, displacement: {sinusoid: {amplitude: 0.01, frequency: 2}}}
    quake: {axis: x, acceleration: {table: {times: [0, 0.02, 0.04], values: [0, 0.31, -0.12]}}, velocity: 0.1}
  gravity: [0, 1, -9]
  duration: 0.01
  method: rk4
  step: 0.001
  correction: constraints
"""

LINKS = """taut: 1
name: crank
tree:
  joints:
    hip:
      kind: revolute
      body: {name: rod, tube: {outer_diameter: 0.04, inner_diameter: 0.03, length: 0.5, density: 900, centre: [0,0,0]}}
      axes: [[1, 0, 0]]
      values: [0.4]
      rates: [0.1]
      driven: true
      damping: 0.01
    slide:
      kind: prismatic
      body: {name: block, mass: 1.2, centre: [0, 0, 0.1], inertia: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}
      at: [0, 0, -0.5]
      turned: {about: [0, 0, 1], by: 1.5707963267948966}
      axes: [[1, 0, 0]]
    coupler: {kind: spherical, parent: block, body: {name: link, cylinder: {radius: 0.02, height: 0.6, density: 2700}}}
  loops:
    pin: {predecessor: rod, successor: link, kind: point, at: [0, 0, -0.5], to: [0, 0, 0.3]}
  wrenches:
    wind: {body: block, force: [0, 1, 0], at: [0, 0, 0.1], signal: {sinusoid: {amplitude: 1, frequency: 2}}}
  start: {hip: {values: [0.4], rates: [0]}}
  torques: {hip: 0.5}
scenario: {gravity: 9.81, duration: 0.01, every: 0.002, events: {late: {time: 0.005}}, tolerance: 1e-6}
"""

WOUND = """taut: 1
tree:
  joints:
    one: {kind: revolute, body: {name: p1, cylinder: {radius: 0.05, height: 0.02, density: 2000}}, axes: [[0, 1, 0]]}
    slide: {kind: prismatic, body: {name: weight, box: {sides: [0.1, 0.1, 0.1], density: 500}}, axes: [[0, 0, 1]]}
    two: {kind: revolute, parent: weight, body: {name: p2, cube: {side: 0.05, density: 2000}}, at: [0, 0, -0.58],
          axes: [[0, 1, 0]]}
  spans:
    belt: {pulleys: [one, two], radii: [0.05, 0.08], stiffness: 200, damping: 1, natural: 0.6, wound: [null, 2]}
scenario: {gravity: 9.81, duration: 0.01, method: rk4, step: 0.001, correction: constraints}
"""

STOOD = """taut: 1
tree:
  joints:
    root: {kind: floating, body: {name: shin, box: {sides: [0.1, 0.1, 0.4], density: 500}}, at: [0, 0, 0.25]}
  points:
    foot: {body: shin, at: [0, 0, -0.2]}
    toe: {body: shin, at: [0.05, 0, -0.2]}
scenario:
  gravity: 9.81
  ground: {floor: {plane: {}, friction: 0.5, compliance: {stiffness: 1e4, damping: 10}}}
  duration: 0.01
  tolerance: 1e-6
"""

GENERATED = [
    "tower: {stages: 2, struts: 3, radius: 0.5, height: 1, overlap: 0.2}",
    "needle_tower: {stages: 2, taper: 0.5}",
    "x_mast: {stages: 2, radius: 0.4}",
    "prism: {struts: 4, twist: 0.7}",
    "lattice: {nx: 1, ny: 1, nz: 2, class: 2}",
    "planar_lattice: {columns: 2, rows: 1, class: 4}",
    "dbar: {angle: 0.6, end_mass: 1}",
    "tbar: {bar_length: 5, rest_ratio: 0.9}",
    "icosahedron: {bar_length: 1, stiffness: 100}",
    "truncated_octahedron: {bar_length: 1}",
    "truncated_tetrahedron: {edge_ratio: 0.5}",
    "geiger_dome: {sectors: 4, rings: 1, heights: [2, 3], post_length: [3, 2]}",
    "levy_dome: {sectors: 6, rings: 1, span: 20, centre: ring}",
    "hollow_bridge: {modules: 1, sides: 4, prestress: 1e5}",
    "prismatic_robot: {sides: 3, layers: 1, active: tension, plate_radius: 0.2}",
]

BASES = [
    *(EVERYTHING, HELD),
    *(
        f"taut: 1\ngenerate: {{{told}}}\nscenario: {{gravity: 9.81, duration: 0.01, tolerance: 1e-6}}\n"
        for told in GENERATED
    ),
    *(text for text in (path.read_text() for path in sorted(EXAMPLES.glob("*.yaml"))) if "\ntree:" not in text),
]

TREES = [
    *(LINKS, WOUND, STOOD),
    *(text for text in (path.read_text() for path in sorted(EXAMPLES.glob("*.yaml"))) if "\ntree:" in text),
]

NUMBERS = [
    *("0", "-0", "1", "-1", "3", "0.5", "1e30", "-1e30", "1e-30", "1e31", "1e-31", "1e150", "1e308", "-1e308", "1e400"),
    *("1e-150", "1e-200", "1e-308", "5e-324", "nan", "inf", "-inf", "1e15", "1e-15", "1e7", "1e-7", "10000000"),
    *("99999999999999999999", "1_000", "0x1f", "1e", ".", "-", "٣", "100000", "1e12", "1e-12", "7"),
]
WORDS = [
    *("", "~", "null", "true", "false", "no", "*", "cable:*", "bar:*", "node:*", "node:", ":", "x", "xyz", "xx", "zyx"),
    *(
        "a",
        "b",
        "c",
        "cable:c1",
        "rigid",
        "compressible",
        "cylinder",
        "lumped",
        "spring",
        "cut",
        "stop",
        "energy",
        "dp8",
    ),
    *(
        "implicit3",
        "rattle4",
        "rk4",
        "iterative",
        "\x1b[31mred",
        "a\nb",
        "\u202eover",
        "y" * 250,
        "__class__",
        "[",
        "{a: 1}",
    ),
    *("../../etc/passwd", "/dev/zero", "\ud800", "é", "a.b", "a[0]", "c~1", "[!a]", "*" * 50),
]


def mutated(seed: int, bases: Sequence[str] = BASES) -> str:
    """The model file of a seed."""
    rng = random.Random(seed)
    text = rng.choice(bases)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        text = rng.choice(WAYS)(text, rng)
    return text


def _letters(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    till = min(len(text), at + rng.choice((0, 1, 1, 2, 10, 100)))
    put = rng.choice(
        ("", "", chr(rng.randrange(1, 128)), chr(rng.randrange(1, 0x2FFF)), text[at:till] * 2, "\0", "-", "9")
    )
    return text[:at] + put + text[till:]


def _digits(text: str, rng: random.Random) -> str:
    """A digit changed: the file stays whole, what it says does not."""
    places = [k for k, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + rng.choice("0123456789.e-") + text[at + 1 :]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] = rng.choice(("  ", " ", "\t", "- ", "# ")) + lines[at]
    return "\n".join(lines)


def _tree(change: Callable[[Any, Any, random.Random, list], None]) -> Callable[[str, random.Random], str]:
    """A change of one entry of what the text says; texts that say nothing stay as they are."""

    def changed(text: str, rng: random.Random) -> str:
        try:
            data = read_document(text, "m").data
        except TautError:
            return text
        places = list(_places(data))
        if not places:
            return text
        holder, key = rng.choice(places)
        change(holder, key, rng, places)
        return json.dumps(data, ensure_ascii=rng.random() < 0.5) + "\n"

    return changed


def _places(data: Any) -> Any:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(items):
        yield data, key
        yield from _places(value)


def _value(holder: Any, key: Any, rng: random.Random, places: list) -> None:
    leaves = [(h, k) for h, k in places if isinstance(h[k], str)]
    if leaves:
        holder, key = rng.choice(leaves)
    holder[key] = rng.choice(NUMBERS if rng.random() < 0.7 else WORDS)


def _kind(holder: Any, key: Any, rng: random.Random, places: list) -> None:
    value = holder[key]
    holder[key] = rng.choice(([], {}, None, [value], {"a": value}, "1", [value] * 3, [[]], [None], {"": None}))


def _key(holder: Any, key: Any, rng: random.Random, places: list) -> None:
    if isinstance(holder, list):
        rng.shuffle(holder)
        return
    names = [k for h, k in places if isinstance(k, str)]
    holder[rng.choice(names + WORDS)] = holder.pop(key) if rng.random() < 0.5 else holder[key]


def _gone(holder: Any, key: Any, rng: random.Random, places: list) -> None:
    del holder[key]


def _moved(holder: Any, key: Any, rng: random.Random, places: list) -> None:
    other, place = rng.choice(places)
    holder[key] = json.loads(json.dumps(other[place]))


WAYS = [
    _letters,
    _digits,
    _digits,
    _lines,
    *(_tree(change) for change in (_value, _value, _value, _kind, _key, _gone, _moved)),
]
