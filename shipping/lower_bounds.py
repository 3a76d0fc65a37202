"""The oldest versions that pyproject.toml allows, as constraints for pip; read off, so that they cannot go stale."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
AT_LEAST = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\d.]+)")


def lower_bounds(project: Path = PROJECT) -> dict[str, str]:
    """Of every requirement, those of the extras too, the version that it begins with."""
    told = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    found: dict[str, str] = {}
    for extra, asked in {"": told["dependencies"], **told["optional-dependencies"]}.items():
        for requirement in asked:
            if requirement.startswith(f"{told['name']}[") or extra == "compiled":  # others of these; exact versions
                continue
            match = AT_LEAST.fullmatch(requirement)
            if match is None:
                raise ValueError(f"pyproject.toml: {requirement!r} does not say where it begins: name>=version")
            name, version = match.groups()
            if found.setdefault(name, version) != version:
                raise ValueError(f"pyproject.toml: {name} begins with {found[name]} and with {version}: make them one")
    return found


def constraints(project: Path = PROJECT) -> str:
    """For `pip install --constraint`."""
    return "".join(f"{name}=={version}\n" for name, version in lower_bounds(project).items())


if __name__ == "__main__":
    print(constraints(), end="")
