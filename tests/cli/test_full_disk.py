"""A disk that fills up under a run: a small one in memory, in a namespace of its own, so that it takes no rights."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from same_runs import assert_same_run

from taut.cli.application import COMPILING
from taut.output.store import load_run

SMALL = (
    "import sys\nimport taut.dynamics.driver as driver\ndriver.HANDED_ON = 0.001\n"
    "from taut.cli import main\nmain(sys.argv[1:])"
)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    folder = tmp_path / "disk"
    folder.mkdir()
    return folder


def on_a_small_disk(folder: Path, *lines: str) -> str:
    """Run lines of shell in this folder as a disk of 2 MB; returns what they say. Parts of runs come often there."""
    if not shutil.which("unshare"):
        pytest.skip("no unshare here, to mount a small disk with")
    taut = f'taut() {{ {sys.executable} -c "$SMALL" "$@"; echo "code $?"; }}'
    script = "\n".join([f"mount -t tmpfs -o size=2m none {folder} || exit 77", f"cd {folder}", taut, *lines])
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "SMALL": SMALL},
    )
    if done.returncode == 77 or done.stdout.startswith("unshare:"):
        pytest.skip(f"no disk can be mounted here: {done.stdout}")
    return done.stdout.replace(f"{COMPILING}\n", "")


@pytest.mark.slow
def test_a_run_that_fills_the_disk_keeps_what_goes_on_to_the_same_bits(tbar: Path, disk: Path) -> None:
    said = on_a_small_disk(
        disk,
        f"taut run {tbar} -o r.nc --every 0.01 --duration 1e6",
        "ls -A",
        f"mv .r.nc.*.draft {tbar.parent}/",
        "head -c 2047k /dev/zero > filler",
        f"taut run {tbar} -o r.nc --duration 1",
        "ls -A",
    )
    full = r"r\.nc: cannot be written: No space left on device"
    kept = r"; what was computed until (\S+) s is kept, and `taut run --from (\.r\.nc\.\S+\.draft)` goes on with it"
    first = re.match(f"{full}{kept}\ncode 1\n(.*)\n{full}\ncode 1\nfiller\n$", said)
    assert first is not None, said
    assert first[2] == first[3], "the draft is there, and nothing else"

    duration = str(round(float(first[1]) + 1.0, 2))
    for told in (["--from", first[2], "-o", "parts.nc"], [str(tbar), "--every", "0.01", "-o", "whole.nc"]):
        command = [sys.executable, "-m", "taut", "run", *told, "--duration", duration]
        subprocess.run(command, cwd=tbar.parent, check=True, capture_output=True)
    assert_same_run(load_run(tbar.parent / "parts.nc"), load_run(tbar.parent / "whole.nc"))


def test_a_sweep_that_fills_the_disk_says_so_and_goes_on_when_there_is_room(tbar: Path, disk: Path) -> None:
    sweep = f"taut sweep {tbar} 'properties.cable:*.stiffness=50:150:3' --set scenario.duration=1 --jobs 1 -o s.nc"
    said = on_a_small_disk(disk, "head -c 2040k /dev/zero > filler", sweep, "ls -A", "rm filler", sweep, "ls -A")
    full = r"s\.nc(\.journal)?: cannot be written: No space left on device"
    goes_on = "; the points that were computed are kept, and the same call goes on"
    assert re.match(rf"{full}({goes_on})?\ncode 1\n", said), said
    assert said.endswith("code 0\ns.nc\n"), said
