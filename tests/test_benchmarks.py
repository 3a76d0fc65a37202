"""The benchmarks run and compare like with like; how fast is not a test's business."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1]))


def test_c_and_python_take_the_same_steps() -> None:
    from benchmarks import six_strut_against_c as bench

    if not bench.InC.available:
        pytest.skip("no C compiler here")
    result = bench.measure(steps=200, repeats=1)
    assert result["apart"] < 1e-12
    assert "times C" in bench.table(result)


def test_the_scale_benchmark_measures_what_it_names() -> None:
    from benchmarks import scale

    sizes = [scale.measure(kind, 200, work=1e3) for kind in scale.KINDS]
    assert all(20 < size.members < 1000 and size.memory > 1e7 for size in sizes)
    assert scale.table(sizes).count("\n") == len(sizes)


def test_the_tbar_benchmark_compares_at_equal_accuracy() -> None:
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


def test_the_statics_benchmark_balances_and_finds_the_same_modes_either_way() -> None:
    from benchmarks import statics_scale

    sizes = [statics_scale.measure(kind, 400) for kind in statics_scale.KINDS]
    assert all(size.status == "balanced" and size.lowest > 0.0 and size.memory > 1e7 for size in sizes)
    direct = statics_scale.measure("lattice", 400, solver="direct")
    assert direct.lowest == pytest.approx(sizes[-1].lowest, rel=1e-6)
    assert statics_scale.table([*sizes, direct]).count("\n") == len(sizes) + 1
