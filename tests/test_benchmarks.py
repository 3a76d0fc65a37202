"""The benchmarks run and compare like with like; how fast is not a test's business."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_the_tbar_benchmark_compares_at_equal_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1]))
    from benchmarks import tbar_against_scipy

    results = tbar_against_scipy.measure(duration=1.0, repeats=1)
    taut, *peers = results
    assert taut.position <= 1e-10
    assert taut.length <= 2e-13
    assert taut.energy <= 1e-10
    assert len(peers) == 1 + len(tbar_against_scipy.PEERS)
    for peer in peers:
        assert 0.0 < peer.position <= taut.position
        assert peer.length <= 1e-9
        assert peer.energy <= 1e-7
    text = tbar_against_scipy.table(results)
    assert all(result.seconds > 0.0 and result.name in text for result in results)
