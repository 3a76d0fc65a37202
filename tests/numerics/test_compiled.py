"""The compiled cache: an edited kernel must never be answered with the machine code of the old one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.numerics.compiled import bound, entry

PROGRAM = """
import numpy as np
from taut import assemble, tbar
from taut.mechanics.nodal import rate
from taut.mechanics.nodal_manifold import energy

plant = assemble(tbar())
y = np.append(plant.positions.ravel(), np.zeros(13))
y[6] += 0.1
out = np.zeros_like(y)
rate(plant.pack, 0.0, y, out)
print(float(energy(plant.pack, y)[0]), float(out[12 + 6]))
"""


def test_an_edited_kernel_never_serves_a_stale_cache(tmp_path: Path) -> None:
    """`energy` is compiled from another file than the spring law that is edited, `rate` from another function."""
    shutil.copytree(Path(taut.__file__).parent, tmp_path / "taut", ignore=shutil.ignore_patterns("__pycache__"))
    law = tmp_path / "taut" / "mechanics" / "nodal.py"
    source = law.read_text()
    spring = "cables.stiffness[k] * stretch, "
    assert source.count(spring) == 1, "the spring law has moved; tell this test where it is"

    def run() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def machine_code() -> set[str]:
        return {path.name for path in (tmp_path / "cache").rglob("*.nbc")}

    first = run()
    built = machine_code()
    assert built, "nothing was cached, so nothing is tested"
    law.write_text(source.replace(spring, "2.0 * cables.stiffness[k] * stretch, "))
    edited = run()
    for before, after in zip(map(float, first.split()), map(float, edited.split()), strict=True):
        assert after == pytest.approx(2.0 * before, rel=1e-12), "springs of twice the stiffness, from rest"
    assert machine_code() > built
    law.write_text(source)
    built = machine_code()
    assert run() == first
    assert machine_code() == built, "the first machine code was still there and served"


def shifted(x: float) -> float:
    return moved(x) + 1.0


def moved(x: float) -> float:
    raise NotImplementedError


def test_a_function_bound_to_other_words_runs_plain_and_compiled() -> None:
    double = entry(lambda x: 2.0 * x)
    plain = bound(shifted, {"moved": lambda x: 2.0 * x})
    compiled = entry(bound(shifted, {"moved": double}))
    for x in np.linspace(-1.0, 1.0, 5):
        assert plain(x) == compiled(x) == 2.0 * x + 1.0
