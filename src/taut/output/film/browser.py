"""A browser without a window, told what to do by the DevTools protocol over a pair of pipes.

Messages are JSON texts that end with a NUL byte; the browser reads them from file descriptor 3 and writes to 4. There
is no port that others on the machine could reach, and no dependency. It is a process group of its own with a profile
in a temporary folder, asks no network for anything, and is gone when the block ends, however that ends; where this
process is killed the pipes close, and the browser ends by itself. No wait is endless.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from taut.errors import TautError, visible

VARIABLE = "TAUT_BROWSER"
"""Of the environment: the program, by name or path."""

PROGRAMS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
)

PATIENCE = 60.0
"""[s] for any one answer; a busy machine takes some to start a browser."""

FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps"),
    *("--disable-extensions", "--disable-domain-reliability", "--disable-breakpad", "--metrics-recording-only"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--password-store=basic", "--use-mock-keychain", "--mute-audio"),
    *("--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage"),
)

BESIDE = '"$@" 3<&0 4>&1 </dev/null >/dev/null; code=$?; rm -rf "$0"; exit $code'
"""For the shell around the browser: takes the pipes from where Python puts them to where a browser looks for them, and
the profile away where this process was killed and cannot."""


class BrowserError(TautError):
    """A browser that does not start, does not answer or does not do what it was told."""


class NoBrowserError(BrowserError):
    """No browser was found."""


def browser_program() -> str:
    """The path of a browser that can draw; raises NoBrowserError where there is none."""
    if os.name != "posix":
        raise NoBrowserError("films are drawn by the page where programs take numbered pipes, which this system lacks")
    named = os.environ.get(VARIABLE, "")
    if named:
        if found := shutil.which(named):
            return found
        raise BrowserError(f"{VARIABLE} names {visible(named)}, which is no program here")
    for name in PROGRAMS:
        if found := shutil.which(name):
            return found
    raise NoBrowserError(
        f"there is no browser to draw: none of {', '.join(PROGRAMS)} is on the path; install one, name one in the "
        f"environment variable {VARIABLE}, or let matplotlib draw"
    )


@contextmanager
def profile_folder() -> Iterator[Path]:
    """A folder for a browser, and for the page it is to show; both are gone when the block or the browser ends."""
    try:
        # What the browser is still writing while it ends may be left over, which is no reason to fail.
        folder = tempfile.TemporaryDirectory(prefix="taut-browser-", ignore_cleanup_errors=True)
    except OSError as error:
        raise BrowserError(f"no temporary folder could be made for the browser: {error.strerror or error}") from error
    with folder as profile:
        yield Path(profile)


@contextmanager
def browser(program: str, profile: Path) -> Iterator[Browser]:
    """A browser that runs within the block."""
    with open(profile / "said", "a+b") as said:
        alone = ("--no-sandbox",) if os.geteuid() == 0 else ()  # which a browser refuses to root
        command = [program, *FLAGS, *alone, f"--user-data-dir={profile}", "about:blank"]
        try:
            process = subprocess.Popen(
                ["/bin/sh", "-c", BESIDE, str(profile), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            raise BrowserError(f"{program} could not be started: {error.strerror or error}") from error
        try:
            yield Browser(program, process, said)
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The browser and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    process.wait()


class Browser:
    """What is told to a browser and what it answers. said: its complaints."""

    def __init__(self, program: str, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        self.program, self.process, self.said = program, process, said
        assert process.stdin is not None
        assert process.stdout is not None
        self._out, self._in = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._told, self._heard = 0, b""

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """What a method of the protocol returns."""
        self._told += 1
        asked = {"id": self._told, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        try:
            os.write(self._out, json.dumps(asked).encode() + b"\0")  # fewer bytes than a pipe holds
        except OSError:
            raise self._ended() from None
        until = time.monotonic() + PATIENCE
        while True:
            message = self._next(method, until)
            try:
                answer = json.loads(message)
            except ValueError:
                raise self.trouble(f"answered {method} with what is no message: {message[:60]!r}") from None
            if answer.get("id") != self._told:
                continue  # an event, which nobody waits for
            if "error" in answer:
                raise self.trouble(f"refused {method}: {answer['error'].get('message', '')}")
            return dict(answer["result"])

    def open(self, page: str, width: int, height: int, scale: float) -> Page:
        """A page in a window of that size [CSS px], with so many pixels for each of them."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        sized = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", session, **sized)
        refused = self.call("Page.navigate", session, url=page).get("errorText")
        if refused:
            raise self.trouble(f"could not open {page}: {refused}")
        return Page(self, session)

    def trouble(self, told: str) -> BrowserError:
        return BrowserError(visible(f"the browser {self.program} {told}"))

    def _next(self, method: str, until: float) -> bytes:
        """The next message."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._in, selectors.EVENT_READ)
            parts = [self._heard]
            while b"\0" not in parts[-1]:
                if not waiting.select(max(0.0, until - time.monotonic())):
                    raise self.trouble(f"did not answer {method} within {PATIENCE:g} s")
                part = os.read(self._in, 1 << 20)
                if not part:
                    raise self._ended()
                parts.append(part)
        message, _, self._heard = b"".join(parts).partition(b"\0")
        return message

    def _ended(self) -> BrowserError:
        """Says what the browser said last."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        code = self.process.poll()
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()
        how = "closed its pipes" if code is None else f"ended with code {code}"
        return self.trouble(f"{how}{f' ({lines[-1][:200]})' if lines else ''}")


class Page:
    """A page that is open in a browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def run(self, script: str) -> Any:
        """The value of an expression in the page; of a promise what it promises."""
        told = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self.browser.call("Runtime.evaluate", self.session, **told)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            words = details.get("exception", {}).get("description", "") or details.get("text", "")
            raise self.browser.trouble(f"had an error in the page: {words.splitlines()[0] if words else 'unknown'}")
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait for a condition, which gives a text where it never will hold."""
        end = time.monotonic() + PATIENCE
        while (found := self.run(condition)) is not True:
            if isinstance(found, str):
                raise self.browser.trouble(f"could not show the page: {found}")
            if time.monotonic() > end:
                raise self.browser.trouble(f"did not show the page within {PATIENCE:g} s")
            time.sleep(0.02)

    def picture(self) -> str:
        """The page as it is, a PNG in base64."""
        told = {"format": "png", "optimizeForSpeed": True}
        return str(self.browser.call("Page.captureScreenshot", self.session, **told)["data"])
