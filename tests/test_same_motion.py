"""Motions are the ones that they were: last states kept from an earlier version, and the command that compares two.

tests/data/motions.npz is made by `python -m benchmarks.same_motion CHECKOUT --keep tests/data/motions.npz`.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

with np.load(Path(__file__).parent / "data" / "motions.npz") as _file:
    KEPT = {key: _file[key] for key in _file}
NAMES = [key.removesuffix("|places") for key in KEPT if key.endswith("|places")]


@pytest.fixture
def motions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1]))
    from benchmarks import motions

    return motions


@pytest.fixture
def same_motion(motions: ModuleType) -> ModuleType:
    from benchmarks import same_motion

    return same_motion


def excess(name: str, found: dict[str, np.ndarray]) -> float:
    """How far a motion ends from the kept one, as a fraction of what is allowed.

    That is twenty times what nudges of 1e-15 m did to it, and never less than 1e-13 m; of velocities in proportion.
    """
    times = max(20.0, 1e-13 / KEPT[f"{name}|places|nudge"])
    off = [
        np.abs(found[part][-1] - KEPT[f"{name}|{part}"]).max() / (times * KEPT[f"{name}|{part}|nudge"])
        for part in ("places", "velocities")
    ]
    return float(max(off))


@pytest.mark.parametrize("name", NAMES)
def test_a_motion_ends_where_it_did(name: str, motions: ModuleType) -> None:
    assert excess(name, motions.MOTIONS[name](motions.STILL)) <= 1.0


@pytest.mark.parametrize("name", NAMES)
def test_another_motion_is_noticed(name: str, motions: ModuleType) -> None:
    assert excess(name, motions.MOTIONS[name](motions.Nudge(1e-9))) > 1.0


def test_every_motion_is_kept(motions: ModuleType) -> None:
    assert list(motions.MOTIONS) == NAMES
    assert str(KEPT["commit"]) == "1a6736c"


def told(**other: object) -> dict[str, np.ndarray]:
    rows = np.linspace(0.0, 1.0, 5)
    parts = {"places": rows, "bar_force": 1e3 * rows, "words": ["finished", "slack"]} | other
    return {name: np.asarray(values) for name, values in parts.items()}


def test_a_difference_is_judged_beside_the_nudges(same_motion: ModuleType) -> None:
    first, rows = told(), told()["places"]
    nudged = [told(places=rows + 1e-12, bar_force=1e3 * rows + 1e-9), told()]

    def verdict(**other: object) -> tuple[bool, str]:
        found = same_motion.compared("it", first, told(**other), nudged)
        assert ("NO" in same_motion.table([found])) is not found.ok
        return found.ok, found.words

    assert verdict() == (True, "same to the last bit")
    assert verdict(places=rows + 1.9e-12) == (True, "within a nudge")
    assert verdict(places=rows + 2.1e-12) == (False, "positions differ")
    assert verdict(bar_force=1e3 * rows + 1.9e-8)[0]
    ok, words = verdict(bar_force=1e3 * rows + 2.1e-8)
    assert not ok
    assert "bar_force differs by 2.1e-08" in words
    assert verdict(words=["finished", "taut"]) == (False, "other events, or another end")
    assert not verdict(places=rows[:-1])[0]
    assert not verdict(places=np.full(5, np.nan))[0]
    assert not verdict(bar_force=np.full(5, np.nan))[0]
    assert not verdict(work=rows)[0]
    assert not verdict(words=["failed: ModelError"])[0]
