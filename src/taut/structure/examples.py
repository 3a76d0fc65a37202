"""The examples that come with taut: models and scripts, by name."""

from __future__ import annotations

from pathlib import Path

from taut.errors import OptionError, suggestion


def examples() -> list[Path]:
    """Those of the installation, or of the checkout."""
    here = Path(__file__).parents[1]
    folder = next((f for f in (here / "examples", here.parents[1] / "examples") if f.is_dir()), here)
    return sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".py"))


def example(name: str) -> Path:
    """The file of an example, by its name with or without the suffix."""
    known = {path.stem: path for path in examples()} | {path.name: path for path in examples()}
    if name not in known:
        raise OptionError(f'no example "{name}"{suggestion(name, known) or "; `taut examples` lists them"}')
    return known[name]
