"""Runs of machines with pulleys: section 5.2 of the thesis, energy, and what cannot go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut.trees import single_strut, tree_plant

REFERENCE = np.load(Path(__file__).parents[1] / "data" / "pulleys" / "sec52.npz")
VARIANTS = {"u": "elongation", "eps": "strain", "l": "length", "rigid": "rigid"}
TORQUES = {"B1-pulleyJt": 0.1001, "B2-pulleyJt": 0.1, "B3-pulleyJt": 0.1}
BAUMGARTE = taut.Correction("baumgarte", gains=(100.0, 20.0))


def followed(duration: float, *, variant: str = "strain", law: str = "printed", **more: float) -> np.ndarray:
    """Angles of the strut, strains and tensions, every millisecond."""
    plant = tree_plant(single_strut(variant=variant, law=law, **more), torques=TORQUES)
    run = taut.simulate(plant, duration, every=1e-3, method="rk4", step=1e-4, correction=BAUMGARTE, verify=False)
    assert run.status == "finished"
    assert run.element_names[:1] == ("B1-involuteJt.strain",)
    return np.column_stack([run.coordinate[:, :2], run.element_output[:, :6]])


@pytest.mark.parametrize("key", VARIANTS)
@pytest.mark.parametrize("duration", [0.02, pytest.param(1.0, marks=pytest.mark.slow)])
def test_section_5_2_is_the_reference(key: str, duration: float) -> None:
    found = followed(duration, variant=VARIANTS[key])
    wanted = REFERENCE[key][: len(found)]
    columns = 2 if key == "rigid" else 8  # the reference has no tensions of rigid cables
    assert np.abs(found - wanted)[:, :columns].max() < 1e-9
    if key == "rigid":
        np.testing.assert_allclose(found[0, 5:], np.array([*TORQUES.values()]) / 0.07, rtol=1e-3)


@pytest.mark.slow
def test_variants_agree_with_one_another() -> None:
    runs = [followed(1.0, variant=variant) for variant in ("elongation", "strain", "length")]
    for run in runs[1:]:
        assert np.abs(run - runs[0])[:, :5].max() < 1e-12
