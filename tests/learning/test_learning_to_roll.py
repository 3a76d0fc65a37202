"""The example that learns: a policy gets better by an evolution strategy, in few generations."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import script


@pytest.mark.slow
def test_a_policy_gets_better() -> None:
    pytest.importorskip("cma")
    found = script("learn_to_roll").main(generations=8, population=8, duration=2.0)
    assert found["after"] > found["before"] + 2.0 * np.hypot(found["error_before"], found["error_after"])
