"""Pages that commands write beside what they print: `--page FILE`."""

from __future__ import annotations

from pathlib import Path

from taut.errors import FileError

SUFFIXES = (".html", ".htm")


def check_page(page: Path | None) -> None:
    """Refuse what cannot be written before the work begins."""
    from taut.atomic_files import check_writable

    if page is not None:
        if page.suffix not in SUFFIXES:
            raise FileError(f"{page}: a page's name must end in .html")
        check_writable(page)


def tell_page(page: Path | None) -> None:
    """Where it is, how large, and how to look at it."""
    if page is not None:
        size = page.stat().st_size / 1e6
        print(f"page: {page} ({size:.2f} MB); double-click it, or open {page.resolve().as_uri()} in a browser")
