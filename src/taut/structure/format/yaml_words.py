"""Names, numbers and lists as YAML on one line, so that they read back as the same bits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from taut.errors import ModelError, Problem
from taut.structure.format.entries import NAME_LIMIT

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.~-]*")
_NOT_PLAIN = {"null", "Null", "NULL", "true", "false"}


def block(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"\n    {word(key)}: {value}" for key, value in rows)


def entries(given: Mapping[str, Any]) -> str:
    # A field whose name is a word of Python's ends in an underscore there.
    return "{" + ", ".join(f"{key.removesuffix('_')}: {value_text(value)}" for key, value in given.items()) + "}"


def listed(values: Iterable[Any]) -> str:
    return "[" + ", ".join(map(value_text, values)) + "]"


def value_text(value: Any) -> str:
    if isinstance(value, str):
        return word(value)
    if isinstance(value, tuple | list):
        return listed(value)
    return str(value) if isinstance(value, int) else number(value)


def number(value: float) -> str:
    """The shortest decimal that reads back as the same double; 200000000000.0 as 2e11."""
    text = repr(float(value)).removesuffix(".0")
    digits = text.rstrip("0")
    zeros = len(text) - len(digits)
    return f"{digits}e{zeros}" if zeros > 5 and digits.lstrip("-").isdigit() else text


def word(text: str) -> str:
    """A name or text, in quotes unless it is plain."""
    if len(text) > NAME_LIMIT:
        message = f'the name "{text[:40]}..." has {len(text)} characters; a file holds at most {NAME_LIMIT}'
        raise ModelError([Problem((), message)])
    if _PLAIN.fullmatch(text) and text not in _NOT_PLAIN:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
