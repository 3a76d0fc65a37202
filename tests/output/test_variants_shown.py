"""A variant of an ensemble by itself, with all samples or few: its summary, page and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import OptionError
from taut.dynamics.ensemble_result import FIELDS
from taut.dynamics.trajectory import Trajectory
from taut.output.contact_places import closed, ground_forces
from taut.output.plot.sheets import figures, save_figures
from taut.structure.ground_facts import facts_of


def variant(fields: tuple[str, ...]) -> Trajectory:
    model = taut.read_model(Path(__file__).parents[2] / "examples" / "prism.yaml")
    plant = taut.assemble(model.structure, gravity=model.scenario.gravity, loads=model.scenario.loads)
    return taut.ensemble([plant, plant], 0.03, every=0.01, fields=fields)[1]


@pytest.mark.parametrize("fields", [tuple(FIELDS), ("cable_tension",)], ids=["all", "few"])
def test_a_variant_is_told_shown_and_kept(fields: tuple[str, ...], tmp_path: Path) -> None:
    run = variant(fields)
    told = run.facts()
    assert told["simulated"] == "0.03 s, 4 samples"
    assert ("energy" in told) == (len(fields) > 1), "nothing is said of what was not kept"
    assert not {"steps", "wall time"} & set(told)
    assert "nan" not in run.summary()
    taut.page(run, tmp_path / "variant.html")
    taut.save(run, tmp_path / "variant.nc")
    again = taut.read(tmp_path / "variant.nc")
    np.testing.assert_array_equal(again.nodes, run.nodes)
    np.testing.assert_array_equal(again.cable_tension, run.cable_tension)
    assert again.energy_kinetic.shape == run.energy_kinetic.shape
    assert again.bar_force.shape == run.bar_force.shape
    taut.page(again, tmp_path / "again.html")


@pytest.mark.parametrize("kept", ["contact_force", "contact_state"])
def test_pictures_show_what_was_kept(kept: str, prism: Trajectory, tmp_path: Path) -> None:
    """On a floor, with a drive and a load that is drawn at its node."""
    size = prism.time.size
    empty = {"contact_force": np.zeros((size, 0, 3)), "contact_state": np.zeros((size, 0))}
    full = {"contact_force": np.ones((size, 1, 3)), "contact_state": np.ones((size, 1))}
    run = replace(
        prism,
        **{name: (full if name == kept else empty)[name] for name in empty},
        contact_names=("top1 on floor",),
        drive_names=("winch",),
        drive_value=np.zeros((size, 0)),
        load_names=("top1.x",),
        load_force=np.zeros((size, 0)),
        options={**prism.options, "ground": facts_of([taut.Ground("floor")])},
        model_text="",
    )
    drawn = figures(run)
    assert {"contact_forces", "contact_states", "drives"} & set(drawn) == {f"{kept}s"}
    save_figures(drawn, tmp_path / "figures")
    taut.page(run, tmp_path / "run.html")
    taut.film(run, tmp_path / "run.gif", drawn_by="matplotlib", rate=5)
    with pytest.raises(OptionError, match="drive_value was not kept in this run; name it among"):
        taut.plot.drives(run)


def test_contacts_are_seen_by_their_states_where_forces_were_not_kept(prism: Trajectory) -> None:
    states = np.zeros((prism.time.size, 2))
    states[2:, 1] = 1.0
    run = replace(prism, contact_state=states, contact_names=("top1 on floor", "top2 on floor"))
    np.testing.assert_array_equal(closed(run), states > 0.0)
    assert ground_forces(run) == {}
