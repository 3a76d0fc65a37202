"""Files that are whole or not there: drafts, their names, locks and permissions, and what killed writers left."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from taut import atomic_files
from taut.atomic_files import check_writable, new_draft, written_whole
from taut.errors import FileError, WriteError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_draft_has_an_unpredictable_name_and_is_never_an_older_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.html"
    with new_draft(target) as one, new_draft(target) as other:
        assert one != other
        assert {path.parent for path in (one, other)} == {tmp_path}
    assert os.listdir(tmp_path) == []
    monkeypatch.setattr(atomic_files.secrets, "token_hex", lambda _: "0" * 16)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    trap = tmp_path / f".x.html.{'0' * 16}.part"
    trap.symlink_to(victim)
    with pytest.raises(FileError, match=r"x.html: cannot be written: File exists"), written_whole(target) as draft:
        draft.write_text("yours")
    assert victim.read_text() == "mine"
    assert trap.is_symlink()


def test_permissions_are_those_of_the_file_that_is_replaced_or_the_usual_ones(tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    before = os.umask(0o027)
    try:
        for wanted in (0o640, 0o600, 0o664, 0o604):
            with written_whole(target) as draft:
                assert mode(draft) == wanted if target.exists() else 0o640, "from the first moment"
                draft.write_text("x")
            assert mode(target) == wanted
            target.chmod({0o640: 0o600, 0o600: 0o664, 0o664: 0o604}.get(wanted, wanted))
    finally:
        os.umask(before)


def test_the_folder_is_synced_after_the_file_has_taken_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def told_sync(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def told_replace(*paths: Path) -> None:
        done.append("moved")
        replace(*paths)

    monkeypatch.setattr(os, "fsync", told_sync)
    monkeypatch.setattr(os, "replace", told_replace)
    with written_whole(tmp_path / "x") as draft:
        draft.write_text("x")
    assert done == ["file", "moved", "folder"]


def test_what_a_killed_writer_left_is_removed_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    code = (
        "import os, signal\nfrom pathlib import Path\nfrom taut.atomic_files import written_whole\n"
        f"with written_whole(Path({str(target)!r})) as draft:\n"
        "    draft.write_text('half')\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.read_text() == "half"
    with new_draft(target) as in_use:
        assert list(tmp_path.iterdir()) == [in_use]
        check_writable(target)
        assert list(tmp_path.iterdir()) == [in_use]


def test_an_error_while_writing_is_told_apart_from_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"x: cannot be written: No space left"), written_whole(tmp_path / "x"):
        raise OSError(28, "No space left on device")
    with pytest.raises(FileError, match="does not exist") as raised, written_whole(tmp_path / "no" / "x"):
        pass
    assert not isinstance(raised.value, WriteError)


def test_a_place_where_nobody_may_write_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("taut.atomic_files.os.open", refuse)
    said = "/x.nc: cannot be written: Permission denied; name another place, as with -o$"
    for begun in (check_writable, lambda path: written_whole(path).__enter__()):
        with pytest.raises(FileError, match=said):
            begun(tmp_path / "x.nc")
