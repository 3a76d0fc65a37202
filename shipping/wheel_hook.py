"""What hatch asks while it builds a wheel: with TAUT_COMPILED_CODE it gets that code, for this Python and system alone.

Without it the wheel is as any other: it goes everywhere, and compiles where it runs.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "TAUT_COMPILED_CODE"
"""The environment variable that names the folder `shipping/compiled_code.py` has made."""


class CompiledCode(BuildHookInterface[Any]):
    """Puts compiled code where `taut.numerics.shipped_code` looks for it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        told = os.environ.get(FOLDER)
        if not told or version == "editable":  # who edits kernels wants his own
            return
        store = Path(self.root) / told
        made_for = json.loads((store / "made_for.json").read_text(encoding="utf-8"))
        build_data["pure_python"] = False
        build_data["tag"] = made_for["tag"]
        build_data["force_include"][str(store)] = "taut/numerics/shipped"
