"""What is wrong with drives, one sentence each; and drives in model files."""

from __future__ import annotations

import math

import pytest

from taut import (
    Bar,
    Cable,
    Constant,
    CosineRamp,
    Doublet,
    Drive,
    ModelError,
    SampledSignal,
    Scenario,
    SignalSum,
    Sinusoid,
    SmoothStart,
    Structure,
    Watch,
    assemble,
)
from taut.structure.files import parse_model
from taut.structure.format.overriding import overridden
from taut.structure.format.writing import model_text

STRUCTURE = Structure(
    {"o": (0.0, 0.0, 0.0), "a": (0.0, 0.0, -1.0), "b": (1.0, 0.0, -1.0), "c": (1.0, 1.0, -1.0), "d": (2.0, 0.0, -1.0)},
    bars=[
        Bar("strut", ("o", "a"), mass=1.0),
        Bar("thick", ("b", "c"), mass=1.0, radius=0.1, inertia="cylinder"),
        Bar("soft", ("c", "d"), mass=1.0, law="compressible", stiffness=1e4),
    ],
    cables=[
        Cable("one", ("o", "b"), stiffness=100.0),
        Cable("two", ("a", "b"), stiffness=100.0, rest_length=0.9),
        Cable("cut", ("a", "c"), stiffness=100.0, mass=0.1, segments=3),
        Cable("pulled", ("a", "d"), mode="tension", command=5.0),
        Cable("dense", ("b", "d"), mode="force_density", command=5.0),
    ],
    supports={"o": "xyz"},
)


def function(t: float) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("drive", "said"),
    [
        (
            Drive("d", "cable:on", "rest_length", by=0.0),
            r'drives\[0\].member: "cable:on" selects no cable; did you mean',
        ),
        (Drive("d", "one", "rest_length", by=0.0), r'member: "one" does not say of what kind; write it as "cable:..."'),
        (Drive("d", "node:o", "rest_length", by=0.0), r"member: .* does not say of what kind"),
        (Drive("", "cable:one", "rest_length", by=0.0), r"name: a drive needs a name"),
        (Drive("d", "cable:one", "rest_lenght", by=0.0), r'quantity: "rest_lenght" is not one of .*; did you mean'),
        (Drive("d", "cable:one", "rest_length"), r"drives\[0\]: says neither `to` .* nor `by` .*; say one"),
        (Drive("d", "cable:one", "rest_length", 1.0, 1.0), r"says both `to` .* and `by`"),
        (
            Drive("d", "cable:one", "length", by=0.0),
            r'cable "one" has no length to drive: its mode is spring; drive its re',
        ),
        (
            Drive("d", "cable:one", "tension", by=0.0),
            r'quantity: cable "one" has no tension to drive: its mode is spring',
        ),
        (
            Drive("d", "cable:pulled", "force_density", by=0.0),
            r'"pulled" has no force_density to drive: its mode is tens',
        ),
        (
            Drive("d", "bar:strut", "rest_length", by=0.0),
            r'bar "strut" has no rest_length .*: its law is rigid; drive its l',
        ),
        (Drive("d", "bar:soft", "length", by=0.0), r'bar "soft" has no length to drive: its law is compressible'),
        (
            Drive("d", "bar:thick", "length", by=0.0),
            r'bar "thick" is a cylinder, whose thickness would change .*; say inertia',
        ),
        (Drive("d", "cable:cut", "rest_length", by=0.0), r'cable "cut" is cut into 3 segments; drive a cable of one'),
        (
            Drive("d", "bar:strut", "length", by=Doublet(0.1, 1.0)),
            r"drives\[0\].by: a doublet is a jump in a driven length",
        ),
        (
            Drive("d", "bar:strut", "length", by=SignalSum((0.1, Doublet(0.1, 1.0)))),
            r"by.sum\[1\]: a doublet is a jump in a driven length, which no force could follow",
        ),
        (
            Drive("d", "bar:strut", "length", by=SampledSignal((0.0, 1.0), (0.0, 0.1), (0.0, 1.0))),
            r"by.table.slopes: 1 m/s at 1 s, but the driven length stands still after that",
        ),
        (
            Drive("d", "bar:strut", "length", by=function),
            r"by: is a Python function, of which .* are not known together",
        ),
        (Drive("d", "cable:one", "rest_length", by=math.nan), r"drives\[0\].by: nan is not a finite number"),
        (Drive("d", "cable:one", "rest_length", by=0.0, drum_radius=0.0), r"drum_radius: 0 m must be more than zero"),
        (Drive("d", "cable:one", "rest_length", by=0.0, drum_radius=-1.0), r"drum_radius: -1 m must be more than zero"),
        (Drive("d", "cable:one", "rest_length", by=0.0, speed_limit=0.0), r"speed_limit: 0 m/s must be more than zero"),
        (Drive("d", "cable:one", "rest_length", by=0.0, force_limit=-2.0), r"force_limit: -2 N must be more than zero"),
        (
            Drive("d", "cable:pulled", "tension", by=0.0, drum_radius=0.1),
            r"drum_radius: goes with a rest length or a leng",
        ),
        (
            Drive("d", "cable:two", "rest_length", by=CosineRamp(0.0, -1.0, 1.0, 2.0)),
            r'by: drives the rest_length of cable "two" to -0.1 m at t = 2 s; it can never be zero or less',
        ),
        (
            Drive("d", "cable:two", "rest_length", to=Sinusoid(1.0, 2.0, mean=0.8)),
            r'to: drives the rest_length of cable "two" to -0.2 m at t = 0.375 s',
        ),
        (Drive("d", "bar:strut", "length", to=0.0), r'to: drives the length of bar "strut" to 0 m at t = 0 s'),
    ],
)
def test_what_is_wrong_with_a_drive(drive: Drive, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        assemble(STRUCTURE, drives=[drive])


def test_one_quantity_has_one_drive() -> None:
    drives = [Drive("first", "cable:one", "rest_length", by=0.0), Drive("second", "cable:*o*", "rest_length", by=0.0)]
    with pytest.raises(ModelError, match=r'drives\[1\].member: cable "one" is driven by "first" already; one quantity'):
        assemble(STRUCTURE, drives=drives)
    drives = [Drive("same", "cable:one", "rest_length", by=0.0), Drive("same", "cable:two", "rest_length", by=0.0)]
    with pytest.raises(ModelError, match=r'drives\[1\].name: another drive is called "same" too; rename one'):
        assemble(STRUCTURE, drives=drives)


def test_a_driven_bar_cannot_be_cut() -> None:
    watch = Watch.at_time("snap", 1.0, then="cut", cut="bar:strut")
    with pytest.raises(ModelError, match=r'bar "strut" is to be cut by the event "snap"; a bar whose length is driven'):
        assemble(STRUCTURE, drives=[Drive("d", "bar:strut", "length", by=0.0)], events=[watch])


DRIVES = (
    Drive("wind in", "cable:t*", "rest_length", by=SmoothStart(Sinusoid(0.1, 1.0 / 3.0), 1.0, 0.5), drum_radius=0.1),
    Drive(
        "lift", "bar:strut", "length", to=SignalSum((Constant(1.0), CosineRamp(0.0, 0.1, 0.0, 0.7))), speed_limit=0.3
    ),
    Drive("press", "bar:soft", "rest_length", by=SampledSignal((0.0, 1.0), (0.0, 0.1)), force_limit=1e7 / 3.0),
)


def test_drives_read_back_as_they_were_written() -> None:
    scenario = Scenario(drives=DRIVES)
    text = model_text(STRUCTURE, scenario)
    again = parse_model(text)
    assert again.scenario == scenario
    assert again.structure == STRUCTURE
    assert model_text(again.structure, again.scenario) == text


def test_a_python_function_cannot_be_written() -> None:
    drive = Drive("d", "cable:two", "rest_length", by=function)
    with pytest.raises(ModelError, match=r"scenario.drives.d: the drive of cable:two is driven by a Python function"):
        model_text(STRUCTURE, Scenario(drives=(drive,)))


TEXT = """
taut: 1
nodes: {top: [0, 0, 0], weight: [0, 0, -1]}
cables: {rope: {route: [top, weight], stiffness: 400}}
supports: {top: xyz}
point_masses: {weight: 2}
scenario:
  drives:
    winch: {member: "cable:rope", quantity: rest_length, by: -0.1, drum_radius: 0.1}
    spare: {member: "cable:rop", quantity: rest_length, by: {doublet: {amplitude: 1, width: 0}}}
"""


def test_problems_of_a_file_have_their_line() -> None:
    with pytest.raises(ModelError) as raised:
        parse_model(TEXT)
    told = str(raised.value)
    assert 'scenario.drives.spare.member: "cable:rop" selects no cable; did you mean "rope"' in told
    assert "scenario.drives.spare.by.doublet.width: 0 s must be more than zero" in told
    assert {problem.line for problem in raised.value.problems} == {10}


def test_an_unknown_key_inside_a_sum_is_named() -> None:
    good = "\n".join(line for line in TEXT.splitlines() if "spare" not in line)
    with pytest.raises(ModelError, match=r'by.sum\[1\]: unknown key "sinusoit"; did you mean "sinusoid"'):
        parse_model(good.replace("by: -0.1", "by: {sum: [1, {sinusoit: {amplitude: 1, frequency: 1}}]}"))


def test_a_drive_can_be_set_from_outside() -> None:
    good = "\n".join(line for line in TEXT.splitlines() if "spare" not in line)
    changed = overridden(good, ["scenario.drives.winch.by=-0.2", "scenario.drives.winch.drum_radius=0.3"])
    (drive,) = parse_model(changed).scenario.drives
    assert (drive.by, drive.drum_radius) == (Constant(-0.2), 0.3)
