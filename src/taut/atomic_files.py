"""Files that are whole or not there: written under a name of their own beside the final one, then moved.

A draft is a new file of an unpredictable name, locked for as long as its writer lives; so nobody's link is followed,
two writers never share one, and what a killed writer left is known by its lock, which nobody holds.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from taut.errors import FileError, WriteError

ELSEWHERE = "; name another place, as with -o"
"""What helps where no file can be written; of a full disk it is plain."""

PART = "part"
"""How the names of drafts end that are of no use to anyone but their writer."""


def check_writable(path: str | Path) -> None:
    """Raise FileError if a file could not be written here; to be asked before long work, not after it."""
    target = target_of(path)
    try:
        with new_draft(target):
            pass
    except OSError as error:
        raise refused(path, error) from error


def made_folder(path: Path) -> Path:
    """The folder, made if need be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be made: {error.strerror or error}") from error
    return path


@contextmanager
def written_whole(path: str | Path, *, durable: bool = True) -> Iterator[Path]:
    """Within, write the draft whose path is given; at the end it takes the final name, or is gone where that failed.

    durable: wait until it is on the disk; without it a loss of power may leave an older file, or an empty one.
    """
    target = target_of(path)
    with ExitStack() as until_moved:
        try:
            draft = until_moved.enter_context(new_draft(target))
        except OSError as error:
            raise refused(path, error) from error
        try:
            yield draft
            take_name(draft, target, durable=durable)
        except OSError as error:
            raise WriteError(unwritable(path, error)) from error


def unwritable(path: str | Path, error: OSError) -> str:
    return f"{path}: cannot be written: {error.strerror or error}"


def refused(path: str | Path, error: OSError) -> FileError:
    """Why a file could not be begun: there is no room for it, or no file can be written there at all."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return WriteError(unwritable(path, error)) if full else FileError(unwritable(path, error) + ELSEWHERE)


def take_name(draft: Path, target: Path, *, durable: bool = True) -> None:
    """Move a finished draft to its final name."""
    if durable:
        with open(draft, "r+b") as stream:
            os.fsync(stream.fileno())
    os.replace(draft, target)
    if durable:
        sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where a system can say so."""
    with contextlib.suppress(OSError):  # Windows opens no folders; some network drives sync none
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def new_draft(target: Path, ending: str = PART, *, keep: Callable[[], bool] = lambda: False) -> Iterator[Path]:
    """A new, empty file beside the target, with its permissions if it is there; gone at the end if it is still there.

    ending: of its name. keep: asked at the end whether the draft is to stay.
    """
    remove_dead(target)
    draft, handle = _created(target, ending)
    own = os.fstat(handle)
    if os.name == "nt":  # where a file that is open cannot be moved, and locks are not asked for
        os.close(handle)
    try:
        yield draft
    finally:
        if not keep():
            with contextlib.suppress(OSError):
                if os.path.samestat(own, os.lstat(draft)):
                    draft.unlink()
        if os.name != "nt":
            os.close(handle)


def _created(target: Path, ending: str) -> tuple[Path, int]:
    """A draft and the handle whose lock says that it is in use."""
    try:
        before = target.stat()
    except FileNotFoundError:
        before = None
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    while True:
        draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.{ending}")
        handle = os.open(draft, flags, 0o666 if before is None else 0o600)
        try:
            _lock(handle)
            if before is not None and hasattr(os, "fchmod"):
                with contextlib.suppress(OSError):  # only its owner, or root, may give a file to its group
                    os.fchown(handle, before.st_uid, before.st_gid)
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            # Whoever looked for dead drafts before it was locked took it for one.
            if os.path.samestat(os.fstat(handle), os.lstat(draft)):
                return draft, handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            with contextlib.suppress(OSError):
                draft.unlink()
            raise
        os.close(handle)


def dead_drafts(target: Path, ending: str) -> list[Path]:
    """Drafts of a file whose writers are no more; those of which that cannot be said are not among them."""
    name = re.compile(re.escape(f".{target.name}.") + rf"[0-9a-f]{{16}}\.{ending}")
    try:
        found = [target.with_name(entry) for entry in os.listdir(target.parent) if name.fullmatch(entry)]
    except OSError:
        return []
    return sorted(draft for draft in found if _dead(draft))


def remove_dead(target: Path) -> None:
    """Remove what killed writers left of a file, if it is of no use."""
    for draft in dead_drafts(target, PART):
        with contextlib.suppress(OSError):
            draft.unlink()


def _dead(draft: Path) -> bool:
    try:
        handle = os.open(draft, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        return _lock(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    """Whether a file could be locked: nobody else uses it, as far as the system can say."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # in use, or a file system without locks
        return False
    return True


def target_of(path: str | Path) -> Path:
    """The file that a path means, if one can be written there; a link is followed, so that it stays a link."""
    try:
        target = Path(path).resolve()
        if target.is_dir():
            raise FileError(f"{path}: is a folder; give the name of a file")
        if not target.parent.is_dir():
            what = "is not a folder" if target.parent.exists() else "does not exist"
            raise FileError(f"{path}: cannot be written: {target.parent} {what}{ELSEWHERE}")
        if target.exists() and not target.is_file():
            raise FileError(f"{path}: is not a file, and will not be replaced by one")
        if target.exists() and not os.access(target, os.W_OK):
            raise FileError(f"{path}: cannot be written: the file is read-only{ELSEWHERE}")
    except (OSError, ValueError, RuntimeError) as error:
        raise FileError(f"{path}: cannot be written: {error}{ELSEWHERE}") from error
    return target


def check_still_there(draft: Path) -> None:
    """Raise OSError where a draft, or its folder, was taken away while it was written."""
    if not draft.exists():
        raise OSError(errno.ENOENT, f"{draft.parent} is gone" if not draft.parent.is_dir() else f"{draft} is gone")
