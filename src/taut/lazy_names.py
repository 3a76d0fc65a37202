"""Names that a package shows but loads only when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy_names(
    package: str,
    homes: Mapping[str, Sequence[str]],
    packages: Sequence[str] = (),
    renamed: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    homes: module -> names that are loaded from it; a name may be that of a submodule. packages: submodules that are
    found without an import of their own. renamed: names of earlier versions -> what they are now.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name in home:
            value = _found(home[name], name)
        elif name in packages:
            return importlib.import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"{package} has no name {name!r}{_hint(package, name, home, packages, renamed or {})}")
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted({*vars(sys.modules[package]), *home, *packages})


def _found(home: str, name: str) -> Any:
    """What a module has by this name, or its submodule of this name."""
    module = importlib.import_module(home)
    return getattr(module, name) if hasattr(module, name) else importlib.import_module(f"{home}.{name}")


def _hint(package: str, name: str, home: Mapping[str, str], packages: Sequence[str], renamed: Mapping[str, str]) -> str:
    """Where the name lives, or what looks like it."""
    if name.startswith("_"):  # asked for by Python itself, over and over
        return ""
    if name in renamed:
        return f"; it is {package}.{renamed[name]}"
    for other in packages:
        if name in getattr(importlib.import_module(f"{package}.{other}"), "__all__", ()):
            return f"; it is {package}.{other}.{name}"
    from taut.errors import suggestion

    return suggestion(name, [*home, *packages])
