"""The statics benchmark certifies what it times; how fast is not a test's business."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_every_kind_is_counted_prestressed_and_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))
    from benchmarks import statics_counts as bench

    rows = [bench.measure(kind, 200) for kind in bench.KINDS]
    for row in rows:
        assert 40 < row.members < 1000
        assert row.states > 0
        assert row.residual < 1e-12
        assert row.least > 1.0 - 1e-9
        assert row.verdict in ("super-stable", "prestress-stable", "first-order rigid")
    assert bench.table(rows).count("\n") == len(rows)
