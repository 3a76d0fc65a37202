"""The compiled cache: an edited kernel must never be answered with the machine code of the old one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

import taut
from taut.numerics.code_stamps import reachable_stamp
from taut.numerics.compiled import _KernelCompiler, bound, entry, kernel

LAW = """
from taut.numerics.compiled import kernel

@kernel
def tension(stiffness, stretch, least):
    '''[N]'''
    return max(stiffness * stretch, least)
"""

MACHINE = """
import numpy as np
from law import tension
from taut.numerics.compiled import bound, entry, kernel

def pulled(stiffness):
    return law(stiffness, 0.5, 0.0)

pull = kernel(bound(pulled, {"law": tension}))

@entry
def rate(stiffness, out):
    out[0] = pull(stiffness)

@entry
def energy(stiffness):
    return 0.5 * 0.5 * tension(stiffness, 0.5, 0.0)

out = np.zeros(1)
rate(3.0, out)
print(energy(3.0), out[0])
"""

ROBOT = """
import numpy as np
from taut import assemble
from taut.generators import tbar

plant = assemble(tbar())
operations = plant.operations()
y = np.append(plant.positions.ravel(), np.zeros(13))
y[6] += 0.1
out = np.zeros_like(y)
operations["rate"](plant.pack, 0.0, y, out)
print(float(operations["energy"](plant.pack, y)[0]), float(out[12 + 6]))
"""


def small_machine(folder: Path) -> tuple[Path, str, str]:
    (folder / "law.py").write_text(LAW)
    return folder / "law.py", "'''[N]'''", MACHINE


def whole_robot(folder: Path) -> tuple[Path, str, str]:
    shutil.copytree(Path(taut.__file__).parent, folder / "taut", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "taut" / "mechanics" / "terms" / "springs.py", '"""[N]"""', ROBOT


@pytest.mark.parametrize("made", [small_machine, pytest.param(whole_robot, marks=pytest.mark.slow)])
def test_an_edited_kernel_never_serves_a_stale_cache(
    made: Callable[[Path], tuple[Path, str, str]], tmp_path: Path
) -> None:
    """`energy` and `rate` are written in other files than the spring law that is edited, and know of it only by what
    they are composed of."""
    law, unit, program = made(tmp_path)
    source = law.read_text()
    spring = "return max(stiffness * stretch, least)"
    assert source.count(spring) == 1, "the spring law has moved; tell this test where it is"

    def run() -> str:
        found = os.pathsep.join([str(tmp_path), str(Path(taut.__file__).parents[1])])
        environment = {**os.environ, "PYTHONPATH": found, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        (tmp_path / "program.py").write_text(program)
        command = [sys.executable, "program.py"]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def machine_code() -> dict[str, int]:
        """Files and when they were written."""
        return {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")}

    first = run()
    built = machine_code()
    assert built, "nothing was cached, so nothing is tested"

    law.write_text(source.replace(spring, "return max(2.0 * stiffness * stretch, least)"))
    edited = run()
    for before, after in zip(map(float, first.split()), map(float, edited.split()), strict=True):
        assert after == pytest.approx(2.0 * before, rel=1e-12), "springs of twice the stiffness, from rest"
    rebuilt = machine_code()
    assert rebuilt.keys() > built.keys()
    for name in ("rate", "energy"):
        assert any(f".{name}_" in path for path in rebuilt.keys() - built.keys()), f"{name} was compiled again"

    law.write_text(source)
    assert run() == first
    assert machine_code() == rebuilt, "the first machine code was still there and served"

    commented = source.replace(spring, f"# Nothing pulls while it is slack.\n    {spring}")
    law.write_text(commented.replace(unit, unit.replace("[N]", "In newtons.")))
    assert law.read_text().count("In newtons") == 1, "a docstring says as little as a comment"
    assert run() == first
    assert machine_code() == rebuilt, "a comment compiles nothing"


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


@kernel
def _entry_of(values: np.ndarray, place: int) -> float:
    return float(values[place])


@entry
def _first_and_another(values: np.ndarray, place: int) -> float:
    return _entry_of(values, 0) + _entry_of(values, 1) + _entry_of(values, place)


def test_numbers_that_a_call_spells_out_do_not_compile_a_kernel_again() -> None:
    assert _first_and_another(np.array([1.0, 2.0, 4.0]), 2) == 7.0
    assert len(_entry_of.signatures) <= 1, "none where it was compiled before"  # type: ignore[attr-defined]


def _shift(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    a, b, c = x[0] - y[0], x[1] - y[1], x[2] - y[2]
    out[0], out[1], out[2] = a, b, c


def test_the_same_done_to_two_axes_is_one_instruction_in_kernels_and_nowhere_else() -> None:
    given = np.array([3.0, 4.0, 5.0]), np.array([1.0, 1.0, 1.0]), np.zeros(3)
    shift, others = bound(_shift, {}), njit(_shift)
    ours = njit(pipeline_class=_KernelCompiler)(shift)
    for made in (ours, others):
        made(*given)
        np.testing.assert_array_equal(given[2], [2.0, 3.0, 4.0])
    in_pairs = ["fsub <2 x double>" in made.inspect_llvm(made.signatures[0]) for made in (ours, others)]
    assert in_pairs == [True, False]


def _sum_of_two(values: np.ndarray) -> float:
    return float(_entry_of(values, 0) + _entry_of(values, 1))


def test_kernels_hand_arrays_on_without_counting_who_holds_them() -> None:
    """Counted, each call of a kernel costs some nanoseconds for each array, a sixth of the six-strut robot's step."""
    ours, others = entry(bound(_sum_of_two, {})), njit(bound(_sum_of_two, {"_entry_of": njit(_entry_of.py_func)}))  # type: ignore[attr-defined]
    ours._cache.disable()  # type: ignore[attr-defined]  # numba does not show what it loaded
    assert ours(np.array([1.0, 2.0])) == others(np.array([1.0, 2.0])) == 3.0
    counts = ["NRT_" in made.inspect_llvm(made.signatures[0]) for made in (ours, others)]  # type: ignore[attr-defined]
    assert counts == [False, True]


def _fresh(size: int) -> float:
    return float(np.zeros(size)[0])


def test_a_kernel_cannot_allocate() -> None:
    with pytest.raises(TypingError, match="zeros"):
        entry(bound(_fresh, {}))(3)


@kernel
def _doubled(values: np.ndarray) -> float:
    return 2.0 * float(_entry_of(values, 0))


def test_only_entries_become_machine_code_and_whoever_calls_a_kernel_gets_all_it_reaches() -> None:
    def through(values: np.ndarray) -> float:
        return _doubled(values)

    assert entry(bound(through, {"_doubled": _doubled}))(np.array([4.0])) == 8.0
    assert njit(bound(through, {"_doubled": _doubled}))(np.array([4.0])) == 8.0, "also functions of others"
    (made,) = _doubled.overloads.values()  # type: ignore[attr-defined]
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0
    assert "_entry_of" in made.library.get_llvm_str()
    assert reachable_stamp(_doubled) in made.fndesc.mangled_name, "or another of its name would be taken for it"
