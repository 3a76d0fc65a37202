"""What a run tells of its drives: in files, tables, notes, on the page, in plots, from the drum."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

import taut
from taut import (
    Cable,
    CosineRamp,
    Drive,
    OptionError,
    SelectionError,
    Sinusoid,
    Structure,
    assemble,
    ensemble,
    simulate,
)
from taut.dynamics.samples import VARIABLES
from taut.output.page.content import run_content
from taut.output.page.embedding import Arrays
from taut.structure.drives import QUANTITIES

matplotlib.use("Agg")
WINDING = CosineRamp(0.0, -0.2, 0.1, 0.5)


def test_files_name_the_units_of_all_that_can_be_driven() -> None:
    assert {one.unit for one in QUANTITIES.values()} == set(re.split(", | or ", VARIABLES["drive_value"].unit))


def hoisted(winding: Any = WINDING, **limits: float) -> Any:
    """Two weights on a rope each, wound alike; a third rope is driven by itself."""
    places = {f"{end}{k}": (float(k), 0.0, -float(end == "low")) for k in range(3) for end in ("top", "low")}
    structure = Structure(
        places,
        cables=[Cable(f"rope{k}", (f"top{k}", f"low{k}"), stiffness=500.0, damping=3.0) for k in range(3)],
        supports={f"top{k}": "xyz" for k in range(3)},
        point_masses={f"low{k}": 1.0 + k for k in range(3)},
    )
    drives = [
        Drive("hoist", "cable:rope[01]", "rest_length", by=winding, drum_radius=0.05, **limits),
        Drive("other", "cable:rope2", "rest_length", to=Sinusoid(0.05, 1.0, mean=1.0)),
    ]
    return assemble(structure, gravity=9.81, drives=drives)


@cache
def run() -> taut.Trajectory:
    return simulate(hoisted(), 0.6, every=0.02, tolerance=1e-9)


@pytest.mark.slow
def test_drives_have_names_and_outputs() -> None:
    assert run().drive_names == ("hoist:rope0", "hoist:rope1", "other")
    assert np.allclose(run().drive_value[-1, :2], 0.8)
    assert np.array_equal(run().drive_force, run().cable_tension)
    assert np.allclose(run().drive_power, -run().drive_force * run().drive_rate, rtol=1e-12, atol=1e-12)
    assert np.abs(run().energy_violation).max() <= 1e-9


def test_a_run_file_gives_drives_back(tmp_path: Path) -> None:
    taut.save(run(), tmp_path / "run.nc")
    again = taut.read(tmp_path / "run.nc")
    assert again.drive_names == run().drive_names
    for name in ("drive_value", "drive_rate", "drive_force", "drive_power"):
        assert np.array_equal(getattr(again, name), getattr(run(), name))
    assert taut.output.winch(again, "hoist:rope1").torque[-1] == taut.output.winch(run(), "hoist:rope1").torque[-1]


def test_tables_have_a_column_for_each(tmp_path: Path) -> None:
    taut.save(run(), tmp_path / "run.csv")
    header = (tmp_path / "run.csv").read_text().splitlines()[0]
    assert "drive:hoist:rope0" in header
    assert "drive:other.power" in header


def test_a_winch_turns_by_what_it_winds() -> None:
    winch = taut.output.winch(run(), "hoist:rope1")
    assert np.isclose(winch.angle[-1], 0.2 / 0.05)
    assert np.allclose(winch.torque, 0.05 * run().tension("rope1"))
    assert np.allclose(winch.power, run().drive_power[:, 1], rtol=1e-12, atol=1e-12)
    with pytest.raises(SelectionError, match=r'this run has no drive "hoist"'):
        taut.output.winch(run(), "hoist")
    with pytest.raises(OptionError, match=r'the drive "other" says no drum_radius \[m\]; give it one'):
        taut.output.winch(run(), "other")


def test_limits_that_are_passed_are_told() -> None:
    """The ramp is at its fastest, 0.2 pi / (2 * 0.4) m/s, at 0.3 s, whether there is a sample or not."""
    told = simulate(hoisted(speed_limit=0.5, force_limit=25.0), 0.6, every=0.25, tolerance=1e-9, verify=False).notes
    fastest = 0.2 * np.pi / 0.8
    for rope in ("rope0", "rope1"):
        wanted = (
            f'the drive "hoist:{rope}" needs a speed of {fastest:.4g} m/s at t = 0.3 s, 57.1 % beyond its limit of 0.5'
        )
        assert any(note.startswith(wanted) for note in told)
    assert [note for note in told if "a force of" in note and "hoist:rope1" in note and "limit of 25 N" in note]
    assert not [note for note in simulate(hoisted(speed_limit=0.8), 0.6, tolerance=1e-9).notes if "limit" in note]


def test_the_page_marks_and_charts_drives() -> None:
    content = run_content("run", run(), Arrays(), None)
    assert [(one["kind"], one["index"], one["drive"]) for one in content["driven"]] == [
        ("cable", 0, "hoist:rope0"),
        ("cable", 1, "hoist:rope1"),
        ("cable", 2, "other"),
    ]
    charts = {chart["name"]: [series["name"] for series in chart["series"]] for chart in content["charts"]}
    assert charts["Drives"] == charts["Power of drives"] == list(run().drive_names)


def test_drives_are_plotted() -> None:
    axes = taut.plot.drives(run(), "power")
    assert len(axes.get_lines()) == 3
    with pytest.raises(OptionError, match=r'"powr" is not one of value, rate, force, power; did you mean "power"'):
        taut.plot.drives(run(), "powr")


def test_a_driven_run_goes_on_as_if_it_had_not_stopped() -> None:
    """Bit for bit, from the middle of a ramp and with cables that slacken."""
    plant = hoisted(Sinusoid(0.1, 2.5))
    whole = simulate(plant, 0.6, every=0.02, tolerance=1e-9, verify=False)
    first = simulate(plant, 0.26, every=0.02, tolerance=1e-9, verify=False)
    rest = simulate(plant, 0.6, start=first, tolerance=1e-9, verify=False)
    assert whole.events
    assert np.array_equal(whole.nodes, rest.nodes)
    assert np.array_equal(whole.work, rest.work)
    assert np.array_equal(whole.drive_power, rest.drive_power)


def test_an_ensemble_of_driven_plants_goes_one_by_one() -> None:
    plants = [hoisted(CosineRamp(0.0, -reach, 0.1, 0.5)) for reach in (0.1, 0.2)]
    many = ensemble(plants, 0.6, every=0.02, tolerance=1e-9, fields=("drive_value", "work"))
    assert many.ok.all()
    assert np.abs(many.nodes[1] - run().nodes).max() <= 1e-12
    assert np.allclose(many.drive_value[:, -1, 0], [0.9, 0.8])


def test_what_is_driven_does_not_vary_in_an_ensemble() -> None:
    plant = hoisted()
    with pytest.raises(
        OptionError, match=r'rest_length of cable "rope1" cannot vary, since the drive "hoist:rope1" dri'
    ):
        ensemble(plant, 0.1, rest_length=np.array([[1.0, 1.1, 1.0]]), method="rk4", step=1e-3)
