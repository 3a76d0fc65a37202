"""Model files: reading and writing. Below `output` files are read here only, and written by `taut.atomic_files`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TypeVar

from taut.atomic_files import written_whole
from taut.errors import FileError, ModelError, OptionError, Problem, suggestion
from taut.reprs import counted, titled
from taut.structure.format.building import build
from taut.structure.format.complaints import validated
from taut.structure.format.lines import Document, Path, read_document
from taut.structure.format.overriding import as_told, override
from taut.structure.format.patching import patched
from taut.structure.format.records import Columns, columns_of, with_description, with_records
from taut.structure.format.tree_building import build_tree
from taut.structure.format.writing import model_text
from taut.structure.scenario import SampledSignal, Scenario
from taut.structure.structure import Structure
from taut.structure.tree_models import TreeModel
from taut.type_checks import checked_arguments

__all__ = [
    "SIZE_LIMIT",
    "Model",
    "located",
    "model_text",
    "parse_model",
    "read_model",
    "read_record",
    "text_of",
    "without_tree",
    "write_model",
]

Found = TypeVar("Found")

SIZE_LIMIT = 16_000_000
"""Bytes of a model file; some 200,000 members written out one by one."""


@dataclass(frozen=True)
class Model:
    """A model file: what it describes, its text, and where it came from.

    text: as the structure and the scenario are, overrides included; reading it gives the same model.
    tree: of rigid bodies, where the file describes one; there are no nodes and members then.
    written, overrides: the text of the file itself, whose lines people know, and what was changed in it.
    """

    structure: Structure
    scenario: Scenario
    text: str
    source: str
    written: str = field(repr=False)
    overrides: tuple[str, ...] = ()
    tree: TreeModel | None = None

    def __repr__(self) -> str:
        what = repr(self.structure) if self.tree is None else repr(self.tree.tree)
        return titled(f"Model {self.source}", "", what, counted(len(self.overrides), "override"))


@checked_arguments
def read_model(
    path: str | os.PathLike[str],
    overrides: Iterable[str] = (),
    *,
    record_folders: Iterable[str | os.PathLike[str]] = (),
) -> Model:
    """Read a model file; every problem in it is reported at once, each with its line.

    overrides: entries to change before the file is understood, as in "scenario.duration=2".
    record_folders: where records may be beside the folder of the model file and those below it.
    """
    source = os.fspath(path)
    if source.endswith(".py"):
        raise FileError(f"{source}: is a Python script, not a model; run it with: python {source}")
    folders = [os.path.dirname(source) or ".", *(os.fspath(folder) for folder in record_folders)]
    return parse_model(text_of(source, "a model file"), source, overrides, record_folders=folders)


@checked_arguments
def read_record(path: str | os.PathLike[str], *, scale: float = 1.0) -> SampledSignal:
    """Read a record from a text file: two columns, times [s] and values, which are multiplied by the scale."""
    times, values = _columns(os.fspath(path))
    return SampledSignal(tuple(times), tuple(scale * value for value in values))


def _columns(source: str) -> Columns:
    return columns_of(text_of(source, "a record"), source)


def _description(source: str) -> str:
    """The text of a robot description, on one line."""
    return " ".join(text_of(source, "a URDF file").split())


def _within(folders: Sequence[str], reading: Callable[[str], Found]) -> Callable[[str], Found]:
    """Reads files that are in one of the folders or below; wherever links lead, it is the place they lead to."""
    roots = [os.path.realpath(folder) for folder in folders]

    def read(source: str) -> Found:
        place = os.path.realpath(source)
        if not any(os.path.commonpath([root, place]) == root for root in roots):
            raise FileError(
                f"{source}: is not beside the model file or below it, from where records are read; move it there, "
                "or allow its folder with --records FOLDER (record_folders in Python)"
            )
        return reading(source)

    return read


SPECIAL = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def check_regular(mode: int, source: str | os.PathLike[str], kind: str) -> None:
    """Raise FileError on what is no regular file: a pipe would be waited for, a device never ends."""
    if not stat.S_ISREG(mode):
        raise FileError(f"{source}: is {SPECIAL.get(stat.S_IFMT(mode), 'no regular file')}, not {kind}")


def text_of(source: str, kind: str, limit: int = SIZE_LIMIT) -> str:
    """The text of a regular file of UTF-8; raises FileError where it is none, or has more bytes than the limit."""
    try:
        told = os.stat(source)
        check_regular(told.st_mode, source, kind)
        size = told.st_size
        with open(source, "rb") as stream:
            # The size is asked first, so that a huge file is never read; it may grow meanwhile, hence the second limit.
            raw = stream.read(limit + 1) if size <= limit else b""
    except FileNotFoundError:
        raise FileError(f"{source}: there is no such file{_similar(source)}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError(f"{source}: cannot be read: {reason}") from None
    if max(size, len(raw)) > limit:
        raise FileError(f"{source}: {_too_big(max(size, len(raw)), kind, limit)}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{source}: is not a text file (byte {error.start} is not UTF-8)") from None
    if "\0" in text:
        raise FileError(f"{source}: is not a text file (character {text.index(chr(0))} is zero)")
    return text


def parse_model(
    text: str,
    source: str = "model",
    overrides: Iterable[str] = (),
    *,
    limit: int | None = SIZE_LIMIT,
    record_folders: Sequence[str] = (),
) -> Model:
    """Read a model from its text.

    limit: the longest text that is read; None for texts that taut itself wrote.
    record_folders: where files may be that the text names, relative to the source; without any none are read.
    """
    if limit is not None and len(text) > limit:
        raise FileError(f"{source}: {_too_big(len(text), 'a model file')}")
    told = tuple(overrides)
    original = read_document(text, source)
    document, made = override(original, told, source)
    missing = list[Problem]()
    if record_folders:
        document, missing = with_records(document, source, _within(record_folders, _columns))
        document, lost = with_description(document, source, _within(record_folders, _description))
        missing += lost
    entry, problems = validated(document)
    if entry is None or missing:
        raise _error(document, [*document.problems, *(missing or problems)], source, made)
    if entry.tree is not None:
        tree, scenario, problems = build_tree(entry)
        structure = Structure({}, name=entry.name)
    else:
        tree = None
        structure, scenario, problems = build(entry)
    if document.problems or problems:
        raise _error(document, [*document.problems, *problems], source, made)
    effective = patched(text, original.data, document.data)
    return Model(structure, scenario, effective, source, text, told, tree)


def without_tree(model: Model) -> Model:
    """The model, where it is a structure; raises OptionError where it is a tree of bodies, which few things take."""
    if model.tree is not None:
        raise OptionError(
            f"{model.source}: is a tree of bodies, which this does not take; check, info, run and page do"
        )
    return model


def located(model: Model, problems: Sequence[Problem]) -> ModelError:
    """Problems found in a model later on as an error that says their lines."""
    document, made = override(read_document(model.written, model.source), model.overrides, model.source)
    return _error(document, problems, model.source, made)


def write_model(
    path: str | os.PathLike[str], structure: Structure, scenario: Scenario | None = None, *, text: str | None = None
) -> None:
    """Write a model file; a write that is interrupted leaves what was there before. text: in place of the two."""
    whole = model_text(structure, scenario) if text is None else text
    with written_whole(FilePath(path)) as draft:
        draft.write_text(whole, encoding="utf-8", newline="\n")


def _error(document: Document, problems: Iterable[Problem], source: str, made: Mapping[Path, str]) -> ModelError:
    """The problems with their lines, in the order of the file; those of an override say so.

    made: the overrides by the path they set.
    """
    generated = isinstance(document.data, dict) and "generate" in document.data
    found = []
    for problem in problems:
        line, message = problem.line, problem.message
        if line is None:
            known = document.trimmed(problem.path)
            # A member that the file does not name was made by the generator.
            around = ("generate",) if generated and len(known) < min(2, len(problem.path)) else problem.path
            line = document.line(around)
        for path, told in made.items():
            if problem.path[: len(path)] == path:
                message = f"{message} (from {as_told(told)})"
        found.append(replace(problem, line=line, message=message))
    return ModelError(sorted(found, key=lambda problem: problem.line or 0), source)


def _too_big(size: int, kind: str, limit: int = SIZE_LIMIT) -> str:
    advice = '; describe big structures with "generate"' if kind == "a model file" else ""
    return f"has {size / 1e6:.1f} MB, more than the limit of {limit / 1e6:.0f} MB for {kind}{advice}"


def _similar(source: str) -> str:
    """Files of the same directory whose name is close to the one asked for."""
    folder, name = os.path.split(source)
    try:
        return suggestion(name, os.listdir(folder or "."))
    except OSError:
        return ""
