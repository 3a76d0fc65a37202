"""Pictures into a film, by the ffmpeg that comes with imageio-ffmpeg."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from taut.errors import OptionError

FORMATS = {
    ".mp4": ("libx264", "yuv420p", ["-f", "mp4", "-pix_fmt", "yuv420p", "-crf", "19", "-movflags", "+faststart"]),
    ".gif": ("gif", "pal8", ["-f", "gif", "-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse"]),
}


def encoder() -> str:
    """The program that encodes."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise OptionError('films need imageio-ffmpeg; install it with: pip install "taut[plot]"') from None
    return str(imageio_ffmpeg.get_ffmpeg_exe())


@contextmanager
def encoding(
    program: str, suffix: str, draft: Path, given: Sequence[str], rate: int
) -> Iterator[Callable[[bytes], Any]]:
    """Gives the function that takes picture after picture; raises OSError where ffmpeg could not write all of them.

    given: what pictures are, in ffmpeg's words.

    Called here and not by imageio, which does not say whether ffmpeg failed: a film that a full disk cut off passed.
    """
    codec, colours, options = FORMATS[suffix]
    wanted = ["-an", "-vcodec", codec, "-pix_fmt", colours, *options]
    command = [program, "-y", "-v", "error", *given, "-r", str(rate), "-i", "-", *wanted, str(draft)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and says why below
                yield process.stdin.write
                process.stdin.close()
            said = process.stderr.read().decode(errors="replace").strip().splitlines()
            if process.wait():
                raise OSError(f"ffmpeg failed ({said[-1] if said else f'code {process.returncode}'})")
        except BaseException:
            process.kill()
            with contextlib.suppress(OSError):
                process.stdin.close()
            raise
