"""The `taut` command as a whole: what is wrong goes to stderr in plain words, never as a traceback.

Exit code 0, 1 (ran, but failed), 2 (bad input), 3 (a mistake in taut). One line a problem: `model.yaml:12: bars.b1:
...` where a file is at fault, `error: ...` elsewhere. Names come from files: control characters in them are written
out.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, TextIO

import typer

from taut import __version__
from taut.dynamics.interrupts import raised_interrupts
from taut.errors import FileError, ModelError, TautError, WriteError, visible
from taut.numerics.compile_events import tell_once

COMPILING = "compiling the equations of this kind of model: 10 to 30 s, on a ground 1 to 2 minutes; only once"

app = typer.Typer(
    help="Tensegrity structures: check, stand up, simulate, look at.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take the units in [..] for markup
)

UsageError: Any = typer.BadParameter.__bases__[0]
"""What typer raises on a wrong command line; it belongs to click, which some versions of typer carry inside."""

INTERRUPTED = 130
"""What some versions of typer make of a KeyboardInterrupt; others raise Abort."""

NOTHING_KEPT = "error: interrupted before there was anything to keep"

MOST_LINES = 60
"""Of an error message; a file with more problems than that is better mended in parts."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The command's entry point: whatever goes wrong is told in plain words on stderr, never as a traceback."""
    # The dense pieces of sparse factors are small: threads of BLAS wait for one another many times longer than they
    # work (a tower of 4,854 members: 56 s to count and certify instead of 2). Read when numpy is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # It would look through the names of all that is installed, for plugins that the checks of model files do not use.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A hundred thousand objects come with the imports and stay: looking through them for garbage, on the way and once
    # more at the end, took a fifth of the CPU time of a short run.
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)
    tell_once(_say_that_it_compiles)
    with raised_interrupts():
        code = _exit_code(arguments)
    raise SystemExit(code)


def _exit_code(arguments: Sequence[str] | None) -> int:
    if sys.stderr is None:  # closed: the next file would take its number, and complaints would go to stdout
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may hold letters that a terminal does not know
    try:
        with contextlib.redirect_stdout(sys.stdout and Visible(sys.stdout)):
            code = int(app(arguments, prog_name="taut", standalone_mode=False) or 0)
            if code == INTERRUPTED:
                return complain(NOTHING_KEPT, 1)
            print(end="", flush=True)
        return code
    except TautError as error:
        placed = isinstance(error, FileError) or (isinstance(error, ModelError) and error.source)
        return complain(str(error) if placed else f"error: {error}", 1 if isinstance(error, WriteError) else 2)
    except UsageError as error:
        command = error.ctx.command_path if error.ctx else "taut"
        return complain(f"error: {error.format_message()} (see `{command} --help`)")
    except (typer.Abort, KeyboardInterrupt):
        return complain(NOTHING_KEPT, 1)
    except MemoryError as error:
        why = str(error) or "no details"
        return complain(f"error: not enough memory ({why}); take fewer samples or a smaller model", 1)
    except OSError as error:
        # Our output cannot be printed, on a full disk or a terminal that is gone; without this Python would complain
        # once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1 if isinstance(error, BrokenPipeError) else complain(f"error: {error}", 1)
    except Exception as error:
        from taut.cli.mistakes import EXIT_CODE, mistake

        return complain(mistake(error, arguments), EXIT_CODE)


def _say_that_it_compiles() -> None:
    with contextlib.suppress(OSError):
        print(COMPILING, file=sys.stderr, flush=True)


class Visible:
    """A stream that writes control characters out instead of sending them to a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible(text, keep="\n\t"))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def complain(message: str, code: int = 2) -> int:
    lines = visible(message, keep="\n\t").split("\n")
    more = [f"... and {len(lines) - MOST_LINES} problems more"] if len(lines) > MOST_LINES else []
    with contextlib.suppress(OSError):  # a terminal that is gone
        print("\n".join(lines[:MOST_LINES] + more), file=sys.stderr)
    return code


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"taut {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
