"""Random structures and plain kernels are those of the tests of dynamics, the tower is that of an example."""

import sys
from pathlib import Path

for folder in (Path(__file__).parents[1] / "dynamics", Path(__file__).parents[2] / "examples"):
    sys.path.insert(0, str(folder))
