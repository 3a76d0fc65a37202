"""A process that has everything loaded and runs each command in a fork of itself, so that many can be killed.

Read from stdin, a line of JSON each: `arguments` of the command, the `folder` to run it in, and the `signal` that ends
it: `after` so many seconds, or, without, as the command first brings a file onto the disk. A job with `learn` runs in
this process, so that the forks have loaded what it needs; one with `room` can write no file longer than that [bytes].
Told on stdout: how it ended and how long it took.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from typing import Any

from taut.cli import main
from taut.dynamics.interrupts import INTERRUPTS, raised_interrupts


def run(arguments: list[str]) -> int:
    try:
        main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    except Exception:
        traceback.print_exc()
    return 99


def forked(job: dict[str, Any]) -> int:
    """Begin a command in a process of its own, which writes what it says into the folder beside its own."""
    process = os.fork()
    if process:
        return process
    os.setsid()
    settle(job["folder"])
    stack = contextlib.ExitStack()
    stack.enter_context(raised_interrupts())  # the command does so first of all; Python itself takes longer to start
    if job["room"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["room"], job["room"]))
    if job["signal"] and job["after"] is None:
        sync = os.fsync

        def fatal(handle: int) -> None:
            os.fsync = sync
            os.kill(os.getpid(), job["signal"])
            sync(handle)

        os.fsync = fatal
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
        code = run(job["arguments"])
    except KeyboardInterrupt:  # before the command had begun, or after its end
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def settle(folder: str) -> None:
    os.chdir(folder)
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(f"../{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)


def followed(job: dict[str, Any]) -> dict[str, float]:
    begun = time.monotonic()
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    if job["learn"]:
        settle(job["folder"])
        return {"code": run(job["arguments"]), "seconds": 0.0}
    process = forked(job)
    if job["signal"] and job["after"] is not None:
        ended = os.pidfd_open(process)
        if not select.select([ended], [], [], job["after"])[0]:
            os.kill(process, job["signal"])
        os.close(ended)
    _, status = os.waitpid(process, 0)
    return {"code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - begun}


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w") as answers:
        for line in sys.stdin:
            print(json.dumps(followed(json.loads(line))), file=answers, flush=True)
