"""Random structures and plain kernels are those of the tests of dynamics."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "dynamics"))
