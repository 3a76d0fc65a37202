"""Linear models of model files, as numbers for programs, and as files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from taut.atomic_files import written_whole
from taut.control.linear_model import LinearModel
from taut.control.linearising import linearise
from taut.control.norms import Norm, h2_norm, hinf_norm
from taut.output.model_runs import assembled
from taut.output.model_statics import left_out, steady_loads
from taut.statics.equilibrium import Equilibrium
from taut.structure.files import Model
from taut.structure.records import AXES
from taut.structure.scenario import Constant, Load

MATRICES = ("A", "B", "C", "D", "drift", "offset", "about", "reading")
NAMES = ("states", "inputs", "outputs", "notes")


def linear_model(
    model: Model, inputs: list[str] | None, outputs: list[str] | None, *, rest: Equilibrium | None, held: str
) -> LinearModel:
    """Of a model at its start, or where it rests under its gravity and the steady part of its loads, supports still."""
    changed: dict[str, Any] = {"controllers": ()}
    structure = rest.structure if rest else model.structure
    if rest:
        steady = [
            Load(node, axis, Constant(value))
            for node, force in steady_loads(model.scenario).items()
            for axis, value in zip(AXES, force, strict=True)
        ]
        changed |= {
            "loads": steady,
            "motions": (),
            "drives": tuple(replace(drive, to=None, by=0.0) for drive in model.scenario.drives),
            "velocities": {},
        }
    plant = assembled(structure, model.scenario, **changed)
    found = linearise(plant, inputs=inputs, outputs=outputs, held=held)
    return replace(found, notes=(*found.notes, *left_out(model.scenario)))


def linear_numbers(model: LinearModel) -> dict[str, Any]:
    """All that is known of a model, for JSON: complex numbers as [real, imaginary], null for what is infinite."""
    return {
        **{name: list(getattr(model, name)) for name in NAMES},
        **{name: getattr(model, name).tolist() for name in MATRICES},
        "poles": [[pole.real, pole.imag] for pole in model.poles.tolist()],
        "frequency": model.frequency.tolist(),
        "damping_ratio": model.damping_ratio.tolist(),
        "stable": model.stable,
        "h2_norm": _told(h2_norm(model)),
        "hinf_norm": _told(hinf_norm(model)),
    }


def save_linear(model: LinearModel, path: str | Path) -> None:
    """As .npz (arrays by their names, names as arrays of text) or as .json (with poles and norms)."""
    with written_whole(path) as draft:
        if Path(path).suffix == ".json":
            draft.write_text(json.dumps(linear_numbers(model), indent=1), encoding="utf-8")
            return
        arrays: dict[str, Any] = {name: getattr(model, name) for name in MATRICES}
        texts: dict[str, Any] = {name: np.array(getattr(model, name), dtype=str) for name in NAMES}
        with open(draft, "wb") as stream:
            np.savez(stream, **arrays, **texts)


def _told(norm: Norm) -> dict[str, Any]:
    return {
        "value": norm.value if math.isfinite(norm.value) else None,
        "reason": norm.reason,
        "frequency": norm.frequency if math.isfinite(norm.frequency) else None,
    }
